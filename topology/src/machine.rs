//! `Machine`: everything that was read from the hardware, as plain data, before any policy is applied.

use std::collections::HashSet;

use crate::{DiscoverError, NumaId, PackageId, PuId};

/// How many levels of cache a [`MachinePu`] can tell of, L1 to L5.
pub const MAX_CACHE_LEVELS: usize = 5;

/// One processing unit (hardware thread) and what it is part of.
///
/// Core, cache and package numbers are dense within their own kind and mean nothing outside their machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachinePu {
    /// The operating-system index.
    pub pu: PuId,
    /// The physical core: processing units with the same number are SMT siblings.
    pub core: u32,
    /// The package, where the machine reports any.
    pub package: Option<PackageId>,
    /// The NUMA node whose memory is local and ordinary, where the machine reports any.
    pub numa: Option<NumaId>,
    /// The data or unified cache of level `k + 1` at index `k`, where the machine reports one.
    pub caches: [Option<u32>; MAX_CACHE_LEVELS],
    /// How fast the core is among the kinds of this machine (higher is faster), where they are ranked.
    pub efficiency: Option<u32>,
}

impl MachinePu {
    /// A processing unit of which only its index and core are known.
    #[must_use]
    pub const fn bare(pu: PuId, core: u32) -> Self {
        Self {
            pu,
            core,
            package: None,
            numa: None,
            caches: [None; MAX_CACHE_LEVELS],
            efficiency: None,
        }
    }
}

/// One NUMA node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumaNode {
    /// The operating-system index.
    pub id: NumaId,
    /// How much memory it has in bytes, 0 where unknown.
    pub memory_bytes: u64,
    /// How many processing units have it as their local node; 0 for memory without CPUs (HBM, GPU, CXL).
    pub n_pus: usize,
}

/// A whole machine, its processing units in logical order (neighbours in the list are neighbours in hardware).
///
/// It is plain owned data: nothing in it borrows from the library that read it, so it can be cloned, sent and
/// kept at will.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    source_name: String,
    is_this_system: bool,
    pus: Vec<MachinePu>,
    numa_nodes: Vec<NumaNode>,
}

impl Machine {
    /// A machine described by hand. It is not this system, so nothing can be pinned to it.
    ///
    /// # Errors
    /// [`DiscoverError::RepeatedPu`] where two entries have the same operating-system index.
    ///
    /// # Examples
    /// ```
    /// use phalanx_topology::{Machine, MachinePu, PuId, Topology};
    ///
    /// // Two cores of two hardware threads each, numbered as Linux likes to number them.
    /// let machine = Machine::from_pus("by hand", vec![
    ///     MachinePu::bare(PuId(0), 0), MachinePu::bare(PuId(2), 0),
    ///     MachinePu::bare(PuId(1), 1), MachinePu::bare(PuId(3), 1),
    /// ])?;
    /// let topology = Topology::whole(machine)?;
    /// assert_eq!(topology.cores().len(), 2);
    /// assert_eq!(topology.cores()[1].pu(), PuId(1));
    /// # Ok::<(), phalanx_topology::DiscoverError>(())
    /// ```
    pub fn from_pus(
        source_name: impl Into<String>,
        pus: Vec<MachinePu>,
    ) -> Result<Self, DiscoverError> {
        let mut ids: Vec<NumaId> = pus.iter().filter_map(|pu| pu.numa).collect();
        ids.sort_unstable();
        ids.dedup();
        let nodes = ids.into_iter().map(|id| (id, 0)).collect();
        Self::assemble(source_name.into(), false, pus, nodes)
    }

    /// The machine from what a source found; `nodes` are NUMA nodes and their memory in bytes.
    pub(crate) fn assemble(
        source_name: String,
        is_this_system: bool,
        pus: Vec<MachinePu>,
        nodes: Vec<(NumaId, u64)>,
    ) -> Result<Self, DiscoverError> {
        let mut seen = HashSet::with_capacity(pus.len());
        if let Some(twice) = pus.iter().find(|pu| !seen.insert(pu.pu)) {
            return Err(DiscoverError::RepeatedPu { pu: twice.pu });
        }
        let numa_nodes = nodes
            .into_iter()
            .map(|(id, memory_bytes)| NumaNode {
                id,
                memory_bytes,
                n_pus: pus.iter().filter(|pu| pu.numa == Some(id)).count(),
            })
            .collect();
        Ok(Self {
            source_name,
            is_this_system,
            pus,
            numa_nodes,
        })
    }

    /// Where the description came from, for messages.
    #[must_use]
    pub fn source_name(&self) -> &str {
        &self.source_name
    }

    /// Whether this is the machine that the process runs on, so that binding to it means something.
    #[must_use]
    pub fn is_this_system(&self) -> bool {
        self.is_this_system
    }

    /// All processing units in logical order, also those that this process may not use.
    #[must_use]
    pub fn pus(&self) -> &[MachinePu] {
        &self.pus
    }

    /// All NUMA nodes, also those without CPUs, by ascending index.
    #[must_use]
    pub fn numa_nodes(&self) -> &[NumaNode] {
        &self.numa_nodes
    }
}
