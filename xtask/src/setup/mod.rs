//! `cargo xtask setup`: finds out which system packages are missing and installs them, or says how to.

mod sets;

use std::env;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::args::{self, Flag, Options};
use sets::{Probe, SETS, Set};

pub(crate) const COMMAND: args::Command = args::Command {
    name: "setup",
    summary: "install the system packages that are missing",
    about: "Looks for pkg-config, hwloc and libudev. Where something is missing and apt-get may be used (as root or \
            through\nsudo without a password) it is installed; elsewhere the one command that installs it is printed, \
            for apt, dnf and\nbrew, and the exit status is 1. When all is there this takes well under a second. \
            `demo` and `test` begin with it.",
    flags: &[Flag {
        name: "--with",
        value: Some("SET"),
        help: "an optional set too: counting (valgrind); may be repeated",
    }],
    run,
};

fn run(options: &Options) -> Result<()> {
    let wanted = wanted(&options.values("--with"))?;
    let missing = missing(&wanted, is_there);
    if missing.is_empty() {
        let names: Vec<_> = wanted.iter().map(|set| set.name).collect();
        println!("setup: all packages are there ({})", names.join(", "));
        return Ok(());
    }
    for set in &missing {
        println!("setup: missing for {} ({})", set.purpose, set.name);
    }
    let Some(prefix) = apt_prefix() else {
        bail!(
            "apt-get cannot be used from here; please run one of\n{}",
            commands(&missing)
        );
    };
    apt(&prefix, &["update"])?;
    let mut install = vec!["install", "--yes", "--no-install-recommends"];
    install.extend(packages(&missing, |set| set.apt));
    apt(&prefix, &install)?;
    for set in missing {
        let absent = set.probes.iter().find(|probe| !is_there(**probe));
        ensure!(
            absent.is_none(),
            "installed, but still not found: {absent:?}"
        );
    }
    println!("setup: installed");
    Ok(())
}

/// A set's packages for one package manager.
type PackagesOf = fn(&Set) -> &'static [&'static str];

/// The required sets and those that were asked for.
fn wanted(names: &[&str]) -> Result<Vec<&'static Set>> {
    for name in names {
        let known: Vec<_> = SETS.iter().map(|set| set.name).collect();
        ensure!(
            known.contains(name),
            "no set `{name}`; known: {}",
            known.join(", ")
        );
    }
    let is_wanted = |set: &&Set| set.is_required || names.contains(&set.name);
    Ok(SETS.iter().filter(is_wanted).collect())
}

fn missing(wanted: &[&'static Set], is_there: impl Fn(Probe) -> bool) -> Vec<&'static Set> {
    let is_missing = |set: &&&Set| !set.probes.iter().all(|probe| is_there(*probe));
    wanted.iter().filter(is_missing).copied().collect()
}

fn packages(sets: &[&Set], of: PackagesOf) -> Vec<&'static str> {
    sets.iter()
        .flat_map(|set| of(set).iter().copied())
        .collect()
}

/// One line for each package manager.
fn commands(missing: &[&Set]) -> String {
    let managers: [(&str, PackagesOf); 3] = [
        (
            "sudo apt-get install --yes --no-install-recommends",
            |set| set.apt,
        ),
        ("sudo dnf install --assumeyes", |set| set.dnf),
        ("brew install", |set| set.brew),
    ];
    let mut lines = String::new();
    for (manager, of) in managers {
        // Writing into a string cannot fail.
        let _ = writeln!(lines, "  {manager} {}", packages(missing, of).join(" "));
    }
    lines
}

fn is_there(probe: Probe) -> bool {
    match probe {
        Probe::Program(name) => on_path(name),
        Probe::Library(name) => succeeds("pkg-config", &["--exists", name]),
        Probe::LinuxLibrary(name) => {
            !cfg!(target_os = "linux") || succeeds("pkg-config", &["--exists", name])
        }
    }
}

fn on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| Path::new(&folder).join(program).is_file())
}

/// What to put before `apt-get`: nothing for root, `sudo` where it asks for no password.
fn apt_prefix() -> Option<Vec<&'static str>> {
    if !on_path("apt-get") {
        return None;
    }
    let id = Command::new("id").arg("-u").output().ok()?;
    if id.stdout.trim_ascii() == b"0" {
        Some(vec![])
    } else if succeeds("sudo", &["-n", "true"]) {
        Some(vec!["sudo", "-n"])
    } else {
        None
    }
}

fn apt(prefix: &[&str], args: &[&str]) -> Result<()> {
    // Through `env`, since sudo drops most of the environment. The lock may be held by an automatic upgrade.
    let fixed = [
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        "apt-get",
        "-q",
        "-o",
        "DPkg::Lock::Timeout=300",
    ];
    let words: Vec<&str> = [prefix, &fixed, args].concat();
    println!("$ {}", words.join(" "));
    let status = Command::new(words[0])
        .args(&words[1..])
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {}", words[0]))?;
    ensure!(status.success(), "`{}` failed ({status})", words.join(" "));
    Ok(())
}

fn succeeds(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::{Probe, SETS, commands, is_there, missing, wanted};

    #[test]
    fn required_sets_are_always_wanted_and_others_by_name() {
        let names = |sets: Vec<&super::Set>| sets.iter().map(|set| set.name).collect::<Vec<_>>();
        assert_eq!(names(wanted(&[]).unwrap()), ["core"]);
        assert_eq!(names(wanted(&["counting"]).unwrap()), ["core", "counting"]);
        let error = wanted(&["kitchen"]).err().unwrap().to_string();
        assert!(error.contains("known: core, counting"), "{error}");
    }

    #[test]
    fn a_set_is_missing_if_one_of_its_signs_is() {
        let core = wanted(&[]).unwrap();
        assert!(missing(&core, |_| true).is_empty());
        for absent in SETS[0].probes {
            assert_eq!(
                missing(&core, |probe| probe != *absent).len(),
                1,
                "{absent:?}"
            );
        }
    }

    #[test]
    fn the_commands_name_what_is_missing_and_no_more() {
        let lines = commands(&[&SETS[0]]);
        assert_eq!(lines.lines().count(), 3);
        assert!(
            lines.contains("libhwloc-dev hwloc libudev-dev pkg-config\n"),
            "{lines}"
        );
        assert!(!lines.contains("valgrind"));
    }

    #[test]
    fn the_signs_are_looked_for_in_earnest() {
        assert!(is_there(Probe::Program("cargo")));
        assert!(!is_there(Probe::Program("no-such-program-anywhere")));
        assert!(!is_there(Probe::Library("no-such-library-anywhere")));
    }
}
