//! Ctrl-C and SIGTERM: a run ends within a second, leaves the rows so far, and exits with 130 or 143, at every number of partitions.
#![cfg(all(feature = "cli", unix))]

mod cli_common;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cli_common::{Folder, PHALANX, object};

/// Starts a run whose standard output and error are read here.
fn start(args: &[&str]) -> Child {
    Command::new(PHALANX)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Reads lines until that of the second repeat, and gives them back.
fn until_second_row(stream: &mut impl BufRead) -> String {
    let mut text = String::new();
    loop {
        let begin = text.len();
        assert!(
            stream.read_line(&mut text).unwrap() > 0,
            "the run ended by itself: {text}"
        );
        let words: Vec<&str> = text[begin..].split_whitespace().collect();
        if matches!(words[..], ["2", _, _, _]) {
            return text;
        }
    }
}

fn interrupt(child: &Child) {
    send(child, "-INT");
}

fn send(child: &Child, signal: &str) {
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([signal, &pid])
            .status()
            .unwrap()
            .success()
    );
}

/// Waits for the end after Ctrl-C; the exit code, and all that came on a stream meanwhile.
fn end(mut child: Child, mut rest: impl Read) -> (Option<i32>, String) {
    let began = Instant::now();
    interrupt(&child);
    let mut text = String::new();
    rest.read_to_string(&mut text).unwrap();
    let status = child.wait().unwrap();
    let took = began.elapsed();
    assert!(took < Duration::from_secs(1), "{took:?}");
    (status.code(), text)
}

#[test]
fn the_table_so_far_is_there_and_the_code_is_130() {
    let folder = Folder::new();
    let path = folder.endless();
    let modes = ["gate", "window"];
    for (n, mode) in ["1", "2", "4"]
        .iter()
        .flat_map(|n| modes.map(|mode| (n, mode)))
    {
        let mut child = start(&["run", &path, "--partitions", n, "--mode", mode]);
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let head = until_second_row(&mut out);
        assert!(head.starts_with("kicked_ising_40: "), "{head}");
        let mut err = child.stderr.take().unwrap();
        let (code, _) = end(child, out);
        let mut message = String::new();
        err.read_to_string(&mut message).unwrap();
        assert_eq!(code, Some(130), "{message}");
        // More partitions than cores are told of first.
        let last = message.lines().last().unwrap();
        assert!(
            last.starts_with("interrupted after ") && last.ends_with(" of 100,000 repeats"),
            "{message}"
        );
        assert!(!message.contains("error"), "{message}");
    }
    assert_eq!(folder.files(), ["endless.json"]);
}

#[test]
fn the_report_so_far_goes_where_the_report_was_to_go() {
    let folder = Folder::new();
    let path = folder.endless();
    let (out, plot, dump) = (
        folder.arg("out.json"),
        folder.arg("plot.svg"),
        folder.arg("terms.jsonl"),
    );
    let args = [
        "run",
        &path,
        "--json",
        "--partitions",
        "2",
        "--out",
        &out,
        "--plot",
        &plot,
        "--dump-operator",
        &dump,
    ];
    let mut child = start(&args);
    let mut err = BufReader::new(child.stderr.take().unwrap());
    until_second_row(&mut err);
    let stdout = child.stdout.take().unwrap();
    let (code, json) = end(child, stdout);
    assert_eq!(code, Some(130));
    let left = object(&json);
    assert_eq!(left["interrupted"], true);
    assert_eq!(left["partitions"], 2);
    let n_rows = left["num_terms"].as_array().unwrap().len();
    assert!(n_rows >= 2);
    for key in ["expectation", "seconds_per_repeat"] {
        assert_eq!(left[key].as_array().unwrap().len(), n_rows);
    }
    assert_eq!(object(&folder.read("out.json")), left);
    assert!(folder.read("plot.svg").contains("kicked_ising_40"));
    // The operator is of no repeat; it does not appear, and nothing else is left behind.
    assert_eq!(folder.files(), ["endless.json", "out.json", "plot.svg"]);
}

#[test]
fn a_run_that_does_not_listen_is_ended_all_the_same() {
    // One repeat of one gate over very many terms, which nothing can interrupt half-way; nor can it be while the file is read.
    let folder = Folder::new();
    let path = folder.arg("large.json");
    let args = [
        "model", "random", "--modes", "64", "--terms", "200000", "--gates", "3000", "--cutoff",
        "64", "--out", &path,
    ];
    cli_common::succeeds(&args);
    for pause in [5, 50, 200, 700] {
        let mut child = start(&["run", &path, "--json", "--quiet", "--partitions", "1"]);
        let stdout = child.stdout.take().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        let (code, json) = end(child, stdout);
        if code == Some(130) {
            assert_eq!(object(&json)["interrupted"], true, "after {pause} ms");
        } else {
            // Before the program is there to catch it, the signal ends it as it ends any.
            assert!(code.is_none() && pause <= 50, "after {pause} ms: {code:?}");
        }
        assert_eq!(folder.files(), ["large.json"]);
    }
}

#[test]
fn a_scheduler_that_ends_a_run_has_its_rows_too() {
    let folder = Folder::new();
    let (path, out) = (folder.endless(), folder.arg("out.json"));
    let mut child = start(&["run", &path, "--partitions", "2", "--out", &out]);
    let mut table = BufReader::new(child.stdout.take().unwrap());
    until_second_row(&mut table);
    send(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(object(&folder.read("out.json"))["interrupted"], true);
    assert_eq!(folder.files(), ["endless.json", "out.json"]);
}

#[test]
fn a_report_that_nobody_reads_holds_no_run_back() {
    // More JSON than a pipe holds; the program is soon stuck in writing it.
    let folder = Folder::new();
    let path = folder.write(
        "tiny.json",
        r#"{"format":"phalanx-problem/1","basis":"pauli","num_modes":1,"initial_state":[],"observable":[[[1],1.0]],
"circuit":{"gates":[{"generator":[[[0],1.0]],"parameter":0}],"parameters":[0.1],"repeat":20000}}"#,
    );
    for twice in [false, true] {
        let mut child = start(&["run", &path, "--partitions", "1", "--json", "--quiet"]);
        std::thread::sleep(Duration::from_millis(1500));
        assert!(child.try_wait().unwrap().is_none(), "it is stuck");
        let began = Instant::now();
        interrupt(&child);
        if twice {
            std::thread::sleep(Duration::from_millis(50));
            interrupt(&child);
        }
        let limit = Duration::from_millis(if twice { 600 } else { 2000 });
        let code = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status.code();
            }
            if began.elapsed() > limit {
                child.kill().unwrap();
                panic!("still there after {limit:?}");
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(code, Some(130));
    }
}
