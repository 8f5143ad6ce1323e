//! The pinned threads of this rank: how many, where, started together, ended together.
//!
//! [`Plan::new`] decides everything before a thread exists: the number of partitions, the processing unit of each, how they meet and wait. [`run_on_all`] then
//! starts one thread for each partition, pins it, hands it its communicator and runs the same job on all of them. It comes back when the last thread has ended,
//! with all results or with the first cause of failure; no thread outlives it.

mod error;
mod first_cause;
mod plan;
mod settings;
mod threads;

#[cfg(test)]
mod tests;

pub use error::{GroupError, JobError, PlanError};
pub use plan::{MAX_PARTITIONS, Plan};
pub use settings::{Partitions, Pinning, SettingError};
pub use threads::{Outcome, Pin, Supervision, run_on_all, run_supervised};
