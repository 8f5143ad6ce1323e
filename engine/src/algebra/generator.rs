//! A gate's generator with everything about it that does not depend on the term.

use super::{Algebra, Monomial};

/// A generator, prepared: its bits, what it anticommutes with, and the masks of its signs.
#[derive(Clone, Debug)]
pub struct Generator<const W: usize> {
    bits: Monomial<W>,
    touch: Monomial<W>,
    order: Monomial<W>,
    length: u32,
    odd: bool,
}

impl<const W: usize> Generator<W> {
    /// Prepares `bits` in the basis `A`.
    pub fn new<A: Algebra>(bits: Monomial<W>) -> Self {
        Generator {
            bits,
            touch: A::touch(&bits),
            order: A::order_mask(&bits),
            length: bits.length(),
            odd: A::odd_length_matters(&bits),
        }
    }

    /// The monomial itself.
    #[inline]
    pub fn bits(&self) -> &Monomial<W> {
        &self.bits
    }

    /// The slots whose columns are added up (mod 2) to find what anticommutes.
    #[inline]
    pub fn touch(&self) -> &Monomial<W> {
        &self.touch
    }

    /// The basis's own sign mask.
    #[inline]
    pub fn order(&self) -> &Monomial<W> {
        &self.order
    }

    /// How many slots it has.
    #[inline]
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Whether the parity of a term's length enters [`anticommutes`](Self::anticommutes).
    #[inline]
    pub fn odd_length_matters(&self) -> bool {
        self.odd
    }

    /// Whether a monomial anticommutes with the generator.
    #[inline]
    pub fn anticommutes(&self, monomial: &Monomial<W>) -> bool {
        monomial.overlaps_oddly(&self.touch) ^ (self.odd && monomial.length() & 1 == 1)
    }
}
