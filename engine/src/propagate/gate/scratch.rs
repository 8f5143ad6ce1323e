//! What a gate works with and gives back.

use phalanx_shmcomm::Outbox;

use crate::algebra::Monomial;
use crate::operator::chunk::Bits;

/// A scratch list may keep room for this many times what its last gate used.
const KEEP: usize = 4;
/// Room below which nothing is given back.
const SMALL: usize = 64;

/// A term that a gate makes, until its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fresh<const W: usize> {
    pub(super) monomial: Monomial<W>,
    pub(super) hash: u64,
    pub(super) coefficient: f64,
}

/// A record that was sent: the row it came from, and the sign it was sent with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) row: u32,
    pub(super) negative: bool,
}

/// Everything that a gate fills. Between gates it is empty, and keeps at most [`KEEP`] times the room of its last use.
#[derive(Debug)]
pub(super) struct Scratch<const W: usize> {
    /// The rows that the gate scales, for each chunk; cleared as edges take care of them.
    pub(super) events: Vec<Bits>,
    /// The rows that have emitted to another participant and not yet heard of their partner.
    pub(super) waiting: Vec<Bits>,
    pub(super) fresh: Vec<Fresh<W>>,
    /// For each destination, what was sent there, in order.
    pub(super) sent: Vec<Vec<Sent>>,
    /// Records on their way, and answers.
    pub(super) words: Vec<Vec<u64>>,
    /// The outbox that came back from each pair lane, without room of its own, ready for the next call on it.
    pub(super) outboxes: [Option<Outbox<u64>>; 2],
    /// The room that came back with it.
    pub(super) rooms: [Vec<u64>; 2],
}

impl<const W: usize> Default for Scratch<W> {
    fn default() -> Self {
        Scratch {
            events: Vec::new(),
            waiting: Vec::new(),
            fresh: Vec::new(),
            sent: Vec::new(),
            words: Vec::new(),
            outboxes: [None, None],
            rooms: [Vec::new(), Vec::new()],
        }
    }
}

/// Empties a list and gives back what it holds beyond its fair share.
pub(super) fn trim<T>(list: &mut Vec<T>) {
    let used = list.len().max(SMALL);
    list.clear();
    if list.capacity() > KEEP * used {
        list.shrink_to(used);
    }
}

fn held<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}

impl<const W: usize> Scratch<W> {
    /// Ends a gate.
    pub(super) fn give_back(&mut self) {
        trim(&mut self.events);
        trim(&mut self.waiting);
        trim(&mut self.fresh);
        self.sent.iter_mut().for_each(trim);
        self.words.iter_mut().for_each(trim);
    }

    /// `n` empty lists for what is sent to `n` destinations, and as many for words.
    pub(super) fn make_lists(&mut self, n: usize) {
        self.sent.resize_with(n, Vec::new);
        self.words.resize_with(n, Vec::new);
    }

    /// Bytes that are allocated.
    pub(super) fn bytes(&self) -> usize {
        let outboxes = self.outboxes.iter().flatten().map(Outbox::capacity_bytes);
        let outboxes = outboxes.sum::<usize>() + self.rooms.iter().map(held).sum::<usize>();
        let lists =
            self.sent.iter().map(held).sum::<usize>() + self.words.iter().map(held).sum::<usize>();
        held(&self.events)
            + held(&self.waiting)
            + held(&self.fresh)
            + held(&self.sent)
            + held(&self.words)
            + lists
            + outboxes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_large_gate_used_is_given_back_after_a_small_one() {
        let mut scratch = Scratch::<1>::default();
        scratch.events.resize(1000, [0; 64]);
        scratch.give_back();
        assert!(scratch.bytes() >= 1000 * size_of::<Bits>());
        scratch.events.resize(100, [0; 64]);
        scratch.give_back();
        assert!(scratch.events.is_empty());
        assert!(
            scratch.bytes() <= KEEP * 100 * size_of::<Bits>(),
            "{}",
            scratch.bytes()
        );
        // A steady load is left alone: no allocation from gate to gate.
        let before = scratch.events.capacity();
        scratch.events.resize(60, [0; 64]);
        scratch.give_back();
        assert_eq!(scratch.events.capacity(), before);
    }
}
