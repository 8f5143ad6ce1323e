//! The rule of one gate, shared by all walks: who emits, and what an edge does to its ends.

use std::sync::atomic::{AtomicBool, Ordering};

use super::circuit::Prepared;
use crate::algebra::{Algebra, Monomial};
use crate::error::EngineError;
use crate::truncation::Predicate;

/// One gate of a run, as all steps see it.
pub(super) struct Gate<'a, const W: usize> {
    pub(super) rotation: &'a Prepared<W>,
    pub(super) predicate: &'a Predicate,
    pub(super) stop: &'a AtomicBool,
}

/// What a source emits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emission<const W: usize> {
    pub(super) partner: Monomial<W>,
    /// Whether the pair's sign sigma is -1.
    pub(super) negative: bool,
}

impl<const W: usize> Gate<'_, W> {
    /// The partner of a term that anticommutes and passed the cap and the lower threshold, if it is admitted.
    #[inline(always)]
    pub(super) fn emission<A: Algebra>(
        &self,
        monomial: &Monomial<W>,
        coefficient: f64,
    ) -> Option<Emission<W>> {
        let generator = &self.rotation.generator;
        let (partner, length) = (monomial.xor(generator.bits()), monomial.length());
        let size = self.rotation.sin.abs() * coefficient.abs();
        let admitted = self.predicate.admits(&partner, partner.length(), size);
        admitted.then(|| Emission {
            partner,
            negative: A::is_negative(generator, monomial, length),
        })
    }

    /// What the partner gains from a source with this coefficient; the source loses as much of the partner's.
    #[inline(always)]
    pub(super) fn turn(&self, coefficient: f64, negative: bool) -> f64 {
        let product = self.rotation.sin * coefficient;
        if negative { -product } else { product }
    }

    /// # Errors
    /// [`EngineError::Interrupted`] once the stop flag is up.
    pub(super) fn check_stop(&self) -> Result<(), EngineError> {
        check_stop(self.stop)
    }
}

/// # Errors
/// [`EngineError::Interrupted`] once the flag is up.
pub(super) fn check_stop(stop: &AtomicBool) -> Result<(), EngineError> {
    // Relaxed: the flag carries no data.
    if stop.load(Ordering::Relaxed) {
        Err(EngineError::Interrupted)
    } else {
        Ok(())
    }
}
