//! The table of a bucket: from a monomial to its row, by hash, small enough for a cache.

use crate::algebra::Monomial;
use crate::operator::hash::hash;

/// An open-addressing table of row numbers, with sixteen hash bits beside each. It is built when the first look-up comes, so that
/// a bucket in which nothing emits pays nothing.
#[derive(Debug)]
pub(super) struct Table {
    /// Zero where free, else a tag in the upper half and the row plus one in the lower.
    slots: Vec<u64>,
    /// Rows that are entered; zero before the first look-up.
    len: usize,
}

impl Table {
    pub(super) fn new() -> Self {
        Table {
            slots: Vec::new(),
            len: 0,
        }
    }

    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// The row of `monomial` among `rows`.
    #[inline]
    pub(super) fn find<const W: usize>(
        &mut self,
        rows: &[Monomial<W>],
        monomial: &Monomial<W>,
    ) -> Option<usize> {
        if self.len < rows.len() {
            self.build(rows);
        }
        let hash = hash(monomial);
        let (mask, tag) = (self.slots.len() - 1, hash >> 32);
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            if slot >> 32 == tag {
                let row = (slot as u32 - 1) as usize;
                if rows[row] == *monomial {
                    return Some(row);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Enters the last of `rows`, after a look-up that did not find it.
    #[inline]
    pub(super) fn insert<const W: usize>(&mut self, rows: &[Monomial<W>]) {
        if 2 * rows.len() > self.slots.len() {
            self.build(rows);
        } else if let Some(last) = rows.last() {
            self.place(hash(last), rows.len());
            self.len = rows.len();
        }
    }

    #[cold]
    fn build<const W: usize>(&mut self, rows: &[Monomial<W>]) {
        // Half full at most, and room to grow by a half before that.
        let room = (3 * rows.len()).next_power_of_two().max(64);
        self.slots.clear();
        self.slots.resize(room, 0);
        for (row, monomial) in rows.iter().enumerate() {
            self.place(hash(monomial), row + 1);
        }
        self.len = rows.len();
    }

    #[inline]
    fn place(&mut self, hash: u64, row_plus_one: usize) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        // Rows of a bucket are counted in 32 bits: a participant holds no more.
        self.slots[at] = hash >> 32 << 32 | row_plus_one as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_there_and_nothing_else() {
        let (mut table, mut rows) = (Table::new(), Vec::new());
        for word in 0..500_u64 {
            let monomial = Monomial::<1>::from_words([word * word]);
            assert_eq!(table.find(&rows, &monomial), None);
            rows.push(monomial);
            table.insert(&rows);
        }
        for word in 0..500_u64 {
            assert_eq!(
                table.find(&rows, &Monomial::from_words([word * word])),
                Some(word as usize)
            );
        }
        assert_eq!(table.find(&rows, &Monomial::from_words([3])), None);
        table.clear();
        rows.truncate(10);
        assert_eq!(table.find(&rows, &Monomial::from_words([81])), Some(9));
        assert_eq!(table.find(&rows, &Monomial::from_words([100])), None);
    }
}
