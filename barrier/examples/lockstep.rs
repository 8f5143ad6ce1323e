//! Heat spreads along a rod that four threads share, step by step.
//!
//! `cargo run --release -p phalanx-barrier --example lockstep [-- STEPS]`
//!
//! Each thread owns a stretch of the rod and reads the ends of its neighbours'.
//! Two barriers a step keep reading and writing apart. `PHALANX_SPIN_BUDGET_US`
//! and `PHALANX_BARRIER_GROUPING` are heeded, and a thread that meets a number
//! that is not finite stops the others.

use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use phalanx_barrier::{Grouping, Pace, Participant, Poisoned, Team};

const THREADS: usize = 4;
/// Cells of each thread.
const STRETCH: usize = 64;

/// Bits of the temperatures. Relaxed words, because the barrier does the ordering.
struct Rod(Vec<AtomicU64>);

impl Rod {
    fn get(&self, cell: usize) -> f64 {
        // Relaxed: the barrier between the writing and the reading makes the edge.
        f64::from_bits(self.0[cell].load(Relaxed))
    }

    fn set(&self, cell: usize, temperature: f64) {
        // Relaxed: as in `get`.
        self.0[cell].store(temperature.to_bits(), Relaxed);
    }
}

/// The part of one thread.
fn spread(me: &mut Participant, rod: &Rod, n_steps: usize) -> Result<(), Poisoned> {
    let mine = me.index() * STRETCH..(me.index() + 1) * STRETCH;
    let last = rod.0.len() - 1;
    for _ in 0..n_steps {
        let next: Vec<f64> = mine
            .clone()
            .map(|cell| {
                let (left, right) = (rod.get(cell.max(1) - 1), rod.get((cell + 1).min(last)));
                rod.get(cell) + 0.25 * (left - 2.0 * rod.get(cell) + right)
            })
            .collect();
        if !next.iter().all(|temperature| temperature.is_finite()) {
            me.poison("a temperature is not finite");
        }
        me.wait()?; // All have read.
        mine.clone()
            .zip(&next)
            .for_each(|(cell, &value)| rod.set(cell, value));
        me.wait()?; // All have written.
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let n_steps = match std::env::args().nth(1) {
        Some(steps) => steps.parse()?,
        None => 20_000,
    };
    // The first two threads share a cache, let us say, and so do the others.
    let mut team = Team::grouped(&[0, 0, 1, 1]).pace(Pace::from_env(THREADS, Pace::usable_cpus())?);
    if let Some(grouping) = Grouping::from_env()? {
        team = team.grouping(grouping);
    }

    let rod = Rod((0..THREADS * STRETCH).map(|_| AtomicU64::new(0)).collect());
    rod.set(0, 1_000.0);
    let start = Instant::now();
    let results: Vec<Result<(), Poisoned>> = thread::scope(|scope| {
        let spawn = |mut me| {
            let rod = &rod;
            scope.spawn(move || spread(&mut me, rod, n_steps))
        };
        let threads: Vec<_> = team.build().into_iter().map(spawn).collect();
        let results = threads.into_iter().map(|thread| thread.join());
        results
            .map(|result| result.expect("no thread panics"))
            .collect()
    });
    // All have the same result.
    results.into_iter().collect::<Result<(), Poisoned>>()?;

    let total: f64 = (0..rod.0.len()).map(|cell| rod.get(cell)).sum();
    println!(
        "{n_steps} steps in {:.2?}; heat {total:.6} of 1000",
        start.elapsed()
    );
    println!(
        "ends at {:.3} and {:.3} degrees",
        rod.get(0),
        rod.get(rod.0.len() - 1)
    );
    Ok(())
}
