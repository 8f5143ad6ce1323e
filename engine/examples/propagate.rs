//! Propagates a problem file and prints a row for each repeat: the library in a few lines.
//!
//! `cargo run --release -p phalanx-engine --example propagate -- problems/hubbard_60.json [auto|gate|window]`

use std::error::Error;

use phalanx_engine::problem::Problem;
use phalanx_engine::run::{Observer, Row, Settings, run};

struct Print;

impl Observer for Print {
    fn row(&mut self, row: &Row) {
        println!(
            "{:4} {:12} {:24.16e}",
            row.repeat, row.num_terms, row.expectation
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let problem = Problem::load(arguments.next().ok_or("which problem file?")?)?;
    let mut settings = Settings::from_env()?;
    if let Some(mode) = arguments.next() {
        settings.mode = mode.parse()?;
    }
    let report = run(&problem, &settings, &mut Print)?;
    let terms: u64 = report.terms_per_partition.iter().sum();
    let bytes = report.operator_bytes as f64 / terms.max(1) as f64;
    println!(
        "checksum {:016x}, {:.3} s, {bytes:.1} bytes a term",
        report.checksum, report.seconds
    );
    Ok(())
}
