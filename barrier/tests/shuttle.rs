//! Random schedules of many participants: `RUSTFLAGS="--cfg phalanx_shuttle" cargo test -p phalanx-barrier --test shuttle --release`.
//!
//! Loom takes every schedule of up to four participants, and every value that the
//! orderings allow. Here are six and more, on schedules drawn from a fixed
//! seed, with sequentially consistent atomics: it is the counting that is
//! tested, not the orderings.
#![cfg(phalanx_shuttle)]

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use phalanx_barrier::{CauseKind, Clock, Pace, Participant, Poisoned, Team};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Runner, thread};

/// Runs `model` on schedules of two kinds: uniformly random, and random priorities with few changes.
fn check(model: impl Fn() + Send + Sync + Clone + 'static) {
    let random = RandomScheduler::new_from_seed(2_026, 1_500);
    Runner::new(random, Default::default()).run(model.clone());
    let priorities = PctScheduler::new_from_seed(2_026, 3, 1_500);
    Runner::new(priorities, Default::default()).run(model);
}

/// A wait that looks at no time, so that a schedule can be repeated.
fn timeless() -> Pace {
    Pace {
        spin: Duration::MAX,
        yielding: Duration::ZERO,
        nap: None,
        deadline: None,
    }
}

/// The layouts that every model is run with.
fn layouts() -> [fn() -> Team; 4] {
    [
        || Team::flat(6),
        || Team::grouped(&[0, 1, 2, 0, 1, 2]),
        || Team::grouped(&[0, 0, 0, 0, 1, 1, 2, 3]),
        || Team::grouped(&[0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]),
    ]
}

fn on_all<R: Send + 'static>(
    team: Vec<Participant>,
    body: impl Fn(Participant) -> R + Clone + Send + 'static,
) -> Vec<R> {
    let threads: Vec<_> = team
        .into_iter()
        .map(|me| {
            let body = body.clone();
            thread::spawn(move || body(me))
        })
        .collect();
    let results = threads.into_iter().map(|thread| thread.join());
    results.map(|result| result.expect("joins")).collect()
}

fn words(n: usize) -> Arc<Vec<AtomicU64>> {
    Arc::new((0..n).map(|_| AtomicU64::new(0)).collect())
}

fn all_are(words: &[AtomicU64], value: u64) -> bool {
    words.iter().all(|word| word.load(Relaxed) == value)
}

#[test]
fn rounds() {
    for layout in layouts() {
        check(move || {
            let words = words(layout().size());
            on_all(layout().pace(timeless()).build(), move |mut me| {
                for round in 1..=3 {
                    words[me.index()].store(round, Relaxed);
                    me.wait().expect("nobody fails");
                    assert!(all_are(&words, round));
                    me.settle().expect("nobody fails");
                }
            });
        });
    }
}

/// Verbs until poison from outside strikes: memory is taken back on every way out, and no peer
/// finds it taken.
#[test]
fn verbs_under_poison() {
    for layout in layouts() {
        check(move || {
            let words = words(layout().size());
            let team = layout().pace(timeless()).build();
            let handle = team[0].poison_handle();
            let poisoner = thread::spawn(move || {
                for _ in 0..20 {
                    thread::yield_now();
                }
                handle.poison("enough");
            });
            let outcomes = on_all(team, move |mut me| {
                for n_passed in 0.. {
                    words[me.index()].store(1, Relaxed);
                    let committed = me.wait();
                    if committed.is_ok() {
                        for word in words.iter() {
                            assert_eq!(word.load(Relaxed), 1, "taken back too early");
                            thread::yield_now();
                        }
                        me.settle().expect("a settle never fails");
                    }
                    words[me.index()].store(0, Relaxed);
                    if let Err(Poisoned(cause)) = committed {
                        return (n_passed, cause.message.clone());
                    }
                }
                unreachable!("poison strikes");
            });
            poisoner.join().expect("joins");
            assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
            assert_eq!(outcomes[0].1, "enough");
        });
    }
}

#[test]
fn departures() {
    for layout in layouts() {
        check(move || {
            let passed = on_all(layout().pace(timeless()).build(), |mut me| {
                let mine = if me.index() % 3 == 2 { 2 } else { 9 };
                (0..mine).take_while(|_| me.wait().is_ok()).count()
            });
            assert!(passed.iter().all(|&n_passed| n_passed == 2), "{passed:?}");
        });
    }
}

/// A clock that leaps over the deadline at every look.
#[derive(Default)]
struct Leaping(AtomicU64);

impl Clock for Leaping {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.fetch_add(2, Relaxed))
    }
}

#[test]
fn deadlines() {
    for layout in layouts() {
        check(move || {
            let mut pace = timeless();
            pace.deadline = Some(Duration::from_secs(1));
            let clock = Arc::new(Leaping::default());
            let mut team = layout().pace(pace).clock(clock).build();
            let absent = team.pop();
            let causes = on_all(team, |mut me| me.wait().expect_err("one is missing").0);
            assert!(causes.iter().all(|cause| *cause == causes[0]));
            assert_eq!(causes[0].kind, CauseKind::TimedOut);
            drop(absent);
        });
    }
}

/// A negative control: each of these mutants makes a model of this file fail.
#[test]
fn mutants_are_caught() {
    if std::env::var_os("PHALANX_MUTANT").is_some() {
        return;
    }
    for (mutant, model) in [
        ("poisonable-settle", "verbs_under_poison"),
        ("any-poison-fails", "verbs_under_poison"),
        ("last-ignores-poison", "verbs_under_poison"),
        ("group-release-early", "rounds"),
        ("verdict-short", "departures"),
        ("drop-silent", "departures"),
        ("timeout-silent", "deadlines"),
    ] {
        let output = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", model])
            .env("PHALANX_MUTANT", mutant)
            .output()
            .expect("starts");
        assert!(!output.status.success(), "{mutant} survived {model}");
    }
}
