//! Single gates worked out by hand: signs, and what happens exactly at a threshold. They pin the oracle down where random runs rarely go.

mod oracle;

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_3, FRAC_PI_6};

use phalanx_engine::problem::{Basis, Measure, Picture, Problem, ProblemBuilder, Truncation};

/// Asserts the terms at the end, by their slots.
#[track_caller]
fn ends_as(builder: ProblemBuilder, expected: &[(&[u32], f64)]) {
    let operator = oracle::run(&builder.build().unwrap()).operator;
    let expected: BTreeMap<Vec<u32>, f64> = expected
        .iter()
        .map(|(slots, c)| (slots.to_vec(), *c))
        .collect();
    assert!(operator.keys().eq(expected.keys()), "{operator:?}");
    for (slots, c) in &expected {
        assert!(
            (operator[slots] - c).abs() < 1e-15,
            "{slots:?}: {} is not {c}",
            operator[slots]
        );
    }
}

/// i m_0 m_1 under exp(-i pi/6 M), where M is the Hermitian monomial of slots 1 to 4.
fn quartic() -> ProblemBuilder {
    Problem::builder(Basis::Majorana, 5)
        .observe([0, 1], 1.0)
        .gate(FRAC_PI_6, [([1, 2, 3, 4], -1.0)])
}

fn length(cutoff: u64) -> Truncation {
    Truncation::new(Measure::Length, cutoff)
}

#[test]
fn a_quartic_rotation() {
    let sin = FRAC_PI_3.sin();
    ends_as(quartic(), &[(&[0, 1], 0.5), (&[0, 2, 3, 4], sin)]);
}

#[test]
fn two_terms_rotate_into_each_other() {
    let pair = Problem::builder(Basis::Majorana, 2)
        .observe([0, 1], 1.0)
        .observe([0, 2], 1.0);
    let angle = std::f64::consts::PI / 16.0;
    let (sin, cos) = (2.0 * angle).sin_cos();
    ends_as(
        pair.gate(angle, [([1, 2], -1.0)]),
        &[(&[0, 1], cos - sin), (&[0, 2], cos + sin)],
    );
}

/// Generators of odd length, backwards through four gates.
#[test]
fn odd_generators() {
    let builder = Problem::builder(Basis::Majorana, 2)
        .observe([1, 2, 3], 1.0)
        .gate(0.1, [([0], 1.0)])
        .gate(0.2, [([0, 1], -1.0)])
        .gate(0.2, [([0, 1, 3], 1.0)])
        .gate(0.2, [([2, 3], -1.0)]);
    let expected: &[(&[u32], f64)] = &[
        (&[0, 1, 2, 3], 0.16854179325074592),
        (&[0, 2], 0.35152836455073294),
        (&[0, 2, 3], -0.35867804544976145),
        (&[1, 2], 0.1516466453264173),
        (&[1, 2, 3], 0.8314427691150754),
        (&[2], 0.07125832726038464),
    ];
    ends_as(builder, expected);
}

#[test]
fn letters_turn_into_letters() {
    let builder = Problem::builder(Basis::Pauli, 2)
        .observe([0, 1, 2, 3], 1.0)
        .gate(0.5, [([0], 1.0)]);
    // Z Z becomes cos 1 Z Z - sin 1 Y Z.
    ends_as(
        builder,
        &[(&[0, 1, 2, 3], 1.0_f64.cos()), (&[1, 2, 3], -1.0_f64.sin())],
    );
}

/// An emission that equals a threshold is dropped by the lower one and rescued by the upper one.
#[test]
fn thresholds_are_inclusive() {
    let sin = (2.0 * FRAC_PI_6).sin();
    let both: &[(&[u32], f64)] = &[(&[0, 1], 0.5), (&[0, 2, 3, 4], sin)];
    let scaled: &[(&[u32], f64)] = &[(&[0, 1], 0.5)];
    ends_as(quartic().truncation(length(1)), scaled);
    ends_as(quartic().truncation(length(1).with_upper_atol(sin)), both);
    ends_as(
        quartic().truncation(length(1).with_upper_atol(sin.next_up())),
        scaled,
    );
    ends_as(quartic().truncation(length(4).with_lower_atol(sin)), scaled);
    ends_as(
        quartic().truncation(length(4).with_lower_atol(sin.next_down())),
        both,
    );
}

/// The lower threshold also keeps two small terms that are both there from mixing; one large term is enough to mix them.
#[test]
fn small_terms_do_not_mix() {
    let (sin, cos) = 0.6_f64.sin_cos();
    let pair = |a, b| {
        let builder = Problem::builder(Basis::Majorana, 2)
            .observe([0, 1], a)
            .observe([0, 2], b);
        builder
            .gate(0.3, [([1, 2], -1.0)])
            .truncation(length(4).with_lower_atol(1e-2))
    };
    ends_as(
        pair(1e-3, 1e-3),
        &[(&[0, 1], 1e-3 * cos), (&[0, 2], 1e-3 * cos)],
    );
    ends_as(
        pair(1.0, 1e-3),
        &[(&[0, 1], cos - 1e-3 * sin), (&[0, 2], 1e-3 * cos + sin)],
    );
}

/// What is longer than the cutoff but was there from the start stays, and emits into what is short enough: both mix.
#[test]
fn long_initial_terms_stay_and_emit() {
    let builder = Problem::builder(Basis::Majorana, 4)
        .observe([0, 1, 3, 4, 5, 6], 1.0)
        .gate(FRAC_PI_6, [([2, 3, 5, 6], 1.0)])
        .truncation(length(4));
    let operator = oracle::run(&builder.build().unwrap()).operator;
    let sizes: Vec<f64> = operator.values().map(|c| c.abs()).collect();
    assert_eq!(
        operator.keys().cloned().collect::<Vec<_>>(),
        [vec![0, 1, 2, 4], vec![0, 1, 3, 4, 5, 6]]
    );
    assert!(
        (sizes[0] - FRAC_PI_3.sin()).abs() < 1e-15 && (sizes[1] - 0.5).abs() < 1e-15,
        "{sizes:?}"
    );
}

/// Fully paired partners are kept whatever their size.
#[test]
fn paired_partners_are_exempt() {
    let builder = |slots: [u32; 2]| {
        let start = Problem::builder(Basis::Majorana, 3).observe(slots, 1.0);
        start
            .gate(FRAC_PI_6, [([0, 2, 4, 5], 1.0)])
            .truncation(length(0))
    };
    // {1, 2} xor G = {0, 1, 4, 5} is paired, {1, 4} xor G = {0, 1, 2, 5} is not.
    assert_eq!(
        oracle::run(&builder([1, 2]).build().unwrap()).num_terms,
        [2]
    );
    assert_eq!(
        oracle::run(&builder([1, 4]).build().unwrap()).num_terms,
        [1]
    );
}

/// Terms beyond the length cap neither emit nor are scaled; as targets they take the sine of a shorter source.
#[test]
fn the_cap_on_length() {
    let capped = |cap| length(8).with_max_rotated_length(cap);
    let sin = FRAC_PI_3.sin();
    ends_as(quartic().truncation(capped(1)), &[(&[0, 1], 1.0)]);
    ends_as(
        quartic().truncation(capped(2)),
        &[(&[0, 1], 0.5), (&[0, 2, 3, 4], sin)],
    );
    let long_too = quartic().observe([0, 2, 3, 4], 0.25).truncation(capped(2));
    ends_as(
        long_too,
        &[(&[0, 1], 0.5 - 0.25 * sin), (&[0, 2, 3, 4], 0.25 + sin)],
    );
}

/// The state is all paired monomials with their values; what a gate makes that is paired comes with its value, as if never rotated.
#[test]
fn the_initial_state() {
    let state = |basis, modes, cutoff| {
        Problem::builder(basis, modes).picture(Picture::Schrodinger { cutoff })
    };
    ends_as(state(Basis::Majorana, 1, 2), &[(&[], 1.0), (&[0, 1], -1.0)]);
    ends_as(
        state(Basis::Pauli, 2, 1).initial_state([1]),
        &[(&[], 1.0), (&[0, 1], 1.0), (&[2, 3], -1.0)],
    );
    ends_as(state(Basis::Majorana, 3, 0), &[(&[], 1.0)]);

    // Z_0 turns into Y_0. Z_0 Z_1 is missing from the state, so no Y_0 Z_1 appears.
    let (sin, cos) = 0.6_f64.sin_cos();
    let builder = state(Basis::Pauli, 2, 1).gate(0.3, [([0], 1.0)]);
    ends_as(
        builder,
        &[(&[], 1.0), (&[0, 1], cos), (&[1], sin), (&[2, 3], 1.0)],
    );

    // X_0 Z_1 makes Y_0 Z_1 of Z_0; from that X_0 makes Z_0 Z_1, which comes in with its value 1.
    let builder = state(Basis::Pauli, 2, 1)
        .gate(0.3, [([0, 2, 3], 1.0)])
        .gate(0.3, [([0], 1.0)]);
    let expected: &[(&[u32], f64)] = &[
        (&[], 1.0),
        (&[0, 1], cos * cos),
        (&[0, 1, 2, 3], cos - sin * sin),
        (&[1], sin * cos),
        (&[1, 2, 3], sin * cos + sin),
        (&[2, 3], 1.0),
    ];
    ends_as(builder, expected);
}
