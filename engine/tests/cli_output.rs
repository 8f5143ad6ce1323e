//! What a run leaves: the table, the report, the picture, the operator; and what becomes of them when they cannot be left.
#![cfg(feature = "cli")]

mod cli_common;

use std::fs::File;
use std::process::{Command, Stdio};

use cli_common::{
    Folder, PHALANX, fails, fails_with, object, output, phalanx, problem, stderr, stdout, succeeds,
};
use serde_json::Value;

const KEYS: [&str; 17] = [
    "problem",
    "basis",
    "num_modes",
    "ranks",
    "partitions",
    "mode",
    "num_terms",
    "expectation",
    "seconds",
    "seconds_per_repeat",
    "checksum",
    "operator_bytes",
    "peak_rss_bytes",
    "rss_before_bytes",
    "terms_per_partition",
    "pinned",
    "domains",
];

fn list<'a>(report: &'a Value, key: &str) -> &'a Vec<Value> {
    report[key]
        .as_array()
        .unwrap_or_else(|| panic!("{key}: {report}"))
}

#[test]
fn the_report_has_the_keys_that_programs_rely_on_and_no_others() {
    let report = object(&succeeds(&[
        "run",
        &problem("hubbard_4.json"),
        "--json",
        "--partitions",
        "2",
    ]));
    let mut keys: Vec<_> = report.as_object().unwrap().keys().cloned().collect();
    keys.sort();
    let mut known = KEYS.map(str::to_owned);
    known.sort();
    assert_eq!(keys, known);

    assert_eq!(report["problem"], "hubbard_4");
    assert_eq!(report["basis"], "majorana");
    assert_eq!(report["num_modes"], 8);
    assert_eq!(report["ranks"], 1);
    assert_eq!(report["partitions"], 2);
    assert!(["gate", "window"].contains(&report["mode"].as_str().unwrap()));
    assert_eq!(list(&report, "num_terms").last().unwrap(), 4774);
    let value = list(&report, "expectation")
        .last()
        .unwrap()
        .as_f64()
        .unwrap();
    assert!((value - 0.4670939369149847).abs() <= 1e-12);
    for key in ["num_terms", "expectation", "seconds_per_repeat"] {
        assert_eq!(list(&report, key).len(), 3, "{key}");
    }
    let sum: f64 = list(&report, "seconds_per_repeat")
        .iter()
        .map(|s| s.as_f64().unwrap())
        .sum();
    assert!(report["seconds"].as_f64().unwrap() >= sum);
    let checksum = report["checksum"].as_str().unwrap();
    assert!(checksum.len() == 16 && checksum.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')));
    let terms: u64 = list(&report, "terms_per_partition")
        .iter()
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!(terms, 4774);
    assert!(report["operator_bytes"].as_u64().unwrap() > 4774 * 8);
    assert!(report["pinned"].is_boolean());
    assert!(report["domains"].as_u64().unwrap() >= 1);
    assert!(report["peak_rss_bytes"].as_u64() >= report["rss_before_bytes"].as_u64());
}

#[test]
fn no_bit_of_the_results_depends_on_the_partitions() {
    let run = |n: &str| {
        object(&succeeds(&[
            "run",
            &problem("tilted_ising_2x2.json"),
            "--json",
            "--partitions",
            n,
        ]))
    };
    let one = run("1");
    for n in ["2", "3", "4", "7"] {
        let other = run(n);
        for key in ["num_terms", "expectation", "checksum"] {
            assert_eq!(one[key], other[key], "{key} at {n}");
        }
    }
}

#[test]
fn the_table_has_a_line_for_each_repeat() {
    let out = succeeds(&["run", &problem("hubbard_4.json"), "--partitions", "1"]);
    assert!(
        out.starts_with(
            "hubbard_4: majorana, 8 modes, 10 gates (24 rotations), applied 3 times\n1 partition, "
        ),
        "{out}"
    );
    let rows: Vec<Vec<_>> = out
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let row = |first: &str| rows.iter().find(|row| row.first() == Some(&first)).unwrap();
    assert_eq!(row("repeat")[1..], ["terms", "seconds", "expectation"]);
    assert_eq!(row("3")[1], "4,774");
    assert!((row("3")[3].parse::<f64>().unwrap() - 0.4670939369149847).abs() <= 1e-12);
    assert_eq!(row("checksum")[1].len(), 16);
}

#[test]
fn json_is_alone_on_standard_output_and_quiet_is_silent() {
    let path = problem("hubbard_4.json");
    let loud = output(&mut phalanx(&["run", &path, "--json"]));
    object(&stdout(&loud));
    assert_eq!(stdout(&loud).lines().count(), 1);
    assert!(
        stderr(&loud).contains("4,774"),
        "rows go to standard error: {}",
        stderr(&loud)
    );

    let quiet = output(&mut phalanx(&["run", &path, "--json", "--quiet"]));
    object(&stdout(&quiet));
    assert_eq!(stderr(&quiet), "");

    let silent = output(&mut phalanx(&[
        "run",
        &path,
        "--quiet",
        "--partitions",
        "5",
    ]));
    assert!(silent.status.success());
    assert_eq!(
        (stdout(&silent), stderr(&silent)),
        (String::new(), String::new())
    );
}

#[test]
fn files_appear_with_the_same_report() {
    let folder = Folder::new();
    let (out, plot) = (folder.arg("report.json"), folder.arg("report.svg"));
    succeeds(&[
        "run",
        &problem("hubbard_4.json"),
        "--out",
        &out,
        "--plot",
        &plot,
    ]);
    let report = object(&folder.read("report.json"));
    assert_eq!(list(&report, "num_terms").last().unwrap(), 4774);
    let svg = folder.read("report.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("hubbard_4, 3 repeats") && svg.contains("expectation"));
    assert_eq!(
        svg.matches("<circle").count(),
        9,
        "a dot for each repeat in each of three panels"
    );
    assert_eq!(folder.files(), ["report.json", "report.svg"]);

    // What was there before is replaced.
    folder.write("report.json", "old");
    succeeds(&[
        "run",
        &problem("tilted_ising_2x2.json"),
        "--quiet",
        "--out",
        &out,
    ]);
    assert_eq!(
        object(&folder.read("report.json"))["problem"],
        "tilted_ising_2x2"
    );
}

#[test]
fn the_operator_is_dumped_term_by_term() {
    let folder = Folder::new();
    let path = problem("hubbard_4.json");
    let dump = |name: &str, n: &str| {
        succeeds(&[
            "run",
            &path,
            "--quiet",
            "--partitions",
            n,
            "--dump-operator",
            &folder.arg(name),
        ]);
        let text = folder.read(name);
        let mut terms: Vec<(Vec<u32>, u64)> = Vec::new();
        for line in text.lines() {
            let (slots, c): (Vec<u32>, f64) = serde_json::from_str(line).unwrap();
            assert!(
                slots.is_sorted() && slots.iter().all(|slot| *slot < 16),
                "{line}"
            );
            let digits = line
                .split_once("],")
                .unwrap()
                .1
                .trim_start_matches('-')
                .split('e')
                .next()
                .unwrap();
            assert_eq!(digits.len(), 18, "17 digits and a point: {line}");
            terms.push((slots, c.to_bits()));
        }
        terms.sort();
        terms
    };
    let one = dump("1.jsonl", "1");
    assert_eq!(one.len(), 4774);
    assert_eq!(one, dump("3.jsonl", "3"));
    assert!(
        one.windows(2).all(|two| two[0].0 != two[1].0),
        "each monomial once"
    );

    // What it is worth is what the run says: the initial state has the fully paired terms alone.
    let report = object(&succeeds(&["run", &path, "--json", "--partitions", "1"]));
    let problem: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let occupied: Vec<u64> = problem["initial_state"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m.as_u64().unwrap())
        .collect();
    let sign = |slots: &[u32]| {
        let pairs: Vec<_> = slots.chunks(2).collect();
        let is_paired = pairs
            .iter()
            .all(|pair| pair.len() == 2 && pair[0] % 2 == 0 && pair[1] == pair[0] + 1);
        let n_empty = pairs
            .iter()
            .filter(|pair| !occupied.contains(&u64::from(pair[0] / 2)))
            .count();
        // Each pair is -Z, +1 where the mode is occupied and -1 where it is empty; the Hermitian monomial of w
        // pairs in ascending order is their plain product.
        if !is_paired {
            0.0
        } else if n_empty % 2 == 0 {
            1.0
        } else {
            -1.0
        }
    };
    let value: f64 = one
        .iter()
        .map(|(slots, bits)| sign(slots) * f64::from_bits(*bits))
        .sum();
    let told = report["expectation"][2].as_f64().unwrap();
    assert!((value + 0.5 - told).abs() < 1e-12, "{value} {told}");
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_anything_is_run() {
    let folder = Folder::new();
    let path = problem("hubbard_4.json");
    for flag in ["--out", "--plot", "--dump-operator"] {
        let bad = folder.arg("no/such/folder/file.svg");
        let message = fails(2, &["run", &path, flag, &bad]);
        assert!(
            message.starts_with(&format!("cannot write {bad}")),
            "{message}"
        );
        let message = fails(2, &["run", &path, flag, &folder.arg("")]);
        assert!(message.contains("directory"), "{message}");
    }
    assert!(fails(2, &["run", &path, "--plot", &folder.arg("a.png")]).contains(".svg"));
    let twice = folder.arg("twice.svg");
    assert!(fails(2, &["run", &path, "--out", &twice, "--plot", &twice]).contains("the same file"));
    let own = folder.write("own.json", &std::fs::read_to_string(&path).unwrap());
    assert!(fails(2, &["run", &own, "--out", &own]).contains("the same file"));
    assert_eq!(folder.files(), ["own.json"]);
}

#[test]
fn a_full_disk_is_an_error_and_a_reader_that_leaves_ends_the_run() {
    if cfg!(not(target_os = "linux")) {
        return;
    }
    let folder = Folder::new();
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    for args in [&["--json"][..], &[]] {
        let child = Command::new(PHALANX)
            .args(["run", &problem("hubbard_4.json")])
            .args(args)
            .stdout(full())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(
            stderr(&output).contains("error: cannot write to standard output"),
            "{}",
            stderr(&output)
        );
    }
    let dump = [
        "run",
        &problem("hubbard_4.json"),
        "--quiet",
        "--dump-operator",
        "/dev/full",
    ];
    assert!(fails(1, &dump).contains("cannot write the operator"));
    // The rows are done all the same.
    let out = folder.arg("out.json");
    fails(1, &[&dump[..], &["--out", &out]].concat());
    let left = object(&folder.read("out.json"));
    assert!(!list(&left, "expectation").is_empty());
    assert_eq!(left["interrupted"], false);
    let error = left["error"].as_str().unwrap();
    assert!(error.contains("cannot write the operator"), "{error}");

    // Nobody reads, and there is nothing else to run for: the run is over at the first line.
    let mut child = Command::new(PHALANX)
        .args(["run", &folder.endless()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn pipes_can_be_written_to_and_read_from() {
    let model = succeeds(&["model", "hubbard", "--sites", "3", "--steps", "1"]);
    let folder = Folder::new();
    let out =
        output(phalanx(&["run", "/dev/stdin", "--json", "--out", "/dev/null"]).write_stdin(model));
    assert_eq!(object(&stdout(&out))["problem"], "hubbard_3");
    assert!(folder.files().is_empty());
    let message = fails_with(2, phalanx(&["run", "/dev/stdin"]).write_stdin("nonsense"));
    assert!(
        message.starts_with("/dev/stdin: not valid JSON"),
        "{message}"
    );
}
