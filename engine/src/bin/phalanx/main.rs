//! The `phalanx` program: simulates quantum circuits by operator propagation, on one pinned thread per core.

#![forbid(unsafe_code)]

mod args;
mod check;
mod failure;
mod files;
mod interrupt;
mod log;
mod model;
mod numbers;
mod plan;
mod plot;
mod progress;
mod run;
mod screen;
mod so_far;
mod stdout;

use std::process::ExitCode;

use args::{Args, Command};
use clap::Parser;

fn main() -> ExitCode {
    let args = Args::parse();
    failure::remember_panics();
    let result = match args.command {
        Command::Run(args) => run::run(args),
        Command::Plan(args) => plan::plan(&args),
        Command::Check(args) => check::check(&args),
        Command::Model(args) => model::model(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.exit(),
    }
}
