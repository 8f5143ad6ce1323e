//! Starting the threads of a group, running a job on all of them, and collecting what became of it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use phalanx_shmcomm::{Communicator, PoisonHandle, ShmComm, team};
use phalanx_topology::{Limits, PuId, ThreadStartError};

use super::first_cause::{Ended, first_cause};
use super::{GroupError, JobError, Plan};
use crate::fault;

/// What a group brought home.
#[derive(Debug)]
pub struct Outcome<T> {
    /// What the job returned, by partition.
    pub results: Vec<T>,
    /// What became of the pinning, by partition.
    pub pins: Vec<Pin>,
}

/// Where a thread was to run, and whether it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The processing unit that the plan has for it; `None` if it has none.
    pub asked: Option<PuId>,
    /// Why it is not pinned there, if it is not although asked.
    pub refused: Option<String>,
}

impl Pin {
    /// Whether the thread was asked to be somewhere and is.
    pub fn is_taken(&self) -> bool {
        self.asked.is_some() && self.refused.is_none()
    }
}

/// What the calling thread knows of a group that runs.
pub struct Supervision<'a> {
    poison: &'a PoisonHandle,
    is_over: &'a dyn Fn() -> bool,
}

impl Supervision<'_> {
    /// Whether all threads have ended, well or not.
    pub fn is_over(&self) -> bool {
        (self.is_over)()
    }

    /// Stops the team, unless something else has stopped it before.
    pub fn stop(&self, cause: impl Into<String>) {
        self.poison.poison(cause);
    }
}

/// Runs a job on all partitions, each on a pinned thread of its own, and waits for all of them.
///
/// The job gets its partition's communicator, of a team that is made for this call. A job that returns an error or panics stops the team with that as the cause, so
/// that the others come back from the verb they are in; all of them [agree](Communicator::agree) at the end, so that none takes for done what failed elsewhere.
///
/// # Errors
/// - [`GroupError::Start`]: a thread did not start; the limit that most likely stopped it is named, and no job has begun.
/// - [`GroupError::Panicked`], [`GroupError::Failed`]: the first cause, never an error that only repeats it.
/// - [`GroupError::Unfinished`]: the partitions did not come to the end of the job together.
pub fn run_on_all<T: Send, E: JobError>(
    plan: &Plan,
    job: impl Fn(&mut ShmComm) -> Result<T, E> + Sync,
) -> Result<Outcome<T>, GroupError<E>> {
    run_supervised(plan, job, |_| ())
}

/// [`run_on_all`], with something to do for the calling thread meanwhile.
///
/// `supervise` begins once all threads have started, and is waited for like them: it has to come back by itself once the group is over.
///
/// # Errors
/// As for [`run_on_all`].
///
/// # Panics
/// If `supervise` does, after the team was stopped and all threads have ended.
pub fn run_supervised<T: Send, E: JobError>(
    plan: &Plan,
    job: impl Fn(&mut ShmComm) -> Result<T, E> + Sync,
    supervise: impl FnOnce(&Supervision<'_>),
) -> Result<Outcome<T>, GroupError<E>> {
    start(plan, &|_| Builder::new(), &job, supervise)
}

/// The same with threads of the caller's making: tests make one that cannot start.
pub(super) fn start<T: Send, E: JobError>(
    plan: &Plan,
    builder_of: &dyn Fn(usize) -> Builder,
    job: &(impl Fn(&mut ShmComm) -> Result<T, E> + Sync),
    supervise: impl FnOnce(&Supervision<'_>),
) -> Result<Outcome<T>, GroupError<E>> {
    let comms = team(plan.team());
    let poison = comms[0].poison_handle();
    std::thread::scope(|scope| {
        let mut waiting = Vec::with_capacity(comms.len());
        for partition in 0..comms.len() {
            let builder = builder_of(partition).name(format!("phalanx-{partition}"));
            match spawn(scope, builder, plan, partition, job) {
                Ok(thread) => waiting.push(thread),
                // Dropping the gates of those that wait releases them; the scope joins them.
                Err(cause) => {
                    let limits = Limits::read();
                    let n = comms.len();
                    return Err(ThreadStartError::explain(cause, partition, n, &limits).into());
                }
            }
        }
        let threads: Vec<_> = waiting
            .into_iter()
            .zip(comms)
            .map(|((gate, thread), comm)| {
                // A thread behind a gate can do nothing but wait for this.
                drop(gate.send(comm));
                thread
            })
            .collect();
        let supervision = Supervision {
            poison: &poison,
            is_over: &|| threads.iter().all(ScopedJoinHandle::is_finished),
        };
        let supervised = catch_unwind(AssertUnwindSafe(|| supervise(&supervision)));
        if supervised.is_err() {
            poison.poison("the thread that watched over the partitions panicked");
        }
        let (pins, ended): (Vec<Pin>, Vec<Ended<T, E>>) = threads
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|payload| resume_unwind(payload))
            })
            .unzip();
        if let Err(payload) = supervised {
            resume_unwind(payload);
        }
        let results = first_cause(ended, poison.cause().as_deref())?;
        Ok(Outcome { results, pins })
    })
}

/// A thread that has started and waits for its communicator, or to learn that there will be none.
type Waiting<'scope, T, E> = (
    Sender<ShmComm>,
    ScopedJoinHandle<'scope, (Pin, Ended<T, E>)>,
);

fn spawn<'scope, 'env: 'scope, T: Send + 'scope, E: JobError + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    builder: Builder,
    plan: &'env Plan,
    partition: usize,
    job: &'env (impl Fn(&mut ShmComm) -> Result<T, E> + Sync),
) -> io::Result<Waiting<'scope, T, E>> {
    let (gate, comms) = channel();
    let thread = builder.spawn_scoped(scope, move || serve(plan, partition, &comms, job))?;
    Ok((gate, thread))
}

/// The life of one thread.
fn serve<T, E: JobError>(
    plan: &Plan,
    partition: usize,
    gate: &Receiver<ShmComm>,
    job: &impl Fn(&mut ShmComm) -> Result<T, E>,
) -> (Pin, Ended<T, E>) {
    let pin = pin(plan, partition);
    let Ok(mut comm) = gate.recv() else {
        return (pin, Ended::Unneeded);
    };
    let result = catch_unwind(AssertUnwindSafe(|| {
        fault::point(partition, "start");
        job(&mut comm)
    }));
    // The cause has to be in place before the communicator is dropped, which knows less about it.
    let ended = match result {
        Ok(Ok(result)) => match comm.agree(Ok::<(), &str>(())) {
            Ok(()) => Ended::Done(result),
            Err(error) => Ended::Unfinished(error),
        },
        Ok(Err(error)) => {
            if !error.is_echo() {
                comm.poison(error.to_string());
            }
            Ended::Failed(error)
        }
        Err(payload) => {
            comm.poison_panicked(&*payload);
            Ended::Panicked(text_of(&*payload))
        }
    };
    (pin, ended)
}

/// Pins the calling thread for the rest of its life.
fn pin(plan: &Plan, partition: usize) -> Pin {
    let Some((topology, seat)) = plan.seat(partition) else {
        return Pin {
            asked: None,
            refused: None,
        };
    };
    let refused = match topology.pin_current_thread(seat.pu) {
        Ok(guard) => {
            guard.keep();
            None
        }
        Err(error) => Some(error.to_string()),
    };
    Pin {
        asked: Some(seat.pu),
        refused,
    }
}

fn text_of(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("with a payload that is no text")
        .to_owned()
}
