//! A participant of a team, and the handle that stops one from outside.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::cause::{Cause, CauseKind, Poisoned};
use crate::courtesy::Courtesy;
use crate::shared::{Counter, Mode, Shared, Waiter};
use crate::sync::mutant;

/// One thread's place in a team: made by [`Team::build`](crate::Team::build), moved to its thread.
///
/// It is not `Clone` and it waits by `&mut`, so two threads cannot be the same
/// participant:
///
/// ```compile_fail,E0499
/// let mut team = phalanx_barrier::Team::flat(2).build();
/// std::thread::scope(|scope| {
///     scope.spawn(|| team[0].wait());
///     scope.spawn(|| team[0].wait());
/// });
/// ```
///
/// Dropping it poisons the team, because the others would wait for it for ever.
/// Where nobody has a round left to do, nobody notices: a round that all have
/// arrived at passes for all, also for those who are still on their way out.
///
/// A participant that has got an error is dead: every later call returns the
/// same error at once. [`Team::reassemble`](crate::Team::reassemble) makes a
/// living team of dead participants.
// Aligned so that the round numbers of a team that is lent to its threads from
// one `Vec` do not share cache lines.
#[repr(align(128))]
pub struct Participant {
    pub(crate) shared: Arc<Shared>,
    group: Option<Arc<Counter>>,
    waiter: Waiter,
    round: u64,
    /// Set by the first `Err`; from then on nothing arrives any more.
    dead: Option<Arc<Cause>>,
}

impl Participant {
    pub(crate) fn new(
        index: usize,
        group: Option<Arc<Counter>>,
        shared: Arc<Shared>,
        round: u64,
    ) -> Participant {
        let courtesy = Courtesy::default();
        Participant {
            shared,
            group,
            waiter: Waiter { index, courtesy },
            round,
            dead: None,
        }
    }

    /// Which participant this is, from 0.
    pub fn index(&self) -> usize {
        self.waiter.index
    }

    /// How many participants the team has.
    pub fn team_size(&self) -> usize {
        self.shared.cold().layout.group_of.len()
    }

    /// Waits for all participants: a round that all pass or all fail.
    ///
    /// # Errors
    ///
    /// [`Poisoned`], to all participants of the round, if the team was stopped
    /// before the last of them had arrived. If it is stopped afterwards, all pass,
    /// and the next `wait` fails.
    ///
    /// # Memory ordering
    ///
    /// Whatever any participant did before it called `wait` happens-before
    /// whatever any participant does after its `wait` has returned `Ok`. An
    /// error gives no such edge, but the cause that it carries.
    ///
    /// # Collective
    ///
    /// All participants call `wait` and [`settle`](Participant::settle) in the same order.
    #[doc(alias = "MPI_Barrier")]
    #[inline]
    pub fn wait(&mut self) -> Result<(), Poisoned> {
        self.pass(Mode::Commit)
    }

    /// Waits for all participants, also of a team that has been poisoned in the meantime.
    ///
    /// It is the second half of lending memory to the others: publish it,
    /// `wait`, let them read it, `settle`, take it back. Since the `wait` passed
    /// for all, all come to the settle, and nobody may leave before. Not even
    /// the deadline of the pace ends it.
    ///
    /// # Errors
    ///
    /// [`Poisoned`] if an earlier call of this participant returned it; and then
    /// it does not wait.
    ///
    /// # Memory ordering
    ///
    /// As [`wait`](Participant::wait).
    ///
    /// # Collective
    ///
    /// Called by all participants, each directly after a `wait` or `settle` of
    /// its own that has passed, and without waiting for anything between the
    /// two. A participant that is dropped instead leaves the others waiting, so
    /// code that may panic in between belongs behind a guard that settles.
    #[inline]
    pub fn settle(&mut self) -> Result<(), Poisoned> {
        self.pass(Mode::Settle)
    }

    /// Stops the team because of something this participant has found.
    ///
    /// Does nothing if the team is stopped already: the first cause is kept.
    pub fn poison(&self, message: impl Into<String>) {
        self.strike(CauseKind::Reported, message.into());
    }

    /// Stops the team because of a panic that was caught on this participant's thread.
    ///
    /// A participant that is dropped by the unwinding poisons its team as well,
    /// but cannot know the text. Whoever catches the panic can.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::panic::catch_unwind;
    /// use phalanx_barrier::{CauseKind, Team};
    ///
    /// let mut team = Team::flat(2).build();
    /// let payload = catch_unwind(|| panic!("out of {}", "range")).unwrap_err();
    /// team[1].poison_panicked(&*payload);
    ///
    /// let cause = team[0].wait().unwrap_err().0;
    /// assert_eq!(cause.kind, CauseKind::Panicked);
    /// assert_eq!(cause.to_string(), "participant 1 panicked: out of range");
    /// ```
    pub fn poison_panicked(&self, payload: &(dyn Any + Send)) {
        let text = (payload.downcast_ref::<&str>().copied())
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("its payload is no text");
        self.strike(CauseKind::Panicked, text.to_owned());
    }

    /// Leaves the team, and gives the reason to those who stay.
    ///
    /// The way to return early: a mere drop would only tell them that this
    /// participant is gone. If the error is that of a stopped team, it changes
    /// nothing, since the first cause is kept.
    pub fn fail(self, error: impl fmt::Display) {
        self.poison(error.to_string());
    }

    /// A handle that stops the team from elsewhere, for instance from a watchdog's thread.
    pub fn poison_handle(&self) -> PoisonHandle {
        PoisonHandle {
            shared: self.shared.clone(),
        }
    }

    /// Why the team was stopped, if it was.
    pub fn cause(&self) -> Option<Arc<Cause>> {
        self.shared.cause()
    }

    pub(crate) fn is_teammate_of(&self, other: &Participant) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    fn strike(&self, kind: CauseKind, message: String) {
        self.shared.strike(Cause {
            participant: Some(self.waiter.index),
            kind,
            message,
        });
    }

    #[inline]
    fn pass(&mut self, mode: Mode) -> Result<(), Poisoned> {
        if let Some(cause) = &self.dead {
            return Err(Poisoned(cause.clone()));
        }
        self.round += 1;
        let group = self.group.as_deref();
        match (self.shared).meet(group, &mut self.waiter, self.round, mode) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.die()),
        }
    }

    #[cold]
    fn die(&mut self) -> Poisoned {
        let cause = (self.shared.cause()).expect("P1: a cause is stored before the poison strikes");
        self.dead = Some(cause.clone());
        Poisoned(cause)
    }
}

impl Drop for Participant {
    fn drop(&mut self) {
        if self.dead.is_some() || mutant("drop-silent") {
            return;
        }
        if std::thread::panicking() {
            self.strike(CauseKind::Panicked, "its thread unwound".to_owned());
        } else {
            self.strike(
                CauseKind::Departed,
                "its participant was dropped".to_owned(),
            );
        }
    }
}

impl fmt::Debug for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Participant")
            .field("index", &self.waiter.index)
            .field("team_size", &self.team_size())
            .field("rounds", &self.round)
            .field("dead", &self.dead)
            .finish()
    }
}

/// Stops a team from outside: for watchdogs, signal handling threads and facades.
///
/// It belongs to the team that it was taken from, and to none that is made of
/// that team's participants later.
///
/// # Examples
///
/// ```
/// use std::thread;
/// use phalanx_barrier::Team;
///
/// let mut team = Team::flat(2).build();
/// let handle = team[0].poison_handle();
/// thread::scope(|scope| {
///     // Participant 1 never comes, and a watchdog loses its patience.
///     let waiter = scope.spawn(|| team[0].wait());
///     handle.poison("no progress for a minute");
///     let stopped = waiter.join().unwrap().unwrap_err();
///     assert_eq!(stopped.to_string(), "the team was stopped: no progress for a minute");
/// });
/// ```
#[derive(Clone)]
pub struct PoisonHandle {
    shared: Arc<Shared>,
}

impl PoisonHandle {
    /// Stops the team, unless something else has stopped it before.
    pub fn poison(&self, message: impl Into<String>) {
        self.shared.strike(Cause {
            participant: None,
            kind: CauseKind::Reported,
            message: message.into(),
        });
    }

    /// Why the team was stopped, if it was.
    pub fn cause(&self) -> Option<Arc<Cause>> {
        self.shared.cause()
    }
}

impl fmt::Debug for PoisonHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoisonHandle")
            .field("cause", &self.cause())
            .finish()
    }
}
