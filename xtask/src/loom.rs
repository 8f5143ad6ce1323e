//! `cargo xtask loom`: the protocols under a model checker, and their broken forms.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail, ensure};

use crate::args::{self, Flag, Options};
use crate::mutants::{self, Outcome, Run};
use crate::workspace::{self, Member};
use crate::{cargo, mutants::runs};

/// Where nothing else is asked for; the models that are there take a small part of it.
const LIMIT_S: u64 = 600;

pub(crate) const COMMAND: args::Command = args::Command {
    name: "loom",
    summary: "model-check the protocols, or show that the models notice broken ones",
    about: "Builds each crate's test `loom` with `--cfg phalanx_loom`, which swaps the atomics for those of a model \
            checker, and\nruns it: every schedule with up to two preemptions, every value that the orderings allow.\n\n\
            With --mutants, each rule listed in a crate's mutants.txt is then broken on purpose (PHALANX_MUTANT=name \
            chooses\nit at run time), and the models must fail. The table says which model caught which mutant. One \
            that survives\nmakes the exit status 1.",
    flags: &[
        Flag {
            name: "-p",
            value: Some("CRATE"),
            help: "this crate only; may be repeated",
        },
        Flag {
            name: "--mutants",
            value: None,
            help: "run the mutants too",
        },
        Flag {
            name: "--bound",
            value: Some("N"),
            help: "preemptions to explore instead of two; 3 takes minutes and finds more",
        },
        Flag {
            name: "--limit",
            value: Some("SECONDS"),
            help: "for the models of one crate, or one mutant (600); running out of it is a failure",
        },
    ],
    run,
};

fn run(options: &Options) -> Result<()> {
    let crates = modelled(&options.values("-p"))?;
    let bound = options.number("--bound")?;
    let limit = Duration::from_secs(options.number("--limit")?.unwrap_or(LIMIT_S));
    let mut models = Vec::new();
    for member in &crates {
        models.push((member.name.as_str(), check(member, bound, limit)?));
    }
    match options.has("--mutants") {
        true => mutants::check(&models, bound, limit),
        false => Ok(()),
    }
}

/// The crates with models, or those of them that are named.
fn modelled(names: &[&str]) -> Result<Vec<Member>> {
    let mut crates = workspace::members()?;
    crates.retain(|member| member.has_target("test", "loom"));
    for name in names {
        let known: Vec<_> = crates.iter().map(|member| member.name.as_str()).collect();
        ensure!(
            known.contains(name),
            "no models in `{name}`; there are in: {}",
            known.join(", ")
        );
    }
    crates.retain(|member| names.is_empty() || names.contains(&member.name.as_str()));
    ensure!(!crates.is_empty(), "no crate has a test `loom`");
    Ok(crates)
}

/// Builds a crate's models and runs them as they are. They must all pass, and be there.
fn check(member: &Member, bound: Option<u64>, limit: Duration) -> Result<PathBuf> {
    let binary = build(member)?;
    let n_threads = thread::available_parallelism().map_or(1, |n| n.get());
    let run = runs::run(
        &binary,
        &runs::Models {
            mutant: None,
            bound,
            limit,
            n_threads,
        },
    )?;
    if let Outcome::Failed(model) = &run.outcome {
        show(&binary, model, bound)?;
    }
    judge(&member.name, &run)?;
    println!(
        "{}: {} models pass in {:.1} s",
        member.name,
        run.n_passed,
        run.seconds()
    );
    Ok(binary)
}

fn judge(name: &str, run: &Run) -> Result<()> {
    match run.outcome {
        Outcome::Passed if run.n_passed == 0 => bail!("{name}: no model ran"),
        Outcome::Passed => Ok(()),
        _ => bail!("{name}: {}", run.say()),
    }
}

fn build(member: &Member) -> Result<PathBuf> {
    let folder = cargo::scratch("loom")?.display().to_string();
    let args = [
        "test",
        "-p",
        &member.name,
        "--test",
        "loom",
        "--release",
        "--no-run",
        "--target-dir",
        &folder,
    ];
    // The code behind the cfg is seen by no other step, hence the lint.
    cargo::build(
        &args,
        &[("RUSTFLAGS", "--cfg phalanx_loom -D warnings")],
        "test",
        "loom",
    )
}

/// Runs one model again, with all that it prints.
fn show(binary: &Path, model: &str, bound: Option<u64>) -> Result<()> {
    let mut command = Command::new(binary);
    command
        .args(["--exact", model, "--nocapture"])
        .env_remove("PHALANX_MUTANT");
    if let Some(bound) = bound {
        command.env("LOOM_MAX_PREEMPTIONS", bound.to_string());
    }
    command.status()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{judge, modelled};
    use crate::mutants::{Outcome, Run};

    #[test]
    fn models_that_do_not_run_or_do_not_pass_are_a_failure() {
        let run = |outcome, n_passed| Run {
            outcome,
            n_passed,
            took: Duration::ZERO,
        };
        assert!(judge("p", &run(Outcome::Passed, 3)).is_ok());
        assert!(judge("p", &run(Outcome::Passed, 0)).is_err());
        assert!(judge("p", &run(Outcome::Failed("flat2".to_owned()), 3)).is_err());
        assert!(judge("p", &run(Outcome::OutOfTime(String::new()), 3)).is_err());
    }

    #[test]
    fn a_crate_without_models_is_refused_by_name() {
        let error = modelled(&["xtask"]).unwrap_err().to_string();
        assert!(error.contains("no models in `xtask`"), "{error}");
    }
}
