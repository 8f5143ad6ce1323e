//! phalanx-engine

#[allow(dead_code, unused_imports, reason = "the callers land next")]
mod fault;
pub mod models;
pub mod problem;
