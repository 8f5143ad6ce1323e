//! phalanx-engine

pub mod algebra;
mod error;
mod fault;
pub mod group;
pub mod models;
mod operator;
pub mod problem;
pub mod propagate;
mod route;
pub mod run;
mod truncation;

pub use error::EngineError;
pub use propagate::{Counts, GateProgress, Mode, Propagator};
