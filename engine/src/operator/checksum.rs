//! The checksum of an operator: a sum over its terms, so that their order cannot matter.

use super::hash::mix;
use crate::algebra::Monomial;

/// The share of one term; a checksum is the wrapping sum of them. `n_words` is ceil(2N / 64).
///
/// -0.0 counts as +0.0.
pub(crate) fn term<const W: usize>(
    monomial: &Monomial<W>,
    n_words: usize,
    coefficient: f64,
) -> u64 {
    let words = monomial.words()[..n_words].iter().copied();
    words
        .chain([(coefficient + 0.0).to_bits()])
        .fold(0x9E37_79B9_7F4A_7C15, |x, word| mix(x ^ word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_zeros_are_one_and_widths_do_not_matter() {
        let narrow = Monomial::<1>::from_slots(&[3, 9]);
        let wide = Monomial::<4>::from_slots(&[3, 9]);
        assert_eq!(term(&narrow, 1, 0.0), term(&wide, 1, -0.0));
        assert_ne!(term(&narrow, 1, 0.5), term(&narrow, 1, -0.5));
        assert_ne!(term(&wide, 1, 0.5), term(&wide, 2, 0.5));
    }
}
