//! `cargo xtask test`: everything that must hold, step by step, each with its time.

use std::env;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::args::{self, Flag, Options};
use crate::process::{Ended, run_logged};
use crate::{cargo, workspace};

/// For one command of a step. The longest takes a few minutes on two cores, from cold.
const LIMIT: Duration = Duration::from_secs(25 * 60);

pub(crate) const COMMAND: args::Command = args::Command {
    name: "test",
    summary: "set up, then check and test everything",
    about: "Stops at the first step that fails, shows the end of what it printed and says how to run only that step \
            again. The\nwhole output of each step is kept in target/xtask/STEP.log.",
    flags: &[
        Flag {
            name: "--only",
            value: Some("STEP"),
            help: "this step only; may be repeated",
        },
        Flag {
            name: "--list",
            value: None,
            help: "name the steps and the commands they run",
        },
    ],
    run,
};

/// How the harness tells of a test that another test starts, in a process of its own.
const CHILD: &str = ", run as a child";

/// A part of the test command that can be run alone.
struct Step {
    name: &'static str,
    /// Each line is one command: `NAME=value` words set the environment, `xtask` is this program.
    commands: &'static [&'static str],
    /// Whether it runs tests; then it fails if there were none.
    has_tests: bool,
}

const fn checks(name: &'static str, commands: &'static [&'static str]) -> Step {
    Step {
        name,
        commands,
        has_tests: false,
    }
}

const fn tests(name: &'static str, commands: &'static [&'static str]) -> Step {
    Step {
        name,
        commands,
        has_tests: true,
    }
}

/// In this order: what is quick and fails often comes first.
const STEPS: &[Step] = &[
    checks("setup", &["xtask setup"]),
    checks("fmt", &["cargo fmt --all --check"]),
    checks("tidy", &["xtask tidy"]),
    checks(
        "clippy",
        &[
            "cargo clippy --workspace --all-targets -- -Dwarnings",
            "cargo clippy -p phalanx-topology --no-default-features -- -Dwarnings",
            "cargo clippy -p phalanx-engine --no-default-features -- -Dwarnings",
        ],
    ),
    checks(
        "doc",
        &["RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps"],
    ),
    // Unoptimised, with overflow and debug assertions on.
    tests(
        "debug",
        &["cargo test --workspace --exclude phalanx-engine"],
    ),
    // Optimised: whole circuits, and the races that only show at speed.
    tests(
        "release",
        &["cargo test --release -p phalanx-engine -p phalanx-shmcomm -p phalanx-barrier"],
    ),
    tests(
        "features",
        &[
            "cargo test -p phalanx-topology --no-default-features",
            // Unoptimised, so that the engine's arithmetic is watched for overflow too.
            "cargo test -p phalanx-engine --no-default-features --lib",
            "cargo test --release -p phalanx-engine --features fault-injection --test cli_fault",
            "cargo test --release -p phalanx-engine --features fault-injection --test cli_fault",
        ],
    ),
    checks("loom", &["xtask loom"]),
    tests("shuttle", &["xtask shuttle"]),
    checks("publish", &["xtask publish-check"]),
];

fn run(options: &Options) -> Result<()> {
    let steps = chosen(&options.values("--only"))?;
    if options.has("--list") {
        for step in steps {
            println!("{}", step.name);
            step.commands.iter().for_each(|line| println!("    {line}"));
        }
        return Ok(());
    }
    // Taken now, since a step may build this program anew.
    let xtask = env::current_exe().context("where is this program?")?;
    let logs = cargo::scratch("xtask")?;
    let start = Instant::now();
    let mut n_tests = 0;
    for step in &steps {
        print!("{:<10}", step.name);
        std::io::stdout().flush()?;
        let begun = Instant::now();
        let result = step.run(&xtask, &logs).inspect(|n| n_tests += n);
        let seconds = begun.elapsed().as_secs_f64();
        match result {
            Ok(n) if step.has_tests => println!("ok {seconds:>8.1} s   {n} tests"),
            Ok(_) => println!("ok {seconds:>8.1} s"),
            Err(error) => {
                println!("FAILED {seconds:.1} s");
                eprintln!("{}", tail(&step.log(&logs))?);
                bail!(
                    "step `{0}`: {error:#}\nonly this step again: cargo xtask test --only {0}",
                    step.name
                );
            }
        }
    }
    let took = start.elapsed().as_secs();
    println!(
        "\n{n_tests} tests in {} min {} s, nothing failed",
        took / 60,
        took % 60
    );
    println!("steps: {} passed, 0 failed", steps.len());
    Ok(())
}

fn chosen(only: &[&str]) -> Result<Vec<&'static Step>> {
    for name in only {
        let known: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        ensure!(
            known.contains(name),
            "no step `{name}`; known: {}",
            known.join(", ")
        );
    }
    Ok(STEPS
        .iter()
        .filter(|step| only.is_empty() || only.contains(&step.name))
        .collect())
}

impl Step {
    fn log(&self, logs: &Path) -> PathBuf {
        logs.join(format!("{}.log", self.name))
    }

    /// Runs the commands and answers with the number of tests that passed.
    fn run(&self, xtask: &Path, logs: &Path) -> Result<usize> {
        let path = self.log(logs);
        let place = path.display();
        let mut log = File::create(&path).with_context(|| format!("cannot write {place}"))?;
        for line in self.commands {
            writeln!(log, "$ {line}")?;
            match run_logged(&mut command(line, xtask), &log, LIMIT)? {
                Ended::Well => (),
                Ended::Badly(_) => bail!("`{line}` failed; all of its output is in {place}"),
                Ended::OutOfTime => bail!(
                    "`{line}` was stopped after {} minutes; its output is in {place}",
                    LIMIT.as_secs() / 60
                ),
            }
        }
        let tally = Tally::of(&String::from_utf8_lossy(&fs::read(&path)?));
        ensure!(
            tally.n_ignored == 0,
            "{} tests are ignored; see {}",
            tally.n_ignored,
            path.display()
        );
        ensure!(
            !self.has_tests || tally.n_passed > 0,
            "no test ran; see {}",
            path.display()
        );
        Ok(tally.n_passed)
    }
}

fn command(line: &str, xtask: &Path) -> Command {
    let is_setting = |word: &&str| word.contains('=') && !word.starts_with('-');
    let mut words = line.split_whitespace().peekable();
    let mut settings = Vec::new();
    while let Some(word) = words.next_if(is_setting) {
        settings.extend(word.split_once('='));
    }
    let program = match words.next() {
        Some("xtask") | None => PathBuf::from(xtask),
        Some(program) => program.into(),
    };
    let mut command = Command::new(program);
    command
        .args(words)
        .envs(settings)
        .current_dir(workspace::root());
    command
}

fn tail(log: &Path) -> Result<String> {
    let text = String::from_utf8_lossy(&fs::read(log)?).into_owned();
    let lines: Vec<_> = text.lines().collect();
    Ok(lines[lines.len().saturating_sub(80)..].join("\n"))
}

/// What the test harnesses said at their ends.
#[derive(Debug, PartialEq)]
struct Tally {
    n_passed: usize,
    n_ignored: usize,
}

impl Tally {
    fn of(log: &str) -> Tally {
        // A test that another one starts is ignored by the harness, and does run.
        let ignored = log
            .lines()
            .filter(|line| line.starts_with("test ") && line.contains(" ... ignored"));
        let passed = log.lines().filter_map(|line| {
            let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
            counts.split_once(" passed")?.0.parse::<usize>().ok()
        });
        Tally {
            n_passed: passed.sum(),
            n_ignored: ignored.filter(|line| !line.ends_with(CHILD)).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::path::Path;

    use super::{STEPS, Step, Tally, checks, chosen, command, tests};

    fn outcome(step: &Step) -> anyhow::Result<usize> {
        let logs = env::temp_dir().join(format!("phalanx-xtask-{}", std::process::id()));
        std::fs::create_dir_all(&logs).unwrap();
        step.run(Path::new("true"), &logs)
    }

    #[test]
    fn a_step_fails_with_its_first_command_that_does() {
        assert_eq!(
            outcome(&checks("well", &["true", "xtask whatever"])).unwrap(),
            0
        );
        let error = outcome(&checks("badly", &["true", "false", "no-such-program"])).unwrap_err();
        assert!(error.to_string().contains("`false` failed"), "{error}");
    }

    #[test]
    fn a_step_of_tests_fails_without_tests_and_with_ignored_ones() {
        let line = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
        let none = outcome(&tests(
            "none",
            &["echo test result: ok. 0 passed; 0 failed;"],
        ));
        assert!(none.unwrap_err().to_string().contains("no test ran"));
        let one = outcome(&tests(
            "one",
            &["echo test result: ok. 1 passed; 0 failed;"],
        ));
        assert_eq!(one.unwrap(), 1);
        let some = outcome(&tests("some", &["echo test a ... ignored"]));
        assert!(
            some.unwrap_err()
                .to_string()
                .contains("1 tests are ignored")
        );
        let log = format!("{line}\ntest a ... ignored, run as a child\n{line}");
        assert_eq!(
            Tally::of(&log),
            Tally {
                n_passed: 6,
                n_ignored: 0
            }
        );
    }

    #[test]
    fn steps_are_chosen_by_name() {
        assert_eq!(chosen(&[]).unwrap().len(), STEPS.len());
        assert_eq!(chosen(&["loom", "fmt"]).unwrap().len(), 2);
        assert!(
            chosen(&["lint"])
                .err()
                .unwrap()
                .to_string()
                .contains("known: setup, fmt, tidy")
        );
    }

    #[test]
    fn a_line_becomes_a_command() {
        let made = command("A=-b=c cargo doc --x=y", Path::new("/xtask"));
        assert_eq!(made.get_program(), "cargo");
        assert_eq!(made.get_args().collect::<Vec<_>>(), ["doc", "--x=y"]);
        let settings: Vec<_> = made.get_envs().collect();
        assert_eq!(settings, [("A".as_ref(), Some("-b=c".as_ref()))]);
        assert_eq!(
            command("xtask loom", Path::new("/xtask")).get_program(),
            "/xtask"
        );
    }
}
