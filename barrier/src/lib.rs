//! A grouped, time-budgeted, poisonable barrier for threads that move in lock-step.
#![forbid(unsafe_code)]

mod cause;
mod clock;
mod edge;
mod error;
mod grouping;
mod line;
#[cfg(any(phalanx_loom, phalanx_shuttle, phalanx_mutants))]
#[doc(hidden)]
pub mod model;
mod pace;
mod participant;
mod shared;
mod sync;
mod team;

pub use cause::{Cause, CauseKind, Poisoned};
pub use clock::Clock;
pub use error::SettingError;
pub use grouping::Grouping;
#[cfg(any(phalanx_loom, phalanx_shuttle, phalanx_mutants))]
#[doc(hidden)]
pub use model::mutant;
pub use pace::{Nap, Pace, Step};
pub use participant::{Participant, PoisonHandle};
pub use team::Team;
