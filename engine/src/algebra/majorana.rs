//! The Majorana basis: slot j is m_j, and M = i^(w(w-1)/2) m_i1 ... m_iw is Hermitian and squares to one.

use super::{Algebra, EVEN, Generator, Monomial};

/// Marks the Majorana basis.
#[derive(Clone, Copy, Debug)]
pub struct Majorana;

impl Algebra for Majorana {
    /// The generator itself: moving one past the other takes |M||G| - |M and G| exchanges.
    fn touch<const W: usize>(generator: &Monomial<W>) -> Monomial<W> {
        *generator
    }

    fn odd_length_matters<const W: usize>(generator: &Monomial<W>) -> bool {
        generator.length() & 1 == 1
    }

    /// The slots above an odd number of the generator's slots: those with which it has to be exchanged an odd number of times to sort M G.
    fn order_mask<const W: usize>(generator: &Monomial<W>) -> Monomial<W> {
        let mut below_is_odd = 0_u64;
        Monomial::from_words(generator.words().map(|word| {
            let (mut mask, mut rest) = (below_is_odd, word);
            while rest != 0 {
                // All slots strictly above this one change side; none at all above slot 63.
                mask ^= (u64::MAX << rest.trailing_zeros()) << 1;
                rest &= rest - 1;
            }
            if word.count_ones() & 1 == 1 {
                below_is_odd = !below_is_odd;
            }
            mask
        }))
    }

    /// With C(w) = w(w-1)/2, sigma is i to the power 1 + C(m) + C(g) - C(m + g - 2o) + 2 inversions, where o is the overlap.
    /// Written out, the three C give o - mg + 2o(m + g) mod 4.
    #[inline(always)]
    fn is_negative<const W: usize>(
        generator: &Generator<W>,
        monomial: &Monomial<W>,
        length: u32,
    ) -> bool {
        let (m, g, o) = (
            length,
            generator.length(),
            monomial.overlap(generator.bits()),
        );
        let inversions = u32::from(monomial.overlaps_oddly(generator.order()));
        let half = o.wrapping_mul(m.wrapping_add(g)).wrapping_add(inversions);
        let power = 1_u32
            .wrapping_add(o)
            .wrapping_sub(m.wrapping_mul(g))
            .wrapping_add(half.wrapping_mul(2));
        power & 2 != 0
    }

    /// i^C(2p) (i Z)^p = (-1)^p Z^p for p pairs, and Z = -1 where a mode is occupied.
    fn score<const W: usize>(monomial: &Monomial<W>, occupied: &Monomial<W>) -> f64 {
        if !monomial.is_fully_paired() {
            return 0.0;
        }
        let pairs: u32 = monomial
            .words()
            .iter()
            .map(|word| (word & EVEN).count_ones())
            .sum();
        if (pairs + monomial.overlap(occupied)) & 1 == 1 {
            -1.0
        } else {
            1.0
        }
    }
}
