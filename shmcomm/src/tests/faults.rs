//! A participant panics at each point of each verb: all others get the cause, whoever it is.

use std::time::{Duration, Instant};

use super::{Amount, on_team, perform};
use crate::fault::Point;
use crate::{CauseKind, CommError, Communicator, Verb};

const N: usize = 3;

/// Whether a participant comes by a point in a verb.
fn passes(verb: Verb, amount: Amount, point: Point, who: usize) -> bool {
    let one_barrier = matches!(verb, Verb::Barrier | Verb::PairExchange);
    match point {
        Point::Entry | Point::Commit | Point::Committed => true,
        Point::Settle | Point::Settled => amount.is_lent_by(verb),
        Point::Copy(source) => match verb {
            _ if one_barrier => false,
            Verb::Broadcast => source == N - 1 && who != N - 1,
            Verb::Share | Verb::PairLane => source == 0,
            _ => true,
        },
    }
}

/// Whether the others have been through the verb by then.
fn is_past_the_commit(point: Point) -> bool {
    !matches!(point, Point::Entry | Point::Commit)
}

/// Whether the others need what the culprit has not done yet.
fn leaves_work_undone(verb: Verb, amount: Amount, point: Point) -> bool {
    let shared_work = matches!(verb, Verb::AllreduceSumInplace | Verb::AllreduceExact);
    shared_work && amount == Amount::Much && matches!(point, Point::Committed | Point::Copy(_))
}

#[test]
fn a_fault_anywhere_reaches_everybody() {
    let begin = Instant::now();
    let points = [
        Point::Entry,
        Point::Commit,
        Point::Committed,
        Point::Copy(0),
        Point::Copy(1),
        Point::Copy(2),
        Point::Settle,
        Point::Settled,
    ];
    let mut n_faults = 0;
    let amounts = [Amount::Little, Amount::Much];
    let moments = amounts.map(|amount| points.map(|point| (amount, point)));
    for verb in Verb::ALL {
        for (amount, point) in moments.into_iter().flatten() {
            for culprit in (0..N).filter(|&culprit| passes(verb, amount, point, culprit)) {
                n_faults += 1;
                check(verb, amount, point, culprit);
            }
        }
    }
    assert!(n_faults > 400, "{n_faults} faults were tried");
    assert!(begin.elapsed() < Duration::from_secs(60));
}

fn check(verb: Verb, amount: Amount, point: Point, culprit: usize) {
    let outcomes = on_team(N, |comm, lane| {
        perform(verb, amount, comm, lane).expect("nothing has failed yet");
        if comm.index() == culprit {
            comm.member.faults.armed = Some((verb, point));
        }
        let during = perform(verb, amount, comm, lane);
        (during, comm.barrier(), comm.barrier())
    });
    for (who, outcome) in outcomes.into_iter().enumerate() {
        let name = format!("{point:?} of {verb} ({amount:?}) on {culprit}, seen by {who}");
        if who == culprit {
            assert!(outcome.is_err(), "no panic at {name}");
            continue;
        }
        let (during, after, later) = outcome.unwrap_or_else(|_| panic!("{name}: a panic"));
        match during {
            // Nobody has what the culprit was to add up for all.
            Err(CommError::Unfinished { peer, .. }) => {
                assert!(
                    leaves_work_undone(verb, amount, point) && peer == culprit,
                    "{name}"
                );
            }
            during => {
                let succeeds =
                    is_past_the_commit(point) && !leaves_work_undone(verb, amount, point);
                assert_eq!(during.is_ok(), succeeds, "{name}");
            }
        }
        let cause = |outcome| match outcome {
            Err(CommError::Poisoned { cause, .. }) => cause,
            other => panic!("{name}: {other:?}"),
        };
        let first = cause(after);
        assert_eq!(first.kind, CauseKind::Panicked, "{name}");
        assert_eq!(first.participant, Some(culprit), "{name}");
        assert_eq!(cause(later), first, "{name}");
    }
}
