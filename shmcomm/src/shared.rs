//! What the participants of a team share: a slot each, for announcements and for what they publish.

// The slots are cells that one participant writes and all read, kept apart by the barriers.
#![allow(unsafe_code)]

use crate::loan::{Entry, Loan, MAIL_ALIGN};
use crate::sync::{AtomicU64, Flag, Lease, Ordering, SharedCell, mutant};
use crate::tag::Tag;

/// One participant's place: what it announces and publishes for even and for odd calls.
///
/// Two posts in turn: a fast peer publishes call c + 1 while a slow one still reads call c. Before
/// it publishes call c + 2 everybody has arrived in call c + 1, and so is done with call c.
pub(crate) struct Slot {
    posts: [Post; 2],
    /// Room of the owner's for what it publishes by copy, for even and for odd calls. Only the
    /// owner touches the vectors; peers reach their contents by the pointers of an entry.
    mail: SharedCell<[Vec<Line>; 2]>,
    pub(crate) lease: Lease,
}

/// An announcement and what goes with it, on one line of 64 bytes: a peer that has compared the tag
/// has the entry too, and no two participants write to one line.
#[cfg_attr(not(phalanx_loom), repr(C, align(64)))]
struct Post {
    tag: AtomicU64,
    entry: SharedCell<Entry>,
}

#[cfg(all(not(phalanx_loom), target_pointer_width = "64"))]
const _: () = assert!(size_of::<Post>() == 64);

/// A cache line of mail.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

const _: () = assert!(align_of::<Line>() == MAIL_ALIGN);

/// The most that one participant publishes by copy in a call, if `n` participants read it.
///
/// A copy spares everybody the second barrier, whose cost grows with the team; it costs its owner a
/// write to lines that the peers have looked at.
fn most_mail(n: usize) -> usize {
    (512 * n).clamp(LEAST_MAIL, 16 * 1024)
}

/// What may be published by copy in a team of any size.
pub(crate) const LEAST_MAIL: usize = 2048;

// SAFETY: the tags are atomic. An entry is a plain descriptor whose pointers nobody follows except
// `Peer`, which argues why. Its cell is written by the slot's owner (`Slot::publish`) and read by
// peers (`Slot::entry`) at times that the barriers keep apart, see there. The mail is touched by the
// owner alone, and is plain bytes.
unsafe impl Send for Slot {}
// SAFETY: as for `Send`: all shared access goes through `publish` and `entry`.
unsafe impl Sync for Slot {}

impl Slot {
    fn new() -> Slot {
        let post = || Post {
            tag: AtomicU64::new(0),
            entry: SharedCell::new(Entry::nothing()),
        };
        Slot {
            posts: [post(), post()],
            mail: SharedCell::new([Vec::new(), Vec::new()]),
            lease: Lease::new(),
        }
    }

    /// Tells the peers which verb this participant is about to wait in.
    pub(crate) fn announce(&self, call: u64, tag: Tag) {
        // Relaxed (read in `announced`): peers compare it after the barrier, whose edge orders
        // this store before their load; the stall watch only looks at the value itself.
        let parity = if mutant("single-tag") { 0 } else { call };
        self.post(parity).tag.store(tag.0, Ordering::Relaxed);
    }

    /// What the slot's owner announced for its call `call`.
    pub(crate) fn announced(&self, call: u64) -> Tag {
        // Relaxed (stored in `announce`): behind the barrier of call `call` on both sides, and the
        // owner writes this word again only two calls later, for which this participant's arrival
        // in the call between is needed.
        let parity = if mutant("single-tag") { 0 } else { call };
        Tag(self.post(parity).tag.load(Ordering::Relaxed))
    }

    /// The latest announcement, for an onlooker that takes no part.
    #[cfg(not(phalanx_loom))]
    pub(crate) fn latest(&self) -> Tag {
        let [even, odd] = [self.announced(0), self.announced(1)];
        if odd.is_later_than(even) { odd } else { even }
    }

    fn post(&self, call: u64) -> &Post {
        &self.posts[(call % 2) as usize]
    }

    /// Writes what the owner publishes for call `call`: a copy if that is small enough for a team of
    /// `n` and may be copied, else the loan itself. Says whether peers will read lent memory.
    ///
    /// # Safety
    /// Only the slot's owner calls this, before it announces call `call` and after call `call - 1`
    /// has passed its last barrier.
    pub(crate) unsafe fn publish(&self, call: u64, n: usize, loan: &Loan<'_>) -> Lends {
        let parity = if mutant("single-post") { 0 } else { call };
        let (entry, lends) = match loan.mail_bytes() {
            Some(0) => (loan.entry, Lends::Nothing),
            Some(bytes) if bytes <= most_mail(n) => {
                let copy = |mail: *mut [Vec<Line>; 2]| {
                    // SAFETY: the owner alone touches the vectors, and the caller is the owner.
                    let room = unsafe { &mut (*mail)[(parity % 2) as usize] };
                    room.reserve(bytes.div_ceil(size_of::<Line>()));
                    // SAFETY: the room has that many bytes, on a line's alignment, and nobody reads
                    // it: its last readers were those of call - 2, who were done with it when they
                    // arrived in call - 1, which has passed.
                    unsafe { loan.copy_to(room.as_mut_ptr().cast()) }
                };
                (self.mail.with_mut(copy), Lends::Nothing)
            }
            _ => {
                self.lease.write();
                (loan.entry.lent(), Lends::Memory)
            }
        };
        // SAFETY: the last to read this cell were the peers in call - 2, see above. Those of this
        // call read it behind the commit, which is to come.
        self.post(parity)
            .entry
            .with_mut(|cell| unsafe { *cell = entry });
        lends
    }

    /// Reads what the owner published for call `call`.
    ///
    /// # Safety
    /// The calling participant is in call `call` and has passed its commit, which compared tags, and
    /// the slot's owner published something in it.
    pub(crate) unsafe fn entry(&self, call: u64) -> Entry {
        let parity = if mutant("single-post") { 0 } else { call };
        // SAFETY: the owner wrote the cell before its arrival in the commit that the caller has
        // passed, and writes it again only for call + 2, for which the caller's arrival in call + 1
        // is needed.
        let entry = self.post(parity).entry.with(|cell| unsafe { *cell });
        if entry.is_lent() {
            self.lease.read();
        }
        entry
    }
}

/// Whether peers read memory of a participant's caller, which they must be done with before the
/// participant returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lends {
    /// Nothing but what the team itself keeps.
    Nothing,
    /// A slice of the caller's.
    Memory,
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
