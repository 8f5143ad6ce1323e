//! Groups that end well, and groups that do not.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;
use std::time::{Duration, Instant};

use phalanx_shmcomm::{CommError, Communicator, ShmComm};

use super::threads::start;
use super::{
    GroupError, JobError, Partitions, Pinning, Plan, PlanError, Supervision, run_on_all,
    run_supervised,
};

/// What the jobs of these tests fail with.
#[derive(Debug)]
enum Trouble {
    Own(&'static str),
    Comm(CommError),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Own(text) => f.write_str(text),
            Trouble::Comm(error) => error.fmt(f),
        }
    }
}

impl JobError for Trouble {
    fn is_echo(&self) -> bool {
        matches!(self, Trouble::Comm(error) if error.is_echo())
    }
}

fn plan(n: usize) -> Plan {
    let n = NonZeroUsize::new(n).unwrap();
    Plan::new(Partitions::Exactly(n), Pinning::On).unwrap()
}

/// A hundred rounds, in which partition `culprit` does something else before round 17.
fn rounds(
    culprit: usize,
    otherwise: impl Fn() -> Result<(), Trouble> + Sync,
) -> impl Fn(&mut ShmComm) -> Result<u64, Trouble> + Sync {
    move |comm| {
        let mut total = 0;
        for round in 0..100 {
            if round == 17 && comm.index() == culprit {
                otherwise()?;
            }
            total = comm.allreduce_sum(1_u64).map_err(Trouble::Comm)?;
        }
        Ok(total)
    }
}

/// Keeps the text of expected panics out of the test's output.
fn panic_quietly(text: &'static str) -> ! {
    std::panic::resume_unwind(Box::new(text))
}

#[test]
fn everybody_runs_the_job_once_and_results_come_in_order() {
    for n in [1, 2, 3, 5] {
        let plan = plan(n);
        let outcome = run_on_all(&plan, |comm: &mut ShmComm| {
            let sum = comm.allreduce_sum(1_u64)?;
            Ok::<_, CommError>((comm.index(), sum))
        })
        .unwrap();
        let expected: Vec<_> = (0..n).map(|partition| (partition, n as u64)).collect();
        assert_eq!(outcome.results, expected);
        assert_eq!(outcome.pins.len(), n);
    }
}

#[test]
fn whoever_has_a_seat_runs_on_it() {
    let plan = plan(1);
    let outcome = run_on_all(&plan, |_: &mut ShmComm| {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
        let allowed = status
            .lines()
            .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        Ok::<_, CommError>(allowed.map(|list| list.trim().to_owned()))
    })
    .unwrap();
    let seat = plan
        .placement()
        .and_then(|placement| placement.seats().first());
    assert_eq!(outcome.pins[0].asked, seat.map(|seat| seat.pu));
    assert_eq!(outcome.pins[0].is_taken(), seat.is_some());
    if let (Some(seat), Some(allowed)) = (seat, &outcome.results[0]) {
        assert_eq!(*allowed, seat.pu.0.to_string());
    }
}

#[test]
fn more_partitions_than_cores_run_unpinned_and_the_plan_says_why() {
    let n_cores = plan(1).topology().unwrap().cores().len();
    let plan = plan(n_cores + 1);
    assert!(plan.placement().unwrap().refusal().is_some());
    assert_eq!(plan.n_domains(), 1);
    let outcome = run_on_all(&plan, |comm: &mut ShmComm| comm.barrier()).unwrap();
    assert!(
        outcome
            .pins
            .iter()
            .all(|pin| !pin.is_taken() && pin.asked.is_none())
    );
}

#[test]
fn a_panic_is_the_cause_at_every_size_and_releases_the_others_at_once() {
    for n in [1, 2, 3, 4] {
        for culprit in 0..n {
            let began = Instant::now();
            let job = rounds(culprit, || panic_quietly("no more paper"));
            match run_on_all(&plan(n), job).unwrap_err() {
                GroupError::Panicked { partition, message } => {
                    assert_eq!((partition, message.as_str()), (culprit, "no more paper"));
                }
                other => panic!("{other}"),
            }
            assert!(began.elapsed() < Duration::from_secs(1));
        }
    }
}

#[test]
fn an_error_of_one_is_the_cause_and_never_its_echo() {
    for culprit in 0..3 {
        let job = rounds(culprit, || Err(Trouble::Own("out of ink")));
        match run_on_all(&plan(3), job).unwrap_err() {
            GroupError::Failed {
                partition,
                error: Trouble::Own(text),
            } => assert_eq!((partition, text), (culprit, "out of ink")),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn whoever_leaves_early_ends_the_job_of_all() {
    let outcome = run_on_all(&plan(2), |comm: &mut ShmComm| {
        if comm.index() == 1 {
            return Ok(());
        }
        comm.barrier()
    });
    assert!(outcome.is_err());
}

#[test]
fn a_thread_that_cannot_start_releases_those_that_have() {
    let n_begun = AtomicUsize::new(0);
    let no_room = |partition| match partition {
        2 => Builder::new().stack_size(usize::MAX / 4),
        _ => Builder::new(),
    };
    let job = |_: &mut ShmComm| {
        n_begun.fetch_add(1, Ordering::Relaxed);
        Ok::<_, CommError>(())
    };
    let error = start(&plan(4), &no_room, &job, |_| panic!("nothing to watch")).unwrap_err();
    assert!(matches!(error, GroupError::Start(_)), "{error}");
    assert!(
        error.to_string().contains("thread 2 of 4 cannot start"),
        "{error}"
    );
    assert_eq!(n_begun.into_inner(), 0);
    // The next group works.
    assert!(run_on_all(&plan(4), |comm: &mut ShmComm| comm.barrier()).is_ok());
}

#[test]
fn a_supervisor_sees_the_job_run_and_can_stop_it() {
    let job = |comm: &mut ShmComm| -> Result<(), CommError> {
        loop {
            comm.barrier()?;
        }
    };
    let supervise = |group: &Supervision<'_>| {
        assert!(!group.is_over());
        group.stop("that will do");
        while !group.is_over() {
            std::thread::yield_now();
        }
    };
    let error = run_supervised(&plan(2), job, supervise).unwrap_err();
    assert!(error.to_string().contains("that will do"), "{error}");
}

#[test]
fn a_supervisor_that_panics_does_not_leave_the_threads_behind() {
    let result = std::panic::catch_unwind(|| {
        let job = |comm: &mut ShmComm| -> Result<(), CommError> {
            loop {
                comm.barrier()?;
            }
        };
        run_supervised(&plan(2), job, |_| panic_quietly("fell asleep")).is_ok()
    });
    assert_eq!(result.unwrap_err().downcast_ref(), Some(&"fell asleep"));
}

#[test]
fn too_many_partitions_are_refused_before_anything_is_read() {
    let n = NonZeroUsize::new(1_000_000_000).unwrap();
    let error = Plan::new(Partitions::Exactly(n), Pinning::Off).unwrap_err();
    assert!(
        matches!(error, PlanError::TooMany { .. } | PlanError::Threads(_)),
        "{error}"
    );
}

#[test]
fn words_are_read_or_refused_with_the_list() {
    assert_eq!("auto".parse::<Partitions>().unwrap(), Partitions::Auto);
    assert_eq!("7".parse::<Partitions>().unwrap().to_string(), "7");
    assert_eq!("off".parse::<Pinning>().unwrap(), Pinning::Off);
    for bad in ["", "0", "-1", "1.5", "all", " 2"] {
        let message = bad.parse::<Partitions>().unwrap_err().to_string();
        assert!(message.contains(Partitions::KNOWN), "{message}");
    }
    let message = "yes".parse::<Pinning>().unwrap_err().to_string();
    assert!(message.contains(Pinning::KNOWN), "{message}");
}
