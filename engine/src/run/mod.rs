//! The main job: a problem, propagated on all partitions of this rank, with a row for each repeat and a report at the end.
//!
//! [`run`] is the short form. [`Run`] also takes a flag that stops the run, and somewhere to write the final operator to.

mod error;
mod job;
mod live;
mod memory;
mod observer;
mod operator_lines;
mod report;
mod settings;

pub use error::{PartitionError, RunError};
pub use observer::{Observer, Progress, Started};
pub use report::{Report, Row};
pub use settings::{ModeChoice, Settings};

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use job::{Event, Job};
use live::Live;

use crate::fault;
use crate::group::{Plan, SettingError, run_supervised};
use crate::problem::Problem;

/// How often an observer hears of progress.
const TICK: Duration = Duration::from_millis(100);

/// Propagates a problem as `settings` say, and tells `observer` of each repeat as it is done.
///
/// # Errors
/// As for [`Run::go`].
///
/// # Examples
/// ```
/// use phalanx_engine::problem::{Basis, Problem};
/// use phalanx_engine::run::{Observer, Row, Settings, run};
///
/// struct Print;
/// impl Observer for Print {
///     fn row(&mut self, row: &Row) {
///         println!("{} {} {}", row.repeat, row.num_terms, row.expectation);
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Z on qubit 1 under exp(+i 0.3 X_1), then exp(+i 0.2 Z_0 Z_1), three times.
/// let problem = Problem::builder(Basis::Pauli, 2)
///     .observe([2, 3], 1.0)
///     .gate(0.3, [([2], 1.0)])
///     .gate(0.2, [([0, 1, 2, 3], 1.0)])
///     .repeat(3)
///     .build()?;
/// let report = run(&problem, &Settings::default(), &mut Print)?;
/// assert_eq!(report.num_terms.len(), 3);
/// # Ok(())
/// # }
/// ```
pub fn run(
    problem: &Problem,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Report, RunError> {
    Run::new(problem, settings).go(observer)
}

/// One run, described before it is started.
pub struct Run<'a> {
    problem: &'a Problem,
    settings: &'a Settings,
    stop: Option<&'a AtomicBool>,
    operator: Option<&'a mut (dyn Write + Send)>,
}

impl<'a> Run<'a> {
    /// A run that nothing stops, and that keeps the final operator to itself.
    pub fn new(problem: &'a Problem, settings: &'a Settings) -> Self {
        Run {
            problem,
            settings,
            stop: None,
            operator: None,
        }
    }

    /// Ends the run with [`RunError::Interrupted`] soon after this flag has been raised.
    #[must_use]
    pub fn stop(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Writes the final operator, a line of JSON for each term: `[[slots],c]`, c with 17 significant digits, in any order, and flushes it.
    ///
    /// The identity of a Heisenberg observable is kept apart and not among them. Memory for it is a buffer per partition, not a copy.
    #[must_use]
    pub fn operator_to(mut self, operator: &'a mut (dyn Write + Send)) -> Self {
        self.operator = Some(operator);
        self
    }

    /// Runs. The calling thread tells `observer`, and comes back when all others have ended.
    ///
    /// # Errors
    /// - [`RunError::Plan`]: nothing was started.
    /// - [`RunError::Interrupted`]: the stop flag was raised; the observer has the rows so far.
    /// - [`RunError::Write`]: the operator could not be written; all rows are done.
    /// - [`RunError::Group`]: a thread did not start, or a partition failed; the first cause.
    pub fn go(self, observer: &mut dyn Observer) -> Result<Report, RunError> {
        let began = Instant::now();
        let rss_before_bytes = memory::resident_bytes();
        fault::arm()
            .map_err(|fault| SettingError::unknown(fault::VARIABLE, fault.value, fault.known))?;
        let plan = Plan::new(self.settings.partitions, self.settings.pinning)?;
        if let Some(placement) = plan.placement() {
            placement.log_refusal_once();
        }
        let (problem, live) = (self.problem, Live::new(plan.n_partitions()));
        let never = AtomicBool::new(false);
        let (events, received) = channel();
        let job = Job {
            problem,
            mode: self.settings.mode.resolve(problem),
            began,
            stop: self.stop.unwrap_or(&never),
            live: &live,
            events: Mutex::new(Some(events)),
            operator: self.operator.map(Mutex::new),
        };
        let mut rows = Vec::new();
        let mut head = None;
        let outcome = run_supervised(
            &plan,
            |comm| job.run(comm),
            |group| loop {
                match received.recv_timeout(TICK) {
                    Ok(Event::Started(started)) => {
                        observer.started(&Started {
                            problem,
                            plan: &plan,
                            mode: started.mode,
                        });
                        head = Some(started);
                    }
                    Ok(Event::Row(row)) => {
                        observer.row(&row);
                        rows.push(row);
                    }
                    Err(RecvTimeoutError::Timeout) if head.is_some() && !group.is_over() => {
                        observer.progress(&live.progress(problem.repeat()));
                    }
                    // Partition 0 may have ended before it could say anything.
                    Err(RecvTimeoutError::Timeout) if group.is_over() => break,
                    Err(RecvTimeoutError::Timeout) => {}
                    // Partition 0 has ended, one way or another.
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            },
        )?;
        if let Some(operator) = job.operator {
            let operator = operator
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner);
            operator.flush().map_err(RunError::Write)?;
        }
        Ok(report::assemble(report::Parts {
            problem,
            plan: &plan,
            head: head.unwrap_or_default(),
            rows,
            outcome,
            rss_before_bytes,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufWriter};

    use super::*;
    use crate::problem::Basis;

    /// Takes nothing, as a full disk.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_operator_that_a_buffer_holds_is_written_before_the_report() {
        let problem = Problem::builder(Basis::Pauli, 1)
            .observe([1], 1.0)
            .gate(0.3, [([0], 1.0)])
            .build()
            .unwrap();
        let settings = Settings {
            partitions: "1".parse().unwrap(),
            ..Settings::default()
        };
        let mut full = BufWriter::new(Full);
        let result = Run::new(&problem, &settings)
            .operator_to(&mut full)
            .go(&mut ());
        assert!(matches!(result, Err(RunError::Write(_))), "{result:?}");
        // What it still holds must not be written again when it is dropped.
        drop(full.into_parts());
    }
}
