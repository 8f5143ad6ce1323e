//! Random small problems, for property tests of everything that runs problems.

use std::f64::consts::FRAC_PI_8;

use phalanx_engine::problem::{Basis, Measure, Picture, Problem, Term, Truncation};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{Key, anticommute};

/// Angles at which sines are 0, 1 and in between. The doubled angle is what counts.
const ANGLES: &[f64] = &[
    0.0,
    FRAC_PI_8,
    2.0 * FRAC_PI_8,
    -FRAC_PI_8,
    0.3,
    -0.07,
    1e-6,
    1.1,
];
const COEFFICIENTS: &[f64] = &[1.0, -1.0, 0.5, -0.25, 1e-3, 0.0, 1.7];

/// Problems of up to `max_modes` modes with any of the options: both bases and pictures, thresholds that are met exactly, cap, repeats, multi-term gates, shared parameters.
pub(crate) fn problems(max_modes: u32) -> impl Strategy<Value = Problem> {
    exact_problems(max_modes).prop_flat_map(|problem| {
        (
            Just(problem.clone()),
            proptest::option::weighted(0.9, truncations(&problem)),
            0..=problem.num_modes() + 1,
        )
            .prop_map(|(problem, truncation, cutoff)| {
                // In half of the cases a smaller initial state than the complete one.
                let picture = match problem.picture() {
                    Picture::Schrodinger { .. } => Picture::Schrodinger {
                        cutoff: cutoff.into(),
                    },
                    heisenberg => heisenberg,
                };
                problem
                    .with_truncation(truncation)
                    .and_then(|p| p.with_picture(picture))
                    .unwrap()
            })
    })
}

/// The same without truncation, and with the whole of the initial state: what dense matrices compute.
pub(crate) fn exact_problems(max_modes: u32) -> impl Strategy<Value = Problem> {
    (
        1..=max_modes,
        select(vec![Basis::Majorana, Basis::Pauli]),
        any::<bool>(),
    )
        .prop_flat_map(|(modes, basis, schrodinger)| {
            let term = (slots(modes), select(COEFFICIENTS));
            let observable = proptest::collection::vec(term.clone(), 0..6);
            let generator = proptest::collection::vec(term, 0..4);
            let gates = proptest::collection::vec((generator, any::<Index>()), 0..7);
            let parameters = proptest::collection::vec(select(ANGLES), 1..5);
            let occupied = proptest::collection::btree_set(0..modes, 0..=modes as usize);
            (observable, gates, parameters, occupied, 0_u64..4).prop_map(
                move |(observable, gates, parameters, occupied, repeat)| {
                    let mut builder = Problem::builder(basis, modes)
                        .initial_state(occupied.into_iter().collect::<Vec<u32>>())
                        .repeat(repeat);
                    for (slots, coefficient) in observable {
                        builder = builder.observe(slots, coefficient);
                    }
                    for (generator, index) in gates {
                        builder = builder.shared_gate(
                            index.index(parameters.len()),
                            commuting(basis, modes, generator),
                        );
                    }
                    for theta in parameters {
                        builder = builder.parameter(theta);
                    }
                    if schrodinger {
                        builder = builder.picture(Picture::Schrodinger {
                            cutoff: 2 * u64::from(modes),
                        });
                    }
                    builder.build().unwrap()
                },
            )
        })
}

fn slots(modes: u32) -> impl Strategy<Value = Vec<u32>> + Clone {
    proptest::collection::btree_set(0..2 * modes, 0..=(2 * modes as usize).min(5))
        .prop_map(|set| set.into_iter().collect())
}

/// The terms that commute with all that were taken before them.
fn commuting(basis: Basis, modes: u32, terms: Vec<(Vec<u32>, f64)>) -> Vec<Term> {
    let mut taken: Vec<Term> = Vec::new();
    for (slots, coefficient) in terms {
        let key = Key::new(modes, &slots);
        if taken
            .iter()
            .all(|term| !anticommute(basis, &Key::new(modes, &term.slots), &key))
        {
            taken.push(Term::new(slots, coefficient));
        }
    }
    taken
}

/// Truncations with thresholds that the first gates of the problem meet exactly as well as ones that they do not.
fn truncations(problem: &Problem) -> impl Strategy<Value = Truncation> + use<> {
    let (pauli, modes) = (problem.basis() == Basis::Pauli, problem.num_modes());
    let mut thresholds = vec![0.0, 1e-3, 0.2];
    for rotation in problem.rotations() {
        for term in problem.observable() {
            thresholds.push((2.0 * rotation.angle).sin().abs() * term.coefficient.abs());
        }
    }
    let threshold = || proptest::option::of(select(thresholds.clone()));
    let cap = proptest::option::weighted(0.3, 1..=2 * modes);
    (
        any::<bool>(),
        0..=u64::from(modes) + 1,
        threshold(),
        threshold(),
        cap,
    )
        .prop_map(move |(length, cutoff, one, other, cap)| {
            let measure = if length && !pauli {
                Measure::Length
            } else {
                Measure::Support
            };
            // The larger of two is the upper one.
            let (lower_atol, upper_atol) = match (one, other) {
                (Some(a), Some(b)) => (Some(a.min(b)), Some(a.max(b))),
                either => either,
            };
            Truncation {
                measure,
                cutoff,
                lower_atol,
                upper_atol,
                max_rotated_length: cap,
            }
        })
}
