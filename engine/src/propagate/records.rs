//! Records: a monomial and a number, as the words that travel between participants.

use crate::algebra::Monomial;

/// Words of a record.
pub(super) const fn size<const W: usize>() -> usize {
    W + 1
}

/// Appends a record.
#[inline]
pub(super) fn push<const W: usize>(words: &mut Vec<u64>, monomial: &Monomial<W>, value: f64) {
    words.extend_from_slice(monomial.words());
    words.push(value.to_bits());
}

/// The records of a list of words.
#[inline]
pub(super) fn records<const W: usize>(
    words: &[u64],
) -> impl Iterator<Item = (Monomial<W>, f64)> + Clone {
    words.chunks_exact(size::<W>()).filter_map(|record| {
        let (words, value) = record.split_first_chunk::<W>()?;
        Some((
            Monomial::from_words(*words),
            f64::from_bits(*value.first()?),
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_to_the_bit() {
        let terms = [([1, 2], -0.0), ([u64::MAX, 0], 1.5e-300), ([0, 0], 7.25)];
        let terms =
            terms.map(|(words, value): ([u64; 2], f64)| (Monomial::from_words(words), value));
        let mut words = Vec::new();
        for (monomial, value) in &terms {
            push(&mut words, monomial, *value);
        }
        assert_eq!(words.len(), 3 * size::<2>());
        for ((monomial, value), (there, back)) in terms.iter().zip(records::<2>(&words)) {
            assert_eq!((*monomial, value.to_bits()), (there, back.to_bits()));
        }
    }
}
