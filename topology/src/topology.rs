//! `Topology`: the cores that this process may use, each with its processing units, domain and memory.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::domain::{DomainKey, Domains};
use crate::source::{self, Source};
use crate::{
    CoreKind, CpuMask, DiscoverError, DomainId, DomainLevel, DomainPolicy, Machine, MaskError,
    NumaId, PackageId, PuId, cpu_list, os,
};

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
    /// This machine, restricted to the CPUs that this process may use: those of its main thread, whatever the
    /// calling thread has been pinned to since.
    ///
    /// The source is the one that `PHALANX_TOPOLOGY` names, `hwloc` or `affinity`. Where hwloc fails, the
    /// affinity mask takes its place and one log line says so. Load it once and share it: [`Topology::shared`].
    ///
    /// # Errors
    /// - [`DiscoverError::UnknownSetting`], [`DiscoverError::BuiltWithoutHwloc`]: `PHALANX_TOPOLOGY` is wrong.
    /// - [`DiscoverError::NoAffinity`]: the operating system does not tell the mask.
    /// - [`DiscoverError::NoUsableCpu`]: the machine and the mask have nothing in common.
    pub fn discover() -> Result<Self, DiscoverError> {
        Self::discover_with(Source::from_env()?)
    }

    /// [`Topology::discover`] from a source that the caller chooses.
    ///
    /// # Errors
    /// As for [`Topology::discover`].
    pub fn discover_with(source: Source) -> Result<Self, DiscoverError> {
        let machine = match source {
            Source::Affinity => source::affinity::read()?,
            Source::Hwloc => this_machine_by_hwloc()?,
        };
        if !machine.is_this_system() {
            return Self::whole(machine);
        }
        let allowed = os::process_cpus().map_err(|cause| DiscoverError::NoAffinity {
            cause: cause.to_string(),
        })?;
        Self::build(
            Arc::new(machine),
            DomainPolicy::Auto,
            &allowed.into_iter().collect(),
        )
    }

    /// The topology of this machine, read at the first call and kept for the life of the process.
    ///
    /// # Errors
    /// As for [`Topology::discover`], and the same at every call.
    pub fn shared() -> Result<&'static Self, DiscoverError> {
        static SHARED: OnceLock<Result<Topology, DiscoverError>> = OnceLock::new();
        SHARED
            .get_or_init(Self::discover)
            .as_ref()
            .map_err(Clone::clone)
    }

    /// The machine that an hwloc XML document describes (`lstopo --of xml` writes one), with all its CPUs.
    /// It is not this system: placements can be planned, nothing can be pinned.
    ///
    /// # Errors
    /// - [`DiscoverError::BadDescription`]: hwloc cannot read it.
    /// - [`DiscoverError::BuiltWithoutHwloc`]: nobody is there to read it.
    pub fn from_xml(xml: &str) -> Result<Self, DiscoverError> {
        #[cfg(feature = "hwloc")]
        return Self::whole(source::hwloc::read_xml(xml)?);
        #[cfg(not(feature = "hwloc"))]
        return refuse(xml, "a machine from XML");
    }

    /// The machine that an hwloc XML file describes, as [`Topology::from_xml`].
    ///
    /// # Errors
    /// As for [`Topology::from_xml`].
    pub fn from_xml_file(path: impl AsRef<Path>) -> Result<Self, DiscoverError> {
        #[cfg(feature = "hwloc")]
        return Self::whole(source::hwloc::read_xml_file(path.as_ref())?);
        #[cfg(not(feature = "hwloc"))]
        return refuse(path, "a machine from an XML file");
    }

    /// The machine that an hwloc synthetic description such as `pack:2 [numa] l3:2 core:8 pu:2` describes, with
    /// all its CPUs. It is not this system: placements can be planned, nothing can be pinned.
    ///
    /// # Errors
    /// As for [`Topology::from_xml`].
    pub fn from_synthetic(description: &str) -> Result<Self, DiscoverError> {
        #[cfg(feature = "hwloc")]
        return Self::whole(source::hwloc::read_synthetic(description)?);
        #[cfg(not(feature = "hwloc"))]
        return refuse(description, "a machine from a synthetic description");
    }

    /// A machine with all its CPUs.
    ///
    /// # Errors
    /// [`DiscoverError::NoUsableCpu`] where it has none.
    pub fn whole(machine: Machine) -> Result<Self, DiscoverError> {
        let all = machine.pus().iter().map(|pu| pu.pu).collect();
        Self::build(Arc::new(machine), DomainPolicy::Auto, &all)
    }

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
        let kept = self.pus().collect();
        let (cores, domain_levels, n_kinds) = cores_of(&self.machine, policy, &kept);
        Self {
            machine: Arc::clone(&self.machine),
            policy,
            cores,
            domain_levels,
            n_kinds,
        }
    }

    fn build(
        machine: Arc<Machine>,
        policy: DomainPolicy,
        allowed: &HashSet<PuId>,
    ) -> Result<Self, DiscoverError> {
        let (cores, domain_levels, n_kinds) = cores_of(&machine, policy, allowed);
        if cores.is_empty() {
            let list = |mut pus: Vec<u32>| {
                pus.sort_unstable();
                cpu_list::format(pus)
            };
            return Err(DiscoverError::NoUsableCpu {
                machine: list(machine.pus().iter().map(|pu| pu.pu.0).collect()),
                allowed: list(allowed.iter().map(|pu| pu.0).collect()),
            });
        }
        Ok(Self {
            machine,
            policy,
            cores,
            domain_levels,
            n_kinds,
        })
    }

    /// The physical cores in hardware order. Never empty.
    #[must_use]
    pub fn cores(&self) -> &[Core] {
        &self.cores
    }

    /// The processing units that this process may use, core by core.
    pub fn pus(&self) -> impl Iterator<Item = PuId> + '_ {
        self.cores.iter().flat_map(|core| core.pus.iter().copied())
    }

    /// How many processing units this process may use.
    #[must_use]
    pub fn n_pus(&self) -> usize {
        self.cores.iter().map(|core| core.pus.len()).sum()
    }

    /// The processing units as a mask that other ranks understand.
    ///
    /// # Errors
    /// [`MaskError::CpuOutOfRange`] on a machine whose CPUs do not fit. Send [`CpuMask::EMPTY`] then.
    pub fn cpu_mask(&self) -> Result<CpuMask, MaskError> {
        CpuMask::from_pus(self.pus())
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
        self.cores.iter().find(|core| core.pus.contains(&pu))
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

    /// The processing units, ascending.
    pub(crate) fn sorted_pus(&self) -> Vec<PuId> {
        let mut pus: Vec<PuId> = self.pus().collect();
        pus.sort_unstable();
        pus
    }
}

/// hwloc's view; where it fails, the affinity mask's, and one line in the log.
#[cfg(feature = "hwloc")]
fn this_machine_by_hwloc() -> Result<Machine, DiscoverError> {
    let no_cpu = || DiscoverError::BadDescription {
        what: "machine",
        cause: "it lists no CPU".to_owned(),
    };
    source::hwloc::read_this_machine()
        .and_then(|machine| {
            if machine.pus().is_empty() {
                Err(no_cpu())
            } else {
                Ok(machine)
            }
        })
        .or_else(|error| {
            static LOGGED: std::sync::Once = std::sync::Once::new();
            LOGGED.call_once(
                || tracing::warn!(%error, "hwloc failed; using the affinity mask alone"),
            );
            source::affinity::read()
        })
}

#[cfg(not(feature = "hwloc"))]
fn this_machine_by_hwloc() -> Result<Machine, DiscoverError> {
    Err(DiscoverError::BuiltWithoutHwloc {
        what: "reading the machine with hwloc",
    })
}

/// The answer of a build without hwloc; the input is taken so that both builds have the same signature.
#[cfg(not(feature = "hwloc"))]
fn refuse<T>(_input: T, what: &'static str) -> Result<Topology, DiscoverError> {
    Err(DiscoverError::BuiltWithoutHwloc { what })
}

/// The cores with their domains and kinds, the level of each domain, and the number of kinds.
fn cores_of(
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
