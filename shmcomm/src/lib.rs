//! MPI-like collective verbs for the threads of one process, sound under failure.
//!
//! A team of threads moves in lock-step: all call the same verbs in the same order, and a verb moves
//! data between all of them. [`Communicator`] is the trait; [`team`] makes its in-process form, one
//! [`ShmComm`] for each thread. The same trait fits threads that are spread over processes: there a
//! participant has a rank as well as a partition, see [`Layout`].
//!
//! Verbs read straight from the memory of the thread that sends, and so must neither read what is
//! not there yet nor what is gone already, even if that thread fails in between. That is what this
//! crate is about; channels that own their messages have no such problem, and copy more, and wait
//! in the kernel. It is not a scheduler, has no queues, and does nothing for threads that run at
//! their own pace.
//!
//! # Examples
//!
//! ```
//! use std::thread;
//! use phalanx_shmcomm::{CommError, Communicator, Team, team};
//!
//! fn work(comm: &mut impl Communicator) -> Result<f64, CommError> {
//!     let (me, n) = (comm.index(), comm.world_size());
//!     // Everybody sends to everybody: `me + 1` elements to each.
//!     let counts = vec![me as u64 + 1; n];
//!     let mut expected = vec![0; n];
//!     comm.alltoall_counts(&counts, &mut expected)?;
//!     let send = vec![me as f64; n * (me + 1)];
//!     let mut receive = vec![0.0; expected.iter().sum::<u64>() as usize];
//!     comm.alltoallv(&send, &counts, &mut receive, &expected)?;
//!     // A sum with the same bits for any number of threads.
//!     comm.allreduce_exact(receive.into_iter().collect())
//! }
//!
//! thread::scope(|scope| {
//!     for mut comm in team(Team::flat(3)) {
//!         scope.spawn(move || assert_eq!(work(&mut comm), Ok(3.0 * (0.0 + 1.0 * 2.0 + 2.0 * 3.0))));
//!     }
//! });
//! ```
//!
//! # Guarantees
//!
//! - **All or none.** A verb passes for every participant or fails for every participant, with the
//!   same first cause; [`CommError`] says where there is more to know.
//! - **No use after free.** What a verb lends to peers is not read after the verb has returned, by
//!   whatever way it returned. PROTOCOL.md has the proof; loom models, mutants, faults at each point
//!   of each verb and ThreadSanitizer are its evidence.
//! - **No mixture.** Participants in different verbs get an error, not each other's data.
//! - **No hang.** Whoever panics, leaves or fails stops the others. A participant that merely does
//!   not come is named ([`StallWatch`], `PHALANX_STALL_S`).
//! - **No allocation** in a verb once its vectors have grown, except by [`Communicator::share`], by
//!   vectors that are reduced in place, and on the way to an error.
//!
//! # Reading order
//!
//! `communicator` (the verbs), `layout`, `element`, `error`, `pair` and `exact` are what users see.
//! Below, `member` publishes and commits, `section` reads and settles: every verb has that shape.
//! `loan` and `shared` are what is published and where, `lane` is pair exchange, `verbs` the rest. `sync` names the
//! atomics, `tag` what is announced, `stall` and `observe` look on.

mod communicator;
mod element;
mod error;
mod exact;
mod fault;
mod lane;
mod layout;
mod loan;
mod member;
mod observe;
mod pair;
mod section;
mod shared;
mod shm;
#[cfg(not(phalanx_loom))]
mod stall;
mod sync;
mod tag;
#[cfg(all(test, not(phalanx_loom)))]
mod tests;
mod verb;
mod verbs;

pub use communicator::{Communicator, Leg};
pub use element::{Element, Summable};
pub use error::CommError;
pub use exact::ExactSum;
pub use lane::ShmPairLane;
pub use layout::{Layout, Partition, Rank, RankShift};
pub use observe::Observer;
pub use pair::{Blocks, Exchanged, Outbox, PairError, PairLane, PairView, check_outbox};
pub use phalanx_barrier::{Cause, CauseKind, PoisonHandle, Team};
#[cfg(not(phalanx_loom))]
pub use shm::watched_team;
pub use shm::{ShmComm, reassemble, team};
#[cfg(not(phalanx_loom))]
pub use stall::{BadStallTime, STALL_VARIABLE, StallReport, StallWatch};
pub use verb::Verb;
pub use verbs::query::ShmLeg;

/// The examples of README.md, tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
