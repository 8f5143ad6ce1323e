//! A barrier for threads that move in lock-step: grouped, time-budgeted, poisonable.
//!
//! A team of threads that meets thousands of times a second wants three things
//! that [`std::sync::Barrier`] does not give: a round that costs a cache miss
//! and not a system call; waiters that do not burn a CPU when somebody is late;
//! and an error, on everybody, when somebody does not come at all.
//!
//! ```
//! use std::thread;
//! use phalanx_barrier::Team;
//!
//! // Four threads in two domains that share a cache each. A participant per thread.
//! let team = Team::grouped(&[0, 0, 1, 1]).build();
//! thread::scope(|scope| {
//!     for mut me in team {
//!         scope.spawn(move || {
//!             for step in 0..100 {
//!                 if me.index() == 2 && step == 42 {
//!                     return me.fail("step 42 did not converge");
//!                 }
//!                 // All pass, or all get the same error.
//!                 if let Err(stopped) = me.wait() {
//!                     assert_eq!(step, 42);
//!                     assert_eq!(
//!                         stopped.to_string(),
//!                         "participant 2 failed: step 42 did not converge",
//!                     );
//!                     return;
//!                 }
//!             }
//!         });
//!     }
//! });
//! ```
//!
//! # Guarantees
//!
//! - *Edges.* What any participant did before a round happens-before what any
//!   participant does after it, across groups too.
//! - *Unanimity.* A [`wait`](Participant::wait) passes for all or fails for all,
//!   whatever poisons the team and whenever, and all failures carry the same cause.
//! - *A settle completes.* Once all have passed a `wait`, a
//!   [`settle`](Participant::settle) cannot fail, so memory lent to the others
//!   between the two is never taken away from under them.
//! - *Nobody is waited for in vain.* A participant that is dropped, by a
//!   return, an error or a panic, poisons its team. Only a participant that is
//!   leaked keeps the others, and a [`Pace::deadline`] ends even that.
//! - *Waiting is cheap.* It spins for a short time, then yields, then naps, by
//!   the clock. A team with more participants than CPUs does not spin at all.
//!
//! The protocol, its proofs, and the models that check them, are in
//! `PROTOCOL.md` beside the source. There is no `unsafe` in this crate.
//!
//! # What it is not
//!
//! It elects no leader, since the participants are numbered and any of them will do;
//! it does not cross processes; and nobody can join or leave a team:
//! [`Team::reassemble`] makes a new one.
//!
//! # Modules in reading order
//!
//! `team` builds, `participant` waits, `shared` has the words and the steps of
//! a round, `edge` the memory orderings, `pace`, `clock`, `courtesy` and `doorbell` how time passes,
//! `cause` and `first_cause` what went wrong, `sync` the choice of atomics.
#![forbid(unsafe_code)]

mod cause;
mod clock;
mod courtesy;
mod doorbell;
mod edge;
mod error;
mod first_cause;
mod grouping;
mod line;
#[cfg(any(phalanx_loom, phalanx_shuttle, phalanx_mutants))]
mod model;
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

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
