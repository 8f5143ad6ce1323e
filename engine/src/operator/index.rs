//! The index: from the hash of a monomial to the rows that may hold it. It keeps no keys.
//!
//! A line is one cache line with twelve row numbers and a tag of eight hash bits for each, so that most look-ups touch one line and
//! one row. A full line spills into the next. Nothing is ever taken out.

use super::kernels::prefetch;

const PER_LINE: usize = 12;
/// Lines grow once they are this full, in percent.
const FULL_PERCENT: usize = 85;
/// By how much they grow, in percent.
const GROWTH_PERCENT: usize = 140;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line {
    rows: [u32; PER_LINE],
    /// 0 where there is no row, else 1 to 255.
    tags: [u8; 16],
}

const EMPTY: Line = Line {
    rows: [0; PER_LINE],
    tags: [0; 16],
};

/// A hash table of row numbers.
#[derive(Debug)]
pub(crate) struct Index {
    lines: Vec<Line>,
    len: usize,
}

#[inline]
fn tag(hash: u64) -> u8 {
    // 1 to 255 from eight bits: zero is folded into one.
    (hash as u8).max(1)
}

/// A bit for each of the twelve tags that equals `tag`.
#[inline]
fn matches(tags: &[u8; 16], tag: u8) -> u32 {
    tags.iter()
        .take(PER_LINE)
        .enumerate()
        .fold(0, |mask, (at, &have)| mask | u32::from(have == tag) << at)
}

impl Index {
    pub(crate) fn new() -> Self {
        Index {
            lines: vec![EMPTY],
            len: 0,
        }
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        // The upper half of the hash, scaled to the number of lines.
        (((hash >> 32) * self.lines.len() as u64) >> 32) as usize
    }

    /// Asks for the line of `hash` ahead of time.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        prefetch(&self.lines[self.home(hash)]);
    }

    /// The first row of which `is_it` holds, among those that have this hash's tag where it may be.
    #[inline]
    pub(crate) fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let (mut at, tag) = (self.home(hash), tag(hash));
        loop {
            let line = &self.lines[at];
            let mut candidates = matches(&line.tags, tag);
            while candidates != 0 {
                let row = line.rows[candidates.trailing_zeros() as usize % PER_LINE];
                if is_it(row) {
                    return Some(row);
                }
                candidates &= candidates - 1;
            }
            if line.tags[PER_LINE - 1] == 0 {
                return None;
            }
            at = if at + 1 == self.lines.len() {
                0
            } else {
                at + 1
            };
        }
    }

    /// The first row with this hash's tag in its home line: most likely the one, for a prefetch.
    #[inline]
    pub(crate) fn guess(&self, hash: u64) -> Option<u32> {
        let line = &self.lines[self.home(hash)];
        let candidates = matches(&line.tags, tag(hash));
        (candidates != 0).then(|| line.rows[candidates.trailing_zeros() as usize % PER_LINE])
    }

    /// Enters a row that is not there. `hash_of` gives the hash of any row that is.
    pub(crate) fn insert(&mut self, hash: u64, row: u32, hash_of: impl Fn(u32) -> u64) {
        if (self.len + 1) * 100 > self.lines.len() * PER_LINE * FULL_PERCENT {
            self.grow(self.len + 1, hash_of);
        }
        self.place(hash, row);
        self.len += 1;
    }

    /// Makes room for `len` rows in all.
    fn grow(&mut self, len: usize, hash_of: impl Fn(u32) -> u64) {
        let n_lines = (len * 100 / (PER_LINE * FULL_PERCENT) + 1) * GROWTH_PERCENT / 100 + 1;
        let old = std::mem::replace(&mut self.lines, vec![EMPTY; n_lines]);
        for line in &old {
            let filled = line
                .tags
                .iter()
                .take(PER_LINE)
                .take_while(|&&tag| tag != 0)
                .count();
            for &row in &line.rows[..filled] {
                self.place(hash_of(row), row);
            }
        }
    }

    fn place(&mut self, hash: u64, row: u32) {
        let mut at = self.home(hash);
        loop {
            let n_lines = self.lines.len();
            let line = &mut self.lines[at];
            if let Some(free) = line.tags[..PER_LINE].iter().position(|&tag| tag == 0) {
                line.tags[free] = tag(hash);
                line.rows[free] = row;
                return;
            }
            at = if at + 1 == n_lines { 0 } else { at + 1 };
        }
    }

    /// Bytes that are allocated.
    pub(crate) fn bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        /// Hashes are drawn from few values, so that tags and homes collide and lines spill.
        #[test]
        fn finds_what_a_map_finds(keys in proptest::collection::hash_set(0_u64..4000, 0..900), narrow in any::<bool>()) {
            let hash = |key: u64| if narrow { ((key % 3) << 61) | (key % 5) } else { key.wrapping_mul(0x9E37_79B9_7F4A_7C15) };
            let keys: Vec<u64> = keys.into_iter().collect();
            let mut index = Index::new();
            for (row, &key) in keys.iter().enumerate() {
                index.insert(hash(key), row as u32, |row| hash(keys[row as usize]));
            }
            let map: HashMap<u64, u32> = keys.iter().zip(0..).map(|(&key, row)| (key, row)).collect();
            for key in 0..4000 {
                prop_assert_eq!(index.find(hash(key), |row| keys[row as usize] == key), map.get(&key).copied());
            }
            prop_assert!(index.bytes() <= 64 * (3 + keys.len() * 2 / 12 * 2));
        }
    }

    #[test]
    fn memory_stays_between_six_and_ten_bytes_a_row() {
        let mut index = Index::new();
        for row in 0..200_000_u32 {
            let hash = |row: u32| u64::from(row).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            index.insert(hash(row), row, hash);
            if row > 10_000 {
                let per_row = index.bytes() as f64 / f64::from(row + 1);
                assert!((6.0..10.0).contains(&per_row), "{per_row} at {row}");
            }
        }
    }

    /// The terms of one owner of three fill the index as evenly as all terms would: the owner must not be told by the bits of the home line.
    #[test]
    fn one_owner_s_terms_do_not_crowd() {
        use crate::algebra::Monomial;
        use crate::operator::hash::hash;
        use crate::route::Router;
        let router = Router::<1>::new(3, 64, &[]);
        let terms = (0..90_000_u64).map(|word| Monomial::from_words([word]));
        let mine: Vec<_> = terms.filter(|term| router.owner(term) == 1).collect();
        let mut index = Index::new();
        for (row, term) in mine.iter().enumerate() {
            index.insert(hash(term), row as u32, |row| hash(&mine[row as usize]));
        }
        let full = |line: &Line| line.tags[PER_LINE - 1] != 0;
        let longest = index
            .lines
            .chunk_by(|a, b| full(a) && full(b))
            .map(<[Line]>::len)
            .max();
        assert!(longest < Some(60), "{longest:?} full lines in a row");
    }
}
