//! One participant's seat in the team, and the shape that all its verbs have.

// What is lent to peers is written here, and the span in which they may read it begins and ends
// here: the slots' cells and the peers' descriptors cannot be had from safe code.
#![allow(unsafe_code)]

use std::sync::Arc;

use phalanx_barrier::{Cause, Participant, Poisoned};

use crate::fault::{Faults, Point};
use crate::loan::{Loan, Peer};
use crate::observe::{Unwatched, Watch, Watched};
use crate::shared::{Shared, Slot};
use crate::sync::mutant;
use crate::tag::Tag;
use crate::{CommError, Observer, Verb};

/// What publishes, waits and reads for one participant.
pub(crate) struct Member {
    pub(crate) participant: Participant,
    pub(crate) shared: Arc<Shared>,
    pub(crate) me: usize,
    /// How many verbs this participant has begun.
    call: u64,
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

    pub(crate) fn calls(&self) -> u64 {
        self.call
    }

    pub(crate) fn n(&self) -> usize {
        self.shared.slots.len()
    }

    /// A verb of one barrier that lends nothing. A bare barrier does not even compare tags.
    ///
    /// `then` runs right behind the barrier, before anything that could unwind.
    pub(crate) fn round<R>(
        &mut self,
        verb: Verb,
        detail: u32,
        bytes: usize,
        then: impl FnOnce(Result<(), CommError>) -> R,
    ) -> R {
        self.bracket(verb, bytes, Round { verb, detail, then })
    }

    /// A verb that lends: publish, commit, read, settle.
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
            Lending {
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

    /// Whether everybody did its part of the verb that has just settled: for verbs in which one
    /// participant's result is another's work. All participants get the same answer.
    pub(crate) fn check_parts(&self, verb: Verb) -> Result<(), CommError> {
        match self.shared.spoiled_by(self.call) {
            None => Ok(()),
            Some(_) if mutant("spoil-unread") => Ok(()),
            Some(peer) => Err(CommError::Unfinished { verb, peer }),
        }
    }

    /// Announces the verb, passes its first barrier and, unless it is a bare barrier, sees to it
    /// that all are in the same one.
    ///
    /// Nothing between the announcement and the return can unwind. A participant that announced
    /// and never arrived could announce its next call, and its peers would take that arrival for
    /// this call's; one that passed and unwound would leave without its settle. Nor does a
    /// participant announce anything once a commit has failed: a slow peer may still be comparing
    /// the call before that one, and the second announcement from here would overwrite its word.
    fn commit(&mut self, verb: Verb, detail: u32) -> Result<(), CommError> {
        if let Some(cause) = self.ended.clone().filter(|_| !mutant("dead-announces")) {
            return Err(CommError::Poisoned { verb, cause });
        }
        let call = self.call + 1;
        let tag = Tag::new(call, verb, detail);
        let guard = NoUnwinding;
        self.call = call;
        self.shared.slots[self.me].announce(call, tag);
        let passed = self.participant.wait();
        std::mem::forget(guard);
        if let Err(Poisoned(cause)) = passed {
            self.ended = Some(cause.clone());
            self.shared.ended.raise();
            return Err(CommError::Poisoned { verb, cause });
        }
        if verb == Verb::Barrier || mutant("tags-unread") {
            return Ok(());
        }
        let all = self.shared.slots.iter().map(|slot| slot.announced(call));
        match all.enumerate().find(|&(_, theirs)| theirs != tag) {
            None => Ok(()),
            Some((peer, theirs)) => {
                let error = CommError::Mismatch {
                    call,
                    mine: verb,
                    peer,
                    theirs: theirs.to_string(),
                };
                self.participant.poison(error.to_string());
                self.shared.ended.raise();
                Err(error)
            }
        }
    }
}

/// What happens between the beginning and the end of a verb.
trait Body {
    type Outcome;

    fn run<W: Watch>(self, member: &mut Member) -> Self::Outcome;
}

/// See [`Member::round`].
struct Round<F> {
    verb: Verb,
    detail: u32,
    then: F,
}

impl<R, F: FnOnce(Result<(), CommError>) -> R> Body for Round<F> {
    type Outcome = R;

    fn run<W: Watch>(self, member: &mut Member) -> R {
        member.faults.at(self.verb, Point::Entry);
        W::tell(&mut member.observer, |observer| observer.wait_begins());
        member.faults.at(self.verb, Point::Commit);
        let outcome = (self.then)(member.commit(self.verb, self.detail));
        W::tell(&mut member.observer, |observer| observer.wait_ends());
        member.faults.at(self.verb, Point::Committed);
        outcome
    }
}

/// See [`Member::collective`].
struct Lending<'l, F> {
    verb: Verb,
    detail: u32,
    loan: Loan<'l>,
    read: F,
}

impl<R, F: FnOnce(&Reading<'_>) -> Result<R, CommError>> Body for Lending<'_, F> {
    type Outcome = Result<R, CommError>;

    fn run<W: Watch>(self, member: &mut Member) -> Result<R, CommError> {
        let verb = self.verb;
        member.faults.at(verb, Point::Entry);
        W::tell(&mut member.observer, |observer| observer.wait_begins());
        member.faults.at(verb, Point::Commit);
        let slot = &member.shared.slots[member.me];
        slot.lease.write();
        // SAFETY: the slot is this participant's. It is between verbs: every earlier verb has
        // settled, or has failed before anybody read.
        unsafe { slot.lend(self.loan.entry) };
        let committed = member.commit(verb, self.detail);
        if committed.is_err() {
            // Nobody reads: the commit failed for everybody, or everybody saw the tags differ.
            member.shared.slots[member.me].lease.write();
        }
        committed?;
        let mut section = Section {
            member,
            whole: false,
        };
        W::tell(&mut section.member.observer, |observer| {
            observer.wait_ends()
        });
        section.member.faults.at(verb, Point::Committed);
        let result = (self.read)(&section.reading(verb));
        section.whole = true;
        section.member.faults.at(verb, Point::Settle);
        W::tell(&mut section.member.observer, |observer| {
            observer.wait_begins()
        });
        drop(section);
        W::tell(&mut member.observer, |observer| observer.wait_ends());
        member.faults.at(verb, Point::Settled);
        result.inspect_err(|error| member.participant.poison(error.to_string()))
    }
}

/// Ends the process when it is dropped, which only unwinding does.
///
/// A barrier that unwinds (a clock of the user's that panics is the one way) leaves its
/// participant's arrival behind, and peers that go on to read memory the unwinding frees.
struct NoUnwinding;

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

/// The span between a commit and its settle. Its drop is the settle, so that every way out of the
/// span settles, unwinding included (S2). It never leaves this file.
struct Section<'m> {
    member: &'m mut Member,
    /// Whether this participant has done its part, or said why not.
    whole: bool,
}

impl Section<'_> {
    fn reading(&self, verb: Verb) -> Reading<'_> {
        Reading {
            slots: &self.member.shared.slots,
            me: self.member.me,
            verb,
            faults: &self.member.faults,
        }
    }
}

impl Drop for Section<'_> {
    fn drop(&mut self) {
        if !self.whole {
            self.member.shared.spoil(self.member.call, self.member.me);
        }
        if mutant("no-settle") || (mutant("no-settle-on-unwind") && !self.whole) {
            return;
        }
        let guard = NoUnwinding;
        let settled = self.member.participant.settle();
        std::mem::forget(guard);
        // It fails only on a participant whose commit failed, and this one's passed.
        debug_assert!(settled.is_ok());
        self.member.shared.slots[self.member.me].lease.write();
    }
}

/// The peers' loans, for as long as they are good: it borrows the section, which settles later.
pub(crate) struct Reading<'s> {
    slots: &'s [Slot],
    pub(crate) me: usize,
    verb: Verb,
    faults: &'s Faults,
}

impl<'s> Reading<'s> {
    pub(crate) fn n(&self) -> usize {
        self.slots.len()
    }

    /// What participant `index` lent.
    pub(crate) fn peer(&self, index: usize) -> Peer<'s> {
        self.faults.at(self.verb, Point::Copy(index));
        // SAFETY:
        // - This participant is between commit and settle: a `Reading` only exists while its
        //   `Section` does, whose drop is the settle.
        // - The tags were compared by `commit`: participant `index` is in the same verb, and every
        //   verb that reads has lent something under that tag. Counts and offsets, where a verb
        //   lends them, are one number for each participant.
        // - 's ends before the section does.
        unsafe { Peer::new(self.slots[index].entry(), index, self.n(), self.verb) }
    }

    /// All participants, this one's right neighbour first, so that no source is everybody's at once.
    pub(crate) fn in_turn(&self) -> impl Iterator<Item = usize> + use<> {
        let (me, n) = (self.me, self.n());
        (1..=n).map(move |step| (me + step) % n)
    }
}
