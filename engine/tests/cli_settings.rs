//! Flags, the environment, help, the plan, and the limits that a run meets.
#![cfg(feature = "cli")]

mod cli_common;

use cli_common::{
    Folder, fails, fails_with, object, output, phalanx, problem, stderr, stdout, succeeds,
};

#[test]
fn flags_go_before_the_environment_and_that_before_the_defaults() {
    let run = |flags: &[&str], variable: Option<&str>| {
        let path = problem("hubbard_4.json");
        let mut command = phalanx(&[&["run", &path, "--json", "--quiet"], flags].concat());
        if let Some(value) = variable {
            command.env("PHALANX_PARTITIONS", value);
        }
        object(&stdout(&output(&mut command)))["partitions"]
            .as_u64()
            .unwrap()
    };
    let auto = run(&[], None);
    assert_eq!(run(&["--partitions", "auto"], Some("3")), auto);
    assert_eq!(run(&[], Some("3")), 3);
    assert_eq!(run(&["--partitions", "5"], Some("3")), 5);
}

#[test]
fn unknown_values_of_variables_are_refused_with_the_known_ones() {
    let path = problem("hubbard_4.json");
    let cases = [
        ("PHALANX_PARTITIONS", "many", "auto, or a number from 1"),
        ("PHALANX_PARTITIONS", "0", "auto, or a number from 1"),
        ("PHALANX_MODE", "fast", "auto, gate, window"),
        ("PHALANX_PINNING", "maybe", "on, off"),
        (
            "PHALANX_LOG",
            "loud",
            "off, error, warn, info, debug, trace",
        ),
        ("PHALANX_BARRIER_GROUPING", "round", "`flat` or `grouped`"),
        ("PHALANX_SPIN_BUDGET_US", "long", "`unlimited`"),
        ("PHALANX_STALL_S", "soon", "a number of seconds"),
        ("PHALANX_TOPOLOGY", "map", "hwloc, affinity"),
        ("PHALANX_DOMAIN_LEVEL", "l9", "auto, l1, l2"),
    ];
    for (variable, value, known) in cases {
        let message = fails_with(2, phalanx(&["run", &path]).env(variable, value));
        assert!(
            message.contains(variable) && message.contains(value),
            "{message}"
        );
        assert!(message.contains(known), "{message}");
    }
}

#[test]
fn unknown_values_of_flags_are_refused_with_the_known_ones() {
    let path = problem("hubbard_4.json");
    let cases = [
        ("--partitions", "0", "auto, or a number from 1"),
        ("--partitions", "-2", "auto, or a number from 1"),
        ("--mode", "fast", "auto, gate, window"),
        ("--pinning", "maybe", "on, off"),
    ];
    for (flag, value, known) in cases {
        let output = output(&mut phalanx(&["run", &path, &format!("{flag}={value}")]));
        assert_eq!(output.status.code(), Some(2));
        let text = stderr(&output);
        assert!(
            text.contains(flag) && text.contains(value) && text.contains(known),
            "{text}"
        );
    }
    for args in [&["run"][..], &["run", &path, "--colour"], &["fly"], &[]] {
        let output = output(&mut phalanx(args));
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(stdout(&output), "");
        assert!(stderr(&output).contains("Usage"), "{args:?}");
    }
}

#[test]
fn no_setting_changes_a_bit_of_the_results() {
    let path = problem("hubbard_4.json");
    let plain = object(&succeeds(&["run", &path, "--json", "--partitions", "2"]));
    let settings = [
        ("PHALANX_PINNING", "off"),
        ("PHALANX_MODE", "gate"),
        ("PHALANX_MODE", "window"),
        ("PHALANX_BARRIER_GROUPING", "flat"),
        ("PHALANX_SPIN_BUDGET_US", "0"),
        ("PHALANX_DOMAIN_LEVEL", "l1"),
        ("PHALANX_TOPOLOGY", "affinity"),
        ("PHALANX_STALL_S", "30"),
    ];
    for (variable, value) in settings {
        let mut command = phalanx(&["run", &path, "--json", "--partitions", "2"]);
        let report = object(&stdout(&output(command.env(variable, value))));
        for key in ["num_terms", "expectation", "checksum"] {
            assert_eq!(plain[key], report[key], "{variable}={value}");
        }
        if variable == "PHALANX_MODE" {
            assert_eq!(report["mode"], value);
        }
        if variable == "PHALANX_PINNING" {
            assert_eq!(report["pinned"], false);
        }
    }
}

#[test]
fn help_teaches_and_the_version_is_told() {
    for args in [
        &["--help"][..],
        &["run", "--help"],
        &["plan", "--help"],
        &["check", "--help"],
        &["model", "--help"],
    ] {
        let help = succeeds(args);
        assert!(
            help.contains("Examples:") && help.contains("  phalanx "),
            "{help}"
        );
    }
    let help = succeeds(&["run", "--help"]);
    for word in [
        "--partitions <N|auto>",
        "PHALANX_PARTITIONS",
        "--dump-operator",
        "Ctrl-C",
    ] {
        assert!(help.contains(word), "{word} in {help}");
    }
    let version = format!("phalanx {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(succeeds(&["--version"]), version);
    assert_eq!(succeeds(&["-V"]), version);
}

#[test]
fn a_plan_shows_cores_domains_places_and_limits() {
    let text = succeeds(&["plan", "--partitions", "1"]);
    for word in [
        " core",
        " CPU",
        "d0 (",
        "=p0",
        "1 partition placed",
        "1 partition in 1 domain",
        "CPU time: ",
        "threads: ",
    ] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let text = succeeds(&["plan", "--partitions", "3000"]);
    assert!(
        text.contains("not placed: oversubscribed") && text.contains("yields the CPU at once"),
        "{text}"
    );
    let text = succeeds(&["plan", "--pinning", "off", "--partitions", "2"]);
    assert!(text.contains("pinning is off"), "{text}");

    let folder = Folder::new();
    succeeds(&["plan", "--plot", &folder.arg("machine.svg")]);
    assert!(folder.read("machine.svg").contains("<svg"));
}

#[test]
fn more_partitions_than_cores_run_and_say_so_once() {
    let output = output(&mut phalanx(&[
        "run",
        &problem("hubbard_4.json"),
        "--json",
        "--partitions",
        "65",
    ]));
    let report = object(&stdout(&output));
    assert_eq!(report["partitions"], 65);
    assert_eq!(report["pinned"], false);
    assert_eq!(
        stderr(&output).matches("WARN").count(),
        1,
        "{}",
        stderr(&output)
    );
    assert!(stderr(&output).contains("partitions are not pinned: oversubscribed"));
}

#[test]
fn far_more_partitions_than_cpus_are_told_even_in_quiet() {
    let cpus = std::thread::available_parallelism().unwrap().get();
    for (n, is_told) in [(16 * cpus, false), (16 * cpus + 1, true)] {
        let n = n.to_string();
        let output = output(&mut phalanx(&[
            "run",
            &problem("hubbard_4.json"),
            "--quiet",
            "--partitions",
            &n,
        ]));
        assert!(output.status.success());
        let text = stderr(&output);
        assert_eq!(text.ends_with(": they take turns\n"), is_told, "{text}");
        assert_eq!(text.lines().count(), usize::from(is_told), "{text}");
    }
}

#[test]
fn a_hundred_thousand_partitions_are_refused_at_once() {
    let began = std::time::Instant::now();
    let message = fails(
        2,
        &["run", &problem("hubbard_4.json"), "--partitions", "100000"],
    );
    assert!(message.contains("100000"), "{message}");
    assert!(
        message.contains("limit") || message.contains("at most") || message.contains("only"),
        "{message}"
    );
    assert!(began.elapsed() < std::time::Duration::from_secs(5));
    // So they are in a plan.
    assert!(fails(2, &["plan", "--partitions", "100000"]).contains("100000"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_limit_of_the_cgroup_is_named() {
    let folder = Folder::new();
    folder.write("pids.max", "7\n");
    folder.write("pids.current", "4\n");
    folder.write("cpu.max", "max 100000\n");
    let path = problem("hubbard_4.json");
    let run = |n| {
        let mut command = phalanx(&["run", &path, "--json", "--quiet", "--partitions", n]);
        command.env("PHALANX_CGROUP_ROOT", folder.path(""));
        command
    };
    let message = fails_with(2, &mut run("4"));
    let file = folder.arg("pids.max");
    assert!(
        message.contains("4 threads cannot start, only 3 more can"),
        "{message}"
    );
    assert!(
        message.contains(&format!("pids.max ({file}) = 7, of which 4 are taken")),
        "{message}"
    );
    assert_eq!(object(&stdout(&output(&mut run("3"))))["partitions"], 3);

    // A quota of one CPU is what auto goes by.
    folder.write("cpu.max", "100000 100000\n");
    assert_eq!(object(&stdout(&output(&mut run("auto"))))["partitions"], 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_thread_that_cannot_start_ends_the_run_with_its_number_and_a_limit() {
    // Stacks are address space: some threads start, a later one cannot, and what is left is plenty for everything else.
    let script = "ulimit -v 8912896 && exec \"$0\" run \"$1\" --quiet --partitions 300";
    let mut command = assert_cmd::Command::new("sh");
    command.args([
        "-c",
        script,
        cli_common::PHALANX,
        &problem("hubbard_4.json"),
    ]);
    command
        .env("RUST_MIN_STACK", "1073741824")
        .env("MALLOC_ARENA_MAX", "1");
    command.timeout(std::time::Duration::from_secs(60));
    let message = fails_with(1, &mut command);
    assert!(
        message.starts_with("thread ") && message.contains(" of 300 cannot start ("),
        "{message}"
    );
    assert!(message.contains("limit"), "{message}");
}
