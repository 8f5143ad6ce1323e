//! What depends on the affinity mask of a process. Each test starts this very binary again under `taskset` and
//! looks at what the child says of itself: nothing changes the mask of the process that runs the tests.
#![cfg(target_os = "linux")]

#[path = "common/child.rs"]
mod common;

use std::collections::BTreeSet;

use common::{child, is_child, kernel_says, said};
use phalanx_topology::placement::{PlacementRequest, plan};
use phalanx_topology::{CpuMask, NodeShare, PinError, PuId, Topology};

/// How many CPUs these tests need; with fewer they say so and pass.
const CPUS_NEEDED: usize = 2;

/// The first CPUs that this process may use, or nothing where there are too few.
fn two_cpus() -> Option<[u32; CPUS_NEEDED]> {
    let mut cpus: Vec<u32> = Topology::discover().unwrap().pus().map(|pu| pu.0).collect();
    cpus.sort_unstable();
    let two = cpus.first_chunk().copied();
    if two.is_none() {
        println!("not tested: fewer than {CPUS_NEEDED} CPUs");
    }
    two
}

/// Child: one of two ranks; pins as many partitions as `PARTITIONS` says and prints where each thread may run.
#[test]
#[ignore = "run as a child"]
fn child_rank() {
    if !is_child() {
        return;
    }
    let topology = Topology::discover().unwrap();
    let number = |name: &str| std::env::var(name).unwrap().parse::<usize>().unwrap();
    let masks = std::env::var("MASKS").unwrap();
    let masks: Vec<CpuMask> = masks.split(';').map(|list| list.parse().unwrap()).collect();
    let mut request = PlacementRequest::new(number("PARTITIONS"));
    request.share = NodeShare::from_masks(number("RANK"), masks);
    let placement = plan(&topology, &request);
    if let Some(reason) = placement.refusal() {
        println!("child says: refused: {reason}");
    }
    for seat in placement.seats() {
        let pinned = std::thread::scope(|scope| {
            let pin = || {
                let _guard = topology.pin_current_thread(seat.pu).unwrap();
                kernel_says()
            };
            scope.spawn(pin).join().unwrap()
        });
        println!("child says: {pinned}");
    }
}

/// Child: pins this thread, then prints what discovery and a thread started now see.
#[test]
#[ignore = "run as a child"]
fn child_discover_while_pinned() {
    if !is_child() {
        return;
    }
    let first = Topology::discover().unwrap();
    let guard = first.pin_current_thread(first.cores()[0].pu()).unwrap();
    println!(
        "child says: {}",
        Topology::discover().unwrap().n_pus() == first.n_pus()
    );
    guard.keep();
    println!("child says: {}", kernel_says());
}

/// Case T01: two processes with a CPU each, told of each other: both are pinned, each within its own mask.
#[test]
fn t01_two_ranks_with_masks_of_their_own() {
    let Some([low, high]) = two_cpus() else {
        return;
    };
    let masks = format!("{low};{high}");
    for (rank, cpu) in [("0", low), ("1", high)] {
        let variables = [
            ("MASKS", masks.as_str()),
            ("RANK", rank),
            ("PARTITIONS", "1"),
        ];
        assert_eq!(
            said(&child("child_rank", &cpu.to_string(), &variables)),
            [cpu.to_string()]
        );
    }
}

/// Case T02: two processes with the same mask divide it.
#[test]
fn t02_two_ranks_with_one_mask() {
    let Some([low, high]) = two_cpus() else {
        return;
    };
    let both = format!("{low},{high}");
    let masks = format!("{both};{both}");
    let taken: BTreeSet<String> = ["0", "1"]
        .iter()
        .flat_map(|rank| {
            let variables = [
                ("MASKS", masks.as_str()),
                ("RANK", rank),
                ("PARTITIONS", "1"),
            ];
            said(&child("child_rank", &both, &variables))
        })
        .collect();
    assert_eq!(taken, [low, high].map(|cpu| cpu.to_string()).into());
}

/// Case T04: the binding is smaller than what the cgroup allows.
#[test]
fn t04_only_the_cpus_of_the_binding() {
    let Some(cpus) = two_cpus() else { return };
    for source in ["hwloc", "affinity"] {
        if source == "hwloc" && cfg!(not(feature = "hwloc")) {
            continue;
        }
        for cpu in cpus {
            let lines = said(&child(
                "common::child_describe",
                &cpu.to_string(),
                &[("PHALANX_TOPOLOGY", source)],
            ));
            assert_eq!(lines[..2], [cpu.to_string(), "1".to_owned()], "{source}");
        }
    }
}

/// Case T16: a rank that was bound to one core and wants four partitions runs unpinned, and says what to do.
#[test]
fn t16_bound_to_one_core() {
    let Some([low, high]) = two_cpus() else {
        return;
    };
    let variables = [
        ("MASKS", format!("{low};{high}")),
        ("RANK", "0".to_owned()),
        ("PARTITIONS", "4".to_owned()),
    ];
    let variables: Vec<(&str, &str)> = variables
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let lines = said(&child("child_rank", &low.to_string(), &variables));
    assert_eq!(lines.len(), 1);
    assert!(
        lines[0].contains("--bind-to none") && lines[0].contains("PE=4"),
        "{lines:?}"
    );
}

/// Cases T17 and T23: CPUs are named by their index; what is outside the mask is an error.
#[test]
fn t17_t23_pinning_by_index_within_the_mask() {
    let Some([low, high]) = two_cpus() else {
        return;
    };
    let allowed = child(
        "common::child_pin",
        &high.to_string(),
        &[("CPU", &high.to_string())],
    );
    assert_eq!(said(&allowed), [high.to_string(), "restored".to_owned()]);
    let outside = child(
        "common::child_pin",
        &high.to_string(),
        &[("CPU", &low.to_string())],
    );
    assert_eq!(
        said(&outside),
        [
            format!("cannot pin to P#{low}: this process may use {high} only"),
            "restored".into()
        ]
    );
}

/// Case T13: a CPU that no machine has is an error value, and the mask stays.
#[test]
fn t13_a_cpu_beyond_the_machine() {
    for cpu in [5000, u32::MAX] {
        let error = Topology::discover()
            .unwrap()
            .pin_current_thread(PuId(cpu))
            .unwrap_err();
        assert!(matches!(error, PinError::NotAllowed { .. }), "{error}");
    }
}

#[test]
fn the_guard_restores_and_keep_does_not() {
    let Some([low, high]) = two_cpus() else {
        return;
    };
    let cpus = format!("{low},{high}");
    let lines = said(&child(
        "common::child_pin",
        &cpus,
        &[("CPU", &high.to_string())],
    ));
    assert_eq!(lines, [high.to_string(), "restored".to_owned()]);
    let lines = said(&child("child_discover_while_pinned", &cpus, &[]));
    let first = Topology::discover().unwrap().cores()[0].pu().0;
    assert_eq!(lines, ["true".to_owned(), first.to_string()]);
}
