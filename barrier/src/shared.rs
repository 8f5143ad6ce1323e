//! The words that participants share and the steps of a round: PROTOCOL.md in code.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::Clock;
use crate::cause::{Cause, CauseKind};
use crate::grouping::Layout;
use crate::line::Line;
use crate::pace::{Pace, Step};
use crate::sync::{self, AtomicU64, Ordering, Patience, mutant, ordering};

use Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Bit of the root's arrival counter that says the team is stopped.
const POISON: u64 = 1 << 63;

/// What all participants of a team share.
pub(crate) struct Shared {
    root: Counter,
    /// 0, or 1 more than the number of rounds that were complete when the poison struck.
    ///
    /// Read-only until then, and on a line of its own, so that looking costs nothing.
    verdict: Line<AtomicU64>,
    cold: Line<Cold>,
}

/// Everything that a round in good health does not write.
pub(crate) struct Cold {
    cause: Mutex<Option<Arc<Cause>>>,
    pub(crate) layout: Layout,
    pub(crate) pace: Pace,
    pub(crate) clock: Arc<dyn Clock>,
}

/// A pair of words at which `size` arrivals make a round.
pub(crate) struct Counter {
    /// Arrivals since the beginning; only grows. Nobody polls it.
    arrived: Line<AtomicU64>,
    /// The last round that may be passed. Written once a round, polled by those who wait.
    released: Line<AtomicU64>,
    size: u64,
}

impl Counter {
    pub(crate) fn new(size: u64, rounds: u64) -> Counter {
        Counter {
            arrived: Line(AtomicU64::new(size * rounds)),
            released: Line(AtomicU64::new(rounds)),
            size,
        }
    }
}

/// Whether poison may fail a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It fails for everybody or for nobody.
    Commit,
    /// It never fails.
    Settle,
}

/// The round failed: the team was stopped before it was complete.
pub(crate) struct Struck;

/// Who waits: its index and, if it has one, its group.
pub(crate) struct Seat {
    pub(crate) index: usize,
    pub(crate) group: Option<Arc<Counter>>,
}

impl Shared {
    pub(crate) fn new(layout: Layout, pace: Pace, clock: Arc<dyn Clock>, rounds: u64) -> Shared {
        Shared {
            root: Counter::new(layout.root_size, rounds),
            verdict: Line(AtomicU64::new(0)),
            cold: Line(Cold {
                cause: Mutex::new(None),
                layout,
                pace,
                clock,
            }),
        }
    }

    pub(crate) fn cold(&self) -> &Cold {
        &self.cold
    }

    /// One round, numbered from 1, for the participant on `seat`.
    #[inline]
    pub(crate) fn meet(&self, seat: &Seat, round: u64, mode: Mode) -> Result<(), Struck> {
        let mode = if mutant("poisonable-settle") {
            Mode::Commit
        } else {
            mode
        };
        if let Some(group) = &seat.group {
            let order = ordering("group-arrive-rel", AcqRel, Acquire);
            let order = ordering("group-arrive-acq", order, Release);
            if group.arrived.fetch_add(1, order) + 1 != round * group.size {
                let order = ordering("group-wait", Acquire, Relaxed);
                return self.hold(&group.released, order, seat, round, mode);
            }
        }
        let order = ordering("root-arrive-rel", AcqRel, Acquire);
        let order = ordering("root-arrive-acq", order, Release);
        let old = self.root.arrived.fetch_add(1, order);
        let last = (old & !POISON) + 1 == round * self.root.size;
        if mode == Mode::Commit && old & POISON != 0 && !(last && mutant("last-ignores-poison")) {
            return Err(Struck);
        }
        if last {
            let order = ordering("root-release", Release, Relaxed);
            self.root.released.store(round, order);
        } else {
            let order = ordering("root-wait", Acquire, Relaxed);
            self.hold(&self.root.released, order, seat, round, mode)?;
        }
        if let Some(group) = &seat.group {
            let order = ordering("group-release", Release, Relaxed);
            group.released.store(round, order);
        }
        Ok(())
    }

    #[inline]
    fn hold(
        &self,
        released: &AtomicU64,
        order: Ordering,
        seat: &Seat,
        round: u64,
        mode: Mode,
    ) -> Result<(), Struck> {
        let mut wait = Wait::default();
        loop {
            for _ in 0..sync::POLLS {
                if released.load(order) >= round {
                    return Ok(());
                }
                sync::spin_loop();
            }
            if self.look(&mut wait, seat, round, mode)? {
                return Ok(());
            }
        }
    }

    /// The slow step: whether the round may be passed after all.
    #[cold]
    fn look(&self, wait: &mut Wait, seat: &Seat, round: u64, mode: Mode) -> Result<bool, Struck> {
        if mode == Mode::Commit && !wait.complete {
            let verdict = self.verdict.load(Relaxed);
            if verdict != 0 {
                if verdict <= round || mutant("any-poison-fails") {
                    return Err(Struck);
                }
                wait.complete = true;
            }
        }
        if seat.group.is_some() {
            let order = ordering("root-peek", Acquire, Relaxed);
            if self.root.released.load(order) >= round {
                return Ok(true);
            }
        }
        wait.patience.spend();
        let now = self.cold.clock.now();
        let waited = now.saturating_sub(*wait.since.get_or_insert(now));
        let mut pace = self.cold.pace;
        if mode == Mode::Settle || wait.expired {
            pace.deadline = None;
        }
        match pace.step(waited) {
            Step::Spin => (),
            Step::Yield => sync::yield_now(),
            Step::Nap(length) => sync::sleep(length),
            Step::Expired => {
                wait.expired = true;
                self.strike(Cause {
                    participant: Some(seat.index),
                    kind: CauseKind::TimedOut,
                    message: format!("waited for {waited:?} in round {round}"),
                });
            }
        }
        Ok(false)
    }

    /// Stops the team, unless it is stopped already.
    #[cold]
    pub(crate) fn strike(&self, cause: Cause) {
        self.lock().get_or_insert_with(|| Arc::new(cause));
        let old = self.root.arrived.fetch_or(POISON, Relaxed);
        if old & POISON == 0 {
            self.verdict.store(old / self.root.size + 1, Relaxed);
        }
    }

    pub(crate) fn cause(&self) -> Option<Arc<Cause>> {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Arc<Cause>>> {
        // Nothing that may panic runs under the lock; and an `Option` is whole in any case.
        self.cold
            .cause
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a waiter remembers between two slow steps.
#[derive(Default)]
struct Wait {
    since: Option<Duration>,
    /// The poison struck after this round was complete, so its release is on the way.
    complete: bool,
    expired: bool,
    patience: Patience,
}
