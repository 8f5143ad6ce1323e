//! phalanx-engine

pub mod algebra;
mod error;
#[allow(dead_code, unused_imports, reason = "the callers land next")]
mod fault;
pub mod group;
pub mod models;
mod operator;
pub mod problem;
pub mod propagate;
mod route;
mod truncation;

pub use error::EngineError;
pub use propagate::Propagator;
