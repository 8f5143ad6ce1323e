//! The engine against the plain oracle and against dense matrices, on random small problems with every option.

mod oracle;
mod world;

use phalanx_engine::Mode;
use proptest::prelude::*;

/// Worlds of one, of a power of two (pair exchange) and of none (everyone to everyone).
const WORLDS: [usize; 4] = [1, 2, 3, 4];

/// Operators without their zeros' signs, which carry no meaning.
fn plain(operator: &std::collections::BTreeMap<Vec<u32>, f64>) -> Vec<(Vec<u32>, u64)> {
    operator
        .iter()
        .map(|(slots, c)| (slots.clone(), (c + 0.0).to_bits()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    /// Terms, the bits of every coefficient, and checksums.
    #[test]
    fn the_engine_is_the_oracle(problem in oracle::random::problems(6)) {
        let slow = oracle::run(&problem);
        let mut first: Option<world::Outcome> = None;
        for (mode, n) in world::MODES.into_iter().flat_map(|mode| WORLDS.map(|n| (mode, n))) {
            let fast = world::run(&problem, mode, n);
            prop_assert_eq!(&fast.outcome.num_terms, &slow.num_terms.iter().map(|&n| n as u64).collect::<Vec<_>>());
            prop_assert_eq!(plain(&fast.operator), plain(&slow.operator), "{:?} on {} participants", mode, n);
            prop_assert_eq!(fast.outcome.checksum, slow.checksum);
            for (bits, value) in fast.outcome.expectation.iter().zip(&slow.expectation) {
                prop_assert!((f64::from_bits(*bits) - value).abs() <= 1e-12 * value.abs().max(1.0));
            }
            prop_assert_eq!(first.get_or_insert_with(|| fast.outcome.clone()), &fast.outcome);
        }
    }

    /// Without truncation the answer is that of the matrices.
    #[test]
    fn the_untruncated_engine_is_exact(problem in oracle::random::exact_problems(4)) {
        let (value, operator) = oracle::dense::run(&problem);
        let run = world::run(&problem, Mode::Window, 2);
        if let Some(bits) = run.outcome.expectation.last() {
            prop_assert!((f64::from_bits(*bits) - value).abs() < 1e-11, "{} is not {value}", f64::from_bits(*bits));
        }
        for (slots, coefficient) in &operator {
            if !slots.is_empty() {
                prop_assert!((run.operator.get(slots).copied().unwrap_or(0.0) - coefficient).abs() < 1e-11, "{slots:?}");
            }
        }
    }
}
