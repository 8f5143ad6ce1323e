//! What can go wrong while propagating.

use phalanx_shmcomm::CommError;

/// A run that could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A verb failed: a participant failed, or the world was stopped.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// The stop flag was raised.
    #[error("interrupted")]
    Interrupted,
    /// Something does not fit.
    #[error("too many {what}: at most {limit}; use more partitions or a tighter truncation")]
    #[non_exhaustive]
    Capacity {
        /// What there are too many of.
        what: &'static str,
        /// How many there may be.
        limit: u64,
    },
}
