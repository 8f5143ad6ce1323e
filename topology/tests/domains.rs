//! Domains of machines that we do not have: which cores belong together, whatever the machine reports.
//! Tests named `t..` are public cases of faults that people met elsewhere.
#![cfg(feature = "hwloc")]

#[path = "common/machines.rs"]
mod common;

use std::collections::BTreeSet;

use common::{core_pus, domain_sizes, fixture, placed, synthetic, with_level};
use phalanx_topology::placement::{PlacementRequest, plan};
use phalanx_topology::{DomainLevel, DomainPolicy, NumaId, Topology};

fn levels(topology: &Topology) -> BTreeSet<DomainLevel> {
    topology
        .cores()
        .iter()
        .filter_map(|core| topology.domain_level(core.domain()))
        .collect()
}

/// Without caches the NUMA node is the domain; without a node that says anything, the package.
#[test]
fn t08_no_caches_at_all() {
    let topology = synthetic("pack:1 core:8 pu:2");
    assert_eq!(domain_sizes(&topology), [8]);
    assert_eq!(levels(&topology), [DomainLevel::Numa].into());
    let by_node = synthetic("pack:2 [numa] core:8 pu:2");
    assert_eq!(domain_sizes(&by_node), [8, 8]);
    assert_eq!(levels(&by_node), [DomainLevel::Numa].into());
    let by_package = synthetic("pack:2 core:8 pu:2");
    assert_eq!(domain_sizes(&by_package), [8, 8]);
    assert_eq!(levels(&by_package), [DomainLevel::Package].into());
    assert_eq!(domain_sizes(&with_level(&by_package, "numa")), [16]);
}

/// Cores outside the L3 share an L2 of their own: each core's domain is its own deepest shared cache.
#[test]
fn an_island_without_l3_is_a_domain() {
    let topology = fixture("hybrid-island.xml");
    assert_eq!(domain_sizes(&topology), [2, 2]);
    assert_eq!(
        levels(&topology),
        [DomainLevel::Cache(2), DomainLevel::Cache(3)].into()
    );
}

/// Levels are no ladder: with sub-NUMA clustering one L3 spans four nodes.
#[test]
fn t21_sapphire_rapids_with_sub_numa_clusters() {
    let topology = synthetic("pack:2 l3:1 group:4 [numa] core:14 pu:2");
    assert_eq!(domain_sizes(&topology), [56; 2]);
    assert_eq!(levels(&topology), [DomainLevel::Cache(3)].into());
    assert_eq!(domain_sizes(&with_level(&topology, "numa")), [14; 8]);
    assert_eq!(domain_sizes(&with_level(&topology, "l3")), [56; 2]);
    assert_eq!(domain_sizes(&with_level(&topology, "package")), [56; 2]);
    assert_eq!(domain_sizes(&with_level(&topology, "machine")), [112]);
    let nodes: BTreeSet<NumaId> = topology
        .cores()
        .iter()
        .filter_map(|core| core.numa())
        .collect();
    assert_eq!(nodes.len(), 8);
}

#[test]
fn t21_sapphire_rapids_without_clusters() {
    let topology = synthetic("pack:2 [numa] l3:1 core:56 pu:2");
    assert_eq!(domain_sizes(&topology), [56; 2]);
    assert_eq!(domain_sizes(&with_level(&topology, "numa")), [56; 2]);
}

/// EPYC with four nodes in each package, two L3s in each node.
#[test]
fn t21_epyc_with_four_nodes_per_socket() {
    let topology = synthetic("pack:2 group:4 [numa] l3:2 core:8 pu:2");
    assert_eq!(domain_sizes(&topology), [8; 16]);
    assert_eq!(domain_sizes(&with_level(&topology, "l3")), [8; 16]);
    assert_eq!(domain_sizes(&with_level(&topology, "numa")), [16; 8]);
}

#[test]
fn epyc_with_8_and_16_domains_per_socket() {
    for (n_domains, description) in [
        (16, "pack:2 [numa] l3:8 core:8 pu:2"),
        (32, "pack:2 [numa] l3:16 core:8 pu:2"),
    ] {
        let topology = synthetic(description);
        assert_eq!(domain_sizes(&topology), vec![8; n_domains]);
        // A rank that has the node to itself spreads over all the domains.
        let placement = plan(&topology, &PlacementRequest::new(n_domains));
        assert_eq!(
            placement.groups(n_domains),
            (0..n_domains).collect::<Vec<_>>()
        );
    }
}

/// A64FX: no L3, four groups of twelve cores that share an L2 and a node.
#[test]
fn a64fx_domains_are_l2_caches() {
    let topology = synthetic("pack:1 group:4 [numa] l2:1 core:12 pu:1");
    assert_eq!(domain_sizes(&topology), [12; 4]);
    assert_eq!(levels(&topology), [DomainLevel::Cache(2)].into());
}

/// An L2 for each core is no reason for a domain of one.
#[test]
fn private_caches_make_no_domain() {
    let topology = synthetic("pack:2 [numa] l2:8 core:1 pu:2");
    assert_eq!(domain_sizes(&topology), [8, 8]);
    assert_eq!(levels(&topology), [DomainLevel::Numa].into());
    assert_eq!(domain_sizes(&with_level(&topology, "l2")), [1; 16]);
}

#[test]
fn packages_without_core_objects() {
    let topology = synthetic("pack:2 pu:4");
    assert_eq!(core_pus(&topology), (0..8).collect::<Vec<_>>());
    assert_eq!(domain_sizes(&topology), [4, 4]);
}

/// A cache is shared by how it is built: one usable core in each L3 still makes L3 domains.
#[test]
fn a_mask_does_not_change_the_level() {
    let topology = synthetic("pack:1 l3:4 core:4 pu:1")
        .with_mask(&"0,4,8,12".parse().unwrap())
        .unwrap();
    assert_eq!(domain_sizes(&topology), [1; 4]);
    assert_eq!(levels(&topology), [DomainLevel::Cache(3)].into());
}

/// Whatever the level, every core is in exactly one domain, and none is empty.
#[test]
fn every_policy_covers_every_core_once() {
    for name in [
        "hybrid.xml",
        "hybrid-island.xml",
        "memory-only-nodes.xml",
        "cpu-without-memory.xml",
        "hbm-flat.xml",
    ] {
        for level in [
            "auto", "l1", "l2", "l3", "l4", "l5", "numa", "package", "machine",
        ] {
            let topology = with_level(&fixture(name), level);
            let sizes = domain_sizes(&topology);
            assert_eq!(
                sizes.iter().sum::<usize>(),
                topology.cores().len(),
                "{name} {level}"
            );
            assert!(
                sizes.iter().all(|&size| size > 0),
                "{name} {level}: {sizes:?}"
            );
        }
    }
    assert_eq!(fixture("hybrid.xml").domain_policy(), DomainPolicy::Auto);
}

#[test]
fn cpus_without_memory_are_placed_all_the_same() {
    let topology = fixture("cpu-without-memory.xml");
    let nodes: Vec<Option<NumaId>> = topology.cores().iter().map(|core| core.numa()).collect();
    assert_eq!(nodes, [Some(NumaId(0)), Some(NumaId(0)), None, None]);
    assert_eq!(domain_sizes(&topology), [2, 2]);
    assert_eq!(
        levels(&topology),
        [DomainLevel::Numa, DomainLevel::Package].into()
    );
    assert_eq!(placed(&topology, &PlacementRequest::new(4)), [0, 2, 1, 3]);
}
