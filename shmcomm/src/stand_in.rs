//! Names that the barrier crate will bring; they give way to it as soon as it is there.

/// Why a team was stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// Who, if it was a participant.
    pub participant: Option<usize>,
    /// In what way.
    pub kind: CauseKind,
    /// What was said.
    pub message: String,
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// The ways in which a team stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CauseKind {
    /// Somebody said so.
    Reported,
    /// A participant panicked.
    Panicked,
    /// A participant left.
    Departed,
    /// A deadline passed.
    TimedOut,
}

/// Stops a team from outside.
#[derive(Debug, Clone)]
pub struct PoisonHandle;
