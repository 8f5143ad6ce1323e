//! `cargo xtask loom --mutants`: each rule of a protocol, broken on purpose, must be noticed by a model.

mod list;
pub(crate) mod runs;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

pub(crate) use list::{Mutant, parse, read};
use runs::Models;
pub(crate) use runs::{Outcome, Run};

/// Runs every mutant of the crates in `models`, prints the table, and fails if one survives.
///
/// `models` holds the name of each crate and its models, which have passed as
/// they are: models that fail anyway, or do not run, catch nothing.
pub(crate) fn check(models: &[(&str, PathBuf)], bound: Option<u64>, limit: Duration) -> Result<()> {
    let mut mutants = read()?;
    mutants.retain(|mutant| models.iter().any(|(name, _)| *name == mutant.package));
    ensure!(!mutants.is_empty(), "no mutant is listed for these crates");
    let runs = run_all(&mutants, models, bound, limit)?;
    let n_caught = mutants
        .iter()
        .zip(&runs)
        .filter(|(m, r)| r.catches(m))
        .count();
    println!("\n{}", table(&mutants, &runs));
    println!("mutants: {n_caught} of {} caught", mutants.len());
    ensure!(
        n_caught == mutants.len(),
        "{} survived",
        mutants.len() - n_caught
    );
    Ok(())
}

/// One run for each mutant, in their order, as many at a time as there are CPUs.
fn run_all(
    mutants: &[Mutant],
    models: &[(&str, PathBuf)],
    bound: Option<u64>,
    limit: Duration,
) -> Result<Vec<Run>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    // Relaxed: only the number itself is taken; results travel through the mutex.
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(mutant) = mutants.get(at) else { break };
                    let run = run_one(mutant, models, bound, limit);
                    let mut results = results.lock().unwrap_or_else(|poison| poison.into_inner());
                    results.insert(at, run);
                    eprintln!("{:>4} of {}: {}", results.len(), mutants.len(), mutant.name);
                }
            });
        }
    });
    let results = results
        .into_inner()
        .unwrap_or_else(|poison| poison.into_inner());
    results.into_values().collect()
}

fn run_one(
    mutant: &Mutant,
    models: &[(&str, PathBuf)],
    bound: Option<u64>,
    limit: Duration,
) -> Result<Run> {
    let of_package = models.iter().find(|(name, _)| *name == mutant.package);
    let (_, binary) = of_package.context("no models for its package")?;
    let asked = Models {
        mutant: Some(&mutant.name),
        bound,
        limit,
        n_threads: 1,
    };
    runs::run(binary, &asked)
}

fn table(mutants: &[Mutant], runs: &[Run]) -> String {
    let heads = [
        "mutant",
        "package",
        "caught by",
        "seconds",
        "what it breaks",
    ];
    let mut rows = vec![heads.map(str::to_owned)];
    for (mutant, run) in mutants.iter().zip(runs) {
        let verdict = match run.catches(mutant) {
            true => run.say(),
            false => format!("SURVIVED: {}", run.say()),
        };
        let seconds = format!("{:.1}", run.seconds());
        rows.push(
            [
                &mutant.name,
                &mutant.package,
                &verdict,
                &seconds,
                &mutant.breaks,
            ]
            .map(String::clone),
        );
    }
    aligned(&rows)
}

/// Columns side by side, two blanks between them.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<_> = (0..N).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::runs::{Outcome, Run};
    use super::{parse, table};

    #[test]
    fn the_table_tells_survivors_from_the_caught() {
        let mutants = parse("a.txt", "early\tp\tgoes early\nlate\tp\tgoes late\n").unwrap();
        let run = |outcome| Run {
            outcome,
            n_passed: 1,
            took: Duration::from_millis(1500),
        };
        let runs = [
            run(Outcome::Failed("flat2".to_owned())),
            run(Outcome::Passed),
        ];
        let table = table(&mutants, &runs);
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(
            lines[1],
            "early   p        flat2                      1.5      goes early"
        );
        assert!(lines[2].contains("SURVIVED"), "{table}");
    }
}
