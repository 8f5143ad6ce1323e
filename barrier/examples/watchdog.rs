//! A participant gets stuck, and a watchdog outside the team stops the others.
//!
//! `cargo run -p phalanx-barrier --example watchdog`

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use phalanx_barrier::Team;

fn main() {
    let n_steps = AtomicU64::new(0);
    let team = Team::flat(3).build();
    let watchdog = team[0].poison_handle();
    let (done, is_done) = channel::<()>();
    thread::scope(|scope| {
        for mut me in team {
            let (n_steps, done) = (&n_steps, done.clone());
            scope.spawn(move || {
                let stopped = loop {
                    if me.index() == 2 && n_steps.load(Relaxed) == 100 {
                        // Stuck, until somebody says that it is over.
                        while me.cause().is_none() {
                            thread::sleep(Duration::from_millis(10));
                        }
                    }
                    if let Err(stopped) = me.wait() {
                        break stopped;
                    }
                    if me.index() == 0 {
                        n_steps.fetch_add(1, Relaxed);
                    }
                    if let Err(stopped) = me.wait() {
                        break stopped;
                    }
                };
                println!("participant {}: {stopped}", me.index());
                drop(done);
            });
        }
        drop(done);
        let mut seen = 0;
        while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(Duration::from_millis(200))
        {
            let now = n_steps.load(Relaxed);
            if now == seen {
                watchdog.poison(format!("no progress after step {now}"));
            }
            seen = now;
        }
    });
}
