//! `Topology`: the cores that this process may use, each with its processing units, domain and memory.

mod core;
mod discover;

pub use self::core::Core;

use std::collections::HashSet;
use std::sync::Arc;

use self::core::cores_of;
use crate::{
    CpuMask, DiscoverError, DomainId, DomainLevel, DomainPolicy, Machine, MaskError, PuId, cpu_list,
};

/// The cores that this process may use, in hardware order, grouped into domains.
///
/// Plain owned data: it can be cloned, sent and shared, and outlives whatever read it.
///
/// # Examples
/// ```
/// use phalanx_topology::Topology;
///
/// let topology = Topology::discover()?;
/// assert!(topology.is_this_system());
/// for core in topology.cores() {
///     println!("{} in domain {}, {} hardware threads", core.pu(), core.domain(), core.pus().len());
/// }
/// # Ok::<(), phalanx_topology::DiscoverError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    machine: Arc<Machine>,
    policy: DomainPolicy,
    cores: Vec<Core>,
    /// By domain.
    domain_levels: Vec<DomainLevel>,
    n_kinds: usize,
}

impl Topology {
    /// The same, restricted to the CPUs that are in `mask` too. CPUs beyond the mask's width are left out.
    ///
    /// # Errors
    /// [`DiscoverError::NoUsableCpu`] where nothing remains.
    pub fn with_mask(&self, mask: &CpuMask) -> Result<Self, DiscoverError> {
        let kept = self
            .pus()
            .filter(|&pu| mask.contains(pu))
            .collect::<HashSet<_>>();
        if kept.is_empty() {
            let machine = cpu_list::format(self.sorted_pus().iter().map(|pu| pu.0));
            return Err(DiscoverError::NoUsableCpu {
                machine,
                allowed: mask.to_string(),
            });
        }
        Self::build(Arc::clone(&self.machine), self.policy, &kept)
    }

    /// The same with domains by another policy.
    #[must_use]
    pub fn with_domain_policy(&self, policy: DomainPolicy) -> Self {
        Self::restricted(Arc::clone(&self.machine), policy, &self.pus().collect())
    }

    fn build(
        machine: Arc<Machine>,
        policy: DomainPolicy,
        allowed: &HashSet<PuId>,
    ) -> Result<Self, DiscoverError> {
        let topology = Self::restricted(machine, policy, allowed);
        if topology.cores.is_empty() {
            let list = |pus: &mut dyn Iterator<Item = PuId>| {
                let mut pus: Vec<u32> = pus.map(|pu| pu.0).collect();
                pus.sort_unstable();
                cpu_list::format(pus)
            };
            return Err(DiscoverError::NoUsableCpu {
                machine: list(&mut topology.machine.pus().iter().map(|pu| pu.pu)),
                allowed: list(&mut allowed.iter().copied()),
            });
        }
        Ok(topology)
    }

    fn restricted(machine: Arc<Machine>, policy: DomainPolicy, allowed: &HashSet<PuId>) -> Self {
        let (cores, domain_levels, n_kinds) = cores_of(&machine, policy, allowed);
        Self {
            machine,
            policy,
            cores,
            domain_levels,
            n_kinds,
        }
    }

    /// The physical cores in hardware order. Never empty.
    #[must_use]
    pub fn cores(&self) -> &[Core] {
        &self.cores
    }

    /// The processing units that this process may use, core by core.
    pub fn pus(&self) -> impl Iterator<Item = PuId> + '_ {
        self.cores
            .iter()
            .flat_map(|core| core.pus().iter().copied())
    }

    /// How many processing units this process may use.
    #[must_use]
    pub fn n_pus(&self) -> usize {
        self.cores.iter().map(|core| core.pus().len()).sum()
    }

    /// The processing units as a mask that other ranks understand.
    ///
    /// # Errors
    /// [`MaskError::CpuOutOfRange`] on a machine whose CPUs do not fit. Send [`CpuMask::EMPTY`] then.
    pub fn cpu_mask(&self) -> Result<CpuMask, MaskError> {
        CpuMask::from_pus(self.pus())
    }

    /// The mask to send to the other ranks of the node: the empty one, and a line in the log, on a machine
    /// whose CPUs do not fit. The others then take this rank's CPUs for shared.
    #[must_use]
    pub fn exchange_mask(&self) -> CpuMask {
        self.cpu_mask().unwrap_or_else(|error| {
            static LOGGED: std::sync::Once = std::sync::Once::new();
            LOGGED.call_once(
                || tracing::warn!(%error, "this rank's CPUs cannot be told to the other ranks"),
            );
            CpuMask::EMPTY
        })
    }

    /// How many domains there are; each has at least one core.
    #[must_use]
    pub fn n_domains(&self) -> usize {
        self.domain_levels.len()
    }

    /// What the cores of this domain have in common; nothing for a domain that does not exist.
    #[must_use]
    pub fn domain_level(&self, domain: DomainId) -> Option<DomainLevel> {
        self.domain_levels.get(domain.idx()).copied()
    }

    /// The policy that made the domains.
    #[must_use]
    pub fn domain_policy(&self) -> DomainPolicy {
        self.policy
    }

    /// How many kinds of cores there are, 1 where the machine does not rank them. The fastest is the last.
    #[must_use]
    pub fn n_kinds(&self) -> usize {
        self.n_kinds
    }

    /// The core that a processing unit is part of, if this process may use it.
    #[must_use]
    pub fn core_of(&self, pu: PuId) -> Option<&Core> {
        self.cores.iter().find(|core| core.pus().contains(&pu))
    }

    /// Whether this is the machine that the process runs on, so that threads can be pinned to it.
    #[must_use]
    pub fn is_this_system(&self) -> bool {
        self.machine.is_this_system()
    }

    /// The whole machine, also what this process may not use.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The same machine with all its CPUs, also those that this process may not use.
    pub(crate) fn unrestricted(&self) -> Self {
        let all = self.machine.pus().iter().map(|pu| pu.pu).collect();
        Self::restricted(Arc::clone(&self.machine), self.policy, &all)
    }

    /// The processing units, ascending.
    pub(crate) fn sorted_pus(&self) -> Vec<PuId> {
        let mut pus: Vec<PuId> = self.pus().collect();
        pus.sort_unstable();
        pus
    }
}
