//! Runs a problem on S threads of a world of its own, for tests of what comes out.

// Each test binary uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::thread;

use phalanx_engine::Propagator;
use phalanx_engine::problem::Problem;
use phalanx_shmcomm::{Communicator, ShmComm, Team, team};

/// What a run gives, the same at every number of participants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) num_terms: Vec<u64>,
    /// Bits, so that they are compared as such.
    pub(crate) expectation: Vec<u64>,
    pub(crate) checksum: u64,
}

/// A run and the terms at its end.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) outcome: Outcome,
    pub(crate) operator: BTreeMap<Vec<u32>, f64>,
    pub(crate) local_terms: Vec<u64>,
    pub(crate) operator_bytes: u64,
}

/// Runs `problem` on `n` threads.
pub(crate) fn run(problem: &Problem, n: usize) -> Run {
    let shares: Vec<Run> = thread::scope(|scope| {
        let threads: Vec<_> = team(Team::flat(n))
            .into_iter()
            .map(|comm| scope.spawn(|| participate(problem, comm)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no participant panics"))
            .collect()
    });
    let (mut operator, mut n_terms) = (BTreeMap::new(), 0);
    for share in &shares {
        assert_eq!(
            share.outcome, shares[0].outcome,
            "all participants are told the same"
        );
        n_terms += share.operator.len();
        operator.extend(share.operator.clone());
    }
    assert_eq!(n_terms, operator.len(), "each term has one owner");
    Run {
        outcome: shares[0].outcome.clone(),
        operator,
        local_terms: shares
            .iter()
            .flat_map(|share| share.local_terms.clone())
            .collect(),
        operator_bytes: shares.iter().map(|share| share.operator_bytes).sum(),
    }
}

fn participate(problem: &Problem, mut comm: ShmComm) -> Run {
    let stop = AtomicBool::new(false);
    let mut propagator = Propagator::new(problem, &mut comm, &stop).unwrap();
    let (mut num_terms, mut expectation) = (Vec::new(), Vec::new());
    for _ in 0..problem.repeat() {
        propagator.apply_circuit(&mut |_| {}).unwrap();
        num_terms.push(propagator.num_terms().unwrap());
        expectation.push(propagator.expectation().unwrap().to_bits());
    }
    let mut operator = BTreeMap::new();
    propagator.for_each_term(&mut |slots, coefficient| {
        assert!(
            operator.insert(slots.to_vec(), coefficient).is_none(),
            "no term is stored twice"
        );
    });
    let run = Run {
        outcome: Outcome {
            num_terms,
            expectation,
            checksum: propagator.checksum().unwrap(),
        },
        operator,
        local_terms: vec![propagator.local_terms()],
        operator_bytes: propagator.operator_bytes(),
    };
    drop(propagator);
    comm.agree(Ok::<_, String>(())).unwrap();
    run
}
