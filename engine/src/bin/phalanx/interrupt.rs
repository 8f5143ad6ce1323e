//! Ctrl-C: asks the run to stop, and sees to it that the program ends in time.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::failure::{Failure, INTERRUPTED};
use crate::files;
use crate::so_far::SoFar;

/// How long the run is given to stop by itself. A single step of it may take longer than anybody wants to wait.
const PATIENCE: Duration = Duration::from_millis(500);

/// From now on Ctrl-C raises `stop`. If the program is still there a while later, or at the second Ctrl-C, it ends where it stands; the rows so far are left in any case.
pub(crate) fn catch(stop: &Arc<AtomicBool>, so_far: &Arc<Mutex<SoFar>>) -> Result<(), Failure> {
    let (stop, so_far) = (Arc::clone(stop), Arc::clone(so_far));
    let handler = move || {
        // Relaxed: the flag alone is read; the rows have a lock of their own.
        if stop.swap(true, Ordering::Relaxed) {
            end(&so_far);
        }
        let so_far = Arc::clone(&so_far);
        let waiting = thread::Builder::new().spawn(move || {
            thread::sleep(PATIENCE);
            end(&so_far);
        });
        // Where no thread can start, the second Ctrl-C remains.
        drop(waiting);
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::run(format!("cannot catch Ctrl-C: {error}")))
}

/// Leaves the rows so far and ends the program. If the main thread is at that already, it waits for it, and lets it.
fn end(so_far: &Mutex<SoFar>) {
    let mut so_far = so_far.lock().unwrap_or_else(PoisonError::into_inner);
    if so_far.is_over() {
        return;
    }
    // There is nobody left to tell that they could not be left.
    drop(so_far.leave());
    files::sweep();
    process::exit(INTERRUPTED.into());
}
