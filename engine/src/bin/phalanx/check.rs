//! `phalanx check`: are these problem files valid, and how large are the problems?

use std::fmt::Write;

use phalanx_engine::problem::{Picture, Problem, Truncation};

use crate::args::CheckArgs;
use crate::failure::{Failure, say};
use crate::numbers::{count, thousands};
use crate::stdout;

pub(crate) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let mut last_fault = None;
    for path in &args.problems {
        match Problem::load(path) {
            Ok(problem) if args.quiet => drop(problem),
            Ok(problem) => {
                let summary = summary(&problem);
                stdout::print(&format!("{}: valid\n{summary}", path.display()))?;
            }
            // All but the last are told here; that one ends the program.
            Err(error) => {
                if let Some(earlier) = last_fault.replace(error) {
                    say(format_args!("error: {earlier}"));
                }
            }
        }
    }
    last_fault.map_or(Ok(()), |error| Err(error.into()))
}

/// A line for each part of a problem.
fn summary(problem: &Problem) -> String {
    let mut text = String::new();
    let mut line = |key: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {key:<12}{value}");
    };
    if let Some(name) = problem.name() {
        line("name", name.to_owned());
    }
    line("basis", format!("{}, {}", problem.basis(), size(problem)));
    line("picture", picture(problem));
    line(
        "state",
        format!(
            "{} occupied",
            thousands(problem.initial_state().len() as u64)
        ),
    );
    line("observable", observable(problem));
    line("circuit", circuit(problem));
    line(
        "truncation",
        problem
            .truncation()
            .map_or_else(|| "none".to_owned(), truncation),
    );
    text
}

/// `120 modes`
pub(crate) fn size(problem: &Problem) -> String {
    let noun = match problem.basis() {
        phalanx_engine::problem::Basis::Majorana => "mode",
        phalanx_engine::problem::Basis::Pauli => "qubit",
    };
    count(problem.num_modes().into(), noun)
}

/// `178 gates (357 rotations), applied 29 times`
pub(crate) fn circuit(problem: &Problem) -> String {
    let gates = count(problem.gates().len() as u64, "gate");
    let rotations = count(problem.rotations().count() as u64, "rotation");
    format!(
        "{gates} ({rotations}), applied {}",
        count(problem.repeat(), "time")
    )
}

fn picture(problem: &Problem) -> String {
    let name = problem.picture().name();
    match problem.picture() {
        Picture::Heisenberg => format!("{name} (the observable is propagated)"),
        picture @ Picture::Schrodinger { cutoff } => {
            let rows = picture
                .initial_rows(problem.basis(), problem.num_modes())
                .unwrap_or(0);
            format!(
                "{name} (the state is propagated), cutoff {cutoff}: {} at the start",
                count(rows, "term")
            )
        }
    }
}

fn observable(problem: &Problem) -> String {
    let terms = count(problem.observable().len() as u64, "term");
    if problem.core() == 0.0 {
        terms
    } else {
        format!("{terms}, and the identity times {}", problem.core())
    }
}

fn truncation(truncation: &Truncation) -> String {
    let mut text = format!("{} up to {}", truncation.measure, truncation.cutoff);
    let options = [
        (
            "lower_atol",
            truncation.lower_atol.map(|x| format!("{x:?}")),
        ),
        (
            "upper_atol",
            truncation.upper_atol.map(|x| format!("{x:?}")),
        ),
        (
            "max_rotated_length",
            truncation.max_rotated_length.map(|n| n.to_string()),
        ),
    ];
    for (key, value) in options {
        if let Some(value) = value {
            let _ = write!(text, ", {key} {value}");
        }
    }
    text
}
