//! Why a team was stopped, and the error that says so.

use std::fmt;
use std::sync::Arc;

/// The ways in which a team is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CauseKind {
    /// Somebody said so, through `poison` or `fail`.
    Reported,
    /// A participant's thread panicked.
    Panicked,
    /// A participant was dropped while others still had rounds to do.
    Departed,
    /// A participant waited for longer than the deadline of its [`Pace`](crate::Pace).
    TimedOut,
}

/// The first thing that went wrong in a team. Later ones are its echoes and are not kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cause {
    /// Index of the participant at fault, or `None` if the team was stopped from outside.
    pub participant: Option<usize>,
    /// In what way it failed.
    pub kind: CauseKind,
    /// What it said, or a description of what was seen of it.
    pub message: String,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.participant {
            None => write!(f, "the team was stopped")?,
            Some(participant) => {
                let what = match self.kind {
                    CauseKind::Reported => "failed",
                    CauseKind::Panicked => "panicked",
                    CauseKind::Departed => "left",
                    CauseKind::TimedOut => "gave up",
                };
                write!(f, "participant {participant} {what}")?;
            }
        }
        write!(f, ": {}", self.message)
    }
}

/// The team was stopped; carries the first cause.
///
/// Every participant of a round gets it, or none does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Poisoned(pub Arc<Cause>);
