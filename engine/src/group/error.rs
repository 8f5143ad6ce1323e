//! What can keep a group from starting, and what can end it.

use std::fmt::Display;

use phalanx_shmcomm::CommError;
use phalanx_topology::{DiscoverError, ThreadStartError};

use super::SettingError;

/// A group that cannot be planned. No thread has been started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A setting means nothing.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The machine does not say what it has.
    #[error("{0}; with pinning off and a number of partitions nothing need be known of it")]
    Topology(DiscoverError),
    /// More partitions than a rank can have.
    #[error("{asked} partitions: a rank has at most {most}, one for each CPU of the widest mask")]
    #[non_exhaustive]
    TooMany {
        /// How many were asked for.
        asked: usize,
        /// How many are possible.
        most: usize,
    },
    /// More partitions than threads can be started, and the limit that says so.
    #[error(transparent)]
    Threads(#[from] ThreadStartError),
}

impl From<DiscoverError> for PlanError {
    fn from(error: DiscoverError) -> Self {
        match error {
            DiscoverError::UnknownSetting(setting) => PlanError::Setting(setting.into()),
            error => PlanError::Topology(error),
        }
    }
}

/// What the job of a partition fails with.
pub trait JobError: Display + Send {
    /// Whether it only repeats what another partition reported first ([`CommError::is_echo`]).
    fn is_echo(&self) -> bool;
}

impl JobError for CommError {
    fn is_echo(&self) -> bool {
        CommError::is_echo(self)
    }
}

/// Why a group did not come to its end: the first cause, not what followed from it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError<E: JobError> {
    /// A thread did not start. Those that had been started were released before they began.
    #[error(transparent)]
    Start(#[from] ThreadStartError),
    /// The job panicked.
    #[error("partition {partition} panicked: {message}")]
    #[non_exhaustive]
    Panicked {
        /// In which partition.
        partition: usize,
        /// The text of the panic.
        message: String,
    },
    /// The job returned an error.
    #[error("partition {partition}: {error}")]
    #[non_exhaustive]
    Failed {
        /// In which partition.
        partition: usize,
        /// The error.
        error: E,
    },
    /// The partitions did not agree that the job was done.
    #[error("partition {partition}, at the end of the job: {error}")]
    #[non_exhaustive]
    Unfinished {
        /// Which partition says so.
        partition: usize,
        /// What it found.
        error: CommError,
    },
}
