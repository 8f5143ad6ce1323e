//! `Core`: one physical core, and how a machine's processing units are gathered into cores.

use std::collections::{HashMap, HashSet};

use crate::domain::{DomainKey, Domains};
use crate::{CoreKind, DomainId, DomainLevel, DomainPolicy, Machine, NumaId, PackageId, PuId};

/// One physical core, as far as this process may use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// Ascending; never empty.
    pus: Vec<PuId>,
    domain: DomainId,
    numa: Option<NumaId>,
    package: Option<PackageId>,
    kind: CoreKind,
}

impl Core {
    /// The processing unit that stands for the core: the one with the lowest operating-system index among those
    /// that this process may use.
    #[must_use]
    pub fn pu(&self) -> PuId {
        self.pus[0]
    }

    /// The core's processing units that this process may use, ascending. More than one with SMT.
    #[must_use]
    pub fn pus(&self) -> &[PuId] {
        &self.pus
    }

    /// The core's domain.
    #[must_use]
    pub fn domain(&self) -> DomainId {
        self.domain
    }

    /// The core's NUMA node, where the machine reports one.
    #[must_use]
    pub fn numa(&self) -> Option<NumaId> {
        self.numa
    }

    /// The core's package, where the machine reports one.
    #[must_use]
    pub fn package(&self) -> Option<PackageId> {
        self.package
    }

    /// The core's kind.
    #[must_use]
    pub fn kind(&self) -> CoreKind {
        self.kind
    }
}

/// The cores with their domains and kinds, the level of each domain, and the number of kinds.
pub(super) fn cores_of(
    machine: &Machine,
    policy: DomainPolicy,
    allowed: &HashSet<PuId>,
) -> (Vec<Core>, Vec<DomainLevel>, usize) {
    let domains = Domains::new(machine, policy);
    let usable = || machine.pus().iter().filter(|pu| allowed.contains(&pu.pu));
    let mut efficiencies: Vec<Option<u32>> = usable().map(|pu| pu.efficiency).collect();
    efficiencies.sort_unstable();
    efficiencies.dedup();
    if efficiencies.first() == Some(&None) {
        // Some cores are not ranked: then nothing can be said about the others either.
        efficiencies.clear();
    }
    let mut domain_ids: HashMap<DomainKey, DomainId> = HashMap::new();
    let mut domain_levels = Vec::new();
    let mut idx_of_core: HashMap<u32, usize> = HashMap::new();
    let mut cores: Vec<Core> = Vec::new();
    for pu in usable() {
        if let Some(&idx) = idx_of_core.get(&pu.core) {
            cores[idx].pus.push(pu.pu);
            continue;
        }
        let key = domains.key_of(pu);
        let domain = *domain_ids.entry(key).or_insert_with(|| {
            domain_levels.push(key.0);
            DomainId(domain_levels.len() as u32 - 1)
        });
        let kind = CoreKind(
            efficiencies
                .binary_search(&pu.efficiency)
                .map_or(0, |rank| rank as u32),
        );
        idx_of_core.insert(pu.core, cores.len());
        cores.push(Core {
            pus: vec![pu.pu],
            domain,
            numa: pu.numa,
            package: pu.package,
            kind,
        });
    }
    for core in &mut cores {
        core.pus.sort_unstable();
    }
    (cores, domain_levels, efficiencies.len().max(1))
}
