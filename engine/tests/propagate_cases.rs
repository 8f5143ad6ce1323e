//! Faults that users of other propagation programs met, each with the right number (from dense matrices).
//!
//! Rotations here are the textbook's R_P(t) = exp(-i t P / 2): ours with theta = -t / 2.

mod world;

use std::f64::consts::PI;

use phalanx_engine::problem::{Basis, Problem, ProblemBuilder};

/// The slots of a Pauli string, one letter per qubit.
fn pauli(letters: &str) -> Vec<u32> {
    let slots = letters
        .chars()
        .zip(0..)
        .flat_map(|(letter, q)| match letter {
            'X' => vec![2 * q],
            'Y' => vec![2 * q + 1],
            'Z' => vec![2 * q, 2 * q + 1],
            _ => vec![],
        });
    slots.collect()
}

/// `letters` on the qubits `at` of `n`.
fn on(n: usize, letters: &str, at: &[usize]) -> Vec<u32> {
    let mut all = vec!['I'; n];
    letters
        .chars()
        .zip(at)
        .for_each(|(letter, &q)| all[q] = letter);
    pauli(&all.into_iter().collect::<String>())
}

trait Textbook {
    fn r(self, letters: &str, t: f64) -> Self;
}

impl Textbook for ProblemBuilder {
    fn r(self, letters: &str, t: f64) -> Self {
        self.gate(-t / 2.0, [(pauli(letters), 1.0)])
    }
}

fn value(problem: &Problem) -> f64 {
    let values = world::MODES.map(|mode| world::run(problem, mode, 1).outcome.expectation);
    assert_eq!(values[0], values[1]);
    f64::from_bits(*values[0].last().unwrap())
}

#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

/// The sign and the factor two of rotations: RX(0.3) on |0>, and a rotation of a Majorana operator.
#[test]
fn rotations_turn_as_the_textbook_says() {
    let rx = |letter: &str| {
        let problem = Problem::builder(Basis::Pauli, 1)
            .observe(pauli(letter), 1.0)
            .r("X", 0.3);
        value(&problem.build().unwrap())
    };
    near(rx("Z"), 0.955336489);
    near(rx("Y"), -0.295520207);
    let problem = Problem::builder(Basis::Majorana, 1)
        .observe([0], 1.0)
        .gate(-0.15, [([0, 1], 1.0)]);
    let operator = world::run(&problem.build().unwrap(), world::MODES[0], 1).operator;
    near(operator[&vec![0]], 0.955336489);
    near(operator[&vec![1]], 0.295520207);
}

/// The last gate counts, whatever their number.
#[test]
fn every_flip_is_seen() {
    for flips in 0..4 {
        let begin = Problem::builder(Basis::Pauli, 1).observe(pauli("Z"), 1.0);
        let problem = (0..flips).fold(begin, |problem, _| problem.r("X", PI));
        near(value(&problem.build().unwrap()), [1.0, -1.0][flips % 2]);
    }
}

/// Generators of three and five qubits.
#[test]
fn wide_generators_rotate() {
    let check = |generator: &str, observable: &str, expected: &[(&str, f64)]| {
        let n = generator.len() as u32;
        let problem = Problem::builder(Basis::Pauli, n)
            .observe(pauli(observable), 1.0)
            .r(generator, 0.3);
        let operator = world::run(&problem.build().unwrap(), world::MODES[1], 1).operator;
        assert_eq!(operator.len(), expected.len());
        for (letters, coefficient) in expected {
            near(operator[&pauli(letters)], *coefficient);
        }
    };
    check("XYZ", "ZII", &[("ZII", 0.955336489), ("YYZ", 0.295520207)]);
    check(
        "XYZXY",
        "ZIIII",
        &[("ZIIII", 0.955336489), ("YYZXY", 0.295520207)],
    );
    check("XYZXY", "ZZIII", &[("ZZIII", 1.0)]);
}

/// A product of Z is never cut by a weight cutoff, at the start or later.
#[test]
fn diagonal_strings_survive_any_cutoff() {
    use phalanx_engine::problem::{Measure, Truncation};
    for cutoff in [0, 2, 4, 6] {
        let problem = Problem::builder(Basis::Pauli, 6)
            .observe(pauli("ZZZZZZ"), 1.0)
            .truncation(Truncation::new(Measure::Support, cutoff));
        near(value(&problem.build().unwrap()), 1.0);
    }
}

/// An identity generator is a global phase.
#[test]
fn an_identity_generator_does_nothing() {
    let problem = Problem::builder(Basis::Pauli, 2)
        .observe(pauli("XZ"), 0.5)
        .gate(0.7, [(vec![], 1.0)]);
    let run = world::run(&problem.build().unwrap(), world::MODES[0], 1);
    assert_eq!(
        run.operator.into_iter().collect::<Vec<_>>(),
        [(pauli("XZ"), 0.5)]
    );
}

/// Which qubit is occupied, and which letter stands for which.
#[test]
fn qubits_are_counted_from_the_left() {
    let read = |letters: &str| {
        let problem = Problem::builder(Basis::Pauli, 2)
            .initial_state([0])
            .observe(pauli(letters), 1.0);
        value(&problem.build().unwrap())
    };
    assert_eq!(
        [read("ZI"), read("IZ"), read("ZZ"), read("XI")],
        [-1.0, 1.0, -1.0, 0.0]
    );
}

/// A kicked chain, on many numbers of partitions, twice each.
#[test]
fn partitions_change_speed_only() {
    let kicked = |observable: Vec<u32>| {
        let mut problem = Problem::builder(Basis::Pauli, 6)
            .observe(observable, 1.0)
            .repeat(3);
        for q in 0..5 {
            problem = problem.gate(0.25, [(on(6, "ZZ", &[q, q + 1]), 1.0)]);
        }
        for q in 0..6 {
            problem = problem.gate(-0.4, [(on(6, "X", &[q]), 1.0)]);
        }
        problem.build().unwrap()
    };
    near(value(&kicked(on(6, "Z", &[2]))), -0.238867163017);
    near(value(&kicked(on(6, "ZZ", &[0, 5]))), 0.235032107452);
    let problem = kicked(on(6, "Z", &[2]));
    let first = world::run(&problem, world::MODES[0], 1);
    assert_eq!(first.operator.len(), 297);
    near(first.operator.values().map(|c| c * c).sum(), 1.0);
    for n in [1, 2, 3, 5, 8, 1, 2, 3, 5, 8] {
        for mode in world::MODES {
            let run = world::run(&problem, mode, n);
            assert_eq!(
                (run.outcome, run.operator),
                (first.outcome.clone(), first.operator.clone())
            );
        }
    }
}

/// Trotter steps of an all-to-all Heisenberg model converge as first order does, four times closer per halving.
#[test]
fn long_range_trotter_steps_converge() {
    let exact = 0.6619859234592125;
    for (steps, error) in [(5, -7.347e-4), (10, -1.835e-4), (20, -4.587e-5)] {
        let mut problem = Problem::builder(Basis::Pauli, 6)
            .initial_state([1, 3, 5])
            .repeat(steps);
        for q in 0..6 {
            let sign = if q % 2 == 0 { 1.0 } else { -1.0 };
            problem = problem.observe(on(6, "Z", &[q]), sign / 6.0);
        }
        let dt = 0.5 / steps as f64;
        for (i, j) in (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j))) {
            for letters in ["XX", "YY", "ZZ"] {
                problem = problem.gate(-dt / 4.0, [(on(6, letters, &[i, j]), 1.0)]);
            }
        }
        let found = value(&problem.build().unwrap()) - exact;
        assert!(
            (found - error).abs() < 1e-3 * error.abs(),
            "{steps} steps: {found}, not {error}"
        );
    }
}
