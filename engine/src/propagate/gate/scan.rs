//! Finding the terms that a gate concerns: those that anticommute, and of those the ones that may emit.

use super::{Gate, Share};
use crate::algebra::Algebra;
use crate::error::EngineError;
use crate::operator::chunk::{Bits, CHUNK, WORDS};
use crate::operator::{Store, kernels};

/// Whether a row's bit is set in one set of bits per chunk.
#[inline]
pub(super) fn holds(bits: &[Bits], row: u32) -> bool {
    bits[row as usize / CHUNK][row as usize % CHUNK / 64] >> (row % 64) & 1 == 1
}

/// Clears a row's bit.
#[inline]
pub(super) fn clear(bits: &mut [Bits], row: u32) {
    bits[row as usize / CHUNK][row as usize % CHUNK / 64] &= !(1 << (row % 64));
}

/// Calls `f` with each row of `chunk` whose bit is set, ascending.
#[inline]
pub(super) fn for_each_row(chunk: usize, bits: &Bits, mut f: impl FnMut(u32)) {
    for (at, &word) in bits.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            // Rows are counted in 32 bits: the store sees to it.
            f((chunk * CHUNK + 64 * at) as u32 + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}

/// Sets `events` to the rows of each chunk that the gate scales: they anticommute, and no length cap spares them.
pub(super) fn events<A: Algebra, const W: usize>(
    gate: &Gate<'_, W>,
    share: &mut Share<A, W>,
    events: &mut Vec<Bits>,
) -> Result<(), EngineError> {
    let Share { store, counts, .. } = share;
    let odd_rows = gate.rotation.generator.odd_length_matters();
    for chunk in 0..store.n_chunks() {
        if chunk % 64 == 0 {
            gate.check_stop()?;
        }
        let mut bits = store
            .fold(chunk, &gate.rotation.touched, odd_rows)
            .unwrap_or([0; WORDS]);
        if let Some(cap) = gate.predicate.cap() {
            let all = bits;
            for_each_row(chunk, &all, |row| {
                if store.monomial(row).length() > cap {
                    bits[row as usize % CHUNK / 64] &= !(1 << (row % 64));
                }
            });
        }
        counts.events += bits
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum::<u64>();
        events.push(bits);
    }
    Ok(())
}

/// Which of a chunk's `events` pass the lower threshold.
#[inline]
pub(super) fn emitting<const W: usize>(
    gate: &Gate<'_, W>,
    store: &Store<W>,
    chunk: usize,
    events: &Bits,
) -> Bits {
    let mut emitting = *events;
    if let Some(lower) = gate.predicate.lower() {
        let coefficients = store.coefficients(chunk);
        kernels::keep_emitting(&mut emitting, coefficients, gate.rotation.sin.abs(), lower);
    }
    emitting
}

/// Scales the rows that no edge has taken care of.
pub(super) fn scale<const W: usize>(gate: &Gate<'_, W>, store: &mut Store<W>, events: &[Bits]) {
    for (chunk, bits) in events.iter().enumerate() {
        if *bits != [0; WORDS] {
            kernels::scale(bits, store.coefficients_mut(chunk), gate.rotation.cos);
        }
    }
}
