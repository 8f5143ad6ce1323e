//! Majorana and Pauli propagation: expectation values of quantum circuits without a state vector.
//!
//! An observable, kept as a sparse sum of bit-string monomials, is pushed backwards through a circuit gate by gate, truncated, and read off
//! as an expectation value. Partitions of the operator live on pinned threads that move in lock-step; the numbers that come out are the
//! same bits at every number of them.
//!
//! ```
//! use phalanx_engine::models::Hubbard;
//! use phalanx_engine::run::{self, Settings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Four sites of a Fermi-Hubbard chain, and what becomes of the occupation of one of them.
//! let problem = Hubbard::chain(4).problem()?.with_repeat(3)?;
//! let report = run::run(&problem, &Settings::default(), &mut ())?;
//! assert_eq!(report.num_terms.len(), 3);
//! # Ok(())
//! # }
//! ```
//!
//! The `phalanx` program (feature `cli`) does the same with files: `phalanx run problems/hubbard_60.json`.
//!
//! # What it is not
//! It is no state-vector or tensor-network simulator, has no noise channels, and its answers are as good as the truncation that was asked for.
//!
//! # Features
//! - `cli` (default): the program and what it needs. Libraries leave it out.
//! - `hwloc` (default): placement by caches and NUMA nodes; without it, by the affinity mask alone.
//! - `fault-injection`: partitions that fail on purpose, for tests of what becomes of a run.
//!
//! # Guarantees
//! - For one problem, the multiset of (monomial, coefficient bits) is the same for every number of partitions and in either [`Mode`]; sums
//!   are exact, so expectation values are the same bits too.
//! - A partition that panics or fails ends the run on all of them, with its own message.
//!
//! # Modules, in reading order
//! [`problem`] what is simulated; [`models`] ready-made ones; [`algebra`] how monomials multiply; [`propagate`] the two ways to walk a
//! circuit; [`group`] pinned threads; [`run`] the main job as one call.

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

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
