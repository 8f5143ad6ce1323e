//! The hwloc source. It copies what we need into a [`Machine`] and lets go of the library's handle, so that no
//! handle is shared, cloned or outlived.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, Once, PoisonError};

use hwlocality::Topology as Handle;
use hwlocality::object::TopologyObject;
use hwlocality::object::attributes::ObjectAttributes;
use hwlocality::object::types::ObjectType;
use hwlocality::topology::builder::{BuildFlags, TopologyBuilder};

use crate::{
    DiscoverError, Machine, MachinePu, NumaId, PackageId, PuId, machine::MAX_CACHE_LEVELS,
};

/// Loading is serialised: some releases of hwloc crash when several threads load at once.
static LOADING: Mutex<()> = Mutex::new(());

/// The data and unified caches, by level.
const CACHES: [ObjectType; MAX_CACHE_LEVELS] = [
    ObjectType::L1Cache,
    ObjectType::L2Cache,
    ObjectType::L3Cache,
    ObjectType::L4Cache,
    ObjectType::L5Cache,
];

/// hwloc's own variables that put another machine in the place of this one.
const REPLACING_VARIABLES: [&str; 2] = ["HWLOC_XMLFILE", "HWLOC_SYNTHETIC"];

/// Words in a node's subtype that mark memory which is not what a CPU allocates from by default.
const SPECIAL_MEMORY: [&str; 5] = ["MCDRAM", "HBM", "CXL", "GPU", "SPM"];

/// This machine, or the one that hwloc's own variables (`HWLOC_XMLFILE`, `HWLOC_SYNTHETIC`) put in its place.
///
/// The whole machine is read, also what the cgroup forbids: what this process may use is decided later, and
/// co-located ranks must agree about the cores of one another.
pub(crate) fn read_this_machine() -> Result<Machine, DiscoverError> {
    let machine = load(TopologyBuilder::new(), "hwloc", "machine")?;
    // hwloc goes on without a word where it cannot read what its variables name.
    let ignored = REPLACING_VARIABLES
        .iter()
        .find(|variable| std::env::var_os(variable).is_some());
    if let Some(variable) = ignored
        .filter(|_| machine.is_this_system() && std::env::var_os("HWLOC_THISSYSTEM").is_none())
    {
        static LOGGED: Once = Once::new();
        LOGGED.call_once(|| {
            tracing::warn!("hwloc did not take what {variable} names; using this machine as it is")
        });
    }
    Ok(machine)
}

/// The machine that an hwloc XML document describes.
pub(crate) fn read_xml(xml: &str) -> Result<Machine, DiscoverError> {
    const WHAT: &str = "XML document";
    let builder = TopologyBuilder::new()
        .from_xml(xml)
        .map_err(|error| bad(WHAT, &error))?;
    load(builder, "XML document", WHAT)
}

/// The machine that an hwloc XML file describes. The file is read here: the bindings panic where there is none.
pub(crate) fn read_xml_file(path: &Path) -> Result<Machine, DiscoverError> {
    const WHAT: &str = "XML file";
    let source_name = format!("XML file {}", path.display());
    let xml = std::fs::read_to_string(path).map_err(|error| bad(WHAT, &error))?;
    let builder = TopologyBuilder::new()
        .from_xml(&xml)
        .map_err(|error| bad(WHAT, &error))?;
    load(builder, &source_name, WHAT)
}

/// The machine that an hwloc synthetic description describes.
pub(crate) fn read_synthetic(description: &str) -> Result<Machine, DiscoverError> {
    const WHAT: &str = "synthetic description";
    let builder = TopologyBuilder::new()
        .from_synthetic(description)
        .map_err(|error| bad(WHAT, &error))?;
    load(builder, &format!("synthetic `{description}`"), WHAT)
}

fn bad(what: &'static str, cause: &dyn std::fmt::Display) -> DiscoverError {
    DiscoverError::BadDescription {
        what,
        cause: cause.to_string(),
    }
}

fn load(
    builder: TopologyBuilder,
    source_name: &str,
    what: &'static str,
) -> Result<Machine, DiscoverError> {
    let _one_at_a_time = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
    // The x86 backend is left out: it moves the calling thread from core to core and hangs on one that a
    // real-time task keeps busy. The operating system tells all that we use.
    let flags = BuildFlags::INCLUDE_DISALLOWED | BuildFlags::DONT_CHANGE_BINDING;
    let handle = builder
        .with_flags(flags)
        .map_err(|error| bad(what, &error))?
        .build()
        .map_err(|error| bad(what, &error))?;
    let numa_of = local_nodes(&handle);
    let efficiency_of = efficiencies(&handle);
    let mut cores = Numbering::default();
    let mut packages = Numbering::default();
    let mut caches: [Numbering; MAX_CACHE_LEVELS] = Default::default();
    let pus = handle
        .objects_with_type(ObjectType::PU)
        .filter_map(|object| {
            let pu = PuId(u32::try_from(object.os_index()?).ok()?);
            let ancestor = |ty| object.first_ancestor_with_type(ty);
            // Some machines report no cores: each processing unit is one, and gets a number no core has.
            let core_object = ancestor(ObjectType::Core).unwrap_or(object);
            let mut entry = MachinePu::bare(pu, cores.number(core_object));
            entry.package =
                ancestor(ObjectType::Package).map(|package| PackageId(packages.number(package)));
            entry.numa = numa_of.get(&pu).copied();
            entry.efficiency = efficiency_of.get(&pu).copied();
            for ((cache, numbering), ty) in entry.caches.iter_mut().zip(&mut caches).zip(CACHES) {
                *cache = ancestor(ty).map(|object| numbering.number(object));
            }
            Some(entry)
        })
        .collect();
    Machine::assemble(
        source_name.to_owned(),
        handle.is_this_system(),
        pus,
        numa_nodes(&handle),
    )
}

/// Dense numbers for objects by first appearance.
#[derive(Default)]
struct Numbering(HashMap<u64, u32>);

impl Numbering {
    fn number(&mut self, object: &TopologyObject) -> u32 {
        let next = self.0.len() as u32;
        *self
            .0
            .entry(object.global_persistent_index())
            .or_insert(next)
    }
}

/// All NUMA nodes with their memory in bytes, by ascending index.
fn numa_nodes(handle: &Handle) -> Vec<(NumaId, u64)> {
    // Listing by type, since the depth of NUMA nodes is a virtual one that is no number of levels.
    let mut nodes: Vec<(NumaId, u64)> = handle
        .objects_with_type(ObjectType::NUMANode)
        .filter_map(|node| {
            let memory_bytes = match node.attributes() {
                Some(ObjectAttributes::NUMANode(numa)) => {
                    numa.local_memory().map_or(0, |bytes| bytes.get())
                }
                _ => 0,
            };
            Some((node_id(node)?, memory_bytes))
        })
        .collect();
    nodes.sort_unstable();
    nodes
}

/// The node that each processing unit allocates from by default: ordinary memory first, then the node with the
/// fewest CPUs, then the lowest index. Nodes without CPUs are nobody's.
fn local_nodes(handle: &Handle) -> HashMap<PuId, NumaId> {
    let mut nodes: Vec<(bool, usize, NumaId, Vec<PuId>)> = handle
        .objects_with_type(ObjectType::NUMANode)
        .filter_map(|node| {
            let subtype = node
                .subtype()
                .map(|text| text.to_string_lossy().to_uppercase())
                .unwrap_or_default();
            let special = SPECIAL_MEMORY.iter().any(|word| subtype.contains(word));
            let cpus = node.cpuset()?;
            let pus = members(&cpus);
            Some((special, pus.len(), node_id(node)?, pus))
        })
        .collect();
    nodes.sort_by_key(|&(special, n_pus, id, _)| (special, n_pus, id));
    let mut local = HashMap::new();
    for (_, _, id, pus) in nodes {
        for pu in pus {
            local.entry(pu).or_insert(id);
        }
    }
    local
}

/// How fast each processing unit is, where hwloc ranks the kinds.
fn efficiencies(handle: &Handle) -> HashMap<PuId, u32> {
    let Ok(kinds) = handle.cpu_kinds() else {
        return HashMap::new();
    };
    kinds
        .filter_map(|kind| Some((u32::try_from(kind.efficiency?).ok()?, kind)))
        .flat_map(|(efficiency, kind)| {
            members(&kind.cpuset)
                .into_iter()
                .map(move |pu| (pu, efficiency))
        })
        .collect()
}

/// The members of a finite set of CPUs; an endless one has none that exist.
fn members(set: &hwlocality::cpu::cpuset::CpuSet) -> Vec<PuId> {
    if set.weight().is_none() {
        return Vec::new();
    }
    set.iter_set()
        .filter_map(|idx| u32::try_from(usize::from(idx)).ok().map(PuId))
        .collect()
}

fn node_id(node: &TopologyObject) -> Option<NumaId> {
    u32::try_from(node.os_index()?).ok().map(NumaId)
}
