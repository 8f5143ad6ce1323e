//! Runs a problem on so many partitions, for tests of what comes out.

// Each test binary uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeMap;

use phalanx_engine::Mode;
use phalanx_engine::problem::Problem;
use phalanx_engine::run::{ModeChoice, Run, Settings};

/// Both ways to walk a circuit.
pub(crate) const MODES: [Mode; 2] = [Mode::Gate, Mode::Window];

/// What a run gives, the same at every number of partitions and in either mode.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) num_terms: Vec<u64>,
    /// Bits, so that they are compared as such.
    pub(crate) expectation: Vec<u64>,
    pub(crate) checksum: u64,
}

/// A run and the terms at its end.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) outcome: Outcome,
    pub(crate) operator: BTreeMap<Vec<u32>, f64>,
    pub(crate) terms_per_partition: Vec<u64>,
    pub(crate) operator_bytes: u64,
}

/// Runs `problem` on `n` partitions.
pub(crate) fn run(problem: &Problem, mode: Mode, n: usize) -> World {
    let mut settings = Settings::default();
    settings.partitions = n.to_string().parse().unwrap();
    settings.mode = ModeChoice::Exactly(mode);
    let mut lines = Vec::new();
    let run = Run::new(problem, &settings).operator_to(&mut lines);
    let report = run.go(&mut ()).unwrap();
    let mut operator = BTreeMap::new();
    for line in serde_json::Deserializer::from_slice(&lines).into_iter::<(Vec<u32>, f64)>() {
        let (slots, coefficient) = line.unwrap();
        assert!(
            operator.insert(slots, coefficient).is_none(),
            "no term is stored twice"
        );
    }
    let n_terms: u64 = report.terms_per_partition.iter().sum();
    assert_eq!(n_terms, operator.len() as u64, "every term is written");
    assert_eq!(report.terms_per_partition.len(), n);
    World {
        outcome: Outcome {
            num_terms: report.num_terms,
            expectation: report.expectation.iter().map(|x| x.to_bits()).collect(),
            checksum: report.checksum,
        },
        operator,
        terms_per_partition: report.terms_per_partition,
        operator_bytes: report.operator_bytes,
    }
}
