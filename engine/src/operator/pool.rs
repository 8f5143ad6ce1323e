//! The pool: the terms of an operator in chunks, with nothing else. What a walk keeps between its stretches.

use super::chunk::{CHUNK, Chunk};
use super::row::{Row, RowFormat};
use crate::algebra::Monomial;

/// Rows with their coefficients. Rows are appended and never removed one by one.
#[derive(Debug)]
pub(crate) struct Pool<const W: usize> {
    format: RowFormat,
    chunks: Vec<Chunk>,
    /// The monomials that are too long for a row.
    long: Vec<Monomial<W>>,
}

impl<const W: usize> Pool<W> {
    pub(crate) fn new(format: RowFormat) -> Self {
        Pool {
            format,
            chunks: Vec::new(),
            long: Vec::new(),
        }
    }

    pub(crate) fn format(&self) -> RowFormat {
        self.format
    }

    pub(crate) fn len(&self) -> usize {
        let full = self.chunks.len().saturating_sub(1) * CHUNK;
        full + self.chunks.last().map_or(0, Chunk::len)
    }

    pub(crate) fn n_chunks(&self) -> usize {
        self.chunks.len()
    }

    #[inline]
    pub(crate) fn chunk(&self, at: usize) -> &Chunk {
        &self.chunks[at]
    }

    #[inline]
    pub(crate) fn chunk_mut(&mut self, at: usize) -> &mut Chunk {
        &mut self.chunks[at]
    }

    /// The monomial of a row.
    #[inline]
    pub(crate) fn monomial(&self, chunk: usize, at: usize) -> Monomial<W> {
        self.resolve(self.chunks[chunk].row(self.format, at))
    }

    #[inline]
    pub(crate) fn resolve(&self, row: Row<W>) -> Monomial<W> {
        match row {
            Row::Here(monomial) => monomial,
            Row::Long(at) => self.long[at as usize],
        }
    }

    /// All terms, in the order of rows.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (Monomial<W>, f64)> + '_ {
        self.chunks.iter().flat_map(|chunk| {
            chunk
                .coefficients()
                .iter()
                .enumerate()
                .map(|(at, &c)| (self.resolve(chunk.row(self.format, at)), c))
        })
    }

    /// Every `stride`-th term, from the first.
    pub(crate) fn every(&self, stride: usize) -> impl Iterator<Item = (Monomial<W>, f64)> + '_ {
        (0..self.len()).step_by(stride).map(|row| {
            let (chunk, at) = (row / CHUNK, row % CHUNK);
            (
                self.monomial(chunk, at),
                self.chunks[chunk].coefficients()[at],
            )
        })
    }

    /// Appends a row that another pool of the same format holds; one in the side list must be given as a term instead.
    #[inline]
    pub(crate) fn push_row(&mut self, row: &[u8], coefficient: f64) {
        with_room(self.format, &mut self.chunks).push_row(row, coefficient);
    }

    /// Takes the chunks out, to be consumed one by one; the side list stays, so that their rows can still be resolved.
    pub(crate) fn take_chunks(&mut self) -> Vec<Chunk> {
        std::mem::take(&mut self.chunks)
    }

    /// Writes a row of this pool's format for a chunk of the caller's.
    #[inline]
    pub(crate) fn encode(&mut self, monomial: &Monomial<W>, row: &mut [u8]) {
        encode(self.format, &mut self.long, monomial, row);
    }

    /// Appends a term.
    #[inline]
    pub(crate) fn push(&mut self, monomial: &Monomial<W>, coefficient: f64) {
        let Pool {
            format,
            chunks,
            long,
        } = self;
        let row = with_room(*format, chunks).append(format.stride(), coefficient);
        encode(*format, long, monomial, row);
    }

    /// Bytes that are allocated.
    pub(crate) fn bytes(&self) -> usize {
        let chunks = self.chunks.iter().map(Chunk::bytes).sum::<usize>();
        let list = self.chunks.capacity() * size_of::<Chunk>();
        chunks + list + self.long.capacity() * size_of::<Monomial<W>>()
    }
}

/// The last chunk, which has room for a row.
#[inline]
fn with_room(format: RowFormat, chunks: &mut Vec<Chunk>) -> &mut Chunk {
    if chunks.last().is_none_or(Chunk::is_full) {
        // The first chunk starts small, for small operators; later ones are allocated whole.
        let room = if chunks.is_empty() { 64 } else { CHUNK };
        chunks.push(Chunk::with_capacity(format, room));
    }
    let last = chunks.len() - 1;
    &mut chunks[last]
}

/// Writes a row of zeroes, or a reference to the side list if the monomial is too long for one.
#[inline]
fn encode<const W: usize>(
    format: RowFormat,
    long: &mut Vec<Monomial<W>>,
    monomial: &Monomial<W>,
    row: &mut [u8],
) {
    if !format.encode(monomial, monomial.length(), row) {
        long.push(*monomial);
        // As many entries as rows at most, and a walk ends before those need more than 32 bits.
        format.encode_long((long.len() - 1) as u32, row);
    }
}
