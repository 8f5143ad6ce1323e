//! The main job as a library call: what an observer hears, how a run is stopped, and where its operator goes.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use phalanx_engine::group::Partitions;
use phalanx_engine::models::{KickedIsing, Lattice};
use phalanx_engine::problem::Problem;
use phalanx_engine::run::{Observer, Progress, Row, Run, RunError, Settings, Started, run};

fn ising(qubits: u32, steps: u64) -> Problem {
    let mut model = KickedIsing::on(Lattice::Line { sites: qubits }, qubits / 2);
    model.steps = steps;
    model.problem().unwrap()
}

fn on(n: usize) -> Settings {
    let mut settings = Settings::default();
    settings.partitions = Partitions::Exactly(NonZeroUsize::new(n).unwrap());
    settings
}

/// Writes down what it hears.
#[derive(Default)]
struct Diary {
    n_started: usize,
    rows: Vec<Row>,
    progress: Vec<Progress>,
}

impl Observer for Diary {
    fn started(&mut self, started: &Started<'_>) {
        assert!(self.rows.is_empty() && self.progress.is_empty());
        assert_eq!(started.plan.n_partitions(), 2);
        self.n_started += 1;
    }

    fn progress(&mut self, progress: &Progress) {
        self.progress.push(*progress);
    }

    fn row(&mut self, row: &Row) {
        self.rows.push(*row);
    }
}

#[test]
fn an_observer_hears_of_the_start_then_of_each_row_and_the_report_has_the_same() {
    let mut diary = Diary::default();
    let report = run(&ising(6, 4), &on(2), &mut diary).unwrap();
    assert_eq!(diary.n_started, 1);
    let repeats: Vec<_> = diary.rows.iter().map(|row| row.repeat).collect();
    assert_eq!(repeats, [1, 2, 3, 4]);
    let terms: Vec<_> = diary.rows.iter().map(|row| row.num_terms).collect();
    assert_eq!(terms, report.num_terms);
    let values: Vec<_> = diary.rows.iter().map(|row| row.expectation).collect();
    assert_eq!(values, report.expectation);
    assert_eq!(report.partitions, 2);
    assert_eq!(report.terms_per_partition.len(), 2);
}

/// Raises the flag at the second row.
struct Enough<'a> {
    stop: &'a AtomicBool,
    rows: usize,
    raised: Option<Instant>,
}

impl Observer for Enough<'_> {
    fn row(&mut self, _: &Row) {
        self.rows += 1;
        if self.rows == 2 {
            self.raised = Some(Instant::now());
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_flag_that_is_raised_ends_the_run_and_leaves_the_rows() {
    let problem = ising(9, 1_000_000);
    for n in [1, 2, 3] {
        let stop = AtomicBool::new(false);
        let mut observer = Enough {
            stop: &stop,
            rows: 0,
            raised: None,
        };
        let result = Run::new(&problem, &on(n)).stop(&stop).go(&mut observer);
        assert!(matches!(result, Err(RunError::Interrupted)), "{result:?}");
        assert!(observer.rows >= 2);
        assert!(observer.raised.unwrap().elapsed() < Duration::from_secs(1));
    }
}

#[test]
fn a_flag_that_was_raised_before_leaves_nothing_to_do() {
    let stop = AtomicBool::new(true);
    let result = Run::new(&ising(4, 3), &on(2)).stop(&stop).go(&mut ());
    assert!(matches!(result, Err(RunError::Interrupted)), "{result:?}");
}

#[test]
fn an_observer_that_panics_ends_the_run() {
    struct Startled;
    impl Observer for Startled {
        fn row(&mut self, _: &Row) {
            std::panic::resume_unwind(Box::new("a row"));
        }
    }
    let began = Instant::now();
    let result =
        std::panic::catch_unwind(|| run(&ising(9, 1_000_000), &on(2), &mut Startled).is_ok());
    assert_eq!(result.unwrap_err().downcast_ref(), Some(&"a row"));
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn the_operator_is_written_once_whole() {
    let problem = ising(6, 3);
    let mut bytes = Vec::new();
    let report = Run::new(&problem, &on(3))
        .operator_to(&mut bytes)
        .go(&mut ())
        .unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let mut slots: Vec<Vec<u32>> = text
        .lines()
        .map(|line| serde_json::from_str::<(Vec<u32>, f64)>(line).unwrap().0)
        .collect();
    assert_eq!(slots.len() as u64, *report.num_terms.last().unwrap());
    slots.sort();
    slots.dedup();
    assert_eq!(slots.len() as u64, *report.num_terms.last().unwrap());
}

#[test]
fn an_operator_that_cannot_be_written_is_the_one_cause() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::other("no room"))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for n in [1, 2, 3] {
        let result = Run::new(&ising(6, 3), &on(n))
            .operator_to(&mut Full)
            .go(&mut ());
        match result.unwrap_err() {
            RunError::Write(error) => assert_eq!(error.to_string(), "no room"),
            other => panic!("{other}"),
        }
    }
}
