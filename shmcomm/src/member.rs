//! One participant's seat in the team: publishing, announcing, the first barrier, comparing.

// What a participant publishes is written here: a slot's cells cannot be had from safe code.
#![allow(unsafe_code)]

use std::sync::Arc;

use phalanx_barrier::{Cause, Participant, Poisoned};

use crate::fault::Faults;
use crate::loan::Loan;
use crate::observe::{Unwatched, Watch, Watched};
use crate::section::{Publishing, Reading, Round};
use crate::shared::{Lends, Shared};
use crate::sync::mutant;
use crate::tag::Tag;
use crate::{CommError, Observer, Verb};

/// What publishes, waits and reads for one participant.
pub(crate) struct Member {
    pub(crate) participant: Participant,
    pub(crate) shared: Arc<Shared>,
    pub(crate) me: usize,
    /// How many verbs this participant has begun.
    pub(crate) call: u64,
    /// Why the team is at its end, once a commit has failed.
    ended: Option<Arc<Cause>>,
    pub(crate) observer: Option<Box<dyn Observer>>,
    pub(crate) faults: Faults,
}

impl Member {
    pub(crate) fn new(participant: Participant, shared: Arc<Shared>) -> Member {
        Member {
            me: participant.index(),
            participant,
            shared,
            call: 0,
            ended: None,
            observer: None,
            faults: Faults::default(),
        }
    }

    pub(crate) fn n(&self) -> usize {
        self.shared.slots.len()
    }

    /// A verb of one barrier, which lends nothing that has to be settled. A bare `barrier` does not
    /// even compare tags, and must not read.
    ///
    /// `then` runs right behind the barrier, before anything that could unwind.
    pub(crate) fn round<R>(
        &mut self,
        verb: Verb,
        detail: u32,
        bytes: usize,
        loan: Loan<'_>,
        then: impl FnOnce(Result<Reading<'_>, CommError>) -> R,
    ) -> R {
        let round = Round {
            verb,
            detail,
            loan,
            then,
        };
        self.bracket(verb, bytes, round)
    }

    /// A verb that publishes: C1 to C6 of PROTOCOL.md.
    ///
    /// `read` runs between commit and settle. It is code of this crate and follows (S1): no code of
    /// a user, no lock, no wait. Whatever becomes of it, the settle comes after it. An error of its
    /// own poisons the team once the peers are done with what this participant lent.
    pub(crate) fn collective<R>(
        &mut self,
        verb: Verb,
        detail: u32,
        loan: Loan<'_>,
        read: impl FnOnce(&Reading<'_>) -> Result<R, CommError>,
    ) -> Result<R, CommError> {
        self.bracket(
            verb,
            loan.bytes,
            Publishing {
                verb,
                detail,
                loan,
                read,
            },
        )
    }

    /// The only place where a verb begins and ends. One test of the observer decides for the whole
    /// verb: without one, its barriers are compiled without a trace of it.
    #[inline]
    fn bracket<B: Body>(&mut self, verb: Verb, bytes: usize, body: B) -> B::Outcome {
        match &mut self.observer {
            None => body.run::<Unwatched>(self),
            Some(observer) => {
                observer.verb_begins(verb);
                let outcome = body.run::<Watched>(self);
                Watched::tell(&mut self.observer, |observer| {
                    observer.verb_ends(verb, bytes as u64)
                });
                outcome
            }
        }
    }

    /// The caller's memory, if it was lent, is the caller's again.
    pub(crate) fn take_back(&self, lends: Lends) {
        if lends == Lends::Memory {
            self.shared.slots[self.me].lease.write();
        }
    }

    /// Whether everybody did its part of the verb that has just settled: for verbs in which one
    /// participant's result is another's work. All participants get the same answer.
    pub(crate) fn check_parts(&self, verb: Verb) -> Result<(), CommError> {
        match self.shared.spoiled_by(self.call) {
            None => Ok(()),
            Some(_) if mutant("spoil-unread") => Ok(()),
            Some(peer) => Err(CommError::Unfinished { verb, peer }),
        }
    }

    /// Refuses every verb once a commit has failed (S5).
    ///
    /// A participant whose team is at its end must not publish or announce anything any more: a slow
    /// peer may still be comparing and reading the call before the one that failed, and the second
    /// call from here would overwrite its post.
    fn check_alive(&self, verb: Verb) -> Result<(), CommError> {
        match &self.ended {
            Some(cause) if !mutant("dead-announces") => Err(CommError::Poisoned {
                verb,
                cause: cause.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Publishes (C1) and announces (C2), passes the verb's first barrier (C3) and, unless it is a
    /// bare barrier, sees to it that all are in the same one (C4).
    ///
    /// Nothing between the announcement and the return can unwind. A participant that announced
    /// and never arrived could announce its next call, and its peers would take that arrival for
    /// this call's; one that passed and unwound would leave without its settle (S2).
    pub(crate) fn commit(
        &mut self,
        verb: Verb,
        detail: u32,
        loan: &Loan<'_>,
    ) -> Result<Committed, CommError> {
        self.check_alive(verb)?;
        let (call, n) = (self.call + 1, self.n());
        let slot = &self.shared.slots[self.me];
        // SAFETY: the slot is this participant's, and its last call has passed its last barrier: one
        // whose commit failed does not get here, and one that unwound out of a verb had settled it.
        let lends = unsafe { slot.publish(call, n, loan) };
        let tag = Tag::new(call, verb, detail);
        let guard = NoUnwinding;
        self.call = call;
        slot.announce(call, tag.lending(lends));
        let passed = self.participant.wait();
        std::mem::forget(guard);
        let all_lend = match passed {
            Ok(()) => self.compare(verb, tag),
            Err(Poisoned(cause)) => Err(CommError::Poisoned { verb, cause }),
        };
        match all_lend {
            Ok(_) if mutant("own-lends-decides") => Ok(Committed {
                lends,
                all_lend: lends,
            }),
            Ok(all_lend) => Ok(Committed { lends, all_lend }),
            Err(error) => {
                // Nobody reads: the commit failed for all, or all that compare saw a tag differ.
                self.ended = self.participant.cause();
                self.shared.ended.raise();
                self.take_back(lends);
                Err(error)
            }
        }
    }

    /// Compares everybody's announcement with this participant's, behind the barrier (C4). Says
    /// whether anybody lends. Both are the same for all that compare.
    fn compare(&self, verb: Verb, mine: Tag) -> Result<Lends, CommError> {
        let mut all_lend = Lends::Nothing;
        if verb == Verb::Barrier {
            return Ok(all_lend);
        }
        for (peer, slot) in self.shared.slots.iter().enumerate() {
            let theirs = slot.announced(self.call);
            if !theirs.agrees_with(mine) && !mutant("tags-unread") {
                return Err(self.mismatch(verb, peer, theirs));
            }
            if theirs.lends() {
                all_lend = Lends::Memory;
            }
        }
        Ok(all_lend)
    }

    pub(crate) fn reading(&self, verb: Verb) -> Reading<'_> {
        Reading {
            slots: &self.shared.slots,
            me: self.me,
            call: self.call,
            verb,
            faults: &self.faults,
        }
    }

    /// Stops the team: `peer` is in another verb. All that compare find such a peer.
    #[cold]
    fn mismatch(&self, verb: Verb, peer: usize, theirs: Tag) -> CommError {
        let error = CommError::Mismatch {
            call: self.call,
            mine: verb,
            peer,
            theirs: theirs.to_string(),
        };
        self.participant.poison(error.to_string());
        error
    }
}

/// A commit that has passed: whether this participant lends memory, and whether anybody does.
pub(crate) struct Committed {
    pub(crate) lends: Lends,
    pub(crate) all_lend: Lends,
}

/// What happens between the beginning and the end of a verb.
pub(crate) trait Body {
    type Outcome;

    fn run<W: Watch>(self, member: &mut Member) -> Self::Outcome;
}

/// Ends the process when it is dropped, which only unwinding does.
///
/// A barrier that unwinds (a clock of the user's that panics is the one way) leaves its
/// participant's arrival behind, and peers that go on to read memory the unwinding frees.
pub(crate) struct NoUnwinding;

impl Drop for NoUnwinding {
    fn drop(&mut self) {
        // The model reports its findings by unwinding out of the barrier.
        if cfg!(phalanx_loom) {
            return;
        }
        eprintln!("phalanx-shmcomm: a panic inside a barrier, whose peers would read freed memory");
        std::process::abort();
    }
}
