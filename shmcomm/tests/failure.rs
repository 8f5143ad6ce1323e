//! Participants that panic, leave, never come or come late: the others get the cause in time.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use common::{run, run_all};
use phalanx_shmcomm::{
    CauseKind, CommError, Communicator, ShmComm, StallReport, StallWatch, Team, Verb, team,
    watched_team,
};

/// How long the news of a failure may take here, however busy the machine is.
const SOON: Duration = Duration::from_secs(5);

fn cause_of(outcome: Result<(), CommError>) -> (CauseKind, Option<usize>, String) {
    match outcome {
        Err(CommError::Poisoned { cause, .. }) => {
            (cause.kind, cause.participant, cause.message.clone())
        }
        outcome => panic!("{outcome:?}"),
    }
}

#[test]
fn a_panic_in_a_late_round_reaches_everybody_in_time_with_its_text() {
    let begin = Instant::now();
    let outcomes = run(4, |mut comm| {
        let worked = catch_unwind(AssertUnwindSafe(|| {
            for round in 0.. {
                if comm.index() == 2 && round == 17 {
                    resume_unwind(Box::new("round seventeen".to_owned()));
                }
                if let Err(error) = comm.allreduce_sum(1_u64) {
                    return (round, error);
                }
            }
            unreachable!("somebody stops");
        }));
        worked.map_err(|payload| comm.poison_panicked(payload.as_ref()))
    });
    assert!(begin.elapsed() < SOON);
    for (who, outcome) in outcomes.into_iter().enumerate() {
        match (who, outcome) {
            (2, outcome) => assert!(outcome.is_err()),
            (_, Ok((round, error))) => {
                assert_eq!(round, 17);
                let (kind, participant, message) = cause_of(Err(error));
                assert_eq!((kind, participant), (CauseKind::Panicked, Some(2)));
                assert_eq!(message, "round seventeen");
            }
            (_, Err(())) => panic!("participant {who} panicked"),
        }
    }
}

#[test]
fn a_participant_that_leaves_or_fails_is_named() {
    let leave: fn(ShmComm) = drop;
    let fail: fn(ShmComm) = |comm| comm.fail("the disk is full");
    let ways = [
        (leave, CauseKind::Departed, "dropped"),
        (fail, CauseKind::Reported, "the disk is full"),
    ];
    for (way, expected, text) in ways {
        let causes = run(3, |mut comm| {
            comm.barrier().unwrap();
            if comm.index() == 1 {
                way(comm);
                return None;
            }
            Some(cause_of(comm.agree(Ok::<(), String>(()))))
        });
        for (kind, participant, message) in causes.into_iter().flatten() {
            assert_eq!((kind, participant), (expected, Some(1)));
            assert!(message.contains(text), "{message}");
        }
    }
}

#[test]
fn one_that_is_never_started_fails_the_others_once_it_is_dropped() {
    let mut comms = team(Team::flat(3));
    let never_started = comms.remove(1);
    thread::scope(|scope| {
        for mut comm in comms {
            scope.spawn(move || {
                let begin = Instant::now();
                let (kind, participant, _) = cause_of(comm.barrier());
                assert_eq!((kind, participant), (CauseKind::Departed, Some(1)));
                assert!(begin.elapsed() < SOON);
            });
        }
        thread::sleep(Duration::from_millis(20));
        drop(never_started);
    });
}

#[test]
fn a_normal_end_harms_nobody() {
    for _ in 0..200 {
        let sums = run(4, |mut comm| {
            comm.barrier().unwrap();
            comm.allreduce_sum(comm.index() as u64)
        });
        assert!(sums.into_iter().all(|sum| sum == Ok(6)));
    }
}

#[test]
fn a_handle_stops_the_team_from_outside() {
    let comms = team(Team::flat(3));
    let handle = comms[0].poison_handle();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(20));
            handle.poison("interrupted");
        });
        run_all(comms, |mut comm| {
            loop {
                if let Err(error) = comm.allreduce_sum(1.0) {
                    assert!(error.to_string().contains("interrupted"), "{error}");
                    return;
                }
            }
        });
    });
    assert_eq!(
        handle.cause().map(|cause| cause.message.clone()).as_deref(),
        Some("interrupted")
    );
}

/// All or none, at whatever moment the poison strikes: nobody finishes a verb that another did not.
#[test]
fn everybody_fails_in_the_same_verb() {
    for attempt in 0..300_u32 {
        let comms = team(Team::grouped(&[0, 1, 0, 1]));
        let handle = comms[0].poison_handle();
        let finished = thread::scope(|scope| {
            scope.spawn(move || {
                (0..attempt * 40).for_each(|_| std::hint::spin_loop());
                handle.poison("now");
            });
            run_all(comms, |mut comm| {
                let (mut verbs, mut all, mut counts) = (0_u32, Vec::new(), Vec::new());
                // Boxes freed at once on the way out: what peers still read would be gone.
                while {
                    let lent = vec![comm.index() as u64; 100].into_boxed_slice();
                    comm.allgather(&lent, &mut all, &mut counts).is_ok()
                } {
                    verbs += 1;
                    assert!(
                        all.chunks(100)
                            .zip(0..)
                            .all(|(block, who)| block == [who; 100])
                    );
                }
                verbs
            })
        });
        assert!(
            finished.windows(2).all(|two| two[0] == two[1]),
            "{finished:?}"
        );
    }
}

#[test]
fn a_deadline_ends_a_wait_for_one_that_is_lost() {
    let pace = phalanx_barrier::Pace {
        deadline: Some(Duration::from_millis(50)),
        ..phalanx_barrier::Pace::for_team(2, 1)
    };
    let mut comms = team(Team::flat(2).pace(pace));
    std::mem::forget(comms.pop());
    let (kind, _, _) = cause_of(comms[0].barrier());
    assert_eq!(kind, CauseKind::TimedOut);
}

#[test]
fn one_that_keeps_others_waiting_is_named_with_what_they_wait_in() {
    let reports = Arc::new(Mutex::new(Vec::<StallReport>::new()));
    let sink = reports.clone();
    let watch = StallWatch::after(Duration::from_millis(40))
        .report_to(move |report| sink.lock().unwrap().push(report.clone()));
    run_all(watched_team(Team::flat(3), watch), |mut comm| {
        comm.barrier().unwrap();
        if comm.index() == 1 {
            let begin = Instant::now();
            while reports.lock().unwrap().is_empty() && begin.elapsed() < SOON {
                thread::sleep(Duration::from_millis(5));
            }
        }
        comm.allreduce_sum(1_u64).unwrap();
    });
    let reports = reports.lock().unwrap();
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert_eq!(
        (reports[0].laggard, reports[0].last),
        (1, Some((Verb::Barrier, 1)))
    );
    assert!(
        reports[0]
            .waiting
            .iter()
            .all(|&(who, verb)| who != 1 && verb == Verb::AllreduceSum)
    );
    assert!(!reports[0].waiting.is_empty());
}
