//! Every reference problem is read, written and read again to the same problem.

mod oracle;

use std::fs;
use std::path::PathBuf;

use phalanx_engine::problem::{Basis, Measure, Picture, Problem};

fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn load(name: &str) -> Problem {
    let path = data().join(format!("{name}.problem.json"));
    Problem::load(&path).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_reference_problem_survives_the_round_trip() {
    let mut n_problems = 0;
    for entry in fs::read_dir(data()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let Some(name) = name.strip_suffix(".problem.json") else {
            continue;
        };
        let problem = load(name);
        let again = Problem::from_json(problem.to_json().as_bytes()).unwrap();
        assert_eq!(problem.name(), Some(name));
        assert_eq!(again, problem, "{name}");
        assert_eq!(again.to_json(), problem.to_json(), "{name}");
        assert_eq!(again.fingerprint(), problem.fingerprint(), "{name}");
        n_problems += 1;
    }
    assert_eq!(n_problems, 30);
}

#[test]
fn the_fields_of_a_majorana_file_arrive() {
    let problem = load("a_small_s8_l4");
    assert_eq!(
        (problem.basis(), problem.num_modes(), problem.num_slots()),
        (Basis::Majorana, 16, 32)
    );
    assert_eq!(problem.initial_state(), [0, 3, 4, 7, 8, 11, 12, 15]);
    assert_eq!(problem.core(), 0.5);
    assert_eq!(problem.observable(), [([12, 13], 0.5).into()]);
    assert_eq!(
        (
            problem.gates().len(),
            problem.parameters().len(),
            problem.repeat()
        ),
        (22, 22, 4)
    );
    assert_eq!(problem.picture(), Picture::Heisenberg);
    let truncation = problem.truncation().unwrap();
    assert_eq!(
        (truncation.measure, truncation.cutoff, truncation.lower_atol),
        (Measure::Support, 4, Some(1e-5))
    );
    assert_eq!(
        (truncation.upper_atol, truncation.max_rotated_length),
        (None, None)
    );

    // 14 hopping gates of two terms, 8 gates of three terms and an identity.
    let rotations: Vec<_> = problem.rotations().collect();
    assert_eq!(rotations.len(), 14 * 2 + 8 * 3);
    assert_eq!(rotations[1].slots, [1, 4]);
    assert_eq!((rotations[1].gate, rotations[1].parameter), (0, 0));
    assert_eq!(
        (rotations[1].coefficient, rotations[1].angle),
        (0.5, 0.07 * 0.5)
    );
    assert_eq!(
        (rotations[28].slots, rotations[28].gate),
        ([2, 3].as_slice(), 14)
    );
    assert_eq!(problem.rotations().next_back(), rotations.last().copied());
}

#[test]
fn the_options_arrive() {
    let truncation = load("x_a_len_upper").truncation().cloned().unwrap();
    assert_eq!(
        (truncation.measure, truncation.upper_atol),
        (Measure::Length, Some(1e-3))
    );
    assert_eq!(
        load("x_a_k4").truncation().unwrap().max_rotated_length,
        Some(4)
    );
    assert_eq!(
        load("x_a_schr").picture(),
        Picture::Schrodinger { cutoff: 6 }
    );
}

/// The example in the description of the format is a problem, and its hopping is what it says: the density is cos^2 of the angle so far.
#[test]
fn the_example_of_the_format_runs() {
    let text = fs::read_to_string(data().join("../../../problems/FORMAT.md")).unwrap();
    let example = text
        .split("```json")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let problem = Problem::from_json(example.as_bytes()).unwrap();
    let run = oracle::run(&problem);
    assert_eq!(run.expectation.len(), 20);
    for (step, density) in (1..).zip(run.expectation) {
        let exact = (0.1 * f64::from(step)).cos().powi(2);
        assert!(
            (density - exact).abs() < 1e-12,
            "step {step}: {density} is not {exact}"
        );
    }
}
