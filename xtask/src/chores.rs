//! The commands that are one cargo or git call each: `shuttle`, `bench`, `doc`, `publish-check` and `ci`.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::args::{self, Flag, Options};
use crate::cargo;
use crate::workspace::{self, Member};

const CRATE: Flag = Flag {
    name: "-p",
    value: Some("CRATE"),
    help: "this crate only; may be repeated",
};

pub(crate) const SHUTTLE: args::Command = args::Command {
    name: "shuttle",
    summary: "run the protocols on random schedules of many threads",
    about: "Builds each crate's test `shuttle` with `--cfg phalanx_shuttle` and runs it: schedules drawn from a fixed \
            seed, for\nmore participants than the model checker of `cargo xtask loom` can take.",
    flags: &[CRATE],
    run: shuttle,
};

pub(crate) const BENCH: args::Command = args::Command {
    name: "bench",
    summary: "run the micro-benchmarks",
    about: "Runs the criterion benchmarks of every crate that has some. Leave the machine alone meanwhile, and compare \
            figures\nof one run only.",
    flags: &[
        CRATE,
        Flag {
            name: "--filter",
            value: Some("TEXT"),
            help: "only benchmarks whose name contains it",
        },
        Flag {
            name: "--quick",
            value: None,
            help: "a first impression: fewer samples",
        },
    ],
    run: bench,
};

pub(crate) const DOC: args::Command = args::Command {
    name: "doc",
    summary: "build the documentation, without a warning",
    about: "Builds the documentation of every crate of the workspace, broken links and the like being errors.",
    flags: &[Flag {
        name: "--open",
        value: None,
        help: "show it in the browser",
    }],
    run: doc,
};

pub(crate) const PUBLISH_CHECK: args::Command = args::Command {
    name: "publish-check",
    summary: "pack every crate and build it from the package, as publishing would",
    about: "Runs `cargo publish --dry-run` on all crates that are meant to be published, in one go: they are packed, \
            unpacked\nand built from what was packed. Changes that are not committed are packed too.",
    flags: &[CRATE],
    run: publish_check,
};

pub(crate) const CI: args::Command = args::Command {
    name: "ci",
    summary: "do what CI does: run .ci/run in a fresh clone of what is committed",
    about: "Clones HEAD into target/ci/clone, where nothing is built and nothing uncommitted is seen, and runs its \
            .ci/run there\nwithout standard input and with CI=true. Takes as long as `cargo xtask test` on a cold \
            machine.",
    flags: &[],
    run: ci,
};

fn shuttle(options: &Options) -> Result<()> {
    let folder = cargo::scratch("shuttle")?.display().to_string();
    for member in with(options, "a test `shuttle`", |kind, name| {
        (kind, name) == ("test", "shuttle")
    })? {
        let args = [
            "test",
            "-p",
            &member.name,
            "--test",
            "shuttle",
            "--release",
            "--target-dir",
            &folder,
        ];
        call(
            "cargo",
            &args,
            &[("RUSTFLAGS", "--cfg phalanx_shuttle -D warnings")],
        )?;
    }
    Ok(())
}

fn bench(options: &Options) -> Result<()> {
    for member in with(options, "benchmarks", |kind, _| kind == "bench")? {
        let mut args = vec!["bench", "-p", &member.name];
        // Named one by one: the harness of a library's own tests knows none of criterion's options.
        for (_, name) in member.targets.iter().filter(|(kind, _)| kind == "bench") {
            args.extend(["--bench", name]);
        }
        args.push("--");
        args.extend(options.has("--quick").then_some("--quick"));
        args.extend(options.values("--filter"));
        call("cargo", &args, &[])?;
    }
    Ok(())
}

fn doc(options: &Options) -> Result<()> {
    let mut args = vec!["doc", "--workspace", "--no-deps"];
    args.extend(options.has("--open").then_some("--open"));
    call("cargo", &args, &[("RUSTDOCFLAGS", "-D warnings")])
}

fn publish_check(options: &Options) -> Result<()> {
    let members = workspace::members()?;
    let mut names = options.values("-p");
    if names.is_empty() {
        let published = members.iter().filter(|member| member.is_published);
        names.extend(published.map(|member| member.name.as_str()));
    }
    let mut args = vec!["publish", "--dry-run", "--allow-dirty"];
    args.extend(names.iter().flat_map(|name| ["-p", name]));
    call("cargo", &args, &[])
}

fn ci(_: &Options) -> Result<()> {
    let clone = cargo::scratch("ci")?.join("clone");
    if clone.exists() {
        fs::remove_dir_all(&clone).with_context(|| format!("cannot remove {}", clone.display()))?;
    }
    let clone = clone.display().to_string();
    call("git", &["clone", "--quiet", ".", &clone], &[])?;
    let status = Command::new("bash")
        .arg(".ci/run")
        .current_dir(&clone)
        .env("CI", "true")
        .env_remove("CARGO_TARGET_DIR")
        .stdin(Stdio::null())
        .status()?;
    ensure!(status.success(), ".ci/run failed ({status})");
    Ok(())
}

/// The crates that `-p` names, or all, as far as they have a target of which `is_it` holds.
fn with(options: &Options, what: &str, is_it: fn(&str, &str) -> bool) -> Result<Vec<Member>> {
    let names = options.values("-p");
    let mut crates = workspace::members()?;
    crates.retain(|member| member.targets.iter().any(|(kind, name)| is_it(kind, name)));
    crates.retain(|member| names.is_empty() || names.contains(&member.name.as_str()));
    ensure!(!crates.is_empty(), "no such crate has {what}");
    Ok(crates)
}

/// Runs a program in the root folder, saying so; what it prints is seen as it comes.
fn call(program: &str, args: &[&str], env: &[(&str, &str)]) -> Result<()> {
    let line = format!("{program} {}", args.join(" "));
    eprintln!("$ {line}");
    let status = Command::new(program)
        .args(args)
        .envs(env.iter().copied())
        .current_dir(workspace::root())
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {program}"))?;
    ensure!(status.success(), "`{line}` failed ({status})");
    Ok(())
}
