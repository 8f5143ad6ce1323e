//! Machines that we do not have: what is read from their descriptions, and where partitions go on them.
//! Tests named `t..` are public cases of faults that people met elsewhere.
#![cfg(feature = "hwloc")]

#[path = "common/machines.rs"]
mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{core_pus, domain_sizes, fixture, placed, synthetic, with_level};
use phalanx_topology::placement::{KindPolicy, PlacementRequest, SmtPolicy, auto_partitions, plan};
use phalanx_topology::{
    CpuMask, DiscoverError, MaskError, NodeMask, NodeShare, NumaId, PinError, PuId, Topology, draw,
};

fn auto(topology: &Topology) -> usize {
    auto_partitions(topology, &PlacementRequest::new(1))
}

/// Operating-system indices are identities, logical order is only an order.
#[test]
fn t06_os_index_differs_from_logical_index() {
    let topology = synthetic("pack:1 core:4 pu:2(indexes=0,20,1,21,2,22,3,23)");
    assert_eq!(auto(&topology), 4);
    assert_eq!(placed(&topology, &PlacementRequest::new(4)), [0, 1, 2, 3]);
    assert_eq!(topology.cores()[0].pus(), [0, 20].map(PuId));
    let known: BTreeSet<u32> = topology.pus().map(|pu| pu.0).collect();
    assert!(known.is_disjoint(&(4..20).collect()));
}

/// Half cores are cores, CPU 0 may be absent, and the number of CPUs says nothing about the highest index.
#[test]
fn t07_offline_cpu_leaves_a_half_core() {
    let topology = fixture("offline-cpus.xml");
    assert_eq!(topology.cores().len(), 3);
    assert_eq!(auto(&topology), 3);
    assert_eq!(placed(&topology, &PlacementRequest::new(3)), [1, 2, 3]);
    assert_eq!(topology.cores()[0].pus(), [1, 5].map(PuId));
    assert_eq!(topology.cpu_mask().unwrap().to_string(), "1-3,5");
}

/// Nodes without CPUs are listed, but are nobody's domain and nobody's memory.
#[test]
fn t10_memory_only_numa_nodes() {
    let topology = fixture("memory-only-nodes.xml");
    let nodes: Vec<(u32, usize)> = topology
        .machine()
        .numa_nodes()
        .iter()
        .map(|node| (node.id.0, node.n_pus))
        .collect();
    assert_eq!(nodes, [(0, 4), (1, 4), (2, 0), (3, 0)]);
    let by_node = with_level(&topology, "numa");
    assert_eq!(domain_sizes(&by_node), [4, 4]);
    assert_eq!(placed(&by_node, &PlacementRequest::new(8)).len(), 8);
    // Four ranks over two nodes that count: two on each.
    let mut ranks_of_node: BTreeMap<NumaId, usize> = BTreeMap::new();
    for rank in 0..4 {
        let mut request = PlacementRequest::new(2);
        request.share = NodeShare::classified(rank, 4, NodeMask::Shared);
        let placement = plan(&by_node, &request);
        let nodes: BTreeSet<NumaId> = placement
            .seats()
            .iter()
            .filter_map(|seat| seat.numa)
            .collect();
        assert_eq!(nodes.len(), 1, "rank {rank}");
        *ranks_of_node.entry(*nodes.first().unwrap()).or_default() += 1;
    }
    assert_eq!(ranks_of_node, [(NumaId(0), 2), (NumaId(1), 2)].into());
}

#[test]
fn high_bandwidth_memory_is_not_the_local_node() {
    let topology = fixture("hbm-flat.xml");
    let nodes: Vec<Option<NumaId>> = topology.cores().iter().map(|core| core.numa()).collect();
    assert_eq!(
        nodes,
        [2, 2, 2, 2, 3, 3, 3, 3].map(|node| Some(NumaId(node)))
    );
    assert_eq!(domain_sizes(&topology), [4, 4]);
}

/// NUMA nodes have a virtual depth in hwloc; they are listed on any machine, this one included.
#[test]
fn t12_numa_nodes_are_listed() {
    for description in [
        "core:2 pu:1",
        "pack:1 core:2 pu:2",
        "pack:4 [numa] core:2 pu:1",
    ] {
        let topology = synthetic(description);
        assert!(!topology.machine().numa_nodes().is_empty(), "{description}");
        assert!(
            draw::text(&topology, None).contains(" NUMA node"),
            "{description}"
        );
    }
    let here = Topology::discover().unwrap();
    assert!(here.is_this_system());
    assert!(!here.cores().is_empty());
}

#[test]
fn t13_more_than_1024_cpus() {
    let topology = synthetic("pack:8 core:192 pu:1");
    let cpus: BTreeSet<u32> = placed(&topology, &PlacementRequest::new(1536))
        .into_iter()
        .collect();
    assert_eq!(cpus, (0..1536).collect());
    let mask = topology.cpu_mask().unwrap();
    assert!(mask.contains(PuId(1535)));
    assert_eq!(CpuMask::from_bytes(mask.as_bytes()).unwrap(), mask);
    assert_eq!(mask.to_string().parse::<CpuMask>().unwrap(), mask);
    // Two ranks told apart by CPUs beyond 1023 only.
    let masks: Vec<CpuMask> = ["1000-1023", "1024-1535"]
        .iter()
        .map(|list| list.parse().unwrap())
        .collect();
    assert_eq!(NodeMask::classify(&masks), NodeMask::PerRank);
    let theirs = topology.with_mask(&masks[1]).unwrap();
    let mut request = PlacementRequest::new(512);
    request.share = NodeShare::from_masks(1, masks);
    assert_eq!(placed(&theirs, &request).iter().min(), Some(&1024));
}

#[test]
fn t13_more_than_4096_cpus_are_placed_but_not_masked() {
    let topology = synthetic("pack:8 core:640 pu:1");
    assert_eq!(placed(&topology, &PlacementRequest::new(5120)).len(), 5120);
    assert_eq!(
        topology.cpu_mask(),
        Err(MaskError::CpuOutOfRange {
            cpu: 4096,
            limit: 4096
        })
    );
    assert!(topology.exchange_mask().is_empty());
    // Nobody can tell, so the ranks divide what they see.
    let gathered = vec![topology.exchange_mask(); 2];
    let share = NodeShare::from_masks(1, gathered);
    assert_eq!(share.node_mask(), NodeMask::Shared);
    let mut request = PlacementRequest::new(2560);
    request.share = share;
    let second: BTreeSet<u32> = placed(&topology, &request).into_iter().collect();
    request.share = NodeShare::from_masks(0, vec![CpuMask::EMPTY; 2]);
    let first: BTreeSet<u32> = placed(&topology, &request).into_iter().collect();
    assert_eq!((first.len(), second.len()), (2560, 2560));
    assert!(first.is_disjoint(&second));
}

#[test]
fn t14_performance_and_efficiency_cores() {
    let topology = fixture("hybrid.xml");
    assert_eq!(topology.n_kinds(), 2);
    assert_eq!(auto(&topology), 8);
    assert_eq!(
        placed(&topology, &PlacementRequest::new(8)),
        [0, 2, 4, 6, 8, 10, 12, 14]
    );
    let refusal = plan(&topology, &PlacementRequest::new(9))
        .refusal()
        .unwrap()
        .to_string();
    assert!(refusal.contains("of the fastest kind"), "{refusal}");
    let mut all = PlacementRequest::new(16);
    all.kind_policy = KindPolicy::All;
    assert_eq!(auto_partitions(&topology, &all), 16);
    assert_eq!(
        placed(&topology, &all),
        [0, 2, 4, 6, 8, 10, 12, 14, 16, 17, 18, 19, 20, 21, 22, 23]
    );
    // Kinds are those of the allowed CPUs: among E-cores alone, E-cores are the fastest.
    let e_cores = topology.with_mask(&"16-23".parse().unwrap()).unwrap();
    assert_eq!(e_cores.n_kinds(), 1);
    assert_eq!(
        placed(&e_cores, &PlacementRequest::new(8)),
        [16, 17, 18, 19, 20, 21, 22, 23]
    );
}

#[test]
fn t14_kinds_that_nobody_ranks_are_one_kind() {
    let topology = fixture("hybrid-unranked.xml");
    assert_eq!(topology.n_kinds(), 1);
    assert_eq!(auto(&topology), 16);
}

/// Handles do not outlive their topology here, since a topology holds none: all of it is owned.
#[test]
fn t18_a_clone_outlives_its_original() {
    let original = synthetic("pack:2 l3:2 core:4 pu:2");
    let (picture, pus) = (
        draw::text(&original, None),
        original.pus().collect::<Vec<_>>(),
    );
    let copy = original.clone();
    drop(original);
    assert_eq!(draw::text(&copy, None), picture);
    assert_eq!(copy.pus().collect::<Vec<_>>(), pus);
    assert_eq!(
        copy.machine().source_name(),
        "synthetic `pack:2 l3:2 core:4 pu:2`"
    );
}

/// Planning works on a foreign machine; pinning says that it is one, also for a CPU that exists here.
#[test]
fn t19_a_foreign_topology_does_not_bind() {
    let xml = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/hybrid.xml"
    ))
    .unwrap();
    for topology in [synthetic("core:2 pu:1"), Topology::from_xml(&xml).unwrap()] {
        assert!(!topology.is_this_system());
        assert_eq!(placed(&topology, &PlacementRequest::new(2)).len(), 2);
        let error = topology.pin_current_thread(PuId(0)).unwrap_err();
        assert!(
            matches!(error, PinError::NotThisSystem { pu: PuId(0), .. }),
            "{error}"
        );
        assert!(
            topology
                .prefer_memory_of_node(NumaId(0))
                .unwrap_err()
                .to_string()
                .contains("is not this system")
        );
    }
}

/// Crash-prone hosts load in parallel: loads are serialised, and the result is shared.
#[test]
fn t20_sixteen_threads_load_at_once() {
    let expected = Topology::discover().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_eq!(Topology::discover().unwrap(), expected);
                }
                assert_eq!(Topology::shared().unwrap(), &expected);
            });
        }
    });
}

#[test]
fn t22_one_partition_per_physical_core() {
    let topology = synthetic("core:4 pu:4");
    assert_eq!((topology.cores().len(), topology.n_pus()), (4, 16));
    assert_eq!(auto(&topology), 4);
    assert_eq!(placed(&topology, &PlacementRequest::new(4)), [0, 4, 8, 12]);
    let mut every = PlacementRequest::new(16);
    every.smt_policy = SmtPolicy::EveryPu;
    assert_eq!(auto_partitions(&topology, &every), 16);
    let cpus: BTreeSet<u32> = placed(&topology, &every).into_iter().collect();
    assert_eq!(cpus, (0..16).collect());
}

#[test]
fn t17_non_contiguous_masks() {
    let topology = synthetic("pack:2 l3:2 core:4 pu:2")
        .with_mask(&"3,4,5,17,31".parse().unwrap())
        .unwrap();
    assert_eq!(core_pus(&topology), [3, 4, 17, 31]);
    assert_eq!(domain_sizes(&topology), [2, 1, 1]);
    assert_eq!(placed(&topology, &PlacementRequest::new(4)), [3, 17, 31, 4]);
    let nothing = topology.with_mask(&"0".parse().unwrap()).unwrap_err();
    assert!(
        matches!(nothing, DiscoverError::NoUsableCpu { .. }),
        "{nothing}"
    );
}

#[test]
fn nonsense_is_refused_in_words() {
    for error in [
        Topology::from_synthetic("pack:two").unwrap_err(),
        Topology::from_synthetic("core:1\0").unwrap_err(),
        Topology::from_xml("<topology>").unwrap_err(),
        Topology::from_xml_file("/nonexistent.xml").unwrap_err(),
    ] {
        assert!(
            matches!(error, DiscoverError::BadDescription { .. }),
            "{error}"
        );
    }
}
