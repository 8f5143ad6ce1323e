//! Model-checks the verbs: `RUSTFLAGS="--cfg phalanx_loom" cargo test -p phalanx-shmcomm --test loom --release`.
//!
//! The models explore every schedule with up to two preemptions (one for the four largest, and for
//! all of three participants while a mutant is tried; `LOOM_MAX_PREEMPTIONS` sets it for all) and,
//! for each read, every value that the orderings allow. Each participant's slot has a lease
//! beside it that the owner writes when a verb begins and on every way out, and that peers read
//! where they copy: memory freed too early is a reported race. An execution in which a waiter looks
//! in vain too often is given up, so each model also counts those that came to their end.
//! `PHALANX_MUTANT=name` breaks a rule of `mutants.txt`, and then at least one model must fail.
#![cfg(phalanx_loom)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use loom::thread;
use phalanx_barrier::Pace;
use phalanx_shmcomm::{
    CommError, Communicator, Leg, Observer, Outbox, PairLane, PairView, Partition, RankShift,
    ShmComm, ShmPairLane, Team, Verb, team,
};

/// What the executions of a model came to.
#[derive(Default)]
struct Tally {
    executions: AtomicUsize,
    passed: AtomicUsize,
    failed: AtomicUsize,
}

/// What has to happen in some execution.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    /// Everybody passes, in every execution that comes to its end.
    Passing,
    /// Everybody fails, in every one.
    Failing,
    /// Now all pass, now all fail.
    Both,
}

/// How many schedules a model has.
#[derive(Clone, Copy, PartialEq)]
enum Size {
    /// Hundreds to thousands.
    Small,
    /// Tens of thousands.
    Large,
    /// Hundreds of thousands with two preemptions: minutes.
    Huge,
}

impl Size {
    fn preemptions(self) -> usize {
        let is_mutant = std::env::var_os("PHALANX_MUTANT").is_some();
        match self {
            Size::Small => 2,
            Size::Large if !is_mutant => 2,
            _ => 1,
        }
    }
}

/// Runs `model`, which brings what each participant got, on every schedule. All of an execution
/// must have passed, or all failed.
fn explore(
    name: &str,
    size: Size,
    expect: Expect,
    model: impl Fn() -> Vec<Result<(), CommError>> + Send + Sync + 'static,
) {
    let tally = Arc::new(Tally::default());
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(size.preemptions()));
    let counted = tally.clone();
    builder.check(move || {
        counted.executions.fetch_add(1, Relaxed);
        let outcomes = model();
        let is_failed = outcomes[0].is_err();
        let unanimous = outcomes.iter().all(|outcome| outcome.is_err() == is_failed);
        assert!(
            unanimous,
            "some passed what failed for others: {outcomes:?}"
        );
        let count = if is_failed {
            &counted.failed
        } else {
            &counted.passed
        };
        count.fetch_add(1, Relaxed);
    });
    let [executions, passed, failed] =
        [&tally.executions, &tally.passed, &tally.failed].map(|count| count.load(Relaxed));
    println!("{name}: {executions} executions, {passed} passed, {failed} failed");
    assert_eq!(
        passed > 0,
        expect != Expect::Failing,
        "{passed} executions passed"
    );
    assert_eq!(
        failed > 0,
        expect != Expect::Passing,
        "{failed} executions failed"
    );
}

/// A wait whose every slow step is one yield: the models care for what it sees, not for how long.
fn patient(team: Team) -> Team {
    team.pace(Pace {
        spin: Duration::MAX,
        yielding: Duration::ZERO,
        nap: None,
        deadline: None,
    })
}

fn flat(n: usize) -> Vec<ShmComm> {
    team(patient(Team::flat(n)))
}

fn grouped(domains: &[usize]) -> Vec<ShmComm> {
    team(patient(Team::grouped(domains)))
}

/// Runs `body` for every participant, the last on this thread, and returns what they returned.
fn on_all<R: 'static>(
    mut comms: Vec<ShmComm>,
    body: impl Fn(ShmComm) -> R + Clone + 'static,
) -> Vec<R> {
    let last = comms.pop().expect("no model has an empty team");
    let threads: Vec<_> = comms
        .into_iter()
        .map(|comm| {
            let body = body.clone();
            thread::spawn(move || body(comm))
        })
        .collect();
    let last = body(last);
    let others = threads
        .into_iter()
        .map(|thread| thread.join().expect("a model's thread"));
    others.chain([last]).collect()
}

/// Runs `body` on all while another thread stops the team.
fn while_stopped<R: 'static>(
    comms: Vec<ShmComm>,
    body: impl Fn(ShmComm) -> R + Clone + 'static,
) -> Vec<R> {
    let handle = comms[0].poison_handle();
    let stopper = thread::spawn(move || handle.poison("enough"));
    let outcomes = on_all(comms, body);
    stopper.join().expect("the stopper");
    outcomes
}

/// Elements for each one of a small exchange.
#[derive(Clone, Copy)]
enum Amount {
    /// So few that they are copied and there is nothing to settle.
    Little = 1,
    /// So many that they are lent.
    Much = 3_000,
}
use Amount::{Little, Much};

/// An `alltoallv` with another count for each pair, out of memory that is freed on return.
fn exchange(comm: &mut ShmComm, amount: Amount) -> Result<(), CommError> {
    let (me, n) = (comm.index(), comm.world_size());
    let count = |from: usize, to: usize| (from + 2 * to + 1) % 3 * amount as usize;
    let block =
        |from: usize, to: usize| std::iter::repeat_n((from * 10 + to) as u8, count(from, to));
    let send: Vec<u8> = (0..n).flat_map(|to| block(me, to)).collect();
    let expected: Vec<u8> = (0..n).flat_map(|from| block(from, me)).collect();
    let send_counts: Vec<u64> = (0..n).map(|to| count(me, to) as u64).collect();
    let receive_counts: Vec<u64> = (0..n).map(|from| count(from, me) as u64).collect();
    let mut receive = vec![0; expected.len()];
    comm.alltoallv(&send, &send_counts, &mut receive, &receive_counts)?;
    assert_eq!(receive, expected);
    Ok(())
}

#[test]
fn lent2() {
    explore("lent2", Size::Small, Expect::Passing, || {
        on_all(flat(2), |mut comm| exchange(&mut comm, Much))
    });
}

#[test]
fn lent3() {
    explore("lent3", Size::Large, Expect::Passing, || {
        on_all(flat(3), |mut comm| exchange(&mut comm, Much))
    });
}

/// What is copied stays as it is while a slow peer reads and a fast one is in the next call.
#[test]
fn copied2() {
    explore("copied2", Size::Small, Expect::Passing, || {
        on_all(flat(2), |mut comm| {
            exchange(&mut comm, Little)?;
            exchange(&mut comm, Little)?;
            exchange(&mut comm, Little)
        })
    });
}

#[test]
fn copied3() {
    explore("copied3", Size::Large, Expect::Passing, || {
        on_all(flat(3), |mut comm| {
            exchange(&mut comm, Little)?;
            exchange(&mut comm, Little)
        })
    });
}

/// One participant lends and the others copy: all settle, or all would not.
#[test]
fn mixed3() {
    explore("mixed3", Size::Large, Expect::Passing, || {
        on_all(flat(3), |mut comm| {
            let mine = vec![comm.index() as u8; if comm.index() == 1 { 3_000 } else { 1 }];
            let (mut all, mut counts) = (Vec::new(), Vec::new());
            comm.allgather(&mine, &mut all, &mut counts)?;
            assert_eq!(
                (counts, all[0], all[1], all[3_001]),
                (vec![1, 3_000, 1], 0, 1, 2)
            );
            Ok(())
        })
    });
}

#[test]
fn back_to_back2() {
    explore("back_to_back2", Size::Small, Expect::Passing, || {
        on_all(flat(2), |mut comm| {
            exchange(&mut comm, Much)?;
            assert_eq!(comm.allreduce_sum(comm.index() as u64 + 1)?, 3);
            comm.barrier()?;
            exchange(&mut comm, Much)?;
            exchange(&mut comm, Little)
        })
    });
}

#[test]
fn poisoned2() {
    explore("poisoned2", Size::Small, Expect::Both, || {
        while_stopped(flat(2), |mut comm| exchange(&mut comm, Much))
    });
}

#[test]
fn poisoned3() {
    explore("poisoned3", Size::Huge, Expect::Both, || {
        while_stopped(flat(3), |mut comm| exchange(&mut comm, Much))
    });
}

#[test]
fn poisoned_grouped() {
    explore("poisoned_grouped", Size::Huge, Expect::Both, || {
        while_stopped(grouped(&[0, 1, 0]), |mut comm| exchange(&mut comm, Much))
    });
}

/// Poison while copies are read: whoever has passed goes on to verbs that fail, and must not touch
/// what a slow peer still reads.
#[test]
fn poisoned_copies2() {
    explore("poisoned_copies2", Size::Small, Expect::Both, || {
        while_stopped(flat(2), |mut comm| {
            let outcome = exchange(&mut comm, Little);
            let _ = exchange(&mut comm, Little);
            let _ = exchange(&mut comm, Little);
            outcome
        })
    });
}

/// One that leaves before the verb takes nobody's memory with it, and fails all others.
#[test]
fn death3() {
    explore("death3", Size::Large, Expect::Failing, || {
        let outcomes = on_all(flat(3), |mut comm| match comm.index() {
            0 => None,
            _ => Some(exchange(&mut comm, Much)),
        });
        outcomes.into_iter().flatten().collect()
    });
}

/// Panics on its own thread when the first barrier of a verb is passed.
struct Panics;

impl Observer for Panics {
    fn verb_begins(&mut self, _: Verb) {}
    fn wait_begins(&mut self) {}
    fn wait_ends(&mut self) {
        resume_unwind(Box::new("a fault on purpose"));
    }
    fn verb_ends(&mut self, _: Verb, _: u64) {}
}

/// One that panics between commit and settle: its peer has its data, and fails in the next verb.
#[test]
fn panic_inside2() {
    explore("panic_inside2", Size::Small, Expect::Failing, || {
        let outcomes = on_all(flat(2), |mut comm| {
            if comm.index() == 0 {
                comm.observe(Some(Box::new(Panics)));
                let caught = catch_unwind(AssertUnwindSafe(|| exchange(&mut comm, Much)));
                assert!(caught.is_err());
                return None;
            }
            exchange(&mut comm, Much).expect("the commit had passed");
            Some(exchange(&mut comm, Much))
        });
        outcomes.into_iter().flatten().collect()
    });
}

/// Enough to be added up together, each participant its part.
const TOGETHER: usize = 200;

/// The same where the other's result is half the work of the one that panics.
#[test]
fn panic_inside_shared_work2() {
    explore(
        "panic_inside_shared_work2",
        Size::Small,
        Expect::Failing,
        || {
            let outcomes = on_all(flat(2), |mut comm| {
                let mut values = [1.0; TOGETHER];
                if comm.index() == 0 {
                    comm.observe(Some(Box::new(Panics)));
                    let sum = AssertUnwindSafe(|| comm.allreduce_sum_inplace(&mut values));
                    assert!(catch_unwind(sum).is_err());
                    return None;
                }
                let outcome = comm.allreduce_sum_inplace(&mut values);
                assert!(outcome.is_ok() || matches!(outcome, Err(CommError::Unfinished { .. })));
                Some(outcome)
            });
            outcomes.into_iter().flatten().collect()
        },
    );
}

#[test]
fn mismatch2() {
    explore("mismatch2", Size::Small, Expect::Failing, || {
        on_all(flat(2), |mut comm| match comm.index() {
            0 => exchange(&mut comm, Much),
            _ => comm.allreduce_sum(1_u64).map(drop),
        })
    });
}

/// A bare barrier against verbs that compare: it passes, and its next verb fails with the others.
#[test]
fn barrier_against_verb3() {
    explore(
        "barrier_against_verb3",
        Size::Large,
        Expect::Failing,
        || {
            on_all(flat(3), |mut comm| {
                if comm.index() == 1 {
                    comm.barrier().expect("it compares nothing");
                }
                exchange(&mut comm, Much)
            })
        },
    );
}

#[test]
fn resolve_reply2() {
    explore("resolve_reply2", Size::Small, Expect::Passing, || {
        on_all(flat(2), |mut comm| {
            let me = comm.index() as u64;
            let (counts, n) = if me == 0 {
                ([1_000, 2_000], 3_000)
            } else {
                ([0, 1], 1)
            };
            let queries: Vec<u64> = (0..n).map(|k| me * 10_000 + k).collect();
            let (mut inbox, mut answers) = (Vec::new(), Vec::new());
            let leg = comm.resolve(&queries, &counts, 1, &mut inbox)?;
            let back: Vec<u64> = inbox.iter().map(|query| query + 100).collect();
            leg.reply(&back, 1, &mut answers)?;
            assert!(
                answers
                    .iter()
                    .zip(&queries)
                    .all(|(answer, query)| *answer == query + 100)
            );
            Ok(())
        })
    });
}

#[test]
fn in_place3() {
    explore("in_place3", Size::Large, Expect::Passing, || {
        on_all(flat(3), |mut comm| {
            let mut values = [1.0 + comm.index() as f64; TOGETHER];
            comm.allreduce_sum_inplace(&mut values)?;
            assert_eq!(values, [6.0; TOGETHER]);
            Ok(())
        })
    });
}

/// Marks a buffer that its owner may touch again: no view may show it.
const RELEASED: u64 = u64::MAX;

fn word(from: usize, to: usize, call: u64) -> u64 {
    call * 100 + (from * 10 + to) as u64
}

fn outbox(me: usize, n: usize, call: u64) -> Outbox<u64> {
    let mut outbox = Outbox::new(n);
    (0..n).for_each(|to| outbox.block_mut(Partition(to)).push(word(me, to, call)));
    outbox
}

fn check_view(view: &PairView<'_, u64>, me: usize, call: u64) {
    for (source, block) in view.iter() {
        assert_eq!(
            block,
            [word(source.0, me, call)],
            "a block changed under a view"
        );
    }
}

/// Exchanges once, looks at the view twice, and overwrites what came back at once.
fn call(comm: &mut ShmComm, lane: &mut ShmPairLane<u64>, call: u64) -> Result<(), CommError> {
    let (me, n) = (comm.index(), comm.world_size());
    let done = lane.exchange(comm, RankShift::HERE, outbox(me, n, call))?;
    check_view(&done.view, me, call);
    assert_eq!(done.recycled.is_some(), call > 0);
    if let Some(mut recycled) = done.recycled {
        for to in 0..n {
            assert_eq!(recycled.block(Partition(to)), [word(me, to, call - 1)]);
            recycled.block_mut(Partition(to)).fill(RELEASED);
        }
    }
    check_view(&done.view, me, call);
    Ok(())
}

fn calls(mut comm: ShmComm, n_calls: u64) -> Result<(), CommError> {
    let mut lane = comm.pair_lane()?;
    (0..n_calls).try_for_each(|k| call(&mut comm, &mut lane, k))
}

#[test]
fn lane2() {
    explore("lane2", Size::Small, Expect::Passing, || {
        on_all(flat(2), |comm| calls(comm, 3))
    });
}

#[test]
fn lane3() {
    explore("lane3", Size::Huge, Expect::Passing, || {
        on_all(flat(3), |comm| calls(comm, 2))
    });
}

#[test]
fn lane_grouped() {
    explore("lane_grouped", Size::Huge, Expect::Passing, || {
        on_all(grouped(&[0, 1, 0]), |comm| calls(comm, 2))
    });
}

/// Poison at any moment: each call passes for all or for none, the outbox of a failed one comes
/// back, and a view of the call before stays whole whatever its peers go on to do.
#[test]
fn lane_poisoned2() {
    explore("lane_poisoned2", Size::Small, Expect::Both, || {
        let outcomes = while_stopped(flat(2), |mut comm| {
            let me = comm.index();
            let Ok(mut lane) = comm.pair_lane() else {
                return None;
            };
            let first = lane.exchange(&mut comm, RankShift::HERE, outbox(me, 2, 0));
            let outcome = match first {
                Ok(done) => {
                    // Twice, since a participant that is dead must not announce anything more.
                    for _ in 0..2 {
                        let _ = comm.allreduce_sum(1_u64);
                    }
                    check_view(&done.view, me, 0);
                    Ok(())
                }
                Err(failed) => {
                    assert_eq!(failed.outbox, outbox(me, 2, 0));
                    Err(failed.error)
                }
            };
            Some(outcome)
        });
        assert!(
            outcomes
                .iter()
                .all(|outcome| outcome.is_some() == outcomes[0].is_some())
        );
        match outcomes.into_iter().collect::<Option<Vec<_>>>() {
            Some(outcomes) => outcomes,
            None => vec![Err(CommError::argument(Verb::PairLane, "no lane was made"))],
        }
    });
}

/// One drops its end and leaves while the other still looks.
#[test]
fn lane_drop2() {
    explore("lane_drop2", Size::Small, Expect::Passing, || {
        on_all(flat(2), |mut comm| {
            let me = comm.index();
            let mut lane = comm.pair_lane()?;
            let done = lane.exchange(&mut comm, RankShift::HERE, outbox(me, 2, 0))?;
            if me == 1 {
                check_view(&done.view, me, 0);
                check_view(&done.view, me, 0);
            }
            Ok(())
        })
    });
}

/// A view is held across a verb and across another lane's exchange.
#[test]
fn view_across_verb2() {
    explore("view_across_verb2", Size::Small, Expect::Passing, || {
        on_all(flat(2), |mut comm| {
            let me = comm.index();
            let mut first = comm.pair_lane()?;
            let mut second = comm.pair_lane()?;
            let done = first.exchange(&mut comm, RankShift::HERE, outbox(me, 2, 0))?;
            assert_eq!(comm.allreduce_sum(1_u64)?, 2);
            call(&mut comm, &mut second, 0)?;
            check_view(&done.view, me, 0);
            Ok(())
        })
    });
}
