//! Exact sums against error-free expansions, and against themselves in another order.

use proptest::prelude::*;

use super::ExactSum;

/// The sum by expansions: a list of values that do not overlap, ascending by magnitude, which
/// [`two_sum`] keeps equal to the exact sum as long as nothing overflows.
fn oracle(values: &[f64]) -> f64 {
    let mut parts: Vec<f64> = Vec::new();
    for &value in values {
        let mut carried = value;
        let mut kept = Vec::new();
        for part in parts {
            let (sum, error) = two_sum(carried, part);
            kept.extend((error != 0.0).then_some(error));
            carried = sum;
        }
        kept.push(carried);
        parts = kept;
    }
    // From the top down until a sum is not exact any more.
    let mut sum = parts.pop().unwrap_or(0.0);
    let mut error = 0.0;
    while error == 0.0
        && let Some(next) = parts.pop()
    {
        (sum, error) = two_sum(sum, next);
    }
    // A tie was rounded without a look at what lies below it: look now.
    if let Some(below) = parts.pop()
        && (error < 0.0) == (below < 0.0)
        && error != 0.0
    {
        let (moved, rest) = (sum + 2.0 * error, 2.0 * error);
        if moved - sum == rest {
            sum = moved;
        }
    }
    sum + 0.0
}

/// `a + b` as its rounded value and what rounding lost, exactly.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let (large, small) = if a.abs() >= b.abs() { (a, b) } else { (b, a) };
    let sum = large + small;
    (sum, small - (sum - large))
}

fn same_bits(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Any finite value that leaves room, with exponents crowded together so that cancellation and ties occur,
/// and no sum of a few overflows.
fn crowded() -> impl Strategy<Value = f64> {
    let near = (any::<u64>(), 0..130_u64, any::<bool>()).prop_map(|(bits, exponent, low)| {
        let kept = if low {
            0x8000_0000_0000_0003
        } else {
            0x800f_ffff_ffff_ffff
        };
        f64::from_bits(bits & kept | (980 + exponent) << 52)
    });
    let tiny = (0..8_u64, any::<bool>())
        .prop_map(|(bits, negative)| f64::from_bits(bits | u64::from(negative) << 63));
    let any_finite = any::<f64>().prop_filter("in range", |x| x.abs() < 1e300);
    prop_oneof![6 => near, 1 => tiny, 2 => any_finite]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn agrees_with_the_oracle(values in prop::collection::vec(crowded(), 0..40)) {
        let ours = values.iter().copied().collect::<ExactSum>().value();
        prop_assert_eq!(ours.to_bits(), oracle(&values).to_bits());
    }

    #[test]
    fn no_split_changes_the_bits(
        values in prop::collection::vec(crowded(), 0..40),
        cuts in prop::collection::vec(0..40_usize, 0..6),
        turn in 0..7_usize,
    ) {
        let whole = values.iter().copied().collect::<ExactSum>();
        let mut parts = vec![ExactSum::new(); cuts.len() + 1];
        for (i, &value) in values.iter().enumerate() {
            let part = cuts.iter().filter(|&&cut| cut <= i).count();
            parts[(part + turn) % (cuts.len() + 1)].add(value);
        }
        let mut merged = ExactSum::new();
        parts.iter().rev().for_each(|part| merged.merge(part));
        prop_assert_eq!(merged.value().to_bits(), whole.value().to_bits());
        prop_assert!(merged == whole);

        let mut words = [0; ExactSum::WORDS];
        for part in &parts {
            for (word, more) in words.iter_mut().zip(part.to_words()) {
                *word += more;
            }
        }
        prop_assert_eq!(ExactSum::from_words(words).value().to_bits(), whole.value().to_bits());
    }

    #[test]
    fn one_value_is_itself(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assert!(same_bits(ExactSum::from(value).value(), value + 0.0));
    }
}

#[test]
fn an_ordinary_sum_would_not_do() {
    let values = [1.0, 1e100, 1.0, -1e100];
    assert_eq!(values.iter().sum::<f64>(), 0.0);
    assert_eq!(values.into_iter().collect::<ExactSum>().value(), 2.0);
}

#[test]
fn ties_go_to_even_unless_anything_lies_below() {
    let half_ulp = f64::EPSILON / 2.0;
    let tie = [1.0, half_ulp].into_iter().collect::<ExactSum>();
    assert_eq!(tie.value(), 1.0);
    let odd_tie = [1.0 + f64::EPSILON, half_ulp]
        .into_iter()
        .collect::<ExactSum>();
    assert_eq!(odd_tie.value(), 1.0 + 2.0 * f64::EPSILON);
    let mut above = tie;
    above.add(f64::from_bits(1));
    assert_eq!(above.value(), 1.0 + f64::EPSILON);
    let mut below = tie;
    below.add(-f64::from_bits(1));
    assert_eq!(below.value(), 1.0);
}

#[test]
fn the_range_is_left_only_at_the_end() {
    let mut sum = ExactSum::from(f64::MAX);
    sum.add(f64::MAX);
    assert_eq!(sum.value(), f64::INFINITY);
    sum.add(-f64::MAX);
    assert_eq!(sum.value(), f64::MAX);
    let mut negative = ExactSum::from(f64::MIN);
    negative.add(f64::MIN);
    assert_eq!(negative.value(), f64::NEG_INFINITY);
    // Half an ulp of the largest value is what rounds up to infinity.
    let mut edge = ExactSum::from(f64::MAX);
    edge.add(2_f64.powi(969));
    assert_eq!(edge.value(), f64::MAX);
    edge.add(2_f64.powi(969));
    assert_eq!(edge.value(), f64::INFINITY);
}

#[test]
fn non_finite_values_behave_as_in_ordinary_sums() {
    let of = |values: &[f64]| values.iter().copied().collect::<ExactSum>().value();
    assert_eq!(of(&[1.0, f64::INFINITY]), f64::INFINITY);
    assert_eq!(of(&[f64::NEG_INFINITY, 1e308]), f64::NEG_INFINITY);
    assert!(of(&[f64::NEG_INFINITY, f64::INFINITY]).is_nan());
    assert!(of(&[f64::NAN, 1.0]).is_nan());
    let mut apart = ExactSum::from(f64::INFINITY);
    apart.merge(&ExactSum::from(f64::NEG_INFINITY));
    assert!(apart.value().is_nan());
}

#[test]
fn zero_has_one_sign() {
    assert_eq!(ExactSum::new().value().to_bits(), 0);
    assert_eq!(ExactSum::from(-0.0).value().to_bits(), 0);
    let cancelled: ExactSum = [1.5, -1.5].into_iter().collect();
    assert_eq!(cancelled.value().to_bits(), 0);
    assert!(cancelled == ExactSum::new());
}

#[test]
fn carries_are_passed_on_in_time() {
    // Doubling by merging reaches the limit of pending additions quickly.
    let step = f64::from_bits(0x3fff_ffff_ffff_ffff);
    let mut sum = ExactSum::from(step);
    for _ in 0..100 {
        let same = sum;
        sum.merge(&same);
    }
    assert_eq!(sum.value(), step * 2_f64.powi(100));
    let mut negative = ExactSum::from(-step);
    for _ in 0..100 {
        let same = negative;
        negative.merge(&same);
    }
    sum.merge(&negative);
    assert_eq!(sum.value(), 0.0);
}
