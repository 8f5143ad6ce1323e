//! What a user sees of a run while it goes on: a table that grows, and how far it has come.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use phalanx_barrier::Pace;
use phalanx_engine::group::Plan;
use phalanx_engine::problem::Problem;
use phalanx_engine::run::{Observer, Progress, Report, Row, Started};

use crate::check;
use crate::failure::{Failure, say};
use crate::numbers::{bytes, count, thousands};
use crate::progress::Meter;
use crate::so_far::{SoFar, lock};
use crate::stdout;

/// How often a line of progress is printed where there is no terminal to draw a bar on.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// More partitions for each CPU than this are told even to those who want quiet: most likely it is a mistake, and a slow one.
const MANY_PER_CPU: usize = 16;

/// Where the lines of the table go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// They are what the program is asked for.
    Stdout,
    /// Something else is to be alone on standard output.
    Stderr,
    /// Nobody wants to see them.
    Nowhere,
}

/// Shows a run, and keeps its rows.
pub(crate) struct Screen {
    lines: Lines,
    bar: Option<ProgressBar>,
    meter: Meter,
    last_line: Instant,
    so_far: Arc<Mutex<SoFar>>,
    /// Raised when nobody reads what the program is run for.
    stop: Option<Arc<AtomicBool>>,
    /// Why lines are not printed any more.
    failure: Option<Failure>,
}

impl Screen {
    /// `stop` is raised when standard output fails; leave it out if something else is to come of the run.
    pub(crate) fn new(
        lines: Lines,
        is_quiet: bool,
        so_far: &Arc<Mutex<SoFar>>,
        stop: Option<Arc<AtomicBool>>,
    ) -> Self {
        Screen {
            lines,
            bar: (!is_quiet && io::stderr().is_terminal()).then(bar),
            meter: Meter::new(),
            last_line: Instant::now(),
            so_far: Arc::clone(so_far),
            stop,
            failure: None,
        }
    }

    /// The last lines, once the report is there.
    pub(crate) fn report(&mut self, report: &Report) {
        self.clear();
        let unpinned = match &report.unpinned_because {
            Some(reason) => format!("\nnot pinned: {reason}"),
            None => String::new(),
        };
        let n_terms: u64 = report.terms_per_partition.iter().sum();
        let per_term = match n_terms {
            0 => String::new(),
            n => format!(
                ", {:.1} bytes per term",
                report.operator_bytes as f64 / n as f64
            ),
        };
        let peak = report
            .peak_rss_bytes
            .map_or_else(String::new, |peak| format!("; peak memory {}", bytes(peak)));
        self.print(&format!(
            "\n{:.3} s; operator {}{per_term}{peak}\nchecksum {:016x}{unpinned}",
            report.seconds,
            bytes(report.operator_bytes),
            report.checksum,
        ));
    }

    /// Removes the bar.
    pub(crate) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Whether lines could not be printed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Why lines could not be printed, if any could not.
    pub(crate) fn into_result(self) -> Result<(), Failure> {
        self.failure.map_or(Ok(()), Err)
    }

    fn print(&mut self, text: &str) {
        let lines = self.lines;
        let print = || match lines {
            Lines::Stdout => stdout::print(&format!("{text}\n")),
            Lines::Stderr => {
                say(text);
                Ok(())
            }
            Lines::Nowhere => Ok(()),
        };
        let printed = match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        };
        if let Err(failure) = printed {
            self.lines = Lines::Nowhere;
            self.failure = Some(failure);
            if let Some(stop) = &self.stop {
                // Relaxed: the flag alone is read.
                stop.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl Observer for Screen {
    fn started(&mut self, started: &Started<'_>) {
        lock(&self.so_far).start(started);
        if let Some(bar) = &self.bar {
            bar.set_length(started.problem.repeat().saturating_mul(GRAIN));
        }
        self.meter = Meter::new();
        let (n_partitions, cpus) = (started.plan.n_partitions(), Pace::usable_cpus());
        if n_partitions > MANY_PER_CPU.saturating_mul(cpus) {
            say(format_args!(
                "{} on {}: they take turns",
                count(n_partitions as u64, "partition"),
                count(cpus as u64, "CPU")
            ));
        }
        self.print(&head(started.problem, started.plan, started.mode));
    }

    fn progress(&mut self, progress: &Progress) {
        let line = self.meter.describe(progress);
        if let Some(bar) = &self.bar {
            let of_repeat = progress.gates_done * GRAIN / progress.gates.max(1);
            bar.set_position(progress.repeat.saturating_sub(1).saturating_mul(GRAIN) + of_repeat);
            bar.set_message(line);
        } else if self.lines != Lines::Nowhere && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            let (done, all) = (progress.gates_done, progress.gates);
            say(format_args!("{line} (rotation {done} of {all})"));
        }
    }

    fn row(&mut self, row: &Row) {
        lock(&self.so_far).push(row);
        self.meter.row(row);
        self.last_line = Instant::now();
        self.print(&format!(
            "{:>6} {:>14} {:>11.3}   {:?}",
            row.repeat,
            thousands(row.num_terms),
            row.seconds,
            row.expectation
        ));
    }
}

/// Positions of the bar in each repeat.
const GRAIN: u64 = 1_000;

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    // The template is a constant; if it were wrong the default one would be used.
    if let Ok(style) = ProgressStyle::with_template("{bar:10} {wide_msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// What is about to be run, and the head of the table.
fn head(problem: &Problem, plan: &Plan, mode: &str) -> String {
    let name = problem
        .name()
        .map_or_else(String::new, |name| format!("{name}: "));
    let place = match plan.placement() {
        Some(placement) if placement.refusal().is_none() => {
            format!("pinned, in {}", count(plan.n_domains() as u64, "domain"))
        }
        _ => "not pinned".to_owned(),
    };
    format!(
        "{name}{}, {}, {}\n{}, {place}; {mode} by {mode}\n\n{:>6} {:>14} {:>11}   expectation",
        problem.basis(),
        check::size(problem),
        check::circuit(problem),
        count(plan.n_partitions() as u64, "partition"),
        "repeat",
        "terms",
        "seconds",
    )
}
