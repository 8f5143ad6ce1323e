//! A participant gets stuck, and a watchdog outside the team stops the others.
//!
//! `cargo run -p phalanx-barrier --example watchdog`

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use phalanx_barrier::Team;

/// Steps that participant 0 has done.
struct Progress(AtomicU64);

impl Progress {
    fn made(&self) {
        // Relaxed: a number to look at, which orders nothing.
        self.0.fetch_add(1, Relaxed);
    }

    fn so_far(&self) -> u64 {
        // Relaxed: as in `made`.
        self.0.load(Relaxed)
    }
}

fn main() {
    let progress = Progress(AtomicU64::new(0));
    let team = Team::flat(3).build();
    let watchdog = team[0].poison_handle();
    let (done, is_done) = channel::<()>();
    thread::scope(|scope| {
        for mut me in team {
            let (progress, done) = (&progress, done.clone());
            scope.spawn(move || {
                for step in 0.. {
                    if me.index() == 2 && step == 100 {
                        // Stuck, until somebody says that it is over.
                        while me.cause().is_none() {
                            thread::sleep(Duration::from_millis(10));
                        }
                    }
                    if let Err(stopped) = me.wait() {
                        println!("participant {} in step {step}: {stopped}", me.index());
                        break;
                    }
                    if me.index() == 0 {
                        progress.made();
                    }
                }
                drop(done);
            });
        }
        drop(done);
        let mut seen = 0;
        let patience = Duration::from_millis(200);
        while is_done.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
            let now = progress.so_far();
            if now == seen {
                watchdog.poison(format!("no progress after step {now}"));
            }
            seen = now;
        }
    });
}
