//! Labels: linear functions of a term that no generator of a window changes.
//!
//! A window maps each coset M + V onto itself, V being the span of its generators. A linear function that vanishes on V therefore has
//! one value per coset: terms with different labels never meet in the window. Buckets and owners are made of label bits.

use crate::algebra::Monomial;
use crate::operator::hash::draw;
use crate::operator::row::RowFormat;

/// A basis over GF(2) in reduced echelon form: each vector has a pivot slot that no other has.
#[derive(Clone, Debug)]
pub(super) struct Span<const W: usize> {
    vectors: Vec<(u32, Monomial<W>)>,
}

impl<const W: usize> Span<W> {
    pub(super) fn new() -> Self {
        Span {
            vectors: Vec::new(),
        }
    }

    /// Adds a vector.
    pub(super) fn insert(&mut self, mut vector: Monomial<W>) {
        for (pivot, other) in &self.vectors {
            if has(&vector, *pivot) {
                vector = vector.xor(other);
            }
        }
        let Some(pivot) = vector.slots().next() else {
            return;
        };
        for (_, other) in &mut self.vectors {
            if has(other, pivot) {
                *other = other.xor(&vector);
            }
        }
        self.vectors.push((pivot, vector));
    }
}

fn has<const W: usize>(monomial: &Monomial<W>, slot: u32) -> bool {
    monomial.words()[slot as usize / 64] >> (slot % 64) & 1 == 1
}

/// How many independent label bits are drawn.
pub(super) const BITS: u32 = 32;

/// The labels of one window: 32 bits, each a parity over the slots of a term.
#[derive(Clone, Debug)]
pub(super) struct Labels {
    /// For each slot, the label bits that it flips.
    slots: Vec<u32>,
    /// For each byte of a packed row, what each of its values flips.
    bytes: Vec<[u32; 256]>,
}

impl Labels {
    /// Labels that vanish on `span`. `tables` builds what [`of_row`](Self::of_row) needs for packed rows.
    pub(super) fn annihilating<const W: usize>(span: &Span<W>, n_slots: u32, tables: bool) -> Self {
        Self::drawn(span, n_slots, tables, 0)
    }

    /// Labels that vanish on nothing but the identity: fingerprints, drawn independently of all other labels.
    pub(super) fn fingerprints<const W: usize>(n_slots: u32) -> Self {
        Self::drawn(&Span::<W>::new(), n_slots, true, 1 << 63)
    }

    fn drawn<const W: usize>(span: &Span<W>, n_slots: u32, tables: bool, seed: u64) -> Self {
        let mut slots = vec![0_u32; n_slots as usize];
        let mut state = seed;
        for bit in 0..BITS {
            let mut row = Monomial::<W>::from_words(std::array::from_fn(|_| draw(&mut state)));
            for (pivot, vector) in &span.vectors {
                // The pivot is this vector's alone, so setting it right disturbs no other.
                if row.overlaps_oddly(vector) {
                    row = row.xor(&Monomial::from_slots(&[*pivot]));
                }
            }
            for slot in row.slots().take_while(|slot| *slot < n_slots) {
                slots[slot as usize] |= 1 << bit;
            }
        }
        let bytes = if tables {
            tables_of(&slots)
        } else {
            Vec::new()
        };
        Labels { slots, bytes }
    }

    /// Bytes that are allocated.
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * 4 + self.bytes.capacity() * size_of::<[u32; 256]>()
    }

    /// The label of a term.
    #[inline(always)]
    pub(super) fn of<const W: usize>(&self, monomial: &Monomial<W>) -> u32 {
        let flips = monomial.slots().map(|slot| self.slots[slot as usize]);
        flips.fold(0, |label, flips| label ^ flips)
    }

    /// The label of a row, without decoding it; `None` if its monomial is kept elsewhere.
    #[inline(always)]
    pub(super) fn of_row(&self, format: RowFormat, row: &[u8]) -> Option<u32> {
        match format {
            RowFormat::Packed { .. } => {
                let flips = self.bytes.iter().zip(row);
                Some(flips.fold(0, |label, (table, &byte)| label ^ table[usize::from(byte)]))
            }
            RowFormat::Slots { .. } => {
                let listed = format.listed(row)?;
                let flips = listed.iter().map(|&slot| self.slots[usize::from(slot)]);
                Some(flips.fold(0, |label, flips| label ^ flips))
            }
        }
    }
}

fn tables_of(slots: &[u32]) -> Vec<[u32; 256]> {
    let tables = slots.chunks(8).map(|eight| {
        let mut table = [0; 256];
        for value in 1..256_usize {
            let low = value.trailing_zeros() as usize;
            let flips = eight.get(low).copied().unwrap_or(0);
            table[value] = table[value & (value - 1)] ^ flips;
        }
        table
    });
    tables.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn labels_vanish_on_the_span_and_rows_agree(generators in proptest::collection::vec(any::<[u64; 2]>(), 0..40),
                                                    term in any::<[u64; 2]>(), choice in any::<u64>()) {
            let mask = Monomial::from_words([u64::MAX, u64::MAX >> 28]);
            let trim = |words: [u64; 2]| Monomial::<2>::from_words([words[0] & mask.words()[0], words[1] & mask.words()[1]]);
            let mut span = Span::new();
            let generators: Vec<_> = generators.into_iter().map(trim).collect();
            generators.iter().for_each(|g| span.insert(*g));
            let labels = Labels::annihilating(&span, 100, true);
            let term = trim(term);
            let moved = generators.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1).fold(term, |m, (_, g)| m.xor(g));
            prop_assert_eq!(labels.of(&term), labels.of(&moved));
            let format = RowFormat::choose(100, 99);
            let mut row = vec![0; format.stride()];
            prop_assert!(format.encode(&term, term.length(), &mut row));
            prop_assert_eq!(labels.of_row(format, &row), Some(labels.of(&term)));
            let short = Monomial::<2>::from_slots(&term.slots().take(4).collect::<Vec<_>>());
            let format = RowFormat::choose(100, 5);
            let mut row = vec![0; format.stride()];
            prop_assert!(format.encode(&short, short.length(), &mut row));
            prop_assert_eq!(labels.of_row(format, &row), Some(labels.of(&short)));
        }
    }

    #[test]
    fn labels_tell_cosets_apart() {
        let mut span = Span::<1>::new();
        for pair in 0..10 {
            span.insert(Monomial::from_slots(&[2 * pair, 2 * pair + 1]));
        }
        span.insert(Monomial::from_slots(&[0, 1, 2, 3]));
        assert_eq!(span.vectors.len(), 10);
        let labels = Labels::annihilating(&span, 64, true);
        let mut seen: Vec<u32> = (0..1024)
            .map(|set: u32| {
                labels.of(&Monomial::<1>::from_slots(
                    &(0..10)
                        .filter(|k| set >> k & 1 == 1)
                        .map(|k| 2 * k)
                        .collect::<Vec<_>>(),
                ))
            })
            .collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 1024);
    }
}
