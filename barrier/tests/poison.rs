//! How a team is stopped, and what its participants are told.
#![cfg(not(any(phalanx_loom, phalanx_shuttle)))]

mod common;
mod dice;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use common::run;
use dice::Dice;
use phalanx_barrier::{Cause, CauseKind, Pace, Participant, Poisoned, Team};

/// Rounds until the first error; then later calls are tried, which must fail at once.
fn until_poisoned(me: &mut Participant) -> (u64, Cause) {
    let mut n_passed = 0;
    loop {
        match me.wait() {
            Ok(()) => n_passed += 1,
            Err(Poisoned(cause)) => {
                let start = Instant::now();
                assert_eq!(me.wait(), Err(Poisoned(cause.clone())));
                assert_eq!(me.settle(), Err(Poisoned(cause.clone())));
                assert!(start.elapsed() < Duration::from_secs(1));
                return (n_passed, Cause::clone(&cause));
            }
        }
    }
}

/// Panics in round 17, with the participant in hand or not.
fn bad_round(me: &mut Participant) {
    for round in 0..100 {
        assert_ne!(round, 17, "a bad round");
        me.wait().expect("the others are in good health");
    }
}

#[test]
fn b03_panic_that_is_caught_and_told() {
    for domain_of in [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 2, 2]] {
        let outcomes = run(Team::grouped(&domain_of).build(), |mut me| {
            if me.index() == 2 {
                let panic = catch_unwind(AssertUnwindSafe(|| bad_round(&mut me)));
                me.poison_panicked(&*panic.expect_err("round 17 is bad"));
            }
            until_poisoned(&mut me)
        });
        for (index, (n_passed, cause)) in outcomes.into_iter().enumerate() {
            assert_eq!(n_passed, if index == 2 { 0 } else { 17 });
            assert_eq!(cause.participant, Some(2));
            assert_eq!(cause.kind, CauseKind::Panicked);
            assert!(cause.message.contains("a bad round"), "{cause}");
        }
    }
}

#[test]
fn b03_panic_that_drops_the_participant() {
    for domain_of in [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 2, 2]] {
        let outcomes = run(Team::grouped(&domain_of).build(), |mut me| {
            if me.index() == 2 {
                // The participant is moved in, so unwinding drops it; and that panics no second time.
                let me = AssertUnwindSafe(me);
                let unwound = catch_unwind(move || {
                    let AssertUnwindSafe(mut me) = { me };
                    bad_round(&mut me);
                });
                assert!(unwound.is_err());
                return None;
            }
            Some(until_poisoned(&mut me))
        });
        assert_eq!(outcomes.iter().flatten().count(), 3);
        for (n_passed, cause) in outcomes.into_iter().flatten() {
            assert_eq!(n_passed, 17);
            assert_eq!(
                (cause.participant, cause.kind),
                (Some(2), CauseKind::Panicked)
            );
        }
    }
}

#[test]
fn early_return_and_fail() {
    for tells in [true, false] {
        let outcomes = run(Team::grouped(&[0, 0, 1]).build(), |mut me| {
            if me.index() == 0 {
                me.wait().expect("all take part in the first round");
                if tells {
                    me.fail(std::fmt::Error);
                }
                return None;
            }
            Some(until_poisoned(&mut me))
        });
        for (n_passed, cause) in outcomes.into_iter().flatten() {
            assert_eq!((n_passed, cause.participant), (1, Some(0)));
            if tells {
                assert_eq!(cause.kind, CauseKind::Reported);
                assert_eq!(cause.message, std::fmt::Error.to_string());
            } else {
                assert_eq!(cause.kind, CauseKind::Departed);
            }
        }
    }
}

/// A departure after the last round fails nobody, however long the others take to get out of it.
#[test]
fn leaving_at_the_end_is_harmless() {
    for _ in 0..200 {
        run(Team::grouped(&[0, 1, 0, 1]).build(), |mut me| {
            for _ in 0..20 {
                me.wait().expect("all do 20 rounds");
            }
        });
    }
}

/// Poison from outside at any moment: all pass the same number of rounds and get the same cause.
#[test]
fn unanimous_at_any_moment() {
    let mut dice = Dice::new(11);
    for domain_of in [&[0, 0][..], &[0, 0, 1], &[0, 1, 0, 1], &[0; 6]] {
        for _ in 0..100 {
            let team = Team::grouped(domain_of).build();
            let handle = team[0].poison_handle();
            let moment = Duration::from_micros(dice.roll(200));
            let outcomes = thread::scope(|scope| {
                scope.spawn(|| {
                    thread::sleep(moment);
                    handle.poison("enough");
                });
                run(team, |mut me| until_poisoned(&mut me))
            });
            assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
            assert_eq!(outcomes[0].1.to_string(), "the team was stopped: enough");
        }
    }
}

/// Poison between commit and settle: the settle waits for all and passes, and the next commit fails.
#[test]
fn a_settle_outlives_poison() {
    for domain_of in [[0, 0, 0, 0], [0, 1, 0, 1]] {
        let n_settling = AtomicU64::new(0);
        let is_free = AtomicBool::new(false);
        run(Team::grouped(&domain_of).build(), |mut me| {
            me.wait().expect("nothing has happened yet");
            if me.index() == 3 {
                me.poison("enough");
                thread::sleep(Duration::from_millis(20));
                is_free.store(true, Relaxed);
            }
            n_settling.fetch_add(1, Relaxed);
            me.settle().expect("all come to the settle");
            assert!(is_free.load(Relaxed), "participant 3 was not waited for");
            assert_eq!(n_settling.load(Relaxed), 4);
            assert!(me.wait().is_err());
        });
    }
}

#[test]
fn b15_deadline_poisons_for_all() {
    for domain_of in [[0, 0, 0], [0, 0, 1], [0, 1, 1]] {
        let mut pace = Pace::for_team(3, Pace::usable_cpus());
        pace.deadline = Some(Duration::from_millis(50));
        let start = Instant::now();
        let outcomes = run(Team::grouped(&domain_of).pace(pace).build(), |mut me| {
            if me.index() == 2 {
                // Comes, but too late; and cannot make a round of three out of two waiters that left.
                thread::sleep(Duration::from_millis(300));
            }
            until_poisoned(&mut me)
        });
        assert!(start.elapsed() < Duration::from_secs(20));
        for (n_passed, cause) in outcomes {
            assert_eq!((n_passed, cause.kind), (0, CauseKind::TimedOut));
            assert!(cause.participant.is_some_and(|index| index < 2), "{cause}");
        }
    }
}

#[test]
fn a_deadline_does_not_end_a_settle() {
    let mut pace = Pace::for_team(2, Pace::usable_cpus());
    pace.deadline = Some(Duration::from_millis(100));
    run(Team::flat(2).pace(pace).build(), |mut me| {
        me.wait().expect("both come at once");
        if me.index() == 1 {
            thread::sleep(Duration::from_millis(300));
        }
        me.settle().expect("a settle has no deadline");
    });
}

#[test]
fn the_first_cause_is_kept() {
    let mut team = Team::flat(3).build();
    let handle = team[0].poison_handle();
    assert_eq!(handle.cause(), None);
    team[1].poison("first");
    handle.poison("second");
    team.pop().expect("there are three").fail("third");
    let cause = handle.cause().expect("the team is poisoned");
    assert_eq!(cause.to_string(), "participant 1 failed: first");
    for me in &mut team {
        assert_eq!(me.cause().as_ref(), Some(&cause));
        assert_eq!(me.wait(), Err(Poisoned(cause.clone())));
    }
}

#[test]
fn reassembled_teams_work_and_others_are_handed_back() {
    for _ in 0..3 {
        let mut team = Team::grouped(&[0, 1, 0, 1]).build();
        let stale = team[0].poison_handle();
        team[3].poison("enough");
        for _ in 0..3 {
            assert!(team.iter_mut().all(|me| me.wait().is_err()));
            team = Team::reassemble(team).expect("all of one team");
            stale.poison("too late");
            assert!(team.iter().all(|me| me.cause().is_none()));
            team = run(team, |mut me| {
                me.wait().expect("the new team is in good health");
                me
            });
            team[1].poison("again");
        }

        let last = team.pop().expect("there are four");
        let mut three = Team::reassemble(team).expect_err("one is missing");
        three.extend(Team::flat(1).build());
        let mut mixed = Team::reassemble(three).expect_err("one is a stranger");
        mixed.pop();
        mixed.push(last);
        assert_eq!(mixed.len(), 4);
        assert!(Team::reassemble(mixed).is_ok());
    }
}
