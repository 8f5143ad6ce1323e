//! A gate whose partners may live elsewhere.
//!
//! Every emitting term sends one record {partner, gain} to the owner of the partner. The owner joins it with its own rows:
//! - the partner is there and emitted too: its own record is on the way to the source, and each side has what it needs;
//! - the partner is there and did not emit: the owner answers with the coefficient that it had;
//! - the partner is not there: the owner makes it. No answer is needed, since both sides know how such a term begins.
//!
//! So the edges are those of the local form, each turned once at both ends, and the bits are the same.

use phalanx_shmcomm::{CommError, Communicator, Leg, Outbox, PairLane, Partition, RankShift};

use super::emit::source;
use super::local::append;
use super::scan::{clear, emitting, events, for_each_row, holds, scale};
use super::scratch::{Scratch, Sent, trim};
use super::{Gate, Share};
use crate::algebra::{Algebra, Monomial};
use crate::error::EngineError;
use crate::fault;
use crate::operator::chunk::{Bits, WORDS};
use crate::operator::hash::hash;
use crate::propagate::records;
use crate::route::Router;

/// An answer that says "nothing to tell": a NaN that no arithmetic makes.
const NO_ANSWER: u64 = 0x7FF4_5048_414C_4E58;
/// Records that are looked up at a time.
const BATCH: usize = 32;

/// The lanes of pair exchange: one for records, one for answers.
pub(super) struct Lanes<C: Communicator> {
    records: C::PairLane<u64>,
    answers: C::PairLane<u64>,
    /// Bytes of the outboxes that the lanes hold between exchanges.
    held: [usize; 2],
}

impl<C: Communicator> Lanes<C> {
    pub(super) fn new(comm: &mut C) -> Result<Self, EngineError> {
        Ok(Lanes {
            records: comm.pair_lane()?,
            answers: comm.pair_lane()?,
            held: [0; 2],
        })
    }

    pub(super) fn bytes(&self) -> usize {
        self.held.iter().sum()
    }
}

/// How records and answers travel.
pub(super) trait Route<const W: usize> {
    /// How many destinations there are.
    fn n_destinations(&self) -> usize;

    /// Which of them owns `partner`.
    fn destination(&self, partner: &Monomial<W>) -> usize;

    /// Sends `scratch.words` and calls `join` with each source's records, in ascending order of sources, and a list for one answer word
    /// per record. Afterwards `scratch.words` has the answers to this participant's own records, by destination, in order.
    fn exchange(
        self,
        scratch: &mut Scratch<W>,
        join: impl FnMut(&mut Scratch<W>, &[u64], &mut Vec<u64>),
    ) -> Result<(), CommError>;
}

/// Applies the gate together with all other participants.
pub(super) fn rotate<A: Algebra, const W: usize>(
    gate: &Gate<'_, W>,
    share: &mut Share<A, W>,
    scratch: &mut Scratch<W>,
    route: impl Route<W>,
) -> Result<(), EngineError> {
    events(gate, share, &mut scratch.events)?;
    scratch.make_lists(route.n_destinations());
    for chunk in 0..scratch.events.len() {
        let emitting = emitting(gate, &share.store, chunk, &scratch.events[chunk]);
        let mut waiting: Bits = [0; WORDS];
        for_each_row(chunk, &emitting, |row| {
            if let Some(source) = source::<A, W>(gate, &share.store, row) {
                let to = route.destination(&source.partner);
                let gain = gate.turn(source.coefficient, source.negative);
                records::push(&mut scratch.words[to], &source.partner, gain);
                scratch.sent[to].push(Sent {
                    row,
                    negative: source.negative,
                });
                waiting[row as usize / 64 % waiting.len()] |= 1 << (row % 64);
            }
        });
        scratch.waiting.push(waiting);
    }
    gate.check_stop()?;
    share.counts.exchanges += 2;
    share.counts.exchanged_bytes += sent_bytes(scratch);
    route.exchange(scratch, |scratch, records, answers| {
        join(gate, share, scratch, records, answers)
    })?;
    settle(gate, share, scratch);
    scale(gate, &mut share.store, &scratch.events);
    append(share, scratch)
}

/// Bytes of the records that are about to be sent, to this participant's own rows included.
fn sent_bytes<const W: usize>(scratch: &Scratch<W>) -> u64 {
    let words: usize = scratch.words.iter().map(Vec::len).sum();
    8 * words as u64
}

/// Turns the rows that records speak of, and answers.
fn join<A: Algebra, const W: usize>(
    gate: &Gate<'_, W>,
    share: &mut Share<A, W>,
    scratch: &mut Scratch<W>,
    words: &[u64],
    answers: &mut Vec<u64>,
) {
    share.counts.lookups += (words.len() / records::size::<W>()) as u64;
    let mut hashes = [0; BATCH];
    for batch in words.chunks(records::size::<W>() * BATCH) {
        let batch = records::records(batch);
        let mut n = 0;
        for ((monomial, _), slot) in batch.clone().zip(&mut hashes) {
            *slot = hash(&monomial);
            share.store.prefetch_index(*slot);
            n += 1;
        }
        for hash in &hashes[..n] {
            share.store.prefetch_row(*hash);
        }
        for ((monomial, gain), &hash) in batch.zip(&hashes) {
            let met = share.meet(gate, scratch, hash, &monomial, gain);
            // Nothing to tell of one that was not there, nor of one whose own record says it.
            let is_silent = met.row.is_none_or(|row| holds(&scratch.waiting, row));
            answers.push(if is_silent {
                NO_ANSWER
            } else {
                met.before.to_bits()
            });
            if let Some(row) = met.row {
                clear(&mut scratch.waiting, row);
            }
        }
    }
}

/// Turns the sources that no record has spoken of: by the answer, or as a new partner's begin.
fn settle<A: Algebra, const W: usize>(
    gate: &Gate<'_, W>,
    share: &mut Share<A, W>,
    scratch: &mut Scratch<W>,
) {
    for (sent, answers) in scratch.sent.iter().zip(&scratch.words) {
        for (&Sent { row, negative }, &answer) in sent.iter().zip(answers) {
            if !holds(&scratch.waiting, row) {
                continue;
            }
            let before = match answer {
                NO_ANSWER => share.readout.beginning(
                    &share
                        .store
                        .monomial(row)
                        .xor(gate.rotation.generator.bits()),
                ),
                bits => f64::from_bits(bits),
            };
            let coefficient = share.store.coefficient_mut(row);
            *coefficient = gate.rotation.cos * *coefficient - gate.turn(before, negative);
            clear(&mut scratch.events, row);
        }
    }
}

/// One peer has all the partners.
pub(super) struct Pair<'a, C: Communicator> {
    pub(super) lanes: &'a mut Lanes<C>,
    pub(super) comm: &'a mut C,
    /// What the flat index is xored with.
    pub(super) shift: usize,
}

impl<C: Communicator, const W: usize> Route<W> for Pair<'_, C> {
    fn n_destinations(&self) -> usize {
        1
    }

    fn destination(&self, _: &Monomial<W>) -> usize {
        0
    }

    fn exchange(
        self,
        scratch: &mut Scratch<W>,
        mut join: impl FnMut(&mut Scratch<W>, &[u64], &mut Vec<u64>),
    ) -> Result<(), CommError> {
        let layout = self.comm.layout();
        let shift = RankShift(self.shift / layout.n_partitions);
        let peer = Partition((layout.index() ^ self.shift) % layout.n_partitions);
        fault::point(layout.partition.0, "exchange");
        let Lanes {
            records,
            answers,
            held,
        } = self.lanes;
        let outbox = fill(scratch, 0, layout.n_partitions, peer);
        held[0] = outbox.capacity_bytes();
        let exchanged = records.exchange(self.comm, shift, outbox)?;
        keep(scratch, 0, exchanged.recycled);
        let mut replies = std::mem::take(&mut scratch.words[0]);
        join(scratch, exchanged.view.block(peer), &mut replies);
        scratch.words[0] = replies;
        let outbox = fill(scratch, 1, layout.n_partitions, peer);
        held[1] = outbox.capacity_bytes();
        let exchanged = answers.exchange(self.comm, shift, outbox)?;
        scratch.words[0].extend_from_slice(exchanged.view.block(peer));
        keep(scratch, 1, exchanged.recycled);
        Ok(())
    }
}

/// Moves `scratch.words[0]` into the block for `peer` of lane `lane`'s outbox, and leaves the room that came back last in its place.
fn fill<const W: usize>(
    scratch: &mut Scratch<W>,
    lane: usize,
    n_partitions: usize,
    peer: Partition,
) -> Outbox<u64> {
    let outbox = scratch.outboxes[lane].take();
    let mut outbox = outbox.unwrap_or_else(|| Outbox::new(n_partitions));
    let room = std::mem::take(&mut scratch.rooms[lane]);
    *outbox.block_mut(peer) = std::mem::replace(&mut scratch.words[0], room);
    outbox
}

/// Keeps an outbox that came back for the next call on its lane, and apart from it the room of the one block that was used: the next
/// call may be with another peer.
fn keep<const W: usize>(scratch: &mut Scratch<W>, lane: usize, recycled: Option<Outbox<u64>>) {
    scratch.outboxes[lane] = recycled.map(|mut outbox| {
        for peer in 0..outbox.n_blocks() {
            let block = std::mem::take(outbox.block_mut(Partition(peer)));
            if block.capacity() > 0 {
                scratch.rooms[lane] = block;
                trim(&mut scratch.rooms[lane]);
            }
        }
        outbox
    });
}

/// Partners may live anywhere.
pub(super) struct Everyone<'a, C: Communicator, const W: usize> {
    pub(super) router: &'a Router<W>,
    pub(super) comm: &'a mut C,
}

impl<C: Communicator, const W: usize> Route<W> for Everyone<'_, C, W> {
    fn n_destinations(&self) -> usize {
        self.comm.world_size()
    }

    fn destination(&self, partner: &Monomial<W>) -> usize {
        self.router.owner(partner)
    }

    fn exchange(
        self,
        scratch: &mut Scratch<W>,
        mut join: impl FnMut(&mut Scratch<W>, &[u64], &mut Vec<u64>),
    ) -> Result<(), CommError> {
        fault::point(self.comm.layout().partition.0, "exchange");
        let counts: Vec<u64> = scratch
            .words
            .iter()
            .map(|words| words.len() as u64)
            .collect();
        let send: Vec<u64> = scratch.words.concat();
        let mut inbox = Vec::new();
        let leg = self
            .comm
            .resolve(&send, &counts, records::size::<W>(), &mut inbox)?;
        let mut replies = Vec::with_capacity(inbox.len() / records::size::<W>());
        join(scratch, &inbox, &mut replies);
        let mut answers = Vec::new();
        leg.reply(&replies, 1, &mut answers)?;
        // Answers come in the order of the records, which was by destination.
        let mut rest = &answers[..];
        for (words, sent) in scratch.words.iter_mut().zip(&scratch.sent) {
            let (mine, others) = rest.split_at(sent.len());
            words.clear();
            words.extend_from_slice(mine);
            rest = others;
        }
        Ok(())
    }
}
