//! MPI-like collective verbs for the threads of one process, sound under failure.

mod communicator;
mod element;
mod error;
mod exact;
mod layout;
mod pair;
mod stand_in;
mod verb;

pub use communicator::{Communicator, Leg};
pub use element::{Element, Summable};
pub use error::CommError;
pub use exact::ExactSum;
pub use layout::{Layout, Partition, Rank, RankShift};
pub use pair::{Blocks, Exchanged, Outbox, PairError, PairLane, PairView, check_outbox};
pub use stand_in::{Cause, CauseKind, PoisonHandle};
pub use verb::Verb;
