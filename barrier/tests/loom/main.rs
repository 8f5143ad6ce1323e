//! Model-checks the protocol: `RUSTFLAGS="--cfg phalanx_loom" cargo test -p phalanx-barrier --test loom --release`.
//!
//! The models explore every schedule with up to two preemptions
//! (`LOOM_MAX_PREEMPTIONS` for more) and, for each read, every value that the
//! orderings allow. Payloads are plain cells, so a missing edge is a reported
//! race. `PHALANX_MUTANT=name` breaks a rule of `mutants.txt`, and then at least
//! one model must fail.
#![cfg(phalanx_loom)]

mod harness;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use harness::{Slots, Tally, explore, explore_both, on_all, pace};
use loom::thread;
use phalanx_barrier::{CauseKind, Clock, Poisoned, Team};

/// Everybody writes, all meet, everybody reads what all wrote; `phases` times over.
fn phases(name: &str, team: fn() -> Team, phases: usize) {
    explore(name, move |_| {
        let slots = Slots::new(team().size());
        on_all(team().pace(pace()).build(), move |mut me| {
            for phase in 1..=phases {
                slots.write(me.index(), phase);
                me.wait().expect("nobody poisons");
                assert!(slots.all_are(phase));
                if phase < phases {
                    me.wait().expect("nobody poisons");
                }
            }
            me // Dropped when all are done, so that no departure adds schedules.
        });
    });
}

#[test]
fn visible_flat2() {
    phases("visible_flat2", || Team::flat(2), 2);
}

#[test]
fn visible_flat3() {
    phases("visible_flat3", || Team::flat(3), 2);
}

#[test]
fn visible_grouped_2_1() {
    phases("visible_grouped_2_1", || Team::grouped(&[0, 0, 1]), 2);
}

#[test]
fn visible_grouped_interleaved() {
    phases(
        "visible_grouped_interleaved",
        || Team::grouped(&[0, 1, 0]),
        2,
    );
}

#[test]
fn visible_grouped_2_2() {
    phases("visible_grouped_2_2", || Team::grouped(&[0, 1, 0, 1]), 1);
}

/// A participant leaves after a round that all have completed: nobody loses that round, and the
/// next fails for those who are left.
fn departure(name: &str, team: fn() -> Team) {
    explore(name, move |_| {
        on_all(team().pace(pace()).build(), |mut me| {
            me.wait()
                .expect("all arrive, so the departure comes too late for this round");
            if me.index() > 0 {
                assert!(me.wait().is_err(), "a participant had left");
                assert!(me.settle().is_err(), "the dead do not settle");
            }
        });
    });
}

#[test]
fn departure2() {
    departure("departure2", || Team::flat(2));
}

#[test]
fn departure3() {
    departure("departure3", || Team::flat(3));
}

#[test]
fn departure_grouped() {
    departure("departure_grouped", || Team::grouped(&[0, 0, 1]));
}

/// Poison races with a round: all pass or all fail, with the cause that was named.
fn unanimous(name: &str, team: fn() -> Team) {
    explore_both(name, move |tally| {
        let team = team().pace(pace()).build();
        let handle = team[0].poison_handle();
        let poisoner = thread::spawn(move || handle.poison("enough"));
        let results = on_all(team, |mut me| (me.wait(), me));
        poisoner.join().expect("joins");
        tally.unanimous(results.iter().map(|(result, _)| result));
    });
}

#[test]
fn unanimous2() {
    unanimous("unanimous2", || Team::flat(2));
}

#[test]
fn unanimous3() {
    unanimous("unanimous3", || Team::flat(3));
}

#[test]
fn unanimous_grouped() {
    unanimous("unanimous_grouped", || Team::grouped(&[0, 0, 1]));
}

/// Two poisoners with a cause each: all waiters get the same one.
#[test]
fn first_cause_wins() {
    explore_both("first_cause_wins", |tally| {
        let team = Team::flat(2).pace(pace()).build();
        let handle = team[1].poison_handle();
        let poisoner = thread::spawn(move || handle.poison("enough"));
        let results = on_all(team, |mut me| {
            if me.index() == 1 {
                me.poison("mine");
            }
            (me.wait(), me.wait(), me)
        });
        poisoner.join().expect("joins");
        let causes: Vec<_> = results
            .iter()
            .map(|(_, second, _)| {
                &second
                    .as_ref()
                    .expect_err("one has poisoned before")
                    .0
                    .message
            })
            .collect();
        assert_eq!(causes[0], causes[1]);
        tally.outcome(causes[0] == "mine");
    });
}

/// Who poisons a verb, and when.
#[derive(Clone, Copy, PartialEq)]
enum Poisoner {
    /// A thread of its own, at any moment.
    Outside,
    /// The last participant, before it publishes.
    Before,
    /// The last participant, between commit and settle.
    Between,
}

/// A verb: publish, commit, read, settle. On every way out the owner frees what it published.
fn verb(poisoner: Poisoner, team: fn() -> Team) -> impl Fn(&Tally) {
    move |tally| {
        let slots = Slots::new(team().size());
        let team = team().pace(pace()).build();
        let handle = team[0].poison_handle();
        let outside = (poisoner == Poisoner::Outside).then(|| {
            let handle = handle.clone();
            thread::spawn(move || handle.poison("enough"))
        });
        let results = on_all(team, move |mut me| {
            let is_poisoner = |when| poisoner == when && me.index() + 1 == me.team_size();
            if is_poisoner(Poisoner::Before) {
                handle.poison("enough");
            }
            slots.write(me.index(), 1);
            let strikes_between = is_poisoner(Poisoner::Between);
            let committed = me.wait();
            if committed.is_ok() {
                if strikes_between {
                    handle.poison("enough");
                }
                assert!(slots.all_are(1));
                me.settle().expect("a settle never fails");
            }
            slots.write(me.index(), 0);
            (committed, me)
        });
        if let Some(outside) = outside {
            outside.join().expect("joins");
        }
        tally.unanimous(results.iter().map(|(result, _)| result));
    }
}

#[test]
fn verb2() {
    explore_both("verb2", verb(Poisoner::Outside, || Team::flat(2)));
}

#[test]
fn verb3() {
    explore("verb3", verb(Poisoner::Between, || Team::flat(3)));
}

#[test]
fn verb_grouped() {
    let team = || Team::grouped(&[0, 0, 1]);
    explore("verb_grouped", verb(Poisoner::Between, team));
}

#[test]
fn verb_stillborn3() {
    explore("verb_stillborn3", verb(Poisoner::Before, || Team::flat(3)));
}

#[test]
fn verb_stillborn_grouped() {
    let team = || Team::grouped(&[0, 1, 0]);
    explore("verb_stillborn_grouped", verb(Poisoner::Before, team));
}

/// A participant frees its memory and leaves while a peer may still be on its way out of a verb.
fn verb_then_leave(name: &str, team: fn() -> Team) {
    explore(name, move |_| {
        let slots = Slots::new(team().size());
        on_all(team().pace(pace()).build(), move |mut me| {
            slots.write(me.index(), 1);
            me.wait().expect("nobody leaves before the settle");
            assert!(slots.all_are(1));
            me.settle().expect("a settle never fails");
            slots.write(me.index(), 0);
        });
    });
}

#[test]
fn verb_then_leave2() {
    verb_then_leave("verb_then_leave2", || Team::flat(2));
}

#[test]
fn verb_then_leave_grouped() {
    verb_then_leave("verb_then_leave_grouped", || Team::grouped(&[0, 0, 1]));
}

/// One of the team never comes: the others give up together, and their cause says so.
fn deadline(name: &str, team: fn() -> Team) {
    explore(name, move |_| {
        let mut deadline = pace();
        deadline.deadline = Some(Duration::from_secs(1));
        let mut team = (team().pace(deadline))
            .clock(Arc::new(Leaping::default()))
            .build();
        let absent = team.pop();
        let results = on_all(team, |mut me| (me.wait(), me));
        for (result, _) in results {
            let Poisoned(cause) = result.expect_err("a round without its last participant");
            assert_eq!(cause.kind, CauseKind::TimedOut);
        }
        drop(absent);
    });
}

/// A clock that leaps over every deadline between two looks.
#[derive(Default)]
struct Leaping(AtomicU64);

impl Clock for Leaping {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.fetch_add(2, Relaxed))
    }
}

#[test]
fn deadline2() {
    deadline("deadline2", || Team::flat(2));
}

#[test]
fn deadline3() {
    deadline("deadline3", || Team::flat(3));
}

#[test]
fn deadline_grouped() {
    deadline("deadline_grouped", || Team::grouped(&[0, 0, 1]));
}

/// A poisoned team is made anew while a handle of the old one is still at work.
fn reassembled(name: &str, team: fn() -> Team) {
    explore(name, move |_| {
        let slots = Slots::new(team().size());
        let mut team = team().pace(pace()).build();
        team[0].poison("enough");
        let stale = team[0].poison_handle();
        let late = thread::spawn(move || stale.poison("too late"));
        assert!(team.iter_mut().all(|me| me.wait().is_err()));
        let team = Team::reassemble(team).expect("all of one team");
        on_all(team, move |mut me| {
            slots.write(me.index(), 1);
            me.wait().expect("the poison was the old team's");
            assert!(slots.all_are(1));
            me
        });
        late.join().expect("joins");
    });
}

#[test]
fn reassembled2() {
    reassembled("reassembled2", || Team::flat(2));
}

#[test]
fn reassembled3() {
    reassembled("reassembled3", || Team::flat(3));
}

#[test]
fn reassembled_grouped() {
    reassembled("reassembled_grouped", || Team::grouped(&[0, 0, 1]));
}
