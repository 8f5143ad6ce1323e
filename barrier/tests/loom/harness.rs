//! What the models are made of: counted executions, watched memory, threads.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use loom::cell::UnsafeCell;
use loom::thread;
use phalanx_barrier::{Pace, Participant, Poisoned};

/// What the executions of a model came to.
#[derive(Default)]
pub(crate) struct Tally {
    executions: AtomicUsize,
    passed: AtomicUsize,
    failed: AtomicUsize,
}

impl Tally {
    /// Counts a round that must have passed for all or failed for all, with the cause `enough`.
    pub(crate) fn unanimous<'r>(&self, results: impl Iterator<Item = &'r Result<(), Poisoned>>) {
        let results: Vec<_> = results.collect();
        let has_passed = results[0].is_ok();
        self.outcome(has_passed);
        for result in results {
            assert_eq!(
                result.is_ok(),
                has_passed,
                "passed for some and failed for others"
            );
            if let Err(Poisoned(cause)) = result {
                assert_eq!(cause.message, "enough");
            }
        }
    }

    /// Counts one of two outcomes that must both be possible.
    pub(crate) fn outcome(&self, has_passed: bool) {
        let count = if has_passed {
            &self.passed
        } else {
            &self.failed
        };
        count.fetch_add(1, Relaxed);
    }
}

/// Runs `model` on every schedule and says how many there were.
///
/// With a mutant, one model that fails is enough: those that have not begun by then are left out,
/// unless `PHALANX_ALL_MODELS` is set.
pub(crate) fn explore(name: &str, model: impl Fn(&Tally) + Send + Sync + 'static) {
    check(name, model);
}

/// As [`explore`], for a model with two outcomes, both of which must occur.
pub(crate) fn explore_both(name: &str, model: impl Fn(&Tally) + Send + Sync + 'static) {
    if let Some(tally) = check(name, model) {
        assert!(tally.passed.load(Relaxed) > 0, "no execution passed");
        assert!(tally.failed.load(Relaxed) > 0, "no execution failed");
    }
}

fn check(name: &str, model: impl Fn(&Tally) + Send + Sync + 'static) -> Option<Arc<Tally>> {
    static IS_CAUGHT: AtomicBool = AtomicBool::new(false);

    /// Notes a model that fails.
    struct Watch;

    impl Drop for Watch {
        fn drop(&mut self) {
            if std::thread::panicking() {
                IS_CAUGHT.store(true, Relaxed);
            }
        }
    }

    let is_set = |name| std::env::var_os(name).is_some();
    if IS_CAUGHT.load(Relaxed) && is_set("PHALANX_MUTANT") && !is_set("PHALANX_ALL_MODELS") {
        println!("{name}: left out, the mutant is caught");
        return None;
    }
    let watch = Watch;
    let tally = Arc::new(Tally::default());
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(2));
    let counted = tally.clone();
    builder.check(move || {
        counted.executions.fetch_add(1, Relaxed);
        model(&counted);
    });
    drop(watch);
    let [executions, passed, failed] =
        [&tally.executions, &tally.passed, &tally.failed].map(|count| count.load(Relaxed));
    println!("{name}: {executions} executions, {passed} passed, {failed} failed");
    Some(tally)
}

/// A wait whose every slow step is one yield: the models care for what it sees, not for how long.
pub(crate) fn pace() -> Pace {
    Pace {
        spin: Duration::MAX,
        yielding: Duration::ZERO,
        nap: None,
        deadline: None,
    }
}

/// Memory of each participant, which it writes and its peers read.
///
/// The model watches the accesses to a cell; the number beside it is what was written.
pub(crate) struct Slots(Vec<(UnsafeCell<()>, Cell<usize>)>);

impl Slots {
    pub(crate) fn new(n: usize) -> Rc<Slots> {
        Rc::new(Slots((0..n).map(|_| Default::default()).collect()))
    }

    /// Fails the model if an access to the slot is not ordered with this one.
    pub(crate) fn write(&self, index: usize, value: usize) {
        let (memory, number) = &self.0[index];
        memory.with_mut(|_| number.set(value));
    }

    /// Fails the model if a write to the slot is not ordered with this read.
    pub(crate) fn read(&self, index: usize) -> usize {
        let (memory, number) = &self.0[index];
        memory.with(|_| number.get())
    }

    pub(crate) fn all_are(&self, value: usize) -> bool {
        (0..self.0.len()).all(|index| self.read(index) == value)
    }
}

/// Runs `body` for every participant, the first on this thread, and returns what they returned.
pub(crate) fn on_all<R: 'static>(
    team: Vec<Participant>,
    body: impl Fn(Participant) -> R + Clone + 'static,
) -> Vec<R> {
    let mut team = team.into_iter();
    let mine = team.next().expect("no model has an empty team");
    let others: Vec<_> = team
        .map(|participant| {
            let body = body.clone();
            thread::spawn(move || body(participant))
        })
        .collect();
    let first = body(mine);
    let rest = others.into_iter().map(|other| other.join().expect("joins"));
    std::iter::once(first).chain(rest).collect()
}
