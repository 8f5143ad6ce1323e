//! Which of many failures a group reports: the one that came first, not what followed from it.

use phalanx_barrier::Cause;
use phalanx_shmcomm::CommError;

use super::{GroupError, JobError};

/// How a thread ended.
pub(super) enum Ended<T, E> {
    /// The job returned, and so it did everywhere.
    Done(T),
    /// The job returned an error.
    Failed(E),
    /// The job panicked, with this text.
    Panicked(String),
    /// The job returned, but the partitions did not agree that it was done.
    Unfinished(CommError),
    /// Another thread did not start.
    Unneeded,
}

/// All results, or the first cause.
///
/// The team remembers who stopped it first, and that participant's own error says most. Where the team was not stopped by a participant, the lowest partition wins.
/// What only repeats another's failure is reported if there is nothing else.
pub(super) fn first_cause<T, E: JobError>(
    ended: Vec<Ended<T, E>>,
    cause: Option<&Cause>,
) -> Result<Vec<T>, GroupError<E>> {
    let culprit = cause.and_then(|cause| cause.participant);
    let mut results = Vec::with_capacity(ended.len());
    let mut failures = Vec::new();
    for (partition, ended) in ended.into_iter().enumerate() {
        let (is_echo, error) = match ended {
            Ended::Done(result) => {
                results.push(result);
                continue;
            }
            Ended::Unneeded => continue,
            Ended::Failed(error) => (error.is_echo(), GroupError::Failed { partition, error }),
            Ended::Panicked(message) => (false, GroupError::Panicked { partition, message }),
            Ended::Unfinished(error) => {
                (error.is_echo(), GroupError::Unfinished { partition, error })
            }
        };
        failures.push(((is_echo, culprit != Some(partition)), error));
    }
    // Stable: among equals the lowest partition stays first.
    failures.sort_by_key(|(rank, _)| *rank);
    match failures.into_iter().next() {
        Some((_, error)) => Err(error),
        None => Ok(results),
    }
}
