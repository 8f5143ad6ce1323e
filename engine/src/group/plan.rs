//! What is decided about a group before a thread exists.

use phalanx_barrier::{Grouping, Pace};
use phalanx_shmcomm::{StallWatch, Team};
use phalanx_topology::placement::{self, Placement, PlacementRequest, Seat};
use phalanx_topology::{Limits, MASK_CPUS, Topology};

use super::{Partitions, Pinning, PlanError, SettingError};

/// The most partitions that a rank can have: one for each CPU that a mask can name.
pub const MAX_PARTITIONS: usize = MASK_CPUS as usize;

/// How many partitions this rank has, where each goes, how they meet and how they wait.
///
/// # Examples
/// ```
/// use phalanx_engine::group::{Partitions, Pinning, Plan, run_on_all};
/// use phalanx_shmcomm::{CommError, Communicator, ShmComm};
///
/// let plan = Plan::new("2".parse::<Partitions>()?, Pinning::On)?;
/// let outcome = run_on_all(&plan, |comm: &mut ShmComm| {
///     let mine = comm.index() as u64 + 1;
///     comm.allreduce_sum(mine)
/// })?;
/// assert_eq!(outcome.results, [3, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    n_partitions: usize,
    limits: Limits,
    topology: Option<Topology>,
    placement: Option<Placement>,
    grouping: Grouping,
    pace: Pace,
}

impl Plan {
    /// Plans for a rank that is alone on its node.
    ///
    /// Reads the machine ([`Topology::discover`]), the limits of this process ([`Limits::read`]) and the variables `PHALANX_TOPOLOGY`, `PHALANX_DOMAIN_LEVEL`,
    /// `PHALANX_SPIN_BUDGET_US`, `PHALANX_BARRIER_GROUPING` and `PHALANX_STALL_S`. The machine is not read if pinning is off and the number of partitions is given.
    ///
    /// More partitions than cores are planned all the same; they are not pinned, and [`Plan::placement`] says why.
    ///
    /// # Errors
    /// - [`PlanError::Setting`]: one of the variables has a value that means nothing.
    /// - [`PlanError::TooMany`], [`PlanError::Threads`]: more partitions than are possible; the tighter limit is named.
    /// - [`PlanError::Topology`]: the machine cannot be read.
    pub fn new(partitions: Partitions, pinning: Pinning) -> Result<Self, PlanError> {
        let limits = Limits::read();
        if let Partitions::Exactly(n) = partitions {
            check(n.get(), &limits)?;
        }
        let grouping = Grouping::from_env().map_err(SettingError::from)?;
        // Read again where the team is made; there a value that means nothing is no error any more.
        StallWatch::from_environment().map_err(SettingError::from)?;
        let mut request = PlacementRequest::new(1);
        request.cpu_quota = limits.cpu_quota();
        let (n_partitions, topology) = match (partitions, pinning) {
            (Partitions::Exactly(n), Pinning::Off) => (n.get(), None),
            (Partitions::Exactly(n), Pinning::On) => (n.get(), Some(Topology::discover()?)),
            (Partitions::Auto, _) => {
                let topology = Topology::discover()?;
                let n = placement::auto_partitions(&topology, &request);
                (n, Some(topology))
            }
        };
        if partitions == Partitions::Auto {
            check(n_partitions, &limits)?;
        }
        request.n_partitions = n_partitions;
        let placement = match (&topology, pinning) {
            (Some(topology), Pinning::On) => Some(placement::plan(topology, &request)),
            _ => None,
        };
        Ok(Plan {
            n_partitions,
            limits,
            topology,
            placement,
            grouping: grouping.unwrap_or(Grouping::Grouped),
            pace: Pace::from_env(n_partitions, Pace::usable_cpus()).map_err(SettingError::from)?,
        })
    }

    /// How many partitions there are, at least 1.
    pub fn n_partitions(&self) -> usize {
        self.n_partitions
    }

    /// What limits this process.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The machine, if it had to be read.
    pub fn topology(&self) -> Option<&Topology> {
        self.topology.as_ref()
    }

    /// Where the partitions go, or why nowhere in particular; `None` if pinning is off.
    pub fn placement(&self) -> Option<&Placement> {
        self.placement.as_ref()
    }

    /// The domain of each partition, numbered densely by first appearance.
    pub fn domain_of_partition(&self) -> Vec<usize> {
        self.placement.as_ref().map_or_else(
            || vec![0; self.n_partitions],
            |placement| placement.groups(self.n_partitions),
        )
    }

    /// How many domains the partitions are in. Those that are not pinned are in one.
    pub fn n_domains(&self) -> usize {
        self.domain_of_partition()
            .iter()
            .max()
            .map_or(1, |most| most + 1)
    }

    /// Whether partitions of a domain meet before they meet the rest.
    pub fn grouping(&self) -> Grouping {
        self.grouping
    }

    /// How the partitions wait for each other.
    pub fn pace(&self) -> &Pace {
        &self.pace
    }

    /// The barrier team of this plan.
    pub(super) fn team(&self) -> Team {
        Team::grouped(&self.domain_of_partition())
            .grouping(self.grouping)
            .pace(self.pace)
    }

    /// The seat of a partition, on a machine that can be pinned to.
    pub(super) fn seat(&self, partition: usize) -> Option<(&Topology, Seat)> {
        let seat = self.placement.as_ref()?.seats().get(partition)?;
        Some((self.topology.as_ref()?, *seat))
    }
}

/// Whether so many threads can start; of our own limit and the system's, the tighter one is named.
fn check(n: usize, limits: &Limits) -> Result<(), PlanError> {
    let possible = limits.max_threads().map(|budget| budget.n_threads);
    if n > MAX_PARTITIONS && possible.is_none_or(|possible| possible >= MAX_PARTITIONS as u64) {
        return Err(PlanError::TooMany {
            asked: n,
            most: MAX_PARTITIONS,
        });
    }
    Ok(limits.check_threads(n)?)
}
