//! A participant of a team, and the handle that stops one from outside.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::cause::{Cause, CauseKind, Poisoned};
use crate::shared::{Mode, Seat, Shared};
use crate::sync::mutant;

/// One thread's place in a team: made by [`Team::build`](crate::Team::build), moved to its thread.
///
/// It is not `Clone` and waits by `&mut`, so two threads cannot be the same
/// participant. Dropping it poisons the team, which is harmless once nobody has
/// a round left to do.
// Aligned so that the round numbers of a team that is lent to its threads from
// one `Vec` do not share cache lines.
#[repr(align(128))]
pub struct Participant {
    pub(crate) shared: Arc<Shared>,
    seat: Seat,
    round: u64,
    /// Set by the first `Err`; from then on nothing arrives any more.
    dead: Option<Arc<Cause>>,
}

impl Participant {
    pub(crate) fn new(seat: Seat, shared: Arc<Shared>, round: u64) -> Participant {
        Participant {
            shared,
            seat,
            round,
            dead: None,
        }
    }

    /// Which participant this is, from 0.
    pub fn index(&self) -> usize {
        self.seat.index
    }

    /// How many participants the team has.
    pub fn team_size(&self) -> usize {
        self.shared.cold().layout.group_of.len()
    }

    /// Waits until all participants have called it: all pass, or all get `Err`.
    ///
    /// # Errors
    ///
    /// [`Poisoned`] if the team was stopped before the round was complete.
    #[inline]
    pub fn wait(&mut self) -> Result<(), Poisoned> {
        self.pass(Mode::Commit)
    }

    /// Waits until all participants have called it, whether the team is poisoned or not.
    ///
    /// # Errors
    ///
    /// [`Poisoned`] if an earlier call returned it.
    #[inline]
    pub fn settle(&mut self) -> Result<(), Poisoned> {
        self.pass(Mode::Settle)
    }

    /// Stops the team.
    pub fn poison(&self, message: impl Into<String>) {
        self.shared.strike(Cause {
            participant: Some(self.seat.index),
            kind: CauseKind::Reported,
            message: message.into(),
        });
    }

    /// Stops the team because of a panic that was caught, with its text.
    pub fn poison_panicked(&self, payload: &(dyn Any + Send)) {
        let text = if let Some(text) = payload.downcast_ref::<&str>() {
            text
        } else if let Some(text) = payload.downcast_ref::<String>() {
            text
        } else {
            "with a payload that is no text"
        };
        self.shared.strike(Cause {
            participant: Some(self.seat.index),
            kind: CauseKind::Panicked,
            message: text.to_owned(),
        });
    }

    /// Leaves the team because of `error`, which becomes the cause.
    pub fn fail(self, error: impl fmt::Display) {
        self.poison(error.to_string());
    }

    /// A handle that stops the team from another thread.
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

    #[inline]
    fn pass(&mut self, mode: Mode) -> Result<(), Poisoned> {
        if let Some(cause) = &self.dead {
            return Err(Poisoned(cause.clone()));
        }
        self.round += 1;
        match self.shared.meet(&self.seat, self.round, mode) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.die()),
        }
    }

    #[cold]
    fn die(&mut self) -> Poisoned {
        let cause = self.shared.cause().unwrap_or_else(|| {
            Arc::new(Cause {
                participant: None,
                kind: CauseKind::Reported,
                message: "no cause was left".to_owned(),
            })
        });
        self.dead = Some(cause.clone());
        Poisoned(cause)
    }
}

impl Drop for Participant {
    fn drop(&mut self) {
        if self.dead.is_some() || mutant("drop-silent") {
            return;
        }
        let (kind, message) = if std::thread::panicking() {
            (CauseKind::Panicked, "its thread unwound")
        } else {
            (CauseKind::Departed, "it was dropped")
        };
        self.shared.strike(Cause {
            participant: Some(self.seat.index),
            kind,
            message: message.to_owned(),
        });
    }
}

impl fmt::Debug for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Participant")
            .field("index", &self.seat.index)
            .field("team_size", &self.team_size())
            .field("rounds", &self.round)
            .field("dead", &self.dead)
            .finish()
    }
}

/// Stops a team from outside: for watchdogs, signal handlers' threads and facades.
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
