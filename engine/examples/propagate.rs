//! Propagates a problem file on this thread alone: the library in a few lines.
//!
//! `cargo run --release -p phalanx-engine --example propagate -- problems/hubbard_60.json [gate|window]`

use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use phalanx_engine::problem::Problem;
use phalanx_engine::{Mode, Propagator};
use phalanx_shmcomm::{Team, team};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which problem file?")?;
    let problem = Problem::load(path)?;
    let mode = match std::env::args().nth(2).as_deref() {
        Some("gate") => Mode::Gate,
        _ => Mode::Window,
    };
    let (mut comm, stop) = (team(Team::flat(1)).remove(0), AtomicBool::new(false));
    let begin = Instant::now();
    let mut propagator = Propagator::new(&problem, mode, &mut comm, &stop)?;
    let mut busy = begin.elapsed();
    for repeat in 1..=problem.repeat() {
        let begin = Instant::now();
        propagator.apply_circuit(&mut |_| {})?;
        busy += begin.elapsed();
        let (terms, value) = (propagator.num_terms()?, propagator.expectation()?);
        println!("{repeat:4} {terms:12} {value:24.16e}");
    }
    println!("{:?}", propagator.counts());
    let (bytes, terms) = (propagator.operator_bytes(), propagator.local_terms().max(1));
    println!(
        "checksum {:016x}, {:.3} s, {:.1} bytes a term",
        propagator.checksum()?,
        busy.as_secs_f64(),
        bytes as f64 / terms as f64
    );
    Ok(())
}
