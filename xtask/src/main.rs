//! The project's chores, as `cargo xtask COMMAND`.
//!
//! It depends on none of the other crates, so that it builds, and can install
//! what they need, on a machine on which nothing but Rust is installed.
#![forbid(unsafe_code)]

mod args;
mod cargo;
mod chores;
mod demo;
mod loom;
mod mutants;
mod process;
mod setup;
mod steps;
mod tidy;
mod tsan;
mod workspace;

use std::env;
use std::process::ExitCode;

use anyhow::{Result, bail};

use args::{Command, Options};

const COMMANDS: &[Command] = &[
    setup::COMMAND,
    demo::COMMAND,
    steps::COMMAND,
    tidy::COMMAND,
    loom::COMMAND,
    chores::SHUTTLE,
    tsan::COMMAND,
    chores::BENCH,
    chores::DOC,
    chores::PUBLISH_CHECK,
    chores::CI,
];

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<()> {
    let is_help = |arg: &String| ["-h", "--help", "help"].contains(&arg.as_str());
    let Some((name, rest)) = args.split_first().filter(|(name, _)| !is_help(name)) else {
        print!("{}", args::overview(COMMANDS));
        return Ok(());
    };
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        let known: Vec<_> = COMMANDS.iter().map(|command| command.name).collect();
        bail!("no command `{name}`; known: {}", known.join(", "));
    };
    if rest.iter().any(is_help) {
        print!("{}", args::help(command));
        return Ok(());
    }
    (command.run)(&Options::parse(rest, command.flags)?)
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, args, run};

    #[test]
    fn an_unknown_command_lists_the_known_ones() {
        let error = run(&["tset".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("known: setup, demo, test, tidy"), "{error}");
    }

    #[test]
    fn each_command_teaches() {
        for command in COMMANDS {
            let help = args::help(command);
            assert!(help.contains(&format!("Usage: cargo xtask {}", command.name)));
            assert!(command.about.len() > 80, "{} says too little", command.name);
            for line in help.lines() {
                assert!(line.chars().count() <= 120, "{}: {line}", command.name);
            }
            for flag in command.flags {
                assert!(help.contains(flag.name) && !flag.help.is_empty());
            }
        }
    }
}
