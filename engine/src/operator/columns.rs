//! Columns: the transposed chunk, one bit per row for each slot.
//!
//! A term anticommutes with a generator if an odd number of the slots that the generator touches is set, so the xor of a few columns
//! answers for 64 terms a word. A column takes one of three forms, by how many bits are set.

use super::chunk::{Bits, WORDS};
use super::kernels::xor_into;

/// A list longer than this becomes a bit vector. Memory would break even at 256; a list costs a nanosecond an entry to fold.
const LIST: usize = 128;

/// Which rows of a chunk have a slot set.
#[derive(Debug, Default)]
enum Column {
    #[default]
    Empty,
    /// Row numbers, ascending.
    List(Vec<u16>),
    Dense(Box<Bits>),
}

impl Column {
    fn set(&mut self, row: u16) {
        match self {
            Column::Empty => *self = Column::List(vec![row]),
            Column::List(rows) if rows.len() < LIST => rows.push(row),
            Column::List(rows) => {
                let mut bits = Box::new([0; WORDS]);
                for &row in rows.iter().chain([&row]) {
                    bits[usize::from(row) / 64] |= 1 << (row % 64);
                }
                *self = Column::Dense(bits);
            }
            Column::Dense(bits) => bits[usize::from(row) / 64] |= 1 << (row % 64),
        }
    }

    #[inline]
    fn fold_into(&self, bits: &mut Bits) {
        match self {
            Column::Empty => {}
            Column::List(rows) => {
                for &row in rows {
                    bits[usize::from(row) / 64 % WORDS] ^= 1 << (row % 64);
                }
            }
            Column::Dense(column) => xor_into(bits, &**column),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Column::Empty => 0,
            Column::List(rows) => rows.capacity() * size_of::<u16>(),
            Column::Dense(_) => size_of::<Bits>(),
        }
    }
}

/// The columns of one chunk: one for each slot, and the parity of the rows' lengths.
#[derive(Debug)]
pub(crate) struct Columns {
    slots: Box<[Column]>,
    odd: Column,
}

impl Columns {
    pub(crate) fn new(n_slots: usize) -> Self {
        Columns {
            slots: (0..n_slots).map(|_| Column::Empty).collect(),
            odd: Column::Empty,
        }
    }

    /// Enters a row; rows come in ascending order.
    pub(crate) fn push(&mut self, row: u16, slots: impl Iterator<Item = u32>) {
        let mut length = 0;
        for slot in slots {
            self.slots[slot as usize].set(row);
            length += 1;
        }
        if length % 2 == 1 {
            self.odd.set(row);
        }
    }

    /// The rows with an odd number of these slots set, xor, if `odd_rows`, those of odd length. `None` if all columns are empty.
    #[inline]
    pub(crate) fn fold(&self, slots: &[u32], odd_rows: bool) -> Option<Bits> {
        let columns = slots
            .iter()
            .map(|&slot| &self.slots[slot as usize])
            .chain(odd_rows.then_some(&self.odd));
        let mut bits = None;
        for column in columns {
            if !matches!(column, Column::Empty) {
                column.fold_into(bits.get_or_insert([0; WORDS]));
            }
        }
        bits
    }

    /// Gives back what lists have allocated beyond their length. For a chunk that is full.
    pub(crate) fn seal(&mut self) {
        for column in self.slots.iter_mut().chain([&mut self.odd]) {
            if let Column::List(rows) = column {
                rows.shrink_to_fit();
            }
        }
    }

    /// Bytes that are allocated.
    pub(crate) fn bytes(&self) -> usize {
        let columns = self.slots.iter().chain([&self.odd]);
        size_of::<Self>() + size_of_val(&*self.slots) + columns.map(Column::bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Monomial;
    use proptest::prelude::*;

    proptest! {
        /// Density from nearly empty to full, so that all three forms meet in one fold.
        #[test]
        fn the_fold_is_the_parity_of_each_row(rows in proptest::collection::vec(any::<[u64; 2]>(), 1..700), mask in any::<[u64; 2]>(),
                                              thin in 0_u32..7, odd in any::<bool>()) {
            let mut columns = Columns::new(128);
            let sparse = |word: u64, at: usize| if at.is_multiple_of(3) { word } else { word & u64::MAX.checked_shl(8 * thin).unwrap_or(0) };
            let rows: Vec<Monomial<2>> = rows.iter().enumerate().map(|(at, w)| Monomial::from_words(w.map(|w| sparse(w, at)))).collect();
            for (at, row) in rows.iter().enumerate() {
                columns.push(at as u16, row.slots());
            }
            columns.seal();
            let mask = Monomial::from_words(mask);
            let bits = columns.fold(&mask.slots().collect::<Vec<_>>(), odd).unwrap_or([0; WORDS]);
            for (at, row) in rows.iter().enumerate() {
                let expected = row.overlaps_oddly(&mask) ^ (odd && row.length() % 2 == 1);
                prop_assert_eq!(bits[at / 64] >> (at % 64) & 1 == 1, expected);
            }
            prop_assert!(bits.iter().map(|w| w.count_ones() as usize).sum::<usize>() <= rows.len());
        }
    }

    #[test]
    fn nothing_set_folds_to_nothing() {
        let mut columns = Columns::new(8);
        columns.push(0, [1, 2].into_iter());
        assert!(columns.fold(&[0, 3], false).is_none());
        assert!(columns.fold(&[0, 3], true).is_none());
        columns.push(1, [5].into_iter());
        assert_eq!(columns.fold(&[0, 3], true).map(|bits| bits[0]), Some(2));
    }
}
