//! The store: a pool of terms with its index and columns kept in step, for a walk gate by gate.

use super::chunk::{Bits, CHUNK};
use super::columns::Columns;
use super::hash::hash;
use super::index::Index;
use super::kernels::prefetch;
use super::pool::Pool;
use crate::algebra::Monomial;
use crate::error::EngineError;

/// The rows of an operator. Row r is in chunk r / 4,096. Rows are appended and never removed.
#[derive(Debug)]
pub(crate) struct Store<const W: usize> {
    pool: Pool<W>,
    n_slots: usize,
    columns: Vec<Columns>,
    index: Index,
}

pub(crate) const TOO_MANY: EngineError = EngineError::Capacity {
    what: "terms in one partition",
    limit: u32::MAX as u64,
};

/// Where a row is: chunk and place within.
#[inline]
pub(crate) fn locate(row: u32) -> (usize, usize) {
    (row as usize / CHUNK, row as usize % CHUNK)
}

impl<const W: usize> Store<W> {
    /// Equips a pool for a walk gate by gate.
    ///
    /// # Errors
    /// [`EngineError::Capacity`] if it has more rows than there are row numbers.
    pub(crate) fn from_pool(n_slots: usize, pool: Pool<W>) -> Result<Self, EngineError> {
        let n_rows = u32::try_from(pool.len()).map_err(|_| TOO_MANY)?;
        let mut store = Store {
            pool,
            n_slots,
            columns: Vec::new(),
            index: Index::new(),
        };
        for row in 0..n_rows {
            let monomial = store.monomial(row);
            store.enter(row, hash(&monomial), &monomial);
        }
        Ok(store)
    }

    pub(crate) fn pool(&self) -> &Pool<W> {
        &self.pool
    }

    pub(crate) fn len(&self) -> usize {
        self.pool.len()
    }

    pub(crate) fn n_chunks(&self) -> usize {
        self.pool.n_chunks()
    }

    #[inline]
    pub(crate) fn coefficients(&self, chunk: usize) -> &[f64] {
        self.pool.chunk(chunk).coefficients()
    }

    #[inline]
    pub(crate) fn coefficients_mut(&mut self, chunk: usize) -> &mut [f64] {
        self.pool.chunk_mut(chunk).coefficients_mut()
    }

    #[inline]
    pub(crate) fn coefficient(&self, row: u32) -> f64 {
        let (chunk, at) = locate(row);
        self.coefficients(chunk)[at]
    }

    #[inline]
    pub(crate) fn coefficient_mut(&mut self, row: u32) -> &mut f64 {
        let (chunk, at) = locate(row);
        &mut self.coefficients_mut(chunk)[at]
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
        self.pool.monomial(chunk, at)
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
            let chunk = self.pool.chunk(chunk);
            prefetch(chunk.row_bytes(self.pool.format(), at));
            prefetch(&chunk.coefficients()[at]);
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
        let row = u32::try_from(self.len())
            .ok()
            .filter(|row| *row < u32::MAX)
            .ok_or(TOO_MANY)?;
        self.pool.push(monomial, coefficient);
        self.enter(row, hash, monomial);
        Ok(())
    }

    /// Enters a row of the pool into columns and index. Rows come in ascending order.
    fn enter(&mut self, row: u32, hash: u64, monomial: &Monomial<W>) {
        let (chunk, at) = locate(row);
        if at == 0 {
            self.columns.push(Columns::new(self.n_slots));
        }
        self.columns[chunk].push(at as u16, monomial.slots());
        if at + 1 == CHUNK {
            self.columns[chunk].seal();
        }
        let pool = &self.pool;
        self.index.insert(hash, row, |row| {
            let (chunk, at) = locate(row);
            self::hash(&pool.monomial(chunk, at))
        });
    }

    /// Bytes that are allocated, all of it.
    pub(crate) fn bytes(&self) -> usize {
        let columns = self.columns.iter().map(Columns::bytes).sum::<usize>();
        let list = self.columns.capacity() * size_of::<Columns>();
        size_of::<Self>() + self.pool.bytes() + columns + list + self.index.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::row::RowFormat;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// Enough rows for several chunks, in both layouts, with some too long for a row.
        #[test]
        fn a_store_is_a_map(seed in any::<u64>(), longest in 1_usize..9, n in 1_usize..9000) {
            let mut store = Store::<2>::from_pool(100, Pool::new(RowFormat::choose(100, longest))).unwrap();
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
            for (monomial, coefficient) in store.pool().terms() {
                prop_assert_eq!(map[monomial.words()].1, coefficient);
            }
            let folded: usize = (0..store.n_chunks()).filter_map(|c| store.fold(c, &[7], false)).flatten().map(|w| w.count_ones() as usize).sum();
            prop_assert_eq!(folded, store.pool().terms().filter(|(m, _)| m.slots().any(|s| s == 7)).count());
        }
    }
}
