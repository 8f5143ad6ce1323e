//! The rows of a run so far, and what is left of them when it is interrupted.

use std::io;
use std::path::PathBuf;

use phalanx_engine::run::{Row, Started};
use serde::Serialize;

use crate::args::RunArgs;
use crate::failure::{Failure, say};
use crate::files::Draft;
use crate::numbers::count;
use crate::stdout;

/// What an interrupted run leaves as JSON: the keys of a report that are known by then, and one that says why the others are missing.
#[derive(Debug, Default, Serialize)]
struct Left {
    #[serde(flatten)]
    head: Option<Head>,
    num_terms: Vec<u64>,
    expectation: Vec<f64>,
    seconds_per_repeat: Vec<f64>,
    interrupted: bool,
}

/// What is known when the walk begins.
#[derive(Debug, Serialize)]
struct Head {
    problem: String,
    basis: &'static str,
    num_modes: u32,
    ranks: usize,
    partitions: usize,
    mode: &'static str,
    domains: usize,
}

/// The rows so far. Whoever ends the program, the main thread or the one that waits for it in vain, takes them from here, once.
#[derive(Debug, Default)]
pub(crate) struct SoFar {
    left: Left,
    repeats: u64,
    rows: Vec<Row>,
    /// Where the report is to go.
    json: bool,
    out: Option<PathBuf>,
    plot: Option<PathBuf>,
    /// The end has been told.
    is_over: bool,
}

impl SoFar {
    /// No rows yet, of a run whose report goes where these flags say.
    pub(crate) fn of(args: &RunArgs) -> Self {
        SoFar {
            json: args.json,
            out: args.out.clone(),
            plot: args.plot.clone(),
            ..SoFar::default()
        }
    }

    pub(crate) fn start(&mut self, started: &Started<'_>) {
        let problem = started.problem;
        self.repeats = problem.repeat();
        self.left.head = Some(Head {
            problem: problem.name().unwrap_or_default().to_owned(),
            basis: problem.basis().name(),
            num_modes: problem.num_modes(),
            ranks: 1,
            partitions: started.plan.n_partitions(),
            mode: started.mode,
            domains: started.plan.n_domains(),
        });
    }

    pub(crate) fn push(&mut self, row: &Row) {
        self.rows.push(*row);
        self.left.num_terms.push(row.num_terms);
        self.left.expectation.push(row.expectation);
        self.left.seconds_per_repeat.push(row.seconds);
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// From here on there is nothing to leave: the run came to its end.
    pub(crate) fn close(&mut self) {
        self.is_over = true;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Leaves the rows so far wherever the report was to go. Does nothing after the end.
    pub(crate) fn leave(&mut self) -> Result<(), Failure> {
        if std::mem::replace(&mut self.is_over, true) {
            return Ok(());
        }
        match &self.left.head {
            Some(_) => say(format_args!(
                "interrupted after {} of {}",
                self.rows.len(),
                count(self.repeats, "repeat")
            )),
            None => say("interrupted before the first repeat"),
        }
        self.left.interrupted = true;
        let json = serde_json::to_string(&self.left)
            .map_err(|error| Failure::write("the report", &io::Error::from(error)))?
            + "\n";
        if self.json {
            stdout::print(&json)?;
        }
        if let Some(path) = &self.out {
            Draft::create(path)?.finish(&json)?;
        }
        if let Some(path) = &self.plot {
            let name = self.left.head.as_ref().map_or("", |head| &head.problem);
            Draft::create(path)?.finish(&crate::plot::svg(name, &self.rows)?)?;
        }
        Ok(())
    }
}
