//! The rows of a run so far, and what is left of them when it is interrupted.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use phalanx_engine::run::{Row, Started};
use serde::Serialize;

use crate::args::RunArgs;
use crate::failure::{CTRL_C, Failure, say};
use crate::files::Draft;
use crate::numbers::count;
use crate::stdout;

/// What a run that ends early leaves as JSON: the keys of a report that are known by then, and one that says why the others are missing.
#[derive(Debug, Default, Serialize)]
struct Json {
    #[serde(flatten)]
    head: Option<Head>,
    num_terms: Vec<u64>,
    expectation: Vec<f64>,
    seconds_per_repeat: Vec<f64>,
    interrupted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
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
    /// The exit code that a signal asked for.
    code: Option<u8>,
    /// They have been taken.
    is_over: bool,
}

/// The rows that were taken, and where the report was to go.
#[derive(Debug, Default)]
pub(crate) struct Left {
    json: Json,
    repeats: u64,
    rows: Vec<Row>,
    to_stdout: bool,
    out: Option<PathBuf>,
    plot: Option<PathBuf>,
}

/// Nobody writes to a file or a stream while holding it: that may take forever.
pub(crate) fn lock(so_far: &Mutex<SoFar>) -> MutexGuard<'_, SoFar> {
    so_far.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SoFar {
    /// No rows yet, of a run whose report goes where these flags say.
    pub(crate) fn of(args: &RunArgs) -> Self {
        SoFar {
            left: Left {
                to_stdout: args.json,
                out: args.out.clone(),
                plot: args.plot.clone(),
                ..Left::default()
            },
            ..SoFar::default()
        }
    }

    pub(crate) fn start(&mut self, started: &Started<'_>) {
        let problem = started.problem;
        self.left.repeats = problem.repeat();
        self.left.json.head = Some(Head {
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
        self.left.rows.push(*row);
        self.left.json.num_terms.push(row.num_terms);
        self.left.json.expectation.push(row.expectation);
        self.left.json.seconds_per_repeat.push(row.seconds);
    }

    /// Called before the run is asked to stop, so that whoever sees it stopped sees the code. The first signal has the say.
    pub(crate) fn end_with(&mut self, code: u8) {
        self.code.get_or_insert(code);
    }

    /// The exit code of an interrupted run.
    pub(crate) fn code(&self) -> u8 {
        self.code.unwrap_or(CTRL_C)
    }

    /// The rows, for whoever asks first. From here on there is nothing to leave.
    pub(crate) fn take(&mut self) -> Option<Left> {
        let is_over = std::mem::replace(&mut self.is_over, true);
        (!is_over).then(|| std::mem::take(&mut self.left))
    }
}

impl Left {
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Leaves the rows wherever the report was to go, as far as it can be written to. Without an error the run was interrupted.
    pub(crate) fn write(mut self, error: Option<String>) -> Result<(), Failure> {
        self.json.interrupted = error.is_none();
        self.json.error = error;
        match &self.json.head {
            _ if !self.json.interrupted => {}
            Some(_) => say(format_args!(
                "interrupted after {} of {}",
                self.rows.len(),
                count(self.repeats, "repeat")
            )),
            None => say("interrupted before the first repeat"),
        }
        let json = serde_json::to_string(&self.json)
            .map_err(|error| Failure::write("the report", &io::Error::from(error)))?
            + "\n";
        let out = self.write_out(&json);
        let plot = self.write_plot();
        let printed = match self.to_stdout {
            true => stdout::print(&json),
            false => Ok(()),
        };
        out.and(plot).and(printed)
    }

    fn write_out(&self, json: &str) -> Result<(), Failure> {
        match &self.out {
            Some(path) => Draft::create(path)?.finish(json),
            None => Ok(()),
        }
    }

    fn write_plot(&self) -> Result<(), Failure> {
        match &self.plot {
            Some(path) => {
                let name = self.json.head.as_ref().map_or("", |head| &head.problem);
                Draft::create(path)?.finish(&crate::plot::svg(name, &self.rows)?)
            }
            None => Ok(()),
        }
    }
}
