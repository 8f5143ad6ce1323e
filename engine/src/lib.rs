//! phalanx-engine

pub mod models;
pub mod problem;
