//! What depends on the affinity mask of a process or on its environment. Each test starts this very binary again
//! under `taskset` or with other variables, and looks at what the child says of itself: nothing changes the mask
//! of the process that runs the tests.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::process::{Command, Output};

use phalanx_topology::placement::{PlacementRequest, auto_partitions, plan};
use phalanx_topology::{CpuMask, NodeShare, PinError, PuId, Topology};

/// How many CPUs these tests need; with fewer they say so and pass.
const CPUS_NEEDED: usize = 2;

/// Runs one of the ignored tests of this binary as a child: on these CPUs (all, if empty), with these variables.
fn child(test: &str, cpus: &str, variables: &[(&str, &str)]) -> Output {
    let binary = std::env::current_exe().unwrap();
    let mut command = if cpus.is_empty() {
        Command::new(binary)
    } else {
        let mut taskset = Command::new("taskset");
        taskset.arg("-c").arg(cpus).arg(binary);
        taskset
    };
    command.args(["--ignored", "--exact", test, "--nocapture"]);
    for variable in [
        "PHALANX_TOPOLOGY",
        "PHALANX_DOMAIN_LEVEL",
        "HWLOC_SYNTHETIC",
        "HWLOC_XMLFILE",
    ] {
        command.env_remove(variable);
    }
    command.envs(variables.iter().copied()).output().unwrap()
}

/// The lines that a successful child printed for us, each after `child says: `.
fn said(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text.lines()
        .filter_map(|line| {
            line.split_once("child says: ")
                .map(|(_, said)| said.to_owned())
        })
        .collect()
}

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

/// The CPUs that the calling thread may run on, as the kernel tells them.
fn kernel_says() -> String {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .unwrap()
        .trim()
        .to_owned()
}

/// Child: prints the topology's CPUs, the automatic number of partitions, and the number of NUMA nodes.
#[test]
#[ignore = "run as a child"]
fn child_describe() {
    let topology = Topology::discover().unwrap();
    println!("child says: {}", topology.cpu_mask().unwrap());
    println!(
        "child says: {}",
        auto_partitions(&topology, &PlacementRequest::new(1))
    );
    println!("child says: {topology}");
}

/// Child: one of two ranks; pins as many partitions as `PARTITIONS` says and prints where each thread may run.
#[test]
#[ignore = "run as a child"]
fn child_rank() {
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

/// Child: tries to pin to the CPU in `CPU` and prints the outcome and the mask afterwards.
#[test]
#[ignore = "run as a child"]
fn child_pin() {
    let topology = Topology::discover().unwrap();
    let before = kernel_says();
    let cpu = PuId(std::env::var("CPU").unwrap().parse().unwrap());
    match topology.pin_current_thread(cpu) {
        Ok(guard) => {
            println!("child says: {}", kernel_says());
            drop(guard);
        }
        Err(error) => println!("child says: {error}"),
    }
    println!(
        "child says: {}",
        if kernel_says() == before {
            "restored"
        } else {
            "changed"
        }
    );
}

/// Child: pins this thread, then prints what discovery and a thread started now see.
#[test]
#[ignore = "run as a child"]
fn child_discover_while_pinned() {
    let first = Topology::discover().unwrap();
    let guard = first.pin_current_thread(first.cores()[0].pu()).unwrap();
    println!(
        "child says: {}",
        Topology::discover().unwrap().n_pus() == first.n_pus()
    );
    guard.keep();
    println!("child says: {}", kernel_says());
}

/// Child: loads the topology three times with log lines on standard output, and draws it.
#[test]
#[ignore = "run as a child"]
fn child_log() {
    tracing_subscriber::fmt()
        .with_writer(std::io::stdout)
        .with_ansi(false)
        .init();
    for _ in 0..3 {
        let topology = Topology::discover().unwrap();
        println!("child says: {topology}");
        plan(
            &topology,
            &PlacementRequest::new(topology.cores().len() + 1),
        )
        .log_refusal_once();
    }
}

/// Child: prints the error of discovery.
#[test]
#[ignore = "run as a child"]
fn child_discovery_error() {
    println!("child says: {}", Topology::discover().unwrap_err());
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
                "child_describe",
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
        "child_pin",
        &high.to_string(),
        &[("CPU", &high.to_string())],
    );
    assert_eq!(said(&allowed), [high.to_string(), "restored".to_owned()]);
    let outside = child("child_pin", &high.to_string(), &[("CPU", &low.to_string())]);
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
    let lines = said(&child("child_pin", &cpus, &[("CPU", &high.to_string())]));
    assert_eq!(lines, [high.to_string(), "restored".to_owned()]);
    let lines = said(&child("child_discover_while_pinned", &cpus, &[]));
    let first = Topology::discover().unwrap().cores()[0].pu().0;
    assert_eq!(lines, ["true".to_owned(), first.to_string()]);
}

/// Case T19: another machine in hwloc's variable. The plan is computed, binding says that it is not this system.
#[cfg(feature = "hwloc")]
#[test]
fn t19_a_synthetic_machine_in_the_environment() {
    let variables = [("HWLOC_SYNTHETIC", "pack:1 core:4 pu:1"), ("CPU", "0")];
    let lines = said(&child("child_pin", "", &variables));
    assert_eq!(
        lines,
        [
            "cannot pin to P#0: the topology (hwloc) is not this system",
            "restored"
        ]
    );
    assert_eq!(
        said(&child("child_describe", "", &variables))[..2],
        ["0-3", "4"]
    );
}

/// Case T20: a file that is not there falls back to the machine as it is, with one line in the log.
#[cfg(feature = "hwloc")]
#[test]
fn t20_a_missing_xml_file_is_one_log_line() {
    let output = child("child_log", "", &[("HWLOC_XMLFILE", "/nonexistent")]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.matches("HWLOC_XMLFILE").count(), 1, "{text}");
    let here = Topology::discover().unwrap().to_string();
    assert_eq!(said(&output), [here.clone(), here.clone(), here]);
}

/// Case T20: the switch that leaves hwloc out.
#[test]
fn t20_the_affinity_mask_alone() {
    let lines = said(&child(
        "child_describe",
        "",
        &[("PHALANX_TOPOLOGY", "affinity")],
    ));
    assert_eq!(
        lines[0],
        Topology::discover()
            .unwrap()
            .cpu_mask()
            .unwrap()
            .to_string()
    );
    assert!(lines[2].starts_with("affinity mask: "), "{lines:?}");
}

/// Case T03: the refusal is logged once, however often it is met.
#[test]
fn t03_one_log_line_for_a_refusal() {
    let output = child("child_log", "", &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        text.matches("partitions are not pinned: oversubscribed")
            .count(),
        1,
        "{text}"
    );
}

#[test]
fn wrong_settings_list_the_known_ones() {
    for (variable, known) in [
        ("PHALANX_TOPOLOGY", "hwloc, affinity"),
        (
            "PHALANX_DOMAIN_LEVEL",
            "auto, l1, l2, l3, l4, l5, numa, package, machine",
        ),
    ] {
        let lines = said(&child(
            "child_discovery_error",
            "",
            &[(variable, "sideways")],
        ));
        assert_eq!(
            lines,
            [format!(
                "{variable}=sideways is unknown; known values are: {known}"
            )]
        );
    }
    let level = said(&child(
        "child_describe",
        "",
        &[("PHALANX_DOMAIN_LEVEL", "machine")],
    ));
    assert!(level[2].contains("1 domain"), "{level:?}");
}
