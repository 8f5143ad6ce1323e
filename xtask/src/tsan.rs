//! `cargo xtask tsan`: the stress programs under ThreadSanitizer, and proof that it sees our code.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use xshell::cmd;

use crate::args::{self, Flag, Options};
use crate::cargo;
use crate::mutants;
use crate::process::{Ended, run_logged};
use crate::workspace::{self, Member};

const LIMIT: Duration = Duration::from_secs(900);
const MUTANT_LIMIT: Duration = Duration::from_secs(60);
/// What a program ends with if the sanitizer has reported anything.
const REPORTED: i32 = 66;
/// The mutant whose race must be seen: the barrier's release publishes nothing.
const CONTROL: &str = "root-release";

pub(crate) const COMMAND: args::Command = args::Command {
    name: "tsan",
    summary: "run the stress programs under ThreadSanitizer",
    about: "Builds each crate's example `stress...` with ThreadSanitizer, in a folder of its own, and runs it twice: as it \
            is, when\nnothing may be reported, and with one ordering of the barrier broken, when a race must be \
            reported. Races in the\nstandard library's own frames are left out (xtask/tsan-suppressions.txt says \
            why). Linux only.",
    flags: &[
        Flag {
            name: "-p",
            value: Some("CRATE"),
            help: "this crate only; may be repeated",
        },
        Flag {
            name: "--mutants",
            value: None,
            help: "run every mutant of the crate, not just one, and say what becomes of each",
        },
    ],
    run,
};

fn run(options: &Options) -> Result<()> {
    let target = target()?;
    let names = options.values("-p");
    let mut crates = workspace::members()?;
    crates.retain(|member| program_of(member).is_some());
    crates.retain(|member| names.is_empty() || names.contains(&member.name.as_str()));
    ensure!(
        !crates.is_empty(),
        "no such crate has an example `stress...`"
    );
    for member in &crates {
        let program = build(member, &target)?;
        let clean = stress(&member.name, &program, None)?;
        println!("{}: nothing reported, {:.1} s", member.name, clean.seconds);
        ensure!(!clean.has_report, "{}: a race is reported", member.name);
        controls(member, &program, options.has("--mutants"))?;
    }
    Ok(())
}

/// The machine's own target; the sanitizer needs it named.
fn target() -> Result<String> {
    let shell = workspace::shell()?;
    let version = cmd!(shell, "rustc -vV").quiet().read()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc does not name its host")?;
    ensure!(
        host.contains("linux-gnu"),
        "ThreadSanitizer is set up for Linux only, and this is {host}"
    );
    Ok(host.to_owned())
}

/// The name of a crate's stress program. All examples end up in one folder, so each has its own.
fn program_of(member: &Member) -> Option<&str> {
    let mut examples = member.targets.iter().filter(|(kind, _)| kind == "example");
    let (_, name) = examples.find(|(_, name)| name.starts_with("stress"))?;
    Some(name)
}

fn build(member: &Member, target: &str) -> Result<PathBuf> {
    let folder = cargo::scratch("tsan")?.display().to_string();
    let name = program_of(member).context("no stress program")?;
    let args = [
        "build",
        "-p",
        &member.name,
        "--example",
        name,
        "--release",
        "--target",
        target,
    ];
    let args = [&args[..], &["--target-dir", &folder]].concat();
    let flags = "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer --cfg phalanx_mutants";
    // A stable compiler has the sanitizer but hides it.
    let env = [("RUSTC_BOOTSTRAP", "1"), ("RUSTFLAGS", flags)];
    cargo::build(&args, &env, "example", name)
}

/// The same program with a rule broken must be reported: by one mutant at least, or else the tool is blind.
fn controls(member: &Member, program: &Path, all: bool) -> Result<()> {
    let mut names = vec![CONTROL.to_owned()];
    if all {
        let listed = mutants::read()?
            .into_iter()
            .filter(|mutant| mutant.package == member.name);
        names.extend(
            listed
                .map(|mutant| mutant.name)
                .filter(|name| name != CONTROL),
        );
    }
    for name in &names {
        let broken = stress(&member.name, program, Some(name))?;
        println!(
            "{}: mutant {name} {}, {:.1} s",
            member.name,
            broken.say(),
            broken.seconds
        );
        ensure!(
            broken.has_report || name != CONTROL,
            "{}: the sanitizer does not see a broken `{CONTROL}`, so its silence says nothing",
            member.name
        );
    }
    Ok(())
}

struct Stressed {
    has_report: bool,
    ended: Ended,
    seconds: f64,
}

impl Stressed {
    /// What became of a mutant. Not all of them race: some make values wrong, some make threads wait for ever.
    fn say(&self) -> &'static str {
        match self.ended {
            _ if self.has_report => "is reported",
            Ended::Well => "is not noticed",
            Ended::Badly(_) => "fails without a report",
            Ended::OutOfTime => "hangs",
        }
    }
}

fn stress(name: &str, program: &Path, mutant: Option<&str>) -> Result<Stressed> {
    let suppressions = workspace::root().join("xtask/tsan-suppressions.txt");
    let log_path =
        cargo::scratch("tsan")?.join(format!("{name}-{}.log", mutant.unwrap_or("clean")));
    let log = File::create(&log_path)?;
    let mut command = Command::new(program);
    let halt = mutant.is_some() as u8;
    let options = format!(
        "suppressions={} exitcode={REPORTED} halt_on_error={halt}",
        suppressions.display()
    );
    command
        .env("TSAN_OPTIONS", options)
        .env_remove("PHALANX_MUTANT");
    if let Some(mutant) = mutant {
        command.env("PHALANX_MUTANT", mutant);
    }
    let start = Instant::now();
    let limit = if mutant.is_some() {
        MUTANT_LIMIT
    } else {
        LIMIT
    };
    let ended = run_logged(&mut command, &log, limit)?;
    let printed = String::from_utf8_lossy(&fs::read(&log_path)?).into_owned();
    let has_report = printed.contains("WARNING: ThreadSanitizer");
    // A mutant may well end badly; as it is, the program may not.
    if mutant.is_none() && ended != Ended::Well {
        let tail: Vec<_> = printed.lines().take(80).collect();
        bail!(
            "{name}: stress ended as {ended:?}\n{}\nall in {}",
            tail.join("\n"),
            log_path.display()
        );
    }
    Ok(Stressed {
        has_report,
        ended,
        seconds: start.elapsed().as_secs_f64(),
    })
}
