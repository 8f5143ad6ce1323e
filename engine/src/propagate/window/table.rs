//! The table of a bucket: from the fingerprint of a monomial to its row, small enough for a cache.
//!
//! Fingerprints are linear, so a partner's is that of the term xor that of the generator, without a look at either monomial.

use crate::algebra::Monomial;

/// An open-addressing table of rows by fingerprint. It is built when the first look-up comes, so that a bucket in which nothing emits
/// pays nothing.
#[derive(Debug)]
pub(super) struct Table {
    /// Zero where free, else the fingerprint in the upper half and the row plus one in the lower.
    slots: Vec<u64>,
    /// Rows that are entered; zero before the first look-up.
    len: usize,
}

/// Where a fingerprint's search begins in a table of a power of two of slots. Linear bits cluster on cosets: they are mixed first.
#[inline(always)]
fn home(fingerprint: u32, n_slots: usize) -> usize {
    let mixed = (u64::from(fingerprint) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 32) as usize & (n_slots - 1)
}

impl Table {
    pub(super) fn new() -> Self {
        Table {
            slots: vec![0; 64],
            len: 0,
        }
    }

    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// The row of `monomial` among `rows`, whose fingerprints are `prints`.
    #[inline(always)]
    pub(super) fn find<const W: usize>(
        &mut self,
        rows: &[Monomial<W>],
        prints: &[u32],
        monomial: &Monomial<W>,
        print: u32,
    ) -> Option<usize> {
        if self.len < rows.len() {
            self.build(prints);
        }
        let mut at = home(print, self.slots.len());
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            if (slot >> 32) as u32 == print {
                let row = (slot as u32 - 1) as usize;
                if rows[row] == *monomial {
                    return Some(row);
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Enters the last of the rows, after a look-up that did not find it.
    #[inline(always)]
    pub(super) fn insert(&mut self, prints: &[u32]) {
        if 2 * prints.len() > self.slots.len() {
            self.build(prints);
        } else if let Some(&last) = prints.last() {
            self.place(last, prints.len());
            self.len = prints.len();
        }
    }

    #[cold]
    fn build(&mut self, prints: &[u32]) {
        // Half full at most, and room to grow by a half before that.
        let room = (3 * prints.len()).next_power_of_two().max(64);
        self.slots.clear();
        self.slots.resize(room, 0);
        for (row, &print) in prints.iter().enumerate() {
            self.place(print, row + 1);
        }
        self.len = prints.len();
    }

    #[inline(always)]
    fn place(&mut self, print: u32, row_plus_one: usize) {
        let mut at = home(print, self.slots.len());
        while self.slots[at] != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        // Rows of a bucket are counted in 32 bits: a participant holds no more.
        self.slots[at] = u64::from(print) << 32 | row_plus_one as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three fingerprints for all: monomials are told apart all the same.
    #[test]
    fn finds_what_is_there_and_nothing_else() {
        let (mut table, mut rows, mut prints) = (Table::new(), Vec::new(), Vec::new());
        let monomial = |word: u64| Monomial::<1>::from_words([word * word]);
        for word in 0..500_u64 {
            let print = (word % 3) as u32;
            assert_eq!(table.find(&rows, &prints, &monomial(word), print), None);
            rows.push(monomial(word));
            prints.push(print);
            table.insert(&prints);
        }
        for word in 0..500_u64 {
            let found = table.find(&rows, &prints, &monomial(word), (word % 3) as u32);
            assert_eq!(found, Some(word as usize));
        }
        assert_eq!(
            table.find(&rows, &prints, &Monomial::from_words([3]), 0),
            None
        );
        table.clear();
        rows.truncate(10);
        prints.truncate(10);
        assert_eq!(table.find(&rows, &prints, &monomial(9), 0), Some(9));
        assert_eq!(table.find(&rows, &prints, &monomial(10), 1), None);
    }
}
