//! MPI-like collective verbs for the threads of one process, sound under failure.

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
