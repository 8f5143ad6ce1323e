//! The store: all terms of one partition, with their index and columns kept in step.

use super::chunk::{Bits, CHUNK, Chunk};
use super::columns::Columns;
use super::hash::hash;
use super::index::Index;
use super::kernels::prefetch;
use super::row::{Row, RowFormat};
use crate::algebra::Monomial;
use crate::error::EngineError;

/// The rows of an operator. Row r is in chunk r / 4,096. Rows are appended and never removed.
#[derive(Debug)]
pub(crate) struct Store<const W: usize> {
    format: RowFormat,
    n_slots: usize,
    chunks: Vec<Chunk>,
    columns: Vec<Columns>,
    index: Index,
    /// The monomials that are too long for a row.
    long: Vec<Monomial<W>>,
}

/// Where a row is: chunk and place within.
#[inline]
pub(crate) fn locate(row: u32) -> (usize, usize) {
    (row as usize / CHUNK, row as usize % CHUNK)
}

impl<const W: usize> Store<W> {
    pub(crate) fn new(n_slots: usize, format: RowFormat) -> Self {
        Store {
            format,
            n_slots,
            chunks: Vec::new(),
            columns: Vec::new(),
            index: Index::new(),
            long: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.chunks
            .last()
            .map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    pub(crate) fn n_chunks(&self) -> usize {
        self.chunks.len()
    }

    #[inline]
    pub(crate) fn coefficients(&self, chunk: usize) -> &[f64] {
        self.chunks[chunk].coefficients()
    }

    #[inline]
    pub(crate) fn coefficients_mut(&mut self, chunk: usize) -> &mut [f64] {
        self.chunks[chunk].coefficients_mut()
    }

    #[inline]
    pub(crate) fn coefficient(&self, row: u32) -> f64 {
        let (chunk, at) = locate(row);
        self.chunks[chunk].coefficients()[at]
    }

    #[inline]
    pub(crate) fn coefficient_mut(&mut self, row: u32) -> &mut f64 {
        let (chunk, at) = locate(row);
        &mut self.chunks[chunk].coefficients_mut()[at]
    }

    /// The rows of a chunk that have an odd number of `slots` set; see [`Columns::fold`].
    #[inline]
    pub(crate) fn fold(&self, chunk: usize, slots: &[u32], odd_rows: bool) -> Option<Bits> {
        self.columns[chunk].fold(slots, odd_rows)
    }

    /// The monomial of a row.
    #[inline]
    pub(crate) fn monomial(&self, row: u32) -> Monomial<W> {
        let (chunk, at) = locate(row);
        match self.chunks[chunk].row(self.format, at) {
            Row::Here(monomial) => monomial,
            Row::Long(at) => self.long[at as usize],
        }
    }

    /// All terms, in the order of rows.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (Monomial<W>, f64)> + '_ {
        // Rows are counted in 32 bits: `push` sees to it.
        (0..self.len() as u32).map(|row| (self.monomial(row), self.coefficient(row)))
    }

    /// Asks for the index line of `hash`, the first of the three steps of a batched look-up.
    #[inline]
    pub(crate) fn prefetch_index(&self, hash: u64) {
        self.index.prefetch(hash);
    }

    /// Asks for the row that `hash` most likely means, the second step.
    #[inline]
    pub(crate) fn prefetch_row(&self, hash: u64) {
        if let Some(row) = self.index.guess(hash) {
            let (chunk, at) = locate(row);
            prefetch(self.chunks[chunk].row_bytes(self.format, at));
            prefetch(&self.chunks[chunk].coefficients()[at]);
        }
    }

    /// The row of a monomial, the third step.
    #[inline]
    pub(crate) fn find(&self, hash: u64, monomial: &Monomial<W>) -> Option<u32> {
        self.index.find(hash, |row| self.monomial(row) == *monomial)
    }

    /// Appends a term that is not there.
    ///
    /// # Errors
    /// [`EngineError::Capacity`] when row numbers run out.
    pub(crate) fn push(
        &mut self,
        hash: u64,
        monomial: &Monomial<W>,
        coefficient: f64,
    ) -> Result<(), EngineError> {
        let Ok(row) = u32::try_from(self.len()) else {
            return Err(EngineError::Capacity {
                what: "terms in one partition",
                limit: u64::from(u32::MAX),
            });
        };
        let (chunk, at) = locate(row);
        if at == 0 {
            // The first chunk starts small, for small operators; later ones are allocated whole.
            self.chunks.push(Chunk::with_capacity(
                self.format,
                if chunk == 0 { 64 } else { CHUNK },
            ));
            self.columns.push(Columns::new(self.n_slots));
        }
        let long = &mut self.long;
        self.chunks[chunk].push(self.format, monomial, coefficient, |monomial| {
            long.push(*monomial);
            // No more entries than rows.
            (long.len() - 1) as u32
        });
        self.columns[chunk].push(at as u16, monomial.slots());
        if self.chunks[chunk].is_full() {
            self.columns[chunk].seal();
        }
        let (format, chunks, long) = (self.format, &self.chunks, &self.long);
        self.index.insert(hash, row, |row| {
            let (chunk, at) = locate(row);
            match chunks[chunk].row::<W>(format, at) {
                Row::Here(monomial) => self::hash(&monomial),
                Row::Long(at) => self::hash(&long[at as usize]),
            }
        });
        Ok(())
    }

    /// Bytes that are allocated, all of it.
    pub(crate) fn bytes(&self) -> usize {
        let lists = self.chunks.capacity() * size_of::<Chunk>()
            + self.columns.capacity() * size_of::<Columns>();
        let held = self.chunks.iter().map(Chunk::bytes).sum::<usize>()
            + self.columns.iter().map(Columns::bytes).sum::<usize>();
        size_of::<Self>()
            + lists
            + held
            + self.index.bytes()
            + self.long.capacity() * size_of::<Monomial<W>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// Enough rows for several chunks, in both layouts, with some too long for a row.
        #[test]
        fn a_store_is_a_map(seed in any::<u64>(), longest in 1_usize..9, n in 1_usize..9000) {
            let mut store = Store::<2>::new(100, RowFormat::choose(100, longest));
            let mut map = HashMap::new();
            let mut state = seed;
            for at in 0..n {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let slots: Vec<u32> = (0..(state >> 60) % 11).map(|k| ((state >> (4 * k)) % 100) as u32).collect();
                let monomial = Monomial::<2>::from_slots(&slots);
                let found = store.find(hash(&monomial), &monomial);
                prop_assert_eq!(found, map.get(monomial.words()).map(|&(row, _)| row));
                if found.is_none() {
                    map.insert(*monomial.words(), (store.len() as u32, at as f64));
                    store.push(hash(&monomial), &monomial, at as f64).unwrap();
                }
            }
            prop_assert_eq!(store.len(), map.len());
            for (monomial, coefficient) in store.terms() {
                prop_assert_eq!(map[monomial.words()].1, coefficient);
            }
            let folded: usize = (0..store.n_chunks()).filter_map(|c| store.fold(c, &[7], false)).flatten().map(|w| w.count_ones() as usize).sum();
            prop_assert_eq!(folded, store.terms().filter(|(m, _)| m.slots().any(|s| s == 7)).count());
        }
    }
}
