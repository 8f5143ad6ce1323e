//! What is measured: one loop for each barrier, in equal conditions.

mod crew;
mod variants;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Release};

pub(crate) use crew::Crew;
use phalanx_barrier::{Pace, Participant, Team};
use variants::{Bare, Line};

/// Runs so many rounds. One for each thread, made for it alone, so that the loop is monomorphic.
pub(crate) type Worker = Box<dyn FnMut(u64) + Send>;

/// A barrier to measure: its name and its workers for a number of threads.
pub(crate) struct Arm {
    pub(crate) name: &'static str,
    pub(crate) workers: fn(usize) -> Vec<Worker>,
}

impl Arm {
    fn new(name: &'static str, workers: fn(usize) -> Vec<Worker>) -> Arm {
        Arm { name, workers }
    }
}

/// Names that the goals refer to.
pub(crate) const PING_PONG: &str = "cache line ping-pong (round trip)";
pub(crate) const OURS: &str = "phalanx flat";
pub(crate) const BARE: &str = "phalanx flat without poison";
pub(crate) const STD: &str = "std::sync::Barrier";

/// The arms for `n` threads.
pub(crate) fn arms(n: usize) -> Vec<Arm> {
    let mut arms = vec![
        Arm::new(PING_PONG, ping_pong),
        Arm::new(OURS, |n| ours(Team::flat(n), commit)),
        Arm::new("the same again (A/A)", |n| ours(Team::flat(n), commit)),
        Arm::new(BARE, bare),
        Arm::new("phalanx flat, commit and settle", |n| {
            ours(Team::flat(n), |me| {
                commit(me);
                me.settle().expect("nobody fails");
            })
        }),
        Arm::new("hurdles::Barrier", |n| {
            let barrier = hurdles::Barrier::new(n);
            let each = (0..n).map(|_| barrier.clone());
            each.map(|mut barrier| rounds(move || barrier.wait()))
                .collect()
        }),
        Arm::new("spin::Barrier", |n| {
            let barrier = Arc::new(spin::Barrier::new(n));
            let each = (0..n).map(|_| barrier.clone());
            each.map(|barrier| rounds(move || barrier.wait())).collect()
        }),
        Arm::new(STD, |n| {
            let barrier = Arc::new(std::sync::Barrier::new(n));
            let each = (0..n).map(|_| barrier.clone());
            each.map(|barrier| rounds(move || barrier.wait())).collect()
        }),
    ];
    // Two threads in one domain would be flat.
    if n > 2 {
        arms.push(Arm::new("phalanx grouped, domains of two", |n| {
            let domain_of: Vec<usize> = (0..n).map(|index| index / 2).collect();
            ours(Team::grouped(&domain_of), commit)
        }));
    }
    arms
}

fn rounds<R>(mut round: impl FnMut() -> R + Send + 'static) -> Worker {
    Box::new(move |n_rounds| (0..n_rounds).for_each(|_| _ = round()))
}

fn ours(team: Team, round: fn(&mut Participant)) -> Vec<Worker> {
    let each = team.build().into_iter();
    each.map(|mut me| rounds(move || round(&mut me))).collect()
}

fn commit(me: &mut Participant) {
    me.wait().expect("nobody fails");
}

fn bare(n: usize) -> Vec<Worker> {
    let pace = Pace::for_team(n, Pace::usable_cpus());
    let barrier = Arc::new(Bare::new(n as u64));
    (0..n)
        .map(|_| barrier.clone())
        .map(|barrier| {
            let mut round = 0;
            rounds(move || {
                round += 1;
                barrier.wait(round, &pace);
            })
        })
        .collect()
}

/// One thread writes a word and the other answers in a second one. A round is there and back.
fn ping_pong(n: usize) -> Vec<Worker> {
    let words = Arc::new([Line(AtomicU64::new(0)), Line(AtomicU64::new(0))]);
    let mut workers: Vec<Worker> = Vec::new();
    for side in 0..n.min(2) {
        let words = words.clone();
        let mut round = 0;
        let await_word = |word: &AtomicU64, round| {
            while word.load(Acquire) < round {
                std::hint::spin_loop();
            }
        };
        workers.push(rounds(move || {
            round += 1;
            if side == 1 {
                await_word(&words[0].0, round);
            }
            words[side].0.store(round, Release);
            if side == 0 {
                await_word(&words[1].0, round);
            }
        }));
    }
    workers.resize_with(n, || rounds(|| ()));
    workers
}
