//! What depends on environment variables. Each test starts this very binary again with others, and looks at what
//! the child says.
#![cfg(target_os = "linux")]

#[path = "common/child.rs"]
mod common;

use common::{child, is_child, said};
use phalanx_topology::Topology;
use phalanx_topology::placement::{PlacementRequest, plan};

/// Child: loads the topology three times with log lines on standard output, and draws it.
#[test]
#[ignore = "run as a child"]
fn child_log() {
    if !is_child() {
        return;
    }
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
    if !is_child() {
        return;
    }
    println!("child says: {}", Topology::discover().unwrap_err());
}

/// Case T19: another machine in hwloc's variable. The plan is computed, binding says that it is not this system.
#[cfg(feature = "hwloc")]
#[test]
fn t19_a_synthetic_machine_in_the_environment() {
    let variables = [("HWLOC_SYNTHETIC", "pack:1 core:4 pu:1"), ("CPU", "0")];
    let lines = said(&child("common::child_pin", "", &variables));
    assert_eq!(
        lines,
        [
            "cannot pin to P#0: the topology (hwloc) is not this system",
            "restored"
        ]
    );
    assert_eq!(
        said(&child("common::child_describe", "", &variables))[..2],
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
        "common::child_describe",
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
        "common::child_describe",
        "",
        &[("PHALANX_DOMAIN_LEVEL", "machine")],
    ));
    assert!(level[2].contains("1 domain"), "{level:?}");
}
