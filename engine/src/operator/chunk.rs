//! Chunks: up to 4,096 rows with their coefficients.

use super::row::{Row, RowFormat, SLACK};

/// Rows per chunk: a column of one is 512 bytes, its coefficients fill a first-level cache.
pub(crate) const CHUNK: usize = 4096;
/// Words of one column of a full chunk.
pub(crate) const WORDS: usize = CHUNK / 64;
/// One bit per row of a chunk.
pub(crate) type Bits = [u64; WORDS];

/// A run of rows. Only the last chunk of an operator is ever partly filled.
#[derive(Debug)]
pub(crate) struct Chunk {
    rows: Vec<u8>,
    coefficients: Vec<f64>,
}

impl Chunk {
    /// An empty chunk with room for `capacity` rows; it grows beyond on demand.
    pub(crate) fn with_capacity(format: RowFormat, capacity: usize) -> Self {
        let mut rows = Vec::with_capacity(capacity * format.stride() + SLACK);
        rows.resize(SLACK, 0);
        Chunk {
            rows,
            coefficients: Vec::with_capacity(capacity),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.coefficients.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len() == CHUNK
    }

    #[inline]
    pub(crate) fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    #[inline]
    pub(crate) fn coefficients_mut(&mut self) -> &mut [f64] {
        &mut self.coefficients
    }

    /// The bytes of row `at`, for a prefetch.
    #[inline]
    pub(crate) fn row_bytes(&self, format: RowFormat, at: usize) -> &[u8] {
        &self.rows[at * format.stride()..]
    }

    #[inline]
    pub(crate) fn row<const W: usize>(&self, format: RowFormat, at: usize) -> Row<W> {
        format.decode(&self.rows, at)
    }

    /// Appends a row, given as its bytes.
    #[inline]
    pub(crate) fn push_row(&mut self, row: &[u8], coefficient: f64) {
        self.append(row.len(), coefficient).copy_from_slice(row);
    }

    /// Appends a row of `stride` zeroes and returns it, to be written.
    #[inline]
    pub(crate) fn append(&mut self, stride: usize, coefficient: f64) -> &mut [u8] {
        let begin = self.rows.len() - SLACK;
        self.rows.resize(begin + stride + SLACK, 0);
        self.coefficients.push(coefficient);
        &mut self.rows[begin..begin + stride]
    }

    /// The bytes of each row and its coefficient.
    #[inline]
    pub(crate) fn rows(&self, format: RowFormat) -> impl Iterator<Item = (&[u8], f64)> {
        let rows = self.rows.chunks_exact(format.stride());
        rows.zip(self.coefficients.iter().copied())
    }

    /// Bytes that are allocated.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity() + self.coefficients.capacity() * size_of::<f64>() + size_of::<Self>()
    }
}
