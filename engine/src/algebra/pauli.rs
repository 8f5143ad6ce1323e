//! The Pauli basis: X_q = {2q}, Y_q = {2q+1}, Z_q = {2q, 2q+1}, plain Pauli strings.

use super::{Algebra, EVEN, Generator, Monomial};

/// Marks the Pauli basis.
#[derive(Clone, Copy, Debug)]
pub struct Pauli;

impl Algebra for Pauli {
    /// The generator with X and Y exchanged: the symplectic product as an overlap.
    fn touch<const W: usize>(generator: &Monomial<W>) -> Monomial<W> {
        generator.with_pairs_swapped()
    }

    fn odd_length_matters<const W: usize>(_: &Monomial<W>) -> bool {
        false
    }

    fn order_mask<const W: usize>(_: &Monomial<W>) -> Monomial<W> {
        Monomial::IDENTITY
    }

    /// Each anticommuting qubit gives i (XY = iZ, YZ = iX, ZX = iY) or -i (the reversed products), so sigma is i to the power
    /// 1 + a + 2r, where a qubits anticommute and r of them are reversed.
    #[inline(always)]
    fn is_negative<const W: usize>(
        generator: &Generator<W>,
        monomial: &Monomial<W>,
        _: u32,
    ) -> bool {
        let (mut anticommuting, mut reversed) = (0, 0);
        for (word, generator) in monomial.words().iter().zip(generator.bits().words()) {
            let (x, y) = (word & EVEN, word >> 1 & EVEN);
            let (gx, gy) = (generator & EVEN, generator >> 1 & EVEN);
            anticommuting += ((x & gy) ^ (y & gx)).count_ones();
            // YX where the generator has X alone, ZY where it has Y alone, XZ where it has both.
            reversed += (gx & !gy & y & !x | gy & !gx & x & y | gx & gy & x & !y).count_ones();
        }
        (1 + anticommuting + 2 * reversed) & 2 != 0
    }

    fn score<const W: usize>(monomial: &Monomial<W>, occupied: &Monomial<W>) -> f64 {
        if !monomial.is_fully_paired() {
            return 0.0;
        }
        if monomial.overlaps_oddly(occupied) {
            -1.0
        } else {
            1.0
        }
    }
}
