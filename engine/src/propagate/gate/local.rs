//! A gate whose partners are all here.

use super::emit::{Source, source};
use super::scan::{clear, emitting, events, for_each_row, holds, scale};
use super::scratch::Scratch;
use super::{Gate, Share};
use crate::algebra::Algebra;
use crate::error::EngineError;
use crate::operator::hash::hash;

/// How many look-ups are under way at a time.
const BATCH: usize = 32;

/// Applies the gate to a share that holds both ends of each of its edges.
pub(super) fn rotate<A: Algebra, const W: usize>(
    gate: &Gate<'_, W>,
    share: &mut Share<A, W>,
    scratch: &mut Scratch<W>,
) -> Result<(), EngineError> {
    events(gate, share, &mut scratch.events)?;
    let mut batch = Vec::with_capacity(BATCH);
    for chunk in 0..scratch.events.len() {
        if chunk % 64 == 0 {
            gate.check_stop()?;
        }
        let emitting = emitting(gate, &share.store, chunk, &scratch.events[chunk]);
        for_each_row(chunk, &emitting, |row| {
            if let Some(source) = source::<A, W>(gate, &share.store, row) {
                let hash = hash(&source.partner);
                share.store.prefetch_index(hash);
                batch.push((hash, source));
                if batch.len() == BATCH {
                    join(gate, share, scratch, &mut batch);
                }
            }
        });
    }
    join(gate, share, scratch, &mut batch);
    scale(gate, &mut share.store, &scratch.events);
    append(share, scratch)
}

/// Looks the batch's partners up and turns each pair, or makes the partner.
fn join<A: Algebra, const W: usize>(
    gate: &Gate<'_, W>,
    share: &mut Share<A, W>,
    scratch: &mut Scratch<W>,
    batch: &mut Vec<(u64, Source<W>)>,
) {
    for (hash, _) in &*batch {
        share.store.prefetch_row(*hash);
    }
    share.counts.lookups += batch.len() as u64;
    for (hash, source) in batch.drain(..) {
        // A partner that emitted first has turned both already.
        if !holds(&scratch.events, source.row) {
            continue;
        }
        clear(&mut scratch.events, source.row);
        let gain = gate.turn(source.coefficient, source.negative);
        let met = share.meet(gate, scratch, hash, &source.partner, gain);
        *share.store.coefficient_mut(source.row) =
            gate.rotation.cos * source.coefficient - gate.turn(met.before, source.negative);
    }
}

/// Appends what the gate made.
pub(super) fn append<A: Algebra, const W: usize>(
    share: &mut Share<A, W>,
    scratch: &Scratch<W>,
) -> Result<(), EngineError> {
    for (at, fresh) in scratch.fresh.iter().enumerate() {
        if let Some(ahead) = scratch.fresh.get(at + 8) {
            share.store.prefetch_index(ahead.hash);
        }
        share
            .store
            .push(fresh.hash, &fresh.monomial, fresh.coefficient)?;
    }
    Ok(())
}
