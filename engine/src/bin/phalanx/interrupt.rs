//! Ctrl-C and SIGTERM: ask the run to stop, and see to it that the program ends in time.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::failure::{Failure, interrupted};
use crate::files;
use crate::so_far::{SoFar, lock};

/// How long the run is given to stop by itself. A single step of it may take longer than anybody wants to wait.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long the rows so far may take to be written. Their reader may never read them.
const GRACE: Duration = Duration::from_millis(200);

/// From now on Ctrl-C and SIGTERM raise `stop`. If the program is still there a while later, or at the second signal, it ends where it stands; the rows so far are left in any case.
///
/// A closed terminal (SIGHUP) is not heeded, so that `nohup` does what it is for.
pub(crate) fn catch(stop: &Arc<AtomicBool>, so_far: &Arc<Mutex<SoFar>>) -> Result<(), Failure> {
    let refuse = |error| Failure::run(format!("cannot catch Ctrl-C: {error}"));
    let (stop, so_far) = (Arc::clone(stop), Arc::clone(so_far));
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(refuse)?;
    let handler = move || {
        for signal in signals.forever() {
            let code = interrupted(signal);
            lock(&so_far).end_with(code);
            // Relaxed: the flag alone is read; the rows have a lock of their own.
            if stop.swap(true, Ordering::Relaxed) {
                end(&so_far, code, Duration::ZERO);
            }
            let so_far = Arc::clone(&so_far);
            let waiting = thread::Builder::new().spawn(move || {
                thread::sleep(PATIENCE);
                end(&so_far, code, GRACE);
            });
            // Where no thread can start, the second signal remains.
            drop(waiting);
        }
    };
    let listening = thread::Builder::new().spawn(handler);
    listening.map(drop).map_err(refuse)
}

/// Leaves the rows so far and ends the program. If the main thread is writing them, or the report, it has `grace` to finish.
fn end(so_far: &Mutex<SoFar>, code: u8, grace: Duration) -> ! {
    // Nobody writes anything under this lock, so it is never held for long.
    let left = lock(so_far).take();
    match left {
        Some(left) => {
            let limit = thread::Builder::new().spawn(move || {
                thread::sleep(GRACE);
                quit(code);
            });
            // Where no thread can start, they may take as long as they like.
            drop(limit);
            // There is nobody left to tell that they could not be left.
            drop(left.write(None));
        }
        None => thread::sleep(grace),
    }
    quit(code)
}

/// Waits while another thread leaves the rows and ends the program.
pub(crate) fn wait() -> ! {
    loop {
        thread::park();
    }
}

/// Ends the program where it stands.
fn quit(code: u8) -> ! {
    files::sweep();
    process::exit(code.into())
}
