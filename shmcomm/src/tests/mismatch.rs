//! Every pair of different verbs called at once: an error that names both, never a mixture of data.

use super::{Amount, on_team, perform};
use crate::{CommError, Communicator, Leg, Verb};

#[test]
fn two_verbs_at_once_are_told_apart() {
    for mine in Verb::ALL {
        for theirs in Verb::ALL {
            // A reply is reached through a resolve, so it can only differ from a later verb.
            let reached = |verb| {
                if verb == Verb::Reply {
                    Verb::Resolve
                } else {
                    verb
                }
            };
            if reached(mine) != reached(theirs) {
                check(mine, theirs, Amount::Little);
                check(mine, theirs, Amount::Much);
            }
        }
    }
}

fn check(mine: Verb, theirs: Verb, amount: Amount) {
    let outcomes = on_team(3, |comm, lane| {
        perform(Verb::AlltoallCounts, Amount::Little, comm, lane).expect("nothing has failed yet");
        let verb = if comm.index() == 1 { theirs } else { mine };
        (perform(verb, amount, comm, lane), comm.barrier())
    });
    for (who, outcome) in outcomes.into_iter().enumerate() {
        let (during, after) = outcome.expect("no panic");
        let (own, other) = if who == 1 {
            (theirs, mine)
        } else {
            (mine, theirs)
        };
        let own = if own == Verb::Reply {
            Verb::Resolve
        } else {
            own
        };
        let other = if other == Verb::Reply {
            Verb::Resolve
        } else {
            other
        };
        let name = format!("{own} of {who} against {other}");
        match during {
            // A bare barrier compares nothing.
            Ok(()) => assert_eq!(own, Verb::Barrier, "{name}"),
            Err(CommError::Mismatch { mine, theirs, .. }) => {
                assert_eq!(mine, own, "{name}");
                assert!(theirs.starts_with(other.name()), "{name}: {theirs}");
            }
            other => panic!("{name}: {other:?}"),
        }
        match after {
            Err(CommError::Poisoned { cause, .. }) => {
                assert!(cause.message.contains("different verbs"), "{name}: {cause}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn a_reply_and_something_else_are_told_apart() {
    let outcomes = on_team(2, |comm, _| {
        let (me, mut inbox) = (comm.index(), Vec::new());
        let leg = comm.resolve(&[1_u64, 2], &[1, 1], 1, &mut inbox)?;
        if me == 0 {
            return leg.reply(&inbox, 1, &mut Vec::new());
        }
        drop(leg);
        comm.agree(Ok::<(), String>(()))
    });
    let names = [(Verb::Reply, "agree"), (Verb::Agree, "reply")];
    for (outcome, (own, other)) in outcomes.into_iter().zip(names) {
        match outcome.expect("no panic") {
            Err(CommError::Mismatch { mine, theirs, .. }) => {
                assert_eq!(mine, own);
                assert!(theirs.starts_with(other), "{theirs}");
            }
            outcome => panic!("{outcome:?}"),
        }
    }
}

#[test]
fn a_detail_that_differs_is_a_mismatch() {
    let outcomes = on_team(2, |comm, _| {
        let root = comm.index();
        comm.broadcast(root, &mut vec![1_u8])
    });
    for (who, outcome) in outcomes.into_iter().enumerate() {
        match outcome.expect("no panic") {
            Err(CommError::Mismatch { theirs, .. }) => {
                let other = 1 - who;
                assert!(
                    theirs.contains(&format!("from participant {other}")),
                    "{theirs}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn two_lanes_at_once_are_told_apart() {
    let outcomes = on_team(2, |comm, lane| {
        let mut second = comm.pair_lane().expect("nothing has failed yet");
        let lane = if comm.index() == 0 { lane } else { &mut second };
        perform(Verb::PairExchange, Amount::Little, comm, lane)
    });
    for outcome in outcomes {
        match outcome.expect("no panic") {
            Err(CommError::Mismatch { theirs, .. }) => assert!(theirs.contains("on lane")),
            other => panic!("{other:?}"),
        }
    }
}
