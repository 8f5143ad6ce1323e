//! Sources: terms that emit their partner.

use super::Gate;
use crate::algebra::{Algebra, Monomial};
use crate::operator::Store;

/// A term past all tests, and the partner it emits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<const W: usize> {
    pub(super) row: u32,
    /// Whether the pair's sign sigma is -1.
    pub(super) negative: bool,
    /// The coefficient before the gate.
    pub(super) coefficient: f64,
    pub(super) partner: Monomial<W>,
}

/// The source at `row`, which anticommutes and passed the cap and the lower threshold, if its partner is admitted.
#[inline]
pub(super) fn source<A: Algebra, const W: usize>(
    gate: &Gate<'_, W>,
    store: &Store<W>,
    row: u32,
) -> Option<Source<W>> {
    let (monomial, coefficient) = (store.monomial(row), store.coefficient(row));
    let emission = gate.emission::<A>(&monomial, coefficient)?;
    Some(Source {
        row,
        negative: emission.negative,
        coefficient,
        partner: emission.partner,
    })
}
