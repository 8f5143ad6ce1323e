//! The two shapes of a verb, and the span in which peers read what was published.

// Peers' descriptors cannot be had from safe code: here is where they are good, and where that ends.
#![allow(unsafe_code)]

use crate::fault::{Faults, Point};
use crate::loan::{Loan, Peer};
use crate::member::{Body, Committed, Member, NoUnwinding};
use crate::observe::Watch;
use crate::shared::{Lends, Slot};
use crate::sync::mutant;
use crate::{CommError, Verb};

/// See [`Member::round`].
pub(crate) struct Round<'l, F> {
    pub(crate) verb: Verb,
    pub(crate) detail: u32,
    pub(crate) loan: Loan<'l>,
    pub(crate) then: F,
}

impl<R, F: FnOnce(Result<Reading<'_>, CommError>) -> R> Body for Round<'_, F> {
    type Outcome = R;

    fn run<W: Watch>(self, member: &mut Member) -> R {
        member.faults.at(self.verb, Point::Entry);
        W::tell(&mut member.observer, |observer| observer.wait_begins());
        member.faults.at(self.verb, Point::Commit);
        let passed = member.commit(self.verb, self.detail, &self.loan);
        let outcome = (self.then)(passed.map(|_| member.reading(self.verb)));
        W::tell(&mut member.observer, |observer| observer.wait_ends());
        member.faults.at(self.verb, Point::Committed);
        outcome
    }
}

/// See [`Member::collective`].
pub(crate) struct Publishing<'l, F> {
    pub(crate) verb: Verb,
    pub(crate) detail: u32,
    pub(crate) loan: Loan<'l>,
    pub(crate) read: F,
}

impl<R, F: FnOnce(&Reading<'_>) -> Result<R, CommError>> Body for Publishing<'_, F> {
    type Outcome = Result<R, CommError>;

    fn run<W: Watch>(self, member: &mut Member) -> Result<R, CommError> {
        let verb = self.verb;
        member.faults.at(verb, Point::Entry);
        W::tell(&mut member.observer, |observer| observer.wait_begins());
        member.faults.at(verb, Point::Commit);
        let Committed { lends, all_lend } = member.commit(verb, self.detail, &self.loan)?;
        let mut section = Section {
            member,
            lends,
            all_lend,
            whole: false,
        };
        W::tell(&mut section.member.observer, |observer| {
            observer.wait_ends()
        });
        section.member.faults.at(verb, Point::Committed);
        let result = (self.read)(&section.member.reading(verb));
        section.whole = true;
        if all_lend == Lends::Memory {
            section.member.faults.at(verb, Point::Settle);
            W::tell(&mut section.member.observer, |observer| {
                observer.wait_begins()
            });
        }
        drop(section);
        if all_lend == Lends::Memory {
            W::tell(&mut member.observer, |observer| observer.wait_ends());
            member.faults.at(verb, Point::Settled);
        }
        result.inspect_err(|error| member.participant.poison(error.to_string()))
    }
}

/// The span in which peers may read what was published. Its drop is the settle (C6), so that every
/// way out of the span settles, unwinding included (S2). It never leaves this file.
struct Section<'m> {
    member: &'m mut Member,
    /// Whether this participant lends memory.
    lends: Lends,
    /// Whether anybody does. If not there is nothing to settle: what was published stays as it is
    /// until this participant arrives in its next verb.
    all_lend: Lends,
    /// Whether this participant has done its part, or said why not.
    whole: bool,
}

impl Drop for Section<'_> {
    fn drop(&mut self) {
        if self.all_lend == Lends::Nothing {
            return;
        }
        if !self.whole {
            self.member.shared.spoil(self.member.call, self.member.me);
        }
        if mutant("no-settle") || (mutant("no-settle-on-unwind") && !self.whole) {
            // What the model has found once it need not find again, in the middle of unwinding.
            if !std::thread::panicking() {
                self.member.take_back(self.lends);
            }
            return;
        }
        let guard = NoUnwinding;
        let settled = self.member.participant.settle();
        std::mem::forget(guard);
        // It fails only on a participant whose commit failed, and this one's passed.
        debug_assert!(settled.is_ok());
        self.member.take_back(self.lends);
    }
}

/// What the peers published, for as long as it is good: it borrows the member, which can neither
/// settle nor arrive in another verb meanwhile.
pub(crate) struct Reading<'s> {
    pub(crate) slots: &'s [Slot],
    pub(crate) me: usize,
    pub(crate) call: u64,
    pub(crate) verb: Verb,
    pub(crate) faults: &'s Faults,
}

impl<'s> Reading<'s> {
    pub(crate) fn n(&self) -> usize {
        self.slots.len()
    }

    /// What participant `index` published.
    pub(crate) fn peer(&self, index: usize) -> Peer<'s> {
        debug_assert_ne!(self.verb, Verb::Barrier, "a bare barrier compares no tags");
        self.faults.at(self.verb, Point::Copy(index));
        // SAFETY:
        // - This participant has passed the commit of call `call`, which compared tags (`Round` and
        //   `Publishing` make a `Reading` behind it; a bare barrier reads nothing), so participant
        //   `index` is in the same verb and has published something for it. Counts and offsets,
        //   where a verb has them, are one number for each participant.
        // - The reading borrows the member, so that 's ends before this participant can settle or
        //   arrive anywhere.
        unsafe {
            Peer::new(
                self.slots[index].entry(self.call),
                index,
                self.n(),
                self.verb,
            )
        }
    }

    /// All participants, this one's right neighbour first, so that no source is everybody's at once.
    pub(crate) fn in_turn(&self) -> impl Iterator<Item = usize> + use<> {
        let (me, n) = (self.me, self.n());
        (1..=n).map(move |step| (me + step) % n)
    }
}
