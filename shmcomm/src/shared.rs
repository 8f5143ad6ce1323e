//! What the participants of a team share: one slot each.

// The slots are cells that one participant writes and all read, kept apart by the barriers.
#![allow(unsafe_code)]

use crate::loan::Entry;
use crate::sync::{AtomicU64, Flag, Lease, Ordering, SharedCell, mutant};
use crate::tag::Tag;

/// One participant's announcements and its loan.
///
/// One line of 64 bytes each: a peer that compares tags and then reads the
/// loan misses once, and no two participants write to one line.
#[cfg_attr(not(phalanx_loom), repr(C, align(64)))]
pub(crate) struct Slot {
    tags: [AtomicU64; 2],
    entry: SharedCell<Entry>,
    pub(crate) lease: Lease,
}

#[cfg(all(not(phalanx_loom), target_pointer_width = "64"))]
const _: () = assert!(size_of::<Slot>() == 64);

// SAFETY: the tags are atomic. The entry is a plain descriptor whose pointers nobody follows
// except in `Peer`, which argues why; its cell is written by its owner outside of the span from
// commit to settle (`Slot::lend`) and read by peers inside it (`Slot::entry`), and the barrier
// orders the two.
unsafe impl Send for Slot {}
// SAFETY: as for `Send`: all shared access goes through `lend` and `entry`, see there.
unsafe impl Sync for Slot {}

impl Slot {
    fn new() -> Slot {
        Slot {
            tags: [AtomicU64::new(0), AtomicU64::new(0)],
            entry: SharedCell::new(Entry::nothing()),
            lease: Lease::new(),
        }
    }

    /// Tells the peers which verb this participant is about to wait in.
    ///
    /// Two words in turn: a fast peer announces call c + 1 while a slow one still compares call c.
    pub(crate) fn announce(&self, call: u64, tag: Tag) {
        // Relaxed (read in `announced`): peers compare it after the barrier, whose edge orders
        // this store before their load; the stall watch only looks at the value itself.
        self.word(call).store(tag.0, Ordering::Relaxed);
    }

    /// What the slot's owner announced for its call `call`.
    pub(crate) fn announced(&self, call: u64) -> Tag {
        // Relaxed (stored in `announce`): behind the barrier of call `call` on both sides, and the
        // owner writes this word again only two calls later, for which this participant's arrival
        // in the call between is needed.
        Tag(self.word(call).load(Ordering::Relaxed))
    }

    /// The latest announcement, for an onlooker that takes no part.
    #[cfg(not(phalanx_loom))]
    pub(crate) fn latest(&self) -> Tag {
        let [even, odd] = [self.announced(0), self.announced(1)];
        if odd.is_later_than(even) { odd } else { even }
    }

    fn word(&self, call: u64) -> &AtomicU64 {
        let parity = if mutant("single-tag") { 0 } else { call % 2 };
        &self.tags[parity as usize]
    }

    /// Writes the owner's loan.
    ///
    /// # Safety
    /// Only the slot's owner calls this, when it is not between a commit and its settle.
    pub(crate) unsafe fn lend(&self, entry: Entry) {
        // SAFETY: peers read the cell only between the commit and the settle of a verb in which
        // the owner takes part (`entry`); it is not in one now, so the last such span ended with
        // a settle that both sides passed, and the next begins with a commit that is to come.
        self.entry.with_mut(|cell| unsafe { *cell = entry });
    }

    /// Reads the owner's loan.
    ///
    /// # Safety
    /// The calling participant is between the commit and the settle of a verb whose tags were
    /// compared, and the slot's owner lent something in that verb.
    pub(crate) unsafe fn entry(&self) -> Entry {
        self.lease.read();
        // SAFETY: the owner wrote the cell before its arrival in the commit that the caller has
        // passed, and writes it again only after a settle that the caller has yet to reach.
        self.entry.with(|cell| unsafe { *cell })
    }
}

/// The state of a team that all its participants hold.
pub(crate) struct Shared {
    pub(crate) slots: Box<[Slot]>,
    /// The last call that a participant left by unwinding before it had done its part, and which
    /// participant that was: `call << 24 | participant`. 0 if there was none.
    spoiled: AtomicU64,
    /// Raised when a commit has failed: nobody waits for anybody any more.
    pub(crate) ended: Flag,
    /// Its end is how the stall watch learns that the team is gone.
    #[cfg(not(phalanx_loom))]
    pub(crate) watched: std::sync::OnceLock<std::sync::mpsc::Sender<std::convert::Infallible>>,
}

impl Shared {
    pub(crate) fn new(n: usize) -> Shared {
        Shared {
            slots: (0..n).map(|_| Slot::new()).collect(),
            spoiled: AtomicU64::new(0),
            ended: Flag::default(),
            #[cfg(not(phalanx_loom))]
            watched: std::sync::OnceLock::new(),
        }
    }

    /// Notes that `participant` unwinds out of its part of call `call`, before it settles.
    pub(crate) fn spoil(&self, call: u64, participant: usize) {
        // Relaxed (read in `spoiled_by`): our arrival in the settle comes after it, and the peers
        // read it behind that settle. A later call overwrites it only after a commit for which
        // every peer that still has to read it must arrive first.
        self.spoiled
            .store(call << 24 | participant as u64, Ordering::Relaxed);
    }

    /// Who spoiled call `call`, which has settled.
    pub(crate) fn spoiled_by(&self, call: u64) -> Option<usize> {
        // Relaxed (stored in `spoil`): the settle between the two orders them.
        let spoiled = self.spoiled.load(Ordering::Relaxed);
        (spoiled != 0 && spoiled >> 24 == call).then_some((spoiled & 0x00ff_ffff) as usize)
    }
}
