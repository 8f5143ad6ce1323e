//! What is refused: who gets which error, what it says, and what is left of the team.

mod common;

use std::sync::Arc;

use common::{run, run_all};
use phalanx_shmcomm::{
    CauseKind, CommError, Communicator, Leg, ShmComm, Team, Verb, reassemble, team,
};

fn is_argument(outcome: Result<(), CommError>, verb: Verb) -> bool {
    matches!(outcome, Err(CommError::Argument { verb: in_verb, .. }) if in_verb == verb)
}

#[test]
fn wrong_arguments_are_the_callers_alone() {
    run(2, |mut comm| {
        let mut two = [0; 2];
        let one = [1];
        assert!(is_argument(
            comm.alltoall_counts(&one, &mut two),
            Verb::AlltoallCounts
        ));
        assert!(is_argument(
            comm.alltoall_counts(&two, &mut [0; 3]),
            Verb::AlltoallCounts
        ));
        let data = [1.5, 2.5];
        let mut room = [0.0; 2];
        for (send, receive) in [([1, 2], [1, 1]), ([1, 1], [1, 0]), ([u64::MAX, 3], [1, 1])] {
            let outcome = comm.alltoallv(&data, &send, &mut room, &receive);
            assert!(is_argument(outcome, Verb::Alltoallv));
        }
        let mut inbox = Vec::new();
        for (counts, record) in [([2, 0], 0), ([1, 1], 2), ([3, 0], 1)] {
            let outcome = comm.resolve(&data, &counts, record, &mut inbox).map(drop);
            assert!(is_argument(outcome, Verb::Resolve));
        }
        assert!(is_argument(comm.broadcast(2, &mut inbox), Verb::Broadcast));
        // And the team is as it was.
        assert_eq!(comm.allreduce_sum(1_u64), Ok(2));
    });
}

#[test]
fn a_count_that_differs_is_found_by_its_receiver() {
    let outcomes = run(3, |mut comm| {
        let me = comm.index();
        let expected: [u64; 3] = if me == 2 { [1, 2, 1] } else { [1; 3] };
        let mut room = vec![0_u8; expected.iter().sum::<u64>() as usize];
        let during = comm.alltoallv(&[1_u8; 3], &[1; 3], &mut room, &expected);
        (during, comm.barrier())
    });
    for (me, (during, after)) in outcomes.into_iter().enumerate() {
        let error = CommError::Count {
            verb: Verb::Alltoallv,
            peer: 1,
            sent: 1,
            expected: 2,
        };
        assert_eq!(during, if me == 2 { Err(error.clone()) } else { Ok(()) });
        assert_poisoned_by(after, 2, &error);
    }
}

fn assert_poisoned_by(outcome: Result<(), CommError>, culprit: usize, error: &CommError) {
    match outcome {
        Err(CommError::Poisoned { cause, .. }) => {
            assert_eq!(
                (cause.kind, cause.participant),
                (CauseKind::Reported, Some(culprit))
            );
            assert_eq!(cause.message, error.to_string());
        }
        outcome => panic!("{outcome:?}"),
    }
}

/// Participant 1 brings another type; every verb notices, and nobody reads a byte of it.
fn with_types(
    verb: Verb,
    same: impl Fn(&mut ShmComm) -> Result<(), CommError> + Sync,
    other: impl Fn(&mut ShmComm) -> Result<(), CommError> + Sync,
) {
    let outcomes = run(2, |mut comm| {
        let during = if comm.index() == 1 {
            other(&mut comm)
        } else {
            same(&mut comm)
        };
        (during, comm.barrier())
    });
    let mut found = 0;
    for (during, after) in outcomes {
        match during {
            Err(CommError::ElementType { verb: in_verb, .. }) => {
                assert_eq!(in_verb, verb);
                found += 1;
            }
            during => assert_eq!(during, Ok(())),
        }
        assert!(
            matches!(after, Err(CommError::Poisoned { .. })),
            "{after:?}"
        );
    }
    assert!(found > 0, "{verb} did not notice");
}

#[test]
fn types_that_differ_are_found() {
    let ones = [1, 1];
    with_types(
        Verb::Alltoallv,
        |comm| comm.alltoallv(&[1_u32; 2], &ones, &mut [0; 2], &ones),
        |comm| comm.alltoallv(&[1_i32; 2], &ones, &mut [0; 2], &ones),
    );
    with_types(
        Verb::Resolve,
        |comm| {
            comm.resolve(&[1_u64; 2], &ones, 1, &mut Vec::new())
                .map(drop)
        },
        |comm| comm.resolve(&[1.0; 2], &ones, 1, &mut Vec::new()).map(drop),
    );
    with_types(
        Verb::Reply,
        |comm| {
            comm.resolve(&[1_u64; 2], &ones, 1, &mut Vec::new())?.reply(
                &[1_u8; 2],
                1,
                &mut Vec::new(),
            )
        },
        |comm| {
            comm.resolve(&[1_u64; 2], &ones, 1, &mut Vec::new())?.reply(
                &[1_i8; 2],
                1,
                &mut Vec::new(),
            )
        },
    );
    with_types(
        Verb::AllreduceSum,
        |comm| comm.allreduce_sum(1_u64).map(drop),
        |comm| comm.allreduce_sum(1.0).map(drop),
    );
    with_types(
        Verb::Allgather,
        |comm| comm.allgather(&[1_u64], &mut Vec::new(), &mut Vec::new()),
        |comm| comm.allgather(&[[1_u32; 2]], &mut Vec::new(), &mut Vec::new()),
    );
    with_types(
        Verb::Broadcast,
        |comm| comm.broadcast(0, &mut vec![1_u64]),
        |comm| comm.broadcast(0, &mut vec![1_i64]),
    );
    with_types(
        Verb::Share,
        |comm| comm.share(|| 1_u64).map(drop),
        |comm| comm.share(|| "one").map(drop),
    );
    with_types(
        Verb::PairLane,
        |comm| comm.pair_lane::<u64>().map(drop),
        |comm| comm.pair_lane::<f64>().map(drop),
    );
}

#[test]
fn lengths_that_differ_in_place_touch_nothing() {
    let outcomes = run(3, |mut comm| {
        let mut values = vec![1.0; if comm.index() == 1 { 30 } else { 20 }];
        let during = comm.allreduce_sum_inplace(&mut values);
        (during, values.iter().all(|&value| value == 1.0))
    });
    for (during, untouched) in outcomes {
        assert!(matches!(during, Err(CommError::Count { .. })), "{during:?}");
        assert!(untouched);
    }
}

#[test]
fn record_sizes_that_differ_are_everybodys() {
    let outcomes = run(3, |mut comm| {
        let record = if comm.index() == 2 { 2 } else { 1 };
        comm.resolve(&[1_u64; 6], &[2; 3], record, &mut Vec::new())
            .map(drop)
    });
    for (me, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Err(CommError::RecordSize { mine, theirs, .. }) => {
                assert_eq!((mine, theirs), if me == 2 { (2, 1) } else { (1, 2) });
            }
            outcome => panic!("{outcome:?}"),
        }
    }
    let outcomes = run(2, |mut comm| {
        let per_record = 1 + comm.index();
        let leg = comm
            .resolve(&[1_u64; 2], &[1; 2], 1, &mut Vec::new())
            .unwrap();
        leg.reply(&vec![1_u8; 2 * per_record], per_record, &mut Vec::new())
    });
    for outcome in outcomes {
        assert!(
            matches!(outcome, Err(CommError::RecordSize { .. })),
            "{outcome:?}"
        );
    }
}

#[test]
fn a_wrong_number_of_answers_stops_those_who_wait_for_them() {
    let outcomes = run(3, |mut comm| {
        let me = comm.index();
        let leg = comm
            .resolve(&[1_u64; 3], &[1; 3], 1, &mut Vec::new())
            .unwrap();
        let answers = vec![1_u8; if me == 1 { 2 } else { 3 }];
        leg.reply(&answers, 1, &mut Vec::new())
    });
    let error = CommError::Answers {
        verb: Verb::Reply,
        given: 2,
        records: 3,
        per_record: 1,
    };
    for (me, outcome) in outcomes.into_iter().enumerate() {
        match me {
            1 => assert_eq!(outcome, Err(error.clone())),
            _ => assert_poisoned_by(outcome, 1, &error),
        }
    }
}

#[test]
fn a_dead_team_stays_dead_and_a_new_one_is_made_of_all() {
    let comms = run(3, |mut comm| {
        comm.barrier().unwrap();
        if comm.index() == 1 {
            comm.poison("no more");
        }
        for _ in 0..5 {
            while comm.barrier().is_ok() {}
        }
        let outcome = comm.allreduce_sum(1_u64);
        assert!(outcome.is_err_and(|error| error.to_string().contains("no more")));
        comm
    });
    let stale = comms[0].poison_handle();
    let comms = reassemble(comms).expect("all of one team");
    stale.poison("too late");
    run_all(comms, |mut comm| {
        assert_eq!(comm.allreduce_sum(1_u64), Ok(3));
        assert_eq!(*comm.share(|| 5).unwrap(), 5);
    });
}

#[test]
fn a_new_team_is_not_made_of_some_or_of_strangers() {
    let mut comms = team(Team::flat(3));
    let last = comms.pop().expect("three");
    let comms = reassemble(comms).expect_err("one is missing");
    let mut comms: Vec<_> = comms.into_iter().chain([last]).collect();
    comms.swap(0, 1);
    let comms = reassemble(comms).expect("any order will do");
    let strangers: Vec<_> = comms.into_iter().chain(team(Team::flat(1))).collect();
    assert_eq!(
        reassemble(strangers).expect_err("four of two teams").len(),
        4
    );
    assert!(
        reassemble(
            team(Team::flat(2))
                .into_iter()
                .take(1)
                .chain(team(Team::flat(2)).into_iter().take(1))
                .collect()
        )
        .is_err()
    );
}

#[test]
fn errors_say_what_happened() {
    let outcome = run(2, |mut comm| {
        if comm.index() == 0 {
            return comm.alltoall_counts(&[1, 2], &mut [0; 2]);
        }
        comm.allreduce_sum(1.5).map(drop)
    });
    assert_eq!(
        outcome[1].as_ref().expect_err("another verb").to_string(),
        "participants are in different verbs: this one in allreduce_sum (its call 1), \
         participant 0 in alltoall_counts (call 1)"
    );
    assert!(!outcome[1].as_ref().is_err_and(CommError::is_echo));
}

#[test]
fn what_is_shared_ends_when_its_last_holder_lets_go() {
    let ends = Arc::new(());
    run(3, |mut comm| {
        let shared = comm.share(|| ends.clone()).unwrap();
        comm.barrier().unwrap();
        assert_eq!(Arc::strong_count(&ends), 2);
        drop(shared);
    });
    assert_eq!(Arc::strong_count(&ends), 1);
}
