//! Circuits that people run, for any size.
//!
//! A model is a struct of documented, public parameters; its `problem()` checks them and makes a [`Problem`](crate::problem::Problem). Constructors give
//! the parameters that published runs use. The same parameters give the same problem, bit by bit, in every version.
//!
//! | model | circuit |
//! |---|---|
//! | [`Hubbard`] | the 1D Fermi-Hubbard chain, Trotter steps, Majorana basis |
//! | [`KickedIsing`] | kicks of X and ZZ on a line, a ring, a grid or a heavy-hexagon lattice |
//! | [`TiltedIsing`] | the Ising model in a tilted field, Trotter steps, on the same lattices |
//! | [`RandomGenerators`] | random monomials as generators and as observable |
//!
//! # Examples
//!
//! ```
//! use phalanx_engine::models::Hubbard;
//!
//! # fn main() -> Result<(), phalanx_engine::models::ModelError> {
//! let mut chain = Hubbard::chain(8);
//! chain.steps = 3;
//! let problem = chain.problem()?;
//! assert_eq!(problem.num_modes(), 16);
//!
//! chain.sites = 0;
//! assert_eq!(chain.problem().unwrap_err().to_string(), "sites is 0; it goes from 1 to 2048");
//! # Ok(())
//! # }
//! ```

mod error;
mod hubbard;
mod kicked_ising;
mod lattice;
mod random;
mod standard;
mod tilted_ising;

pub use error::ModelError;
pub use hubbard::{Hubbard, HubbardOrder, Neel};
pub use kicked_ising::KickedIsing;
pub use lattice::Lattice;
pub use random::RandomGenerators;
pub use standard::standard_problems;
pub use tilted_ising::TiltedIsing;
