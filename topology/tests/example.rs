//! The example program from end to end: what it draws, what it refuses, and limits put under it.

use std::path::PathBuf;
use std::process::{Command, Output};

/// The example's binary, which `cargo test` builds next to the tests.
fn example() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let profile = tests.parent().and_then(|deps| deps.parent()).unwrap();
    profile
        .join("examples")
        .join(format!("plan{}", std::env::consts::EXE_SUFFIX))
}

fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let example = example();
    assert!(
        example.exists(),
        "{} is not built; run `cargo test -p phalanx-topology` without a filter",
        example.display()
    );
    Command::new(example)
        .args(arguments)
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Case T12: any machine, this one included, and a NUMA node or a word that there is none.
#[test]
fn t12_this_machine_is_drawn() {
    for source in ["affinity", "hwloc"] {
        if source == "hwloc" && cfg!(not(feature = "hwloc")) {
            continue;
        }
        let picture = text(&run(&[], &[("PHALANX_TOPOLOGY", source)]));
        assert!(picture.contains("NUMA node"), "{picture}");
        assert!(picture.contains("d0 ("), "{picture}");
    }
}

/// Case T15: a quota without a cpuset. The number of partitions honours it, and nothing is pinned, so that two
/// such containers do not meet on the first CPUs of the machine.
#[test]
fn t15_a_quota_below_the_mask() {
    let root = std::env::temp_dir().join(format!("phalanx-quota-{}", std::process::id()));
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("cpu.max"), "50000 100000\n").unwrap();
    std::fs::write(root.join("pids.max"), "77\n").unwrap();
    let picture = text(&run(
        &[],
        &[("PHALANX_CGROUP_ROOT", root.to_str().unwrap())],
    ));
    std::fs::remove_dir_all(&root).unwrap();
    assert!(
        picture.contains("not placed: the cgroup allows the time of 0.50 CPUs on"),
        "{picture}"
    );
    assert!(picture.contains("CPU time: 0.50 CPUs"), "{picture}");
    assert!(
        picture.contains("77 more threads can start, by the cgroup's pids.max"),
        "{picture}"
    );
}

#[cfg(feature = "hwloc")]
#[test]
fn a_described_machine_is_drawn_in_both_ways() {
    let file = std::env::temp_dir().join(format!("phalanx-plan-{}.svg", std::process::id()));
    let machine = [
        "--synthetic",
        "pack:2 l3:2 core:2 pu:2",
        "--masks",
        "0-7;8-15",
        "--rank",
        "1",
    ];
    let arguments = [&machine[..], &["--svg", file.to_str().unwrap()]].concat();
    let picture = text(&run(&arguments, &[]));
    let svg = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(
        picture.contains("4 cores, 8 CPUs (8-15), 2 domains"),
        "{picture}"
    );
    assert!(
        picture.contains("d1 (L3) on NUMA 0: cores 12/13=p1 14/15=p3"),
        "{picture}"
    );
    assert!(svg.contains(">4 partitions placed<"), "{svg}");
}

#[test]
fn a_wrong_word_is_one_message_and_the_usage() {
    for arguments in [
        &["--partition", "3"][..],
        &["--partitions", "x"],
        &["--rank"],
        &["--mask", "4097"],
        &["--kinds", "slow"],
    ] {
        let output = run(arguments, &[]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(
            message.starts_with("plan: ") && message.contains("\nusage: plan "),
            "{message}"
        );
    }
}
