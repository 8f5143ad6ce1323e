//! What each partition does in a run.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use phalanx_shmcomm::Communicator;

use super::live::Live;
use super::operator_lines::write_terms;
use super::{PartitionError, Row};
use crate::problem::Problem;
use crate::{EngineError, Mode, Propagator, fault};

/// One run, as its partitions see it.
pub(super) struct Job<'a, 'o> {
    pub(super) problem: &'a Problem,
    pub(super) mode: Mode,
    pub(super) began: Instant,
    pub(super) stop: &'a AtomicBool,
    pub(super) live: &'a Live,
    /// Taken by partition 0, which speaks for all; it hangs up when that partition ends.
    pub(super) events: Mutex<Option<Sender<Event>>>,
    pub(super) operator: Option<Mutex<&'o mut (dyn Write + Send)>>,
}

/// What partition 0 says.
pub(super) enum Event {
    Started(Head),
    Row(Row),
}

/// What is known when the walk begins.
#[derive(Clone, Copy, Default)]
pub(super) struct Head {
    pub(super) mode: &'static str,
    /// Seconds since the run began.
    pub(super) planning: f64,
}

/// What one partition brings home.
pub(super) struct Share {
    pub(super) local_terms: u64,
    pub(super) operator_bytes: u64,
    /// Of the whole operator.
    pub(super) checksum: u64,
}

impl Job<'_, '_> {
    /// # Collective
    /// By all partitions.
    pub(super) fn run<C: Communicator>(&self, comm: &mut C) -> Result<Share, PartitionError> {
        let partition = comm.layout().partition.0;
        let events = match comm.index() {
            0 => self
                .events
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
            _ => None,
        };
        let tell = |event| {
            if let Some(events) = &events {
                // Who does not listen any more has stopped the team.
                drop(events.send(event));
            }
        };
        let mut propagator = Propagator::new(self.problem, self.mode, comm, self.stop)?;
        // To count together is to wait for each other: from here on all have their share.
        propagator.num_terms()?;
        tell(Event::Started(Head {
            mode: propagator.mode().name(),
            planning: self.began.elapsed().as_secs_f64(),
        }));
        for repeat in 1..=self.problem.repeat() {
            self.check_stop()?;
            self.live.begin(partition, repeat);
            let began = Instant::now();
            propagator.apply_circuit(&mut |progress| self.live.gate(partition, progress))?;
            fault::point(partition, "repeat");
            let num_terms = propagator.num_terms()?;
            let seconds = began.elapsed().as_secs_f64();
            fault::point(partition, "evaluate");
            let expectation = propagator.expectation()?;
            tell(Event::Row(Row {
                repeat,
                num_terms,
                expectation,
                seconds,
            }));
        }
        let checksum = propagator.checksum()?;
        if let Some(operator) = &self.operator {
            write_terms(operator, &mut || self.check_stop(), |term| {
                propagator.for_each_term(term)
            })?;
        }
        Ok(Share {
            local_terms: propagator.local_terms(),
            operator_bytes: propagator.operator_bytes(),
            checksum,
        })
    }

    fn check_stop(&self) -> Result<(), PartitionError> {
        // Relaxed: the flag alone is read; what it stops is ordered by the team's own verbs.
        if self.stop.load(Ordering::Relaxed) {
            return Err(EngineError::Interrupted.into());
        }
        Ok(())
    }
}
