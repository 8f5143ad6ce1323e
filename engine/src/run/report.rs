//! What a run brings home: a row for each repeat, and the report, whose JSON form programs rely on.

use serde::{Serialize, Serializer};

use super::job::{Head, Share};
use super::memory;
use crate::group::{Outcome, Plan};
use crate::problem::Problem;

/// One repeat of the circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// Which repeat, counted from 1.
    pub repeat: u64,
    /// Terms after it, on all partitions.
    pub num_terms: u64,
    /// The expectation value after it, the same bits for any number of partitions.
    pub expectation: f64,
    /// Seconds that it took, evaluation not included.
    pub seconds: f64,
}

/// What a run found. As JSON it is an object with one key for each field that is not marked otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The problem's name; empty if it has none.
    pub problem: String,
    /// `majorana` or `pauli`.
    pub basis: &'static str,
    /// Modes or qubits.
    pub num_modes: u32,
    /// Ranks of the world.
    pub ranks: usize,
    /// Partitions of each rank.
    pub partitions: usize,
    /// How the circuit was walked.
    pub mode: &'static str,
    /// Terms after each repeat.
    pub num_terms: Vec<u64>,
    /// The expectation value after each repeat.
    pub expectation: Vec<f64>,
    /// Planning and propagation together, without reading the file and without evaluating.
    pub seconds: f64,
    /// Propagation, repeat by repeat.
    pub seconds_per_repeat: Vec<f64>,
    /// Of the final operator's (monomial, coefficient bits); 16 hex digits in JSON.
    #[serde(serialize_with = "as_hex")]
    pub checksum: u64,
    /// Bytes of the final operator, everything that stays between gates included, on all partitions.
    pub operator_bytes: u64,
    /// The most memory that the process ever had; `None` where the system does not tell.
    pub peak_rss_bytes: Option<u64>,
    /// What it had before the run; `None` where the system does not tell.
    pub rss_before_bytes: Option<u64>,
    /// Terms of the final operator on each partition.
    pub terms_per_partition: Vec<u64>,
    /// Whether every partition ran pinned where the plan had it.
    pub pinned: bool,
    /// How many domains the partitions are in.
    pub domains: usize,
    /// Why they were not pinned, if they were to be. Not in JSON.
    #[serde(skip)]
    pub unpinned_because: Option<String>,
}

impl Report {
    /// The report as one line of JSON.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists of them have a JSON form.
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn as_hex<S: Serializer>(checksum: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{checksum:016x}"))
}

/// What a report is made of.
pub(super) struct Parts<'a> {
    pub(super) problem: &'a Problem,
    pub(super) plan: &'a Plan,
    pub(super) head: Head,
    pub(super) rows: Vec<Row>,
    pub(super) outcome: Outcome<Share>,
    pub(super) rss_before_bytes: Option<u64>,
}

pub(super) fn assemble(parts: Parts<'_>) -> Report {
    let Parts {
        problem,
        plan,
        head,
        rows,
        outcome: Outcome { results, pins },
        rss_before_bytes,
    } = parts;
    let refusal = plan.placement().and_then(|placement| placement.refusal());
    let seconds_per_repeat: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
    Report {
        problem: problem.name().unwrap_or_default().to_owned(),
        basis: problem.basis().name(),
        num_modes: problem.num_modes(),
        ranks: 1,
        partitions: plan.n_partitions(),
        mode: head.mode,
        num_terms: rows.iter().map(|row| row.num_terms).collect(),
        expectation: rows.iter().map(|row| row.expectation).collect(),
        seconds: head.planning + seconds_per_repeat.iter().sum::<f64>(),
        seconds_per_repeat,
        checksum: results.first().map_or(0, |share| share.checksum),
        operator_bytes: results.iter().map(|share| share.operator_bytes).sum(),
        peak_rss_bytes: memory::peak_bytes(),
        rss_before_bytes,
        terms_per_partition: results.iter().map(|share| share.local_terms).collect(),
        pinned: pins.iter().all(|pin| pin.is_taken()),
        domains: plan.n_domains(),
        unpinned_because: refusal
            .map(ToString::to_string)
            .or_else(|| pins.iter().find_map(|pin| pin.refused.clone())),
    }
}
