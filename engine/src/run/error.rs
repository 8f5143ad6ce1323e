//! Why a run did not come to its end.

use std::io;

use crate::EngineError;
use crate::group::{GroupError, JobError, PlanError, SettingError};

/// What a partition of a run fails with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartitionError {
    /// The propagation could not go on.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The final operator could not be written.
    #[error("cannot write the operator: {0}")]
    Write(#[from] io::Error),
}

impl JobError for PartitionError {
    fn is_echo(&self) -> bool {
        matches!(self, PartitionError::Engine(EngineError::Comm(error)) if error.is_echo())
    }
}

/// A run without a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The group cannot be planned. Nothing was started.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The stop flag was raised.
    #[error("interrupted")]
    Interrupted,
    /// The operator could not be written. All rows are done.
    #[error("cannot write the operator: {0}")]
    Write(io::Error),
    /// A thread did not start, or a partition failed: the first cause.
    #[error(transparent)]
    Group(GroupError<PartitionError>),
}

impl From<SettingError> for RunError {
    fn from(error: SettingError) -> Self {
        RunError::Plan(error.into())
    }
}

impl From<GroupError<PartitionError>> for RunError {
    /// What was asked for, and what is not a partition's fault, is not told as one.
    fn from(error: GroupError<PartitionError>) -> Self {
        match error {
            GroupError::Failed {
                error: PartitionError::Engine(EngineError::Interrupted),
                ..
            } => RunError::Interrupted,
            GroupError::Failed {
                error: PartitionError::Write(error),
                ..
            } => RunError::Write(error),
            error => RunError::Group(error),
        }
    }
}
