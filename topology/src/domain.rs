//! Domains: which cores count as close to one another, by a policy and whatever the machine reports.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use crate::machine::MAX_CACHE_LEVELS;
use crate::{Machine, MachinePu, NumaId, PackageId, UnknownSetting};

/// What the cores of a domain have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DomainLevel {
    /// A cache of this level (1 to 5).
    Cache(u8),
    /// The NUMA node.
    Numa,
    /// The package.
    Package,
    /// Nothing but the machine.
    Machine,
}

impl fmt::Display for DomainLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cache(level) => write!(f, "L{level}"),
            Self::Numa => f.write_str("NUMA"),
            Self::Package => f.write_str("package"),
            Self::Machine => f.write_str("machine"),
        }
    }
}

/// Which level of the machine makes a domain.
///
/// Levels are no ladder: with sub-NUMA clustering four NUMA nodes share one L3, and on other machines one NUMA
/// node holds many L3s. Where a core lacks what the policy asks for, the next of NUMA node, package and machine
/// takes its place, so that each core is in exactly one domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DomainPolicy {
    /// For each core the deepest cache that it shares with another core; without one, the NUMA node; without
    /// one, the package; without one, the machine. A node that reaches over several packages counts as none.
    #[default]
    Auto,
    /// This level; `Cache(3)` means the L3 whether or not it is shared.
    Level(DomainLevel),
}

/// The environment variable that chooses the level at run time.
const LEVEL_VARIABLE: &str = "PHALANX_DOMAIN_LEVEL";

impl DomainPolicy {
    /// The policy that `PHALANX_DOMAIN_LEVEL` names; unset, [`DomainPolicy::Auto`].
    ///
    /// # Errors
    /// [`UnknownSetting`] for a value that [`str::parse`] refuses.
    pub fn from_env() -> Result<Self, UnknownSetting> {
        std::env::var_os(LEVEL_VARIABLE).map_or(Ok(Self::Auto), |value| {
            value
                .to_string_lossy()
                .parse()
                .map_err(|error| UnknownSetting {
                    setting: LEVEL_VARIABLE,
                    ..error
                })
        })
    }
}

impl FromStr for DomainPolicy {
    type Err = UnknownSetting;

    /// Reads `auto`, `l1` to `l5`, `numa`, `package` or `machine`.
    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        let level = match text {
            "auto" => return Ok(Self::Auto),
            "l1" => DomainLevel::Cache(1),
            "l2" => DomainLevel::Cache(2),
            "l3" => DomainLevel::Cache(3),
            "l4" => DomainLevel::Cache(4),
            "l5" => DomainLevel::Cache(5),
            "numa" => DomainLevel::Numa,
            "package" => DomainLevel::Package,
            "machine" => DomainLevel::Machine,
            _ => {
                return Err(UnknownSetting {
                    setting: "domain level",
                    value: text.to_owned(),
                    known: "auto, l1, l2, l3, l4, l5, numa, package, machine",
                });
            }
        };
        Ok(Self::Level(level))
    }
}

/// Names one domain of the whole machine: its level and the number of the object at that level.
pub(crate) type DomainKey = (DomainLevel, u32);

/// Finds the domain of each core under a policy.
pub(crate) struct Domains {
    policy: DomainPolicy,
    /// How many cores each cache of each level has, on the whole machine: a cache is shared or not by how it is
    /// built, and not by which of its cores this process may use.
    n_cores_of: [HashMap<u32, usize>; MAX_CACHE_LEVELS],
    /// NUMA nodes that reach over several packages: what a machine shows that does not tell its nodes.
    vague_nodes: HashSet<NumaId>,
}

impl Domains {
    pub(crate) fn new(machine: &Machine, policy: DomainPolicy) -> Self {
        let mut n_cores_of: [HashMap<u32, usize>; MAX_CACHE_LEVELS] = Default::default();
        let mut cores_seen = HashSet::new();
        let mut package_of_node: HashMap<NumaId, Option<PackageId>> = HashMap::new();
        let mut vague_nodes = HashSet::new();
        for pu in machine.pus() {
            if let Some(node) = pu.numa
                && *package_of_node.entry(node).or_insert(pu.package) != pu.package
            {
                vague_nodes.insert(node);
            }
            if cores_seen.insert(pu.core) {
                for (counts, cache) in n_cores_of.iter_mut().zip(pu.caches) {
                    if let Some(cache) = cache {
                        *counts.entry(cache).or_default() += 1;
                    }
                }
            }
        }
        Self {
            policy,
            n_cores_of,
            vague_nodes,
        }
    }

    /// The domain of the core that this processing unit is part of.
    pub(crate) fn key_of(&self, pu: &MachinePu) -> DomainKey {
        let node = numa_key(pu);
        let local_node = pu
            .numa
            .filter(|node| !self.vague_nodes.contains(node))
            .and(node);
        let found = match self.policy {
            DomainPolicy::Auto => self.deepest_shared_cache(pu).or(local_node),
            DomainPolicy::Level(DomainLevel::Cache(level)) => usize::from(level)
                .checked_sub(1)
                .and_then(|idx| cache_key(pu, idx))
                .or(local_node),
            DomainPolicy::Level(DomainLevel::Numa) => node,
            DomainPolicy::Level(DomainLevel::Package) => None,
            DomainPolicy::Level(DomainLevel::Machine) => return MACHINE_KEY,
        };
        found.or_else(|| package_key(pu)).unwrap_or(MACHINE_KEY)
    }

    fn deepest_shared_cache(&self, pu: &MachinePu) -> Option<DomainKey> {
        (0..MAX_CACHE_LEVELS).rev().find_map(|idx| {
            let cache = pu.caches[idx]?;
            let shared = self.n_cores_of[idx]
                .get(&cache)
                .is_some_and(|&n_cores| n_cores > 1);
            shared.then(|| cache_key(pu, idx)).flatten()
        })
    }
}

const MACHINE_KEY: DomainKey = (DomainLevel::Machine, 0);

fn cache_key(pu: &MachinePu, idx: usize) -> Option<DomainKey> {
    let cache = *pu.caches.get(idx)?;
    cache.map(|cache| (DomainLevel::Cache(idx as u8 + 1), cache))
}

fn numa_key(pu: &MachinePu) -> Option<DomainKey> {
    pu.numa.map(|node| (DomainLevel::Numa, node.0))
}

fn package_key(pu: &MachinePu) -> Option<DomainKey> {
    pu.package.map(|package| (DomainLevel::Package, package.0))
}

#[cfg(test)]
mod tests {
    use super::{DomainLevel, DomainPolicy};

    #[test]
    fn policies_are_read_or_refused_with_the_list() {
        assert_eq!("auto".parse(), Ok(DomainPolicy::Auto));
        assert_eq!("l3".parse(), Ok(DomainPolicy::Level(DomainLevel::Cache(3))));
        assert_eq!("numa".parse(), Ok(DomainPolicy::Level(DomainLevel::Numa)));
        let message = "l6".parse::<DomainPolicy>().unwrap_err().to_string();
        assert!(
            message.contains("auto, l1, l2, l3, l4, l5, numa, package, machine"),
            "{message}"
        );
    }
}
