//! Machines for tests, and short questions to them.

use phalanx_topology::Topology;
use phalanx_topology::placement::{PlacementRequest, plan};

/// The machine of a synthetic description.
pub(crate) fn synthetic(description: &str) -> Topology {
    Topology::from_synthetic(description).unwrap()
}

/// The machine of one of the XML files beside the tests.
pub(crate) fn fixture(name: &str) -> Topology {
    Topology::from_xml_file(format!(
        "{}/tests/fixtures/{name}",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

/// How many cores each domain has.
pub(crate) fn domain_sizes(topology: &Topology) -> Vec<usize> {
    let mut sizes = vec![0; topology.n_domains()];
    for core in topology.cores() {
        sizes[core.domain().idx()] += 1;
    }
    sizes
}

/// The processing units of a placement of the node's only rank.
pub(crate) fn placed(topology: &Topology, request: &PlacementRequest) -> Vec<u32> {
    let placement = plan(topology, request);
    assert_eq!(placement.refusal(), None, "{topology}");
    placement.seats().iter().map(|seat| seat.pu.0).collect()
}

/// The same machine with domains of this level.
pub(crate) fn with_level(topology: &Topology, level: &str) -> Topology {
    topology.with_domain_policy(level.parse().unwrap())
}

/// The representatives of all cores.
pub(crate) fn core_pus(topology: &Topology) -> Vec<u32> {
    topology.cores().iter().map(|core| core.pu().0).collect()
}
