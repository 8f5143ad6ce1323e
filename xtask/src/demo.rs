//! `cargo xtask demo`: the main job, from nothing to a picture.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::args::{self, Options};
use crate::{cargo, setup, workspace};

const PROBLEM: &str = "problems/hubbard_60.json";
const N_STEPS: usize = 29;
/// What two other programs agree on for this circuit.
const N_TERMS: u64 = 1_169_024;

pub(crate) const COMMAND: args::Command = args::Command {
    name: "demo",
    summary: "propagate a 120-mode Hubbard circuit on all cores, and draw it",
    about: "Sets up, builds the `phalanx` program optimised, runs problems/hubbard_60.json on one pinned partition for \
            each\ncore, prints a row for each of the 29 Trotter steps, checks that the last has 1,169,024 terms, and \
            leaves the\npicture and the figures under target/demo/. A minute or two on two cores, the build included.",
    flags: &[],
    run,
};

fn run(_: &Options) -> Result<()> {
    (setup::COMMAND.run)(&Options::default())?;
    let args = [
        "build",
        "--release",
        "-p",
        "phalanx-engine",
        "--bin",
        "phalanx",
    ];
    let program = cargo::build(&args, &[], "bin", "phalanx")?;
    let folder = workspace::root().join("target/demo");
    fs::create_dir_all(&folder)?;
    let out = folder.join("hubbard_60.json");
    let plot = folder.join("hubbard_60.svg");
    println!("demo: {PROBLEM}");
    let status = Command::new(program)
        .args(["run", PROBLEM])
        .args([Path::new("--plot"), &plot, Path::new("--out"), &out])
        .current_dir(workspace::root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .context("cannot start phalanx")?;
    ensure!(status.success(), "phalanx failed ({status})");
    let report =
        fs::read_to_string(&out).with_context(|| format!("no report in {}", out.display()))?;
    let report = Report::read(&report)?;
    print!("{}", report.table());
    report.check()?;
    ensure!(plot.is_file(), "no picture in {}", plot.display());
    println!("\npicture: {}\nfigures: {}", plot.display(), out.display());
    Ok(())
}

/// The part of the program's report that is shown here; one entry for each repeat of the circuit.
#[derive(Debug)]
struct Report {
    partitions: u64,
    n_terms: Vec<u64>,
    seconds: Vec<f64>,
    expectation: Vec<f64>,
}

impl Report {
    fn read(json: &str) -> Result<Report> {
        let json: Value = serde_json::from_str(json).context("the report is not JSON")?;
        let list = |key: &str| {
            json[key]
                .as_array()
                .with_context(|| format!("no list `{key}`"))
        };
        let n_terms = list("num_terms")?
            .iter()
            .map(Value::as_u64)
            .collect::<Option<_>>();
        let numbers = |key: &str| -> Result<Vec<f64>> {
            let numbers = list(key)?.iter().map(Value::as_f64).collect::<Option<_>>();
            numbers.with_context(|| format!("`{key}` holds something else than numbers"))
        };
        Ok(Report {
            partitions: json["partitions"].as_u64().context("no `partitions`")?,
            n_terms: n_terms.context("`num_terms` holds something else than counts")?,
            seconds: numbers("seconds_per_repeat")?,
            expectation: numbers("expectation")?,
        })
    }

    fn table(&self) -> String {
        let mut text = format!("\npartitions: {}\n\n", self.partitions);
        text += &format!(
            "{:>6} {:>12} {:>10} {:>18}\n",
            "step", "terms", "seconds", "expectation"
        );
        for (step, ((terms, seconds), expectation)) in self
            .n_terms
            .iter()
            .zip(&self.seconds)
            .zip(&self.expectation)
            .enumerate()
        {
            let terms = thousands(*terms);
            text += &format!(
                "{:>6} {terms:>12} {seconds:>10.3} {expectation:>18.12}\n",
                step + 1
            );
        }
        text
    }

    fn check(&self) -> Result<()> {
        let n = [
            self.n_terms.len(),
            self.seconds.len(),
            self.expectation.len(),
        ];
        ensure!(
            n == [N_STEPS; 3],
            "rows of terms, seconds, expectation: {n:?}, not {N_STEPS}"
        );
        let last = self.n_terms[N_STEPS - 1];
        ensure!(
            last == N_TERMS,
            "the last step has {} terms, but {} are right",
            thousands(last),
            thousands(N_TERMS)
        );
        Ok(())
    }
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{N_STEPS, N_TERMS, Report, thousands};

    fn report(last: u64) -> Report {
        Report {
            partitions: 2,
            n_terms: [vec![5; N_STEPS - 1], vec![last]].concat(),
            seconds: vec![0.5; N_STEPS],
            expectation: vec![0.25; N_STEPS],
        }
    }

    #[test]
    fn wrong_numbers_are_noticed() {
        report(N_TERMS).check().unwrap();
        let error = report(N_TERMS - 1).check().unwrap_err().to_string();
        assert!(error.contains("1,169,023 terms, but 1,169,024"), "{error}");
        let mut short = report(N_TERMS);
        short.seconds.pop();
        assert!(short.check().is_err());
    }

    #[test]
    fn a_report_becomes_rows() {
        let json = r#"{"partitions": 2, "num_terms": [12, 3456], "seconds_per_repeat": [0.5, 1],
                       "expectation": [1.0, -0.25], "checksum": "ignored"}"#;
        let table = Report::read(json).unwrap().table();
        assert!(
            table.contains("     2        3,456      1.000    -0.250000000000\n"),
            "{table}"
        );
        for bad in [
            "{",
            r#"{"partitions": 2}"#,
            &json.replace("3456", "\"many\""),
        ] {
            assert!(Report::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn thousands_are_marked() {
        let marked = [0, 999, 1000, 1_169_024].map(thousands);
        assert_eq!(marked, ["0", "999", "1,000", "1,169,024"]);
    }
}
