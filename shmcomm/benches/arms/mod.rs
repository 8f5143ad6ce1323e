//! What is measured: each verb on two pinned threads, and what one would write by hand instead.
//!
//! An arm runs batches of steps on both threads and times each batch on one of them. It also brings
//! a checksum of what it computed, on which the arms of a case must agree.

pub(crate) mod bandwidth;
pub(crate) mod channels;
pub(crate) mod pin;
pub(crate) mod verbs;

use std::time::{Duration, Instant};

use phalanx_shmcomm::{ShmComm, Team, team};

/// Steps before the clock starts.
const WARM_UP: u64 = 200;

/// How many steps an arm runs: `n` batches of `steps` each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batches {
    pub(crate) n: u64,
    pub(crate) steps: u64,
}

/// What an arm brings: the time of each batch, and a checksum.
pub(crate) struct Run {
    pub(crate) times: Vec<Duration>,
    pub(crate) sum: u64,
}

/// Runs its step so many times.
pub(crate) type Arm = fn(Batches) -> Run;

impl Batches {
    /// Warms up, then times each batch of `step`.
    pub(crate) fn time(self, mut step: impl FnMut(u64) -> u64) -> Run {
        (0..WARM_UP).for_each(|k| {
            step(k);
        });
        let mut sum = 0_u64;
        let batch = |_| {
            let begin = Instant::now();
            for k in 0..self.steps {
                sum = sum.wrapping_add(step(k));
            }
            begin.elapsed()
        };
        let times = (0..self.n).map(batch).collect();
        Run { times, sum }
    }
}

/// One thing done in several ways.
pub(crate) struct Case {
    /// What it does.
    pub(crate) name: &'static str,
    /// With this crate.
    pub(crate) ours: Arm,
    /// In other ways, each with its name.
    pub(crate) others: Vec<(&'static str, Arm)>,
}

/// Runs `step` on both participants of a team, each on a CPU of its own.
pub(crate) fn on_team<S>(
    batches: Batches,
    set_up: impl Fn(&mut ShmComm) -> S + Sync,
    step: impl Fn(&mut ShmComm, &mut S, u64) -> u64 + Sync,
) -> Run {
    on_two(team(Team::flat(2)), |_, mut comm| {
        let mut state = set_up(&mut comm);
        batches.time(|k| step(&mut comm, &mut state, k))
    })
}

/// Runs `body` on two pinned threads with an end each: the times of the first, the sum of both.
pub(crate) fn on_two<E: Send>(ends: Vec<E>, body: impl Fn(usize, E) -> Run + Sync) -> Run {
    let body = &body;
    let mut runs: Vec<Run> = std::thread::scope(|scope| {
        let threads: Vec<_> = ends
            .into_iter()
            .enumerate()
            .map(|(me, end)| {
                scope.spawn(move || {
                    pin::to_cpu(me);
                    body(me, end)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no arm panics"))
            .collect()
    });
    let sum = runs
        .iter()
        .fold(0, |sum: u64, run| sum.wrapping_add(run.sum));
    Run {
        sum,
        ..runs.swap_remove(0)
    }
}
