//! The oracle of the other tests, tested itself: against reference runs, and against dense matrices.

mod oracle;

use std::fs;
use std::path::PathBuf;

use phalanx_engine::problem::{Basis, Problem, Truncation};
use proptest::prelude::*;
use serde_json::Value;

/// Problems that grow larger than this are left to the engine.
const MAX_TERMS: u64 = 20_000;

fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn reference(name: &str) -> (Problem, Value) {
    let problem = Problem::load(data().join(format!("{name}.problem.json"))).unwrap();
    let expected = fs::read_to_string(data().join(format!("{name}.expected.json"))).unwrap();
    (problem, serde_json::from_str(&expected).unwrap())
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs().max(1.0)
}

/// The listed operator without its identity where that is the core, largest difference to the run; `None` if the keys differ.
fn operator_gap(problem: &Problem, run: &oracle::Run, listed: &Value) -> Option<f64> {
    let schrodinger = problem
        .picture()
        .initial_pairs(problem.basis(), problem.num_modes())
        .is_some();
    let mut rest = run.operator.clone();
    let mut worst = 0.0_f64;
    for entry in listed.as_array().unwrap() {
        let slots: Vec<u32> = numbers(&entry[0])
            .into_iter()
            .map(|slot| slot as u32)
            .collect();
        if slots.is_empty() && !schrodinger {
            continue;
        }
        worst = worst.max((rest.remove(&slots)? - entry[1].as_f64().unwrap()).abs());
    }
    rest.is_empty().then_some(worst)
}

fn check(name: &str, problem: &Problem, expected: &Value) {
    let run = oracle::run(problem);
    let num_terms: Vec<f64> = run.num_terms.iter().map(|&n| n as f64).collect();
    assert_eq!(num_terms, numbers(&expected["num_terms"]), "{name}");
    for (ours, theirs) in run
        .expectation
        .iter()
        .zip(numbers(&expected["expectation"]))
    {
        assert!(
            close(*ours, theirs, 1e-12),
            "{name}: {ours} is not {theirs}"
        );
    }
    for (key, tolerance) in [("operator", 1e-13), ("operator_rounded_to_1e-12", 1e-12)] {
        if let Some(listed) = expected.get(key) {
            let gap = operator_gap(problem, &run, listed).unwrap_or(f64::INFINITY);
            assert!(gap <= tolerance, "{name}: {key} is off by {gap}");
        }
    }
    if let Some(sorted) = expected.get("coefficients_sorted") {
        let mut ours: Vec<f64> = run.operator.values().copied().collect();
        ours.sort_by(f64::total_cmp);
        let gap = ours
            .iter()
            .zip(numbers(sorted))
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        assert!(gap <= 1e-13, "{name}: coefficients are off by {gap}");
    }
}

fn check_family(prefix: &str, n_expected: usize) {
    let mut n_checked = 0;
    for entry in fs::read_dir(data()).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = file
            .strip_suffix(".problem.json")
            .filter(|name| name.starts_with(prefix))
        else {
            continue;
        };
        let (problem, expected) = reference(name);
        let largest = expected["num_terms"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_u64().unwrap())
            .max();
        if largest.unwrap() <= MAX_TERMS {
            check(name, &problem, &expected);
            n_checked += 1;
        }
    }
    assert_eq!(n_checked, n_expected);
}

#[test]
fn hubbard_references_agree() {
    check_family("a_", 3);
    check_family("a2_", 2);
}

#[test]
fn kicked_ising_references_agree() {
    check_family("b_", 4);
}

#[test]
fn tilted_ising_references_agree() {
    check_family("c_", 4);
}

#[test]
fn option_references_agree() {
    check_family("x_", 6);
}

#[test]
fn random_references_agree() {
    check_family("r_", 1);
}

#[test]
fn a_threshold_of_our_own_gives_the_listed_run() {
    let (problem, expected) = reference("r_small");
    let listed = &expected["with_lower_atol_1e-5"];
    let truncation = problem
        .truncation()
        .cloned()
        .map(|t| t.with_lower_atol(1e-5));
    let run = oracle::run(&problem.with_truncation(truncation).unwrap());
    assert_eq!(run.num_terms[0] as f64, numbers(&listed["num_terms"])[0]);
    assert!(close(
        run.expectation[0],
        numbers(&listed["expval"])[0],
        1e-12
    ));
}

/// The largest difference between the dictionary and the matrices, over all 4^N coefficients and the expectation value.
fn dense_gap(problem: &Problem, dense_of: &Problem) -> f64 {
    let run = oracle::run(problem);
    let (expectation, dense) = oracle::dense::run(dense_of);
    let schrodinger = problem
        .picture()
        .initial_pairs(problem.basis(), problem.num_modes())
        .is_some();
    let mut worst = run
        .expectation
        .last()
        .map_or(0.0, |ours| (ours - expectation).abs());
    for (slots, theirs) in dense {
        let core = if slots.is_empty() && !schrodinger {
            problem.core()
        } else {
            0.0
        };
        let ours = run.operator.get(&slots).copied().unwrap_or(0.0) + core;
        worst = worst.max((ours - theirs).abs());
    }
    worst
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn untruncated_runs_are_what_dense_matrices_give(problem in oracle::random::exact_problems(3)) {
        prop_assert!(dense_gap(&problem, &problem) < 1e-10);
    }

    /// A cutoff that keeps everything and thresholds of nothing change no term.
    #[test]
    fn a_truncation_of_nothing_is_none(problem in oracle::random::exact_problems(4)) {
        let all = Truncation::new(phalanx_engine::problem::Measure::Support, problem.num_modes().into());
        let cut = problem.clone().with_truncation(Some(all.with_max_rotated_length(problem.num_slots()))).unwrap();
        prop_assert_eq!(oracle::run(&cut).checksum, oracle::run(&problem).checksum);
    }
}

/// Four modes in both bases and pictures, once each: the matrices take too long for many.
#[test]
fn four_modes_are_what_dense_matrices_give() {
    for basis in [Basis::Majorana, Basis::Pauli] {
        for schrodinger in [false, true] {
            let problem = four_modes(basis, schrodinger, 0.4);
            let gap = dense_gap(&problem, &problem);
            assert!(gap < 1e-12, "{basis}, schrodinger: {schrodinger}: {gap}");
        }
    }
}

/// Negative control: a single reversed angle is seen.
#[test]
fn a_reversed_angle_is_seen() {
    for basis in [Basis::Majorana, Basis::Pauli] {
        let (problem, other) = (
            four_modes(basis, false, 0.4),
            four_modes(basis, false, -0.4),
        );
        assert!(dense_gap(&problem, &other) > 1e-2);
    }
}

fn four_modes(basis: Basis, schrodinger: bool, theta: f64) -> Problem {
    let picture = if schrodinger {
        phalanx_engine::problem::Picture::Schrodinger { cutoff: 8 }
    } else {
        phalanx_engine::problem::Picture::Heisenberg
    };
    Problem::builder(basis, 4)
        .initial_state([1, 3])
        .observe([], 0.25)
        .observe([0, 1], 0.5)
        .observe([0, 3, 5, 6], -1.5)
        .observe([1, 2, 4], 0.75)
        .gate(theta, [([0, 5], -0.5)])
        .gate(0.7, [(vec![1, 2, 4, 7], 1.0), (vec![0, 3], 0.3)])
        .gate(-0.2, [([3], 1.0)])
        .gate(0.9, [([2, 4, 7], 0.8)])
        .gate(0.5, [([0, 1, 2, 3, 4, 5, 6], 1.1)])
        .repeat(2)
        .picture(picture)
        .build()
        .unwrap()
}

/// The checksum of three terms on 40 modes (two words), worked out independently of this code.
#[test]
fn the_checksum_is_the_documented_one() {
    let problem = Problem::builder(Basis::Majorana, 40)
        .observe([0, 79], 0.5)
        .observe([3], -0.0)
        .observe([10, 63, 64, 70], -1.25)
        .observe([], 7.0)
        .build()
        .unwrap();
    assert_eq!(
        format!("{:016x}", oracle::run(&problem).checksum),
        "7b23d18636fb7031"
    );
}
