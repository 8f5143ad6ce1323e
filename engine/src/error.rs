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
    /// Coefficients have grown beyond the range of doubles, so that nothing that follows would mean anything.
    #[error("{n_terms} coefficients have overflowed; scale the observable down")]
    #[non_exhaustive]
    Overflow {
        /// How many coefficients are infinite or not a number.
        n_terms: u64,
    },
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
