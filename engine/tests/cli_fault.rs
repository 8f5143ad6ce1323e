//! A panic in one partition, at every point and every number of partitions: the run ends within a second, with that panic as its message, and exit code 1.
#![cfg(all(feature = "cli", feature = "fault-injection"))]

mod cli_common;

use std::time::{Duration, Instant};

use cli_common::{Folder, fails_with, output, phalanx, problem, stderr, succeeds};

const POINTS: [&str; 5] = ["start", "gate", "exchange", "repeat", "evaluate"];

#[test]
fn its_own_message_at_every_point_and_size() {
    let path = problem("hubbard_4.json");
    for mode in ["gate", "window"] {
        for n in 1..=3 {
            for culprit in 0..n {
                for point in POINTS {
                    // A single partition has nobody to exchange with.
                    if n > 1 || point != "exchange" {
                        falls_at(&path, mode, n, culprit, point);
                    }
                }
            }
        }
    }
}

fn falls_at(path: &str, mode: &str, n: usize, culprit: usize, point: &str) {
    let case = format!("{mode}, {culprit}:{point} of {n}");
    let n = n.to_string();
    let expected = format!(
        "partition {culprit} panicked: a fault on purpose in partition {culprit} at {point:?} (at "
    );
    let is_quick = || {
        let mut command = phalanx(&[
            "run",
            path,
            "--json",
            "--quiet",
            "--mode",
            mode,
            "--partitions",
            &n,
        ]);
        let began = Instant::now();
        let message = fails_with(
            1,
            command.env("PHALANX_FAULT", format!("{culprit}:{point}")),
        );
        assert!(message.starts_with(&expected), "{case}: {message}");
        began.elapsed() < Duration::from_secs(1)
    };
    // A machine that is busy with something else may be slow once.
    assert!(is_quick() || is_quick() || is_quick(), "{case}");
}

#[test]
fn the_rows_before_it_are_there_and_no_file_is() {
    let folder = Folder::new();
    let args = [
        "run",
        &problem("hubbard_4.json"),
        "--partitions",
        "2",
        "--out",
        &folder.arg("out.json"),
    ];
    let output = output(phalanx(&args).env("PHALANX_FAULT", "1:evaluate:3"));
    assert_eq!(output.status.code(), Some(1));
    let rows = cli_common::stdout(&output);
    let row = |n: &str| {
        rows.lines()
            .any(|line| line.split_whitespace().next() == Some(n))
    };
    assert!(row("1") && row("2") && !row("3"), "{rows}");
    assert!(
        stderr(&output).starts_with("error: partition 1 panicked"),
        "{}",
        stderr(&output)
    );
    assert!(folder.files().is_empty());
}

#[test]
fn a_long_run_ends_at_once_too() {
    let folder = Folder::new();
    let path = folder.endless();
    for n in ["1", "2", "4"] {
        let mut command = phalanx(&["run", &path, "--quiet", "--partitions", n]);
        let message = fails_with(1, command.env("PHALANX_FAULT", "0:gate:500"));
        assert!(message.contains("at \"gate\""), "{message}");
    }
}

#[test]
fn a_fault_that_never_comes_changes_nothing_and_one_that_is_none_is_refused() {
    let path = problem("hubbard_4.json");
    let plain = succeeds(&["run", &path, "--json", "--quiet", "--partitions", "2"]);
    let far = output(
        phalanx(&["run", &path, "--json", "--quiet", "--partitions", "2"])
            .env("PHALANX_FAULT", "1:gate:1000000"),
    );
    let checksum = |text: &str| cli_common::object(text)["checksum"].clone();
    assert_eq!(checksum(&plain), checksum(&cli_common::stdout(&far)));
    for bad in ["", "1", "1:end", "one:gate", "1:gate:0"] {
        let message = fails_with(2, phalanx(&["run", &path]).env("PHALANX_FAULT", bad));
        assert!(
            message.contains("PHALANX_FAULT") && message.contains(&POINTS.join(", ")),
            "{message}"
        );
    }
}
