//! Threads that stay, each pinned to a CPU, and run whichever arm they are told.

use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::{Arm, Worker};

/// Rounds before the measured ones, so that all threads are awake and in step.
const WARM_UP: u64 = 200;

/// Which arm to run, and for how many rounds.
type Order = (usize, u64);

/// The calling thread and `n - 1` others.
pub(crate) struct Crew {
    mine: Vec<Worker>,
    others: Vec<(Sender<Order>, JoinHandle<()>)>,
    done: Receiver<()>,
    /// The CPU of each thread, if they could be pinned.
    pub(crate) pinned_to: Option<Vec<usize>>,
}

impl Crew {
    /// Hires `n` threads for `arms`, and pins them if every one can have a CPU of its own.
    pub(crate) fn new(n: usize, arms: &[Arm]) -> Crew {
        let cpus = allowed_cpus();
        let pin = |index: usize| n <= cpus.len() && pin_this_thread(cpus[index]);
        let mut each: Vec<Vec<Worker>> = (0..n).map(|_| Vec::new()).collect();
        for arm in arms {
            for (all, worker) in each.iter_mut().zip((arm.workers)(n)) {
                all.push(worker);
            }
        }
        let (report, done) = channel();
        let mut each = each.into_iter();
        let mine = each.next().expect("a crew has a first thread");
        let is_pinned = pin(0);
        let others = (1..n).zip(each).map(|(index, mut workers)| {
            let cpu = is_pinned.then(|| cpus[index]);
            let (tell, orders) = channel::<Order>();
            let report = report.clone();
            let thread = thread::spawn(move || {
                cpu.map(pin_this_thread);
                for (arm, n_rounds) in orders {
                    workers[arm](WARM_UP);
                    workers[arm](n_rounds);
                    report.send(()).expect("the crew waits for its reports");
                }
            });
            (tell, thread)
        });
        Crew {
            mine,
            others: others.collect(),
            done,
            pinned_to: is_pinned.then(|| cpus[..n].to_vec()),
        }
    }

    /// How long `n_rounds` rounds of an arm take, seen from the calling thread.
    pub(crate) fn time(&mut self, arm: usize, n_rounds: u64) -> Duration {
        for (tell, _) in &self.others {
            tell.send((arm, n_rounds))
                .expect("a thread of the crew has ended");
        }
        self.mine[arm](WARM_UP);
        let start = Instant::now();
        self.mine[arm](n_rounds);
        let elapsed = start.elapsed();
        for _ in &self.others {
            self.done.recv().expect("a thread of the crew has ended");
        }
        elapsed
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        for (tell, thread) in self.others.drain(..) {
            drop(tell);
            thread.join().expect("no worker panics");
        }
    }
}

/// The CPUs that the affinity mask leaves, or none where it cannot be read.
fn allowed_cpus() -> Vec<usize> {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let list = (status.lines())
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .unwrap_or_default();
    list.trim()
        .split(',')
        .filter_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some(first.parse().ok()?..=last.parse().ok()?)
        })
        .flatten()
        .collect()
}

/// Pins through `taskset`, which spares this crate a system call that is `unsafe`.
fn pin_this_thread(cpu: usize) -> bool {
    let Ok(me) = std::fs::read_link("/proc/thread-self") else {
        return false;
    };
    let tid = me.file_name().unwrap_or_default();
    Command::new("taskset")
        .args(["-cp", &cpu.to_string()])
        .arg(tid)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
