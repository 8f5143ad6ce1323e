//! Truncation: the one place that decides whether a term emits its partner.
//!
//! The rules are those of [`Truncation`]. Stored terms are never dropped; only what a gate would make is tested.

use crate::algebra::Monomial;
use crate::problem::{Measure, Truncation};

/// The predicate of a run, with "no limit" spelled as a limit that nothing reaches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predicate {
    support: bool,
    cutoff: u32,
    lower: Option<f64>,
    upper: Option<f64>,
    cap: Option<u32>,
}

impl Predicate {
    pub(crate) fn new(truncation: Option<&Truncation>) -> Self {
        let limit = |cutoff: u64| u32::try_from(cutoff).unwrap_or(u32::MAX);
        Predicate {
            support: truncation.is_some_and(|t| t.measure == Measure::Support),
            cutoff: truncation.map_or(u32::MAX, |t| limit(t.cutoff)),
            lower: truncation.and_then(|t| t.lower_atol),
            upper: truncation.and_then(|t| t.upper_atol),
            cap: truncation.and_then(|t| t.max_rotated_length),
        }
    }

    /// At or below this |sin||c| a source is silent; `None` silences nobody.
    pub(crate) fn lower(&self) -> Option<f64> {
        self.lower
    }

    /// The longest monomial that emits and is scaled.
    pub(crate) fn cap(&self) -> Option<u32> {
        self.cap
    }

    /// Whether long monomials may come in through [`Truncation::upper_atol`].
    pub(crate) fn rescues(&self) -> bool {
        self.upper.is_some()
    }

    /// The most slots that a kept monomial has, fully paired ones aside.
    pub(crate) fn longest_kept(&self) -> u32 {
        if self.support {
            self.cutoff.saturating_mul(2)
        } else {
            self.cutoff
        }
    }

    /// Whether a partner is kept for its own sake: small enough, or fully paired. `length` is its length.
    #[inline(always)]
    pub(crate) fn keeps<const W: usize>(&self, partner: &Monomial<W>, length: u32) -> bool {
        // The support never exceeds the length, so this is right for both measures and settles most cases.
        length <= self.cutoff
            || (self.support && partner.support() <= self.cutoff)
            || partner.is_fully_paired()
    }

    /// Whether a source with this emission, already past the cap and the lower threshold, makes `partner`.
    #[inline(always)]
    pub(crate) fn admits<const W: usize>(
        &self,
        partner: &Monomial<W>,
        length: u32,
        emission: f64,
    ) -> bool {
        self.keeps(partner, length) || self.upper.is_some_and(|upper| emission >= upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(truncation: &Truncation, slots: &[u32], emission: f64) -> bool {
        let partner = Monomial::<2>::from_slots(slots);
        Predicate::new(Some(truncation)).admits(&partner, partner.length(), emission)
    }

    #[test]
    fn the_cutoff_counts_slots_or_modes_and_spares_fully_paired_terms() {
        let length = Truncation::new(Measure::Length, 2);
        assert!(admits(&length, &[0, 1], 0.0));
        assert!(admits(&length, &[0, 3], 0.0));
        assert!(!admits(&length, &[0, 1, 4], 0.0));
        assert!(admits(&length, &[0, 1, 4, 5, 8, 9], 0.0));
        let support = Truncation::new(Measure::Support, 2);
        assert!(admits(&support, &[0, 1, 4], 0.0));
        assert!(!admits(&support, &[0, 2, 4], 0.0));
        assert!(admits(&support, &[0, 64, 65], 0.0));
        assert!(!admits(&Truncation::new(Measure::Length, 0), &[1], 0.0));
        assert!(Predicate::new(None).admits(&Monomial::<1>::from_words([u64::MAX >> 1]), 63, 0.0));
    }

    #[test]
    fn the_rescue_is_inclusive() {
        let truncation = Truncation::new(Measure::Length, 1).with_upper_atol(0.5);
        assert!(admits(&truncation, &[0, 3], 0.5));
        assert!(!admits(&truncation, &[0, 3], 0.5_f64.next_down()));
    }
}
