//! Running a test of this very binary again as a child process, under another mask or environment.

use std::process::{Command, Output};

use phalanx_topology::placement::{PlacementRequest, auto_partitions};
use phalanx_topology::{PuId, Topology};

/// Tells a child that it is one.
const CHILD_VARIABLE: &str = "PHALANX_TEST_CHILD";

/// Runs one of the ignored tests of this binary as a child: on these CPUs (all, if empty), with these variables.
pub(crate) fn child(test: &str, cpus: &str, variables: &[(&str, &str)]) -> Output {
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
    command.env(CHILD_VARIABLE, "1");
    command.envs(variables.iter().copied()).output().unwrap()
}

/// The lines that a successful child printed for us, each after `child says: `.
pub(crate) fn said(output: &Output) -> Vec<String> {
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

/// Whether this process is a child. Tests that are meant for children do nothing elsewhere, as in a run of all
/// the tests that are ignored.
pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD_VARIABLE).is_some()
}

/// The CPUs that the calling thread may run on, as the kernel tells them.
pub(crate) fn kernel_says() -> String {
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
    if !is_child() {
        return;
    }
    let topology = Topology::discover().unwrap();
    println!("child says: {}", topology.cpu_mask().unwrap());
    println!(
        "child says: {}",
        auto_partitions(&topology, &PlacementRequest::new(1))
    );
    println!("child says: {topology}");
}

/// Child: tries to pin to the CPU in `CPU` and prints the outcome and the mask afterwards.
#[test]
#[ignore = "run as a child"]
fn child_pin() {
    if !is_child() {
        return;
    }
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
