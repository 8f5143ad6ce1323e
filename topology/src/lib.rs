//! Which CPUs may this process use, and where should each of its threads go?
//!
//! `phalanx-topology` answers both for programs whose threads move in lock-step: it reads the machine (cores,
//! caches, NUMA nodes, kinds of cores), restricts it to what this process may use, groups cores into domains
//! that share a cache, plans a seat for each thread beside the other ranks of the node, and pins threads so that
//! "pinned" means pinned. It is neither a thread pool nor a binding to hwloc: everything it hands out is plain data.
//!
//! ```
//! use phalanx_topology::placement::{self, PlacementRequest};
//! use phalanx_topology::{Limits, Topology};
//!
//! let topology = Topology::discover()?;
//! let mut request = PlacementRequest::new(1);
//! request.cpu_quota = Limits::read().cpu_quota();
//! request.n_partitions = placement::auto_partitions(&topology, &request);
//!
//! let placement = placement::plan(&topology, &request);
//! placement.log_refusal_once();
//! std::thread::scope(|scope| {
//!     for seat in placement.seats() {
//!         let topology = &topology;
//!         scope.spawn(move || match topology.pin_current_thread(seat.pu) {
//!             Ok(guard) => println!("on {}", guard.pu()),
//!             Err(error) => println!("unpinned: {error}"),
//!         });
//!     }
//! });
//! # Ok::<(), phalanx_topology::DiscoverError>(())
//! ```
//!
//! # Features
//! - `hwloc` (default): read the machine with the hwloc library. Without it the crate builds anywhere, knows the
//!   affinity mask and, on Linux, which CPUs are siblings, and puts all cores into one domain.
//!
//! # Guarantees
//! - Each core is in exactly one domain, whatever the machine reports.
//! - No two ranks of a node are given the same core while there are enough cores; a mask that the launcher has
//!   divided among the ranks is not divided again.
//! - A CPU that does not fit a mask is refused, not dropped; a pin that did not take is an error.
//! - Nothing panics on what the machine or a file says.

mod cpu_list;
mod cpu_mask;
mod domain;
pub mod draw;
mod error;
mod ids;
mod limits;
mod machine;
mod memory;
mod node_mask;
mod os;
mod pin;
pub mod placement;
mod source;
mod topology;
mod words;

pub use cpu_mask::{CpuMask, MASK_BYTES, MASK_CPUS};
pub use domain::{DomainLevel, DomainPolicy};
pub use error::{DiscoverError, MaskError, MemoryError, PinError, UnknownSetting};
pub use ids::{CoreKind, DomainId, NumaId, PackageId, PuId};
pub use limits::{CpuQuota, Limits, ThreadBudget, ThreadLimit, ThreadLimitKind, ThreadStartError};
pub use machine::{MAX_CACHE_LEVELS, Machine, MachinePu, NumaNode};
pub use memory::{MemoryGuard, node_of_memory};
pub use node_mask::{NodeMask, NodeShare};
pub use pin::PinGuard;
pub use source::Source;
pub use topology::{Core, Topology};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
