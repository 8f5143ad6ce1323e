//! Operators of thousands of terms against the plain oracle: real windows with exchanges, rows as lists of slots, and rows too long for one.

mod oracle;
mod world;

use phalanx_engine::problem::{Basis, Measure, Picture, Problem, Truncation};
use proptest::prelude::*;
use proptest::test_runner::TestRng;

/// A number below `n`.
fn below(rng: &mut TestRng, n: u32) -> u32 {
    rng.next_u32() % n
}

/// `n` distinct slots below `n_slots`, near each other where `local`.
fn slots(rng: &mut TestRng, n_slots: u32, n: u32, local: bool) -> Vec<u32> {
    let reach = if local {
        (2 * n + 4).min(n_slots)
    } else {
        n_slots
    };
    let begin = below(rng, n_slots - reach + 1);
    let all = (0..4 * n).map(|_| begin + below(rng, reach));
    let mut slots: Vec<u32> = all.take(n as usize).collect();
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// A problem that begins with thousands of terms: more than one participant runs alone.
fn large(mut rng: TestRng, schrodinger: bool) -> Problem {
    let rng = &mut rng;
    let modes = 20 + below(rng, 110);
    let basis = [Basis::Majorana, Basis::Pauli][below(rng, 2) as usize];
    let odd = below(rng, 2) == 1;
    let mut problem =
        Problem::builder(basis, modes).initial_state((0..modes).step_by(3).collect::<Vec<_>>());
    for _ in 0..if schrodinger {
        40
    } else {
        2500 + below(rng, 2000)
    } {
        // A fifth of them is long, and longer than any row that truncation would keep.
        let length = if below(rng, 5) == 0 {
            10 + below(rng, 20)
        } else {
            1 + below(rng, 6)
        };
        let coefficient = f64::from(below(rng, 2001)) / 1000.0 - 1.0;
        problem = problem.observe(slots(rng, 2 * modes, length, false), coefficient);
    }
    for _ in 0..12 + below(rng, 20) {
        let length = if odd {
            1 + below(rng, 5)
        } else {
            2 + 2 * below(rng, 2)
        };
        let mut generator = slots(rng, 2 * modes, length, true);
        if !odd && generator.len() % 2 == 1 {
            generator.pop();
        }
        let angle = [0.0, 0.3, -0.7, 0.02, std::f64::consts::FRAC_PI_8][below(rng, 5) as usize];
        problem = problem.gate(angle, [(generator, 1.0)]);
    }
    let (measure, cutoff) = match (basis, below(rng, 2)) {
        (Basis::Majorana, 0) => (Measure::Length, 6),
        _ => (Measure::Support, 4),
    };
    let mut truncation = Truncation::new(measure, cutoff);
    match below(rng, 4) {
        0 => truncation = truncation.with_lower_atol(1e-2),
        1 => truncation = truncation.with_lower_atol(1e-3).with_upper_atol(0.2),
        2 => truncation = truncation.with_max_rotated_length(4),
        _ => {}
    }
    problem = problem.truncation(truncation).repeat(2);
    if schrodinger {
        // Two pairs: at least some two hundred rows, at most ten thousand.
        let cutoff = if basis == Basis::Majorana { 4 } else { 2 };
        problem = problem.picture(Picture::Schrodinger { cutoff });
    }
    problem.build().unwrap()
}

fn problems(schrodinger: bool) -> impl Strategy<Value = Problem> {
    Just(()).prop_perturb(move |(), rng| large(rng, schrodinger))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 0, ..ProptestConfig::default() })]

    /// Terms and the bits of every coefficient, in both modes, on a few worlds.
    #[test]
    fn many_terms_are_the_oracle_s(problem in problems(false)) {
        let slow = oracle::run(&problem);
        for (mode, n) in world::MODES.into_iter().flat_map(|mode| [1, 2, 3].map(|n| (mode, n))) {
            let fast = world::run(&problem, mode, n);
            let terms: Vec<u64> = slow.num_terms.iter().map(|&n| n as u64).collect();
            prop_assert_eq!(&fast.outcome.num_terms, &terms, "{:?} on {}", mode, n);
            prop_assert_eq!(fast.outcome.checksum, slow.checksum, "{:?} on {}", mode, n);
        }
    }

    /// Large states: both modes agree on every world.
    #[test]
    fn large_states_are_the_same_in_both_modes(problem in problems(true)) {
        let first = world::run(&problem, world::MODES[0], 1).outcome;
        for (mode, n) in world::MODES.into_iter().flat_map(|mode| [1, 2, 3].map(|n| (mode, n))) {
            prop_assert_eq!(&world::run(&problem, mode, n).outcome, &first, "{:?} on {}", mode, n);
        }
    }
}
