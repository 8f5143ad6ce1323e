//! Placement: which processing unit each partition of a rank should be pinned to. A pure function.
//!
//! Nothing here reads or changes the machine. All ranks of a node compute the same plan from the same inputs and
//! take their own part of it, so that no message is needed to agree.

mod auto;
mod candidates;
mod contest;
mod matching;
mod plan;
mod refusal;
mod table;

pub use auto::auto_partitions;
pub use plan::plan;
pub use refusal::RefusalReason;

use std::str::FromStr;
use std::sync::Once;

use crate::{CpuQuota, DomainId, NodeShare, NumaId, PuId, UnknownSetting};

/// Which kinds of cores are used where a machine has several (P-cores and E-cores).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KindPolicy {
    /// The fastest kind among the cores that the process may use. Partitions that move in lock-step go at the
    /// pace of the slowest core. A process that may use E-cores only runs on E-cores.
    #[default]
    Performance,
    /// All kinds.
    All,
}

impl FromStr for KindPolicy {
    type Err = UnknownSetting;

    /// Reads `performance` or `all`.
    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        match text {
            "performance" => Ok(Self::Performance),
            "all" => Ok(Self::All),
            _ => Err(UnknownSetting {
                setting: "core kinds",
                value: text.to_owned(),
                known: "performance, all",
            }),
        }
    }
}

/// How many partitions a physical core takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SmtPolicy {
    /// One, on its lowest processing unit.
    #[default]
    OnePerCore,
    /// One for each of its processing units.
    EveryPu,
}

impl FromStr for SmtPolicy {
    type Err = UnknownSetting;

    /// Reads `core` or `pu`.
    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        match text {
            "core" => Ok(Self::OnePerCore),
            "pu" => Ok(Self::EveryPu),
            _ => Err(UnknownSetting {
                setting: "places",
                value: text.to_owned(),
                known: "core, pu",
            }),
        }
    }
}

/// What is to be placed, and beside whom.
///
/// # Examples
/// ```
/// use phalanx_topology::placement::{self, PlacementRequest};
/// use phalanx_topology::{NodeMask, NodeShare};
/// # use phalanx_topology::{Machine, MachinePu, PuId, Topology};
/// # let pus = (0..4).map(|cpu| MachinePu::bare(PuId(cpu), cpu)).collect();
/// # let topology = Topology::whole(Machine::from_pus("four cores", pus)?)?;
///
/// // Four cores, two ranks that see all of them, two partitions each: the second rank gets the second half.
/// let mut request = PlacementRequest::new(2);
/// request.share = NodeShare::classified(1, 2, NodeMask::Shared);
/// let placement = placement::plan(&topology, &request);
/// let cpus: Vec<u32> = placement.seats().iter().map(|seat| seat.pu.0).collect();
/// assert_eq!(cpus, [2, 3]);
/// # Ok::<(), phalanx_topology::DiscoverError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlacementRequest {
    /// How many partitions each rank has; the same on all ranks.
    pub n_partitions: usize,
    /// This rank's place among the ranks of its node.
    pub share: NodeShare,
    /// Which kinds of cores to use.
    pub kind_policy: KindPolicy,
    /// How many partitions a core takes.
    pub smt_policy: SmtPolicy,
    /// The CPU time that the cgroup allows, where it does. Below the number of CPUs in the mask it means that
    /// others run on the same CPUs, pinned there too if they are like us: then nothing is pinned.
    pub cpu_quota: Option<CpuQuota>,
}

impl PlacementRequest {
    /// `n_partitions` partitions of the only rank on its node, one per core, on the fastest cores, no quota.
    #[must_use]
    pub fn new(n_partitions: usize) -> Self {
        Self {
            n_partitions,
            share: NodeShare::alone(),
            kind_policy: KindPolicy::default(),
            smt_policy: SmtPolicy::default(),
            cpu_quota: None,
        }
    }
}

/// Where one partition goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seat {
    /// The processing unit to pin it to.
    pub pu: PuId,
    /// Its domain.
    pub domain: DomainId,
    /// The NUMA node of its memory, where the machine reports one.
    pub numa: Option<NumaId>,
}

/// The answer of [`plan`]: a seat for each partition, or none for any of them and the reason.
///
/// Half a placement is worse than none: pinned partitions would wait in lock-step for those that are not.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// Each partition has a processing unit of its own.
    Placed {
        /// By partition.
        seats: Vec<Seat>,
    },
    /// Nothing should be pinned. The partitions run anyway, wherever the operating system puts them.
    Refused {
        /// Why.
        reason: RefusalReason,
    },
}

impl Placement {
    /// The seats by partition; empty where placement was refused.
    #[must_use]
    pub fn seats(&self) -> &[Seat] {
        match self {
            Self::Placed { seats } => seats,
            Self::Refused { .. } => &[],
        }
    }

    /// Why placement was refused, if it was.
    #[must_use]
    pub fn refusal(&self) -> Option<&RefusalReason> {
        match self {
            Self::Placed { .. } => None,
            Self::Refused { reason } => Some(reason),
        }
    }

    /// The domain of each partition as dense numbers by first appearance among the seats: what a grouped
    /// barrier is made from. Unpinned partitions have no domain; they form one group, all zeros.
    #[must_use]
    pub fn groups(&self, n_partitions: usize) -> Vec<usize> {
        let mut seen: Vec<DomainId> = Vec::new();
        let mut dense = |domain| {
            seen.iter()
                .position(|&known| known == domain)
                .unwrap_or_else(|| {
                    seen.push(domain);
                    seen.len() - 1
                })
        };
        match self {
            Self::Placed { seats } => seats.iter().map(|seat| dense(seat.domain)).collect(),
            Self::Refused { .. } => vec![0; n_partitions],
        }
    }

    /// Says in the log that placement was refused and why, at the first call of the process only.
    pub fn log_refusal_once(&self) {
        static LOGGED: Once = Once::new();
        if let Self::Refused { reason } = self {
            LOGGED.call_once(|| tracing::warn!("partitions are not pinned: {reason}"));
        }
    }
}
