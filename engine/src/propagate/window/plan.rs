//! Where to cut: how many gates the next window takes, and into how many buckets its terms go.
//!
//! The plan may depend on samples and on how the operator has grown; the bits may not. All participants make the same plan from the
//! same numbers.

use super::labels::{Labels, Span};
use crate::algebra::Monomial;
use crate::operator::row::RowFormat;
use crate::propagate::circuit::Prepared;

/// A bucket is cut to about this many terms: what a second-level cache holds with room to grow.
pub(super) const TARGET: u64 = 2048;
/// A window ends before cosets are expected to hold more than this.
const LIMIT: f64 = 16_384.0;
/// Terms that are looked at to foresee the size of cosets.
pub(super) const SAMPLE: usize = 8192;
/// The most bucket bits.
const MAX_BUCKET_BITS: u32 = 12;
/// The growth that a window may be expected to see.
const GROWTH: f64 = 4.0;
/// Gates of the first windows, when nothing is known about growth.
const FIRST: usize = 16;
/// Label bits that are counted to foresee the size of cosets.
const COUNTED_BITS: u32 = 14;

/// A window: gates up to `end`, and how its terms are told apart.
#[derive(Debug)]
pub(super) struct Window<const W: usize> {
    pub(super) end: usize,
    pub(super) labels: Labels,
    /// Buckets of each participant, as a power of two.
    pub(super) bucket_bits: u32,
    /// The slots that its gates touch.
    pub(super) touched: Monomial<W>,
    /// Whether a generator of odd length makes every term of odd length an event.
    pub(super) odd: bool,
}

/// How the operator grew: terms before and after each of the last two windows, per gate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Growth {
    /// ln(after / before) / gates of the last window and of the one before it.
    rates: [Option<f64>; 2],
}

impl Growth {
    pub(super) fn record(&mut self, before: u64, after: u64, gates: usize) {
        let rate = (after.max(1) as f64 / before.max(1) as f64).ln() / gates.max(1) as f64;
        self.rates = [Some(rate), self.rates[0]];
    }

    /// The most gates for which the operator should grow by no more than [`GROWTH`].
    fn most_gates(&self) -> usize {
        let rate = self.rates.iter().flatten().copied().reduce(f64::max);
        match rate {
            None => FIRST,
            Some(rate) if rate <= 0.0 => usize::MAX,
            // A float to integer conversion saturates.
            Some(rate) => ((GROWTH.ln() / rate) as usize).max(1),
        }
    }
}

/// What a plan is made from, the same on all participants.
pub(super) struct Census<'a, const W: usize> {
    /// Terms in the whole operator.
    pub(super) n_terms: u64,
    /// Some of them.
    pub(super) sample: &'a [Monomial<W>],
    pub(super) n_participants: usize,
    pub(super) n_slots: u32,
    pub(super) format: RowFormat,
}

/// The window that begins at `begin`. There must be gates left.
pub(super) fn plan<const W: usize>(
    rotations: &[Prepared<W>],
    begin: usize,
    growth: &Growth,
    census: &Census<'_, W>,
) -> Window<W> {
    let last = begin
        .saturating_add(growth.most_gates())
        .min(rotations.len());
    let fits = |end: usize| coset_size(&rotations[begin..end], census) <= LIMIT;
    let mut good = begin + 1;
    let mut bad = last + 1;
    let mut reach = 2;
    // Doubling steps, then bisection: `good` fits (or is a single gate), `bad` does not (or is beyond the last).
    while good < last && bad == last + 1 {
        let end = begin.saturating_add(reach).min(last);
        if fits(end) {
            good = end;
        } else {
            bad = end;
        }
        reach *= 2;
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if middle > last || !fits(middle) {
            bad = middle;
        } else {
            good = middle;
        }
    }
    let gates = &rotations[begin..good];
    let (touched, odd) = touch(gates);
    let active = census.n_terms.div_ceil(census.n_participants as u64);
    let bucket_bits = active.div_ceil(TARGET).next_power_of_two().trailing_zeros();
    let packed = matches!(census.format, RowFormat::Packed { .. });
    Window {
        end: good,
        labels: Labels::annihilating(&span(gates), census.n_slots, packed),
        bucket_bits: bucket_bits.min(MAX_BUCKET_BITS),
        touched,
        odd,
    }
}

fn span<const W: usize>(gates: &[Prepared<W>]) -> Span<W> {
    let mut span = Span::new();
    gates
        .iter()
        .for_each(|gate| span.insert(*gate.generator.bits()));
    span
}

/// The slots that gates touch, and whether one of them is of odd length where that matters.
fn touch<const W: usize>(gates: &[Prepared<W>]) -> (Monomial<W>, bool) {
    let touched = gates.iter().fold(Monomial::IDENTITY, |all, gate| {
        all.or(gate.generator.touch())
    });
    (
        touched,
        gates.iter().any(|gate| gate.generator.odd_length_matters()),
    )
}

/// How many other terms share a term's coset, on average over the active ones, judged by how often labels of the sample coincide.
fn coset_size<const W: usize>(gates: &[Prepared<W>], census: &Census<'_, W>) -> f64 {
    let labels = Labels::annihilating(&span(gates), census.n_slots, false);
    let (touched, odd) = touch(gates);
    let mut counts = vec![0_u32; 1 << COUNTED_BITS];
    let mut active = 0_u32;
    for term in census.sample {
        if odd || !term.and(&touched).is_identity() {
            counts[(labels.of(term) & ((1 << COUNTED_BITS) - 1)) as usize] += 1;
            active += 1;
        }
    }
    if active == 0 {
        return 0.0;
    }
    let pairs: f64 = counts
        .iter()
        .map(|&c| f64::from(c) * (f64::from(c) - 1.0))
        .sum();
    let by_chance = f64::from(active) / f64::from(1_u32 << COUNTED_BITS);
    let scale = census.n_terms as f64 / census.sample.len() as f64;
    (pairs / f64::from(active) - by_chance) * scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_limits_the_next_window() {
        let mut growth = Growth::default();
        assert_eq!(growth.most_gates(), FIRST);
        growth.record(100, 100, 50);
        assert_eq!(growth.most_gates(), usize::MAX);
        growth.record(100, 200, 10);
        assert_eq!(growth.most_gates(), 20);
        growth.record(200, 200, 10);
        assert_eq!(growth.most_gates(), 20, "the faster of the last two counts");
        growth.record(200, 200, 10);
        assert_eq!(growth.most_gates(), usize::MAX);
        growth.record(1, 1_000_000, 1);
        assert_eq!(growth.most_gates(), 1);
    }
}
