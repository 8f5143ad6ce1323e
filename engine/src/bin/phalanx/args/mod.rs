//! The command line: what can be said, and the help that teaches it.

mod model;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, Subcommand};
use phalanx_engine::group::{Partitions, Pinning, SettingError};
use phalanx_engine::run::{ModeChoice, Settings};

pub(crate) use model::{
    CommonArgs, HubbardArgs, KickedIsingArgs, Model, ModelArgs, RandomArgs, TiltedIsingArgs,
};

/// Simulates quantum circuits by propagating operators (Majorana or Pauli), on one pinned thread per core.
#[derive(Debug, Parser)]
#[command(
    name = "phalanx",
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  phalanx model hubbard --sites 8 --steps 4 --out chain.json   write a problem
  phalanx check chain.json                                     is it valid, and how large is it?
  phalanx run chain.json                                       propagate it on all cores
  phalanx plan                                                 which cores would it use?

Exit codes: 0 done; 1 the run failed; 2 bad input, usage or settings, nothing was run;
130 Ctrl-C; 141 nobody reads what a run prints; 143 SIGTERM."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Propagate a problem and print terms and expectation after each repeat of its circuit
    Run(RunArgs),
    /// Show the cores that a run would use, and what limits it
    Plan(PlanArgs),
    /// Say whether problem files are valid, and how large the problems are
    Check(CheckArgs),
    /// Write the problem file of a well-known circuit, of any size
    Model(ModelArgs),
}

/// `phalanx run`
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Prints a line for each repeat of the circuit: the number of terms, the seconds that it took,
and the expectation value. The numbers are the same bits for any number of partitions.
Ctrl-C or SIGTERM ends a run within a second and leaves the lines so far.

Examples:
  phalanx run problems/hubbard_60.json
  phalanx run problems/hubbard_60.json --partitions 1 --json > report.json
  phalanx run problems/tilted_ising_4x4.json --out report.json --plot report.svg
  phalanx run problems/hubbard_4.json --quiet --dump-operator terms.jsonl
  phalanx model kicked-ising --steps 8 | phalanx run /dev/stdin

Environment, where no flag says otherwise:
  PHALANX_PARTITIONS, PHALANX_MODE, PHALANX_PINNING   as the flags
  PHALANX_LOG                off, error, warn, info, debug or trace
  PHALANX_TOPOLOGY           hwloc or affinity: what the machine is read with
  PHALANX_DOMAIN_LEVEL       auto, l1 to l5, numa, package or machine: what makes a domain
  PHALANX_BARRIER_GROUPING   flat or grouped: whether partitions of a domain meet first
  PHALANX_SPIN_BUDGET_US     how long a waiting partition spins, in microseconds, or unlimited
  PHALANX_STALL_S            report partitions that keep the others waiting for so many seconds")]
pub(crate) struct RunArgs {
    /// The problem file
    #[arg(value_name = "PROBLEM.json")]
    pub(crate) problem: PathBuf,
    #[command(flatten)]
    pub(crate) placement: PlacementArgs,
    /// How the circuit is walked: gate (gate by gate), window (many gates at a time, in cache) or auto. No bit of the results depends on it [env: PHALANX_MODE] [default: auto]
    #[arg(long, value_name = "auto|gate|window", value_parser = word::<ModeChoice>(ModeChoice::KNOWN))]
    pub(crate) mode: Option<ModeChoice>,
    /// Print the report as one JSON object on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the report as JSON to this file, which appears whole or not at all
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Draw terms, seconds and expectation of each repeat into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Write the final operator to this file, a line `[[slots],coefficient]` for each term, in any order
    #[arg(long, value_name = "FILE")]
    pub(crate) dump_operator: Option<PathBuf>,
    /// Print no lines and no progress; errors alone (and the report, with --json)
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// How many threads, and where.
#[derive(Debug, clap::Args)]
pub(crate) struct PlacementArgs {
    /// Threads, each with its share of the operator: a number, or auto for one per physical core [env: PHALANX_PARTITIONS] [default: auto]
    #[arg(long, short, value_name = "N|auto", value_parser = word::<Partitions>(Partitions::KNOWN))]
    partitions: Option<Partitions>,
    /// Pin each thread to a core of its own: on or off [env: PHALANX_PINNING] [default: on]
    #[arg(long, value_name = "on|off", value_parser = word::<Pinning>(Pinning::KNOWN))]
    pinning: Option<Pinning>,
}

impl PlacementArgs {
    /// The settings that the environment asks for, then those of the flags.
    pub(crate) fn settings(&self) -> Result<Settings, SettingError> {
        let mut settings = Settings::from_env()?;
        settings.partitions = self.partitions.unwrap_or(settings.partitions);
        settings.pinning = self.pinning.unwrap_or(settings.pinning);
        Ok(settings)
    }
}

/// `phalanx plan`
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Shows the cores that this process may use, their domains (cores that share a cache), where
the partitions of a run would go, and what limits apply. Runs nothing.

Examples:
  phalanx plan
  phalanx plan --partitions 8
  taskset -c 0-3 phalanx plan --plot machine.svg

A core is shown by its CPUs (hardware threads), and `=p3` behind it is partition 3.")]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) placement: PlacementArgs,
    /// Draw the machine and the placement into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
}

/// `phalanx check`
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each file that is not valid gets one line: the file, the field, and the fault. Runs nothing.

Examples:
  phalanx check problem.json
  phalanx check --quiet problems/*.json && echo all valid")]
pub(crate) struct CheckArgs {
    /// The problem files
    #[arg(value_name = "PROBLEM.json", required = true)]
    pub(crate) problems: Vec<PathBuf>,
    /// Say nothing about valid ones
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Reads one of a few words, or says which are known.
fn word<T: FromStr>(known: &'static str) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| text.parse().map_err(|_| format!("known values: {known}"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Args;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
