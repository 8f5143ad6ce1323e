//! The words that participants share and the steps of a round: PROTOCOL.md in code.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::Clock;
use crate::cause::{Cause, CauseKind};
use crate::courtesy::Courtesy;
use crate::doorbell::Doorbell;
use crate::edge;
use crate::first_cause::FirstCause;
use crate::grouping::Layout;
use crate::line::Line;
use crate::pace::{Pace, Step};
use crate::sync::{self, AtomicU64, Patience, mutant};

/// Bit of the root's arrival counter that says the team is stopped.
const POISON: u64 = 1 << 63;

/// What all participants of a team share.
pub(crate) struct Shared {
    root: Counter,
    /// 0, or 1 more than the number of rounds that were complete when the poison struck.
    ///
    /// Read-only until then, and on a line of its own, so that looking costs nothing.
    verdict: Line<AtomicU64>,
    doorbell: Doorbell,
    cold: Line<Cold>,
}

/// Everything that a round in good health does not write.
pub(crate) struct Cold {
    cause: FirstCause,
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

    /// Whether `round` may be passed, looking at it for a while.
    #[inline]
    fn poll(&self, order: Ordering, round: u64) -> bool {
        for _ in 0..sync::POLLS {
            if self.released.load(order) >= round {
                return true;
            }
            sync::spin_loop();
        }
        false
    }
}

/// Whether poison may fail a round.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It fails for everybody or for nobody.
    Commit,
    /// It never fails.
    Settle,
}

impl Mode {
    #[inline(always)]
    fn may_fail(self) -> bool {
        self == Mode::Commit || mutant("poisonable-settle")
    }
}

/// The round failed: the team was stopped before it was complete.
pub(crate) struct Struck;

/// What a participant brings to its waits.
pub(crate) struct Waiter {
    pub(crate) index: usize,
    pub(crate) courtesy: Courtesy,
}

/// One wait of one participant, from its first poll to its last.
struct Wait<'w> {
    waiter: &'w mut Waiter,
    round: u64,
    mode: Mode,
    /// When the first slow step was.
    since: Option<Duration>,
    /// Poison struck, but after this round was complete: its release is on the way.
    is_complete: bool,
    /// The deadline has passed and the poison that it calls for has been struck.
    has_expired: bool,
    patience: Patience,
}

impl<'w> Wait<'w> {
    fn new(waiter: &'w mut Waiter, round: u64, mode: Mode) -> Wait<'w> {
        Wait {
            waiter,
            round,
            mode,
            since: None,
            is_complete: false,
            has_expired: false,
            patience: Patience::new(),
        }
    }
}

impl Shared {
    pub(crate) fn new(layout: Layout, pace: Pace, clock: Arc<dyn Clock>, rounds: u64) -> Shared {
        Shared {
            root: Counter::new(layout.root_size, rounds),
            verdict: Line(AtomicU64::new(0)),
            doorbell: Doorbell::default(),
            cold: Line(Cold {
                cause: FirstCause::default(),
                layout,
                pace,
                clock,
            }),
        }
    }

    pub(crate) fn cold(&self) -> &Cold {
        &self.cold
    }

    /// One round, numbered from 1, for a participant of `group` or of none.
    #[inline]
    pub(crate) fn meet(
        &self,
        group: Option<&Counter>,
        waiter: &mut Waiter,
        round: u64,
        mode: Mode,
    ) -> Result<(), Struck> {
        // B1. Arrive in the group; whoever is not its last arriver waits for the one that is.
        if let Some(group) = group {
            let old = group.arrived.fetch_add(1, edge::group_arrive()); // A
            if old + 1 != round * group.size {
                return self.hold(group, edge::group_wait(), waiter, round, mode); // F
            }
            if mutant("group-release-early") {
                group.released.store(round, edge::group_release());
            }
        }
        // B2. Arrive at the root. The same access says whether poison came before.
        let old = self.root.arrived.fetch_add(1, edge::root_arrive()); // B
        let is_last = (old & !POISON) + 1 == round * self.root.size;
        // B3. Poison came first, so this round never completes: nobody passes it.
        if old & POISON != 0 && mode.may_fail() && !(is_last && mutant("last-ignores-poison")) {
            return Err(Struck);
        }
        // B4. The last arriver releases the round, whatever strikes from here on.
        if is_last {
            self.root.released.store(round, edge::root_release()); // C
            self.doorbell.ring();
        } else {
            self.hold(&self.root, edge::root_wait(), waiter, round, mode)?; // D
        }
        if let Some(group) = group {
            group.released.store(round, edge::group_release()); // E
        }
        Ok(())
    }

    /// B5. Polls `counter.released`, and every so often takes the slow step.
    #[inline]
    fn hold(
        &self,
        counter: &Counter,
        order: Ordering,
        waiter: &mut Waiter,
        round: u64,
        mode: Mode,
    ) -> Result<(), Struck> {
        if counter.poll(order, round) {
            return Ok(());
        }
        self.hold_long(counter, order, Wait::new(waiter, round, mode))
    }

    /// B5, once the first polls were in vain.
    #[cold]
    fn hold_long(
        &self,
        counter: &Counter,
        order: Ordering,
        mut wait: Wait<'_>,
    ) -> Result<(), Struck> {
        loop {
            if self.look(counter, &mut wait)? || counter.poll(order, wait.round) {
                return Ok(());
            }
        }
    }

    /// The slow step: `true` if the round may be passed although `hold` has not seen its word.
    fn look(&self, counter: &Counter, wait: &mut Wait<'_>) -> Result<bool, Struck> {
        wait.patience.spend();
        // B5a. Has poison struck, and was this round complete before?
        if wait.mode.may_fail() && !wait.is_complete {
            let verdict = self.verdict.load(edge::VERDICT); // I
            if verdict != 0 {
                wait.is_complete = verdict > wait.round && !mutant("any-poison-fails");
                if !wait.is_complete {
                    return Err(Struck);
                }
            }
        }
        // B5b. A member does not depend on its leader's being scheduled.
        let is_member = !std::ptr::eq(counter, &self.root);
        if is_member && self.root.released.load(edge::root_peek()) >= wait.round {
            return Ok(true); // G
        }
        // B5c. Let time pass.
        let now = self.cold.clock.now();
        let waited = now.saturating_sub(*wait.since.get_or_insert(now));
        match self.step(wait, waited) {
            Step::Spin => (),
            Step::Yield => {
                sync::yield_now();
                let took = self.cold.clock.now().saturating_sub(now);
                (wait.waiter.courtesy).learn(wait.round, took, self.cold.pace.yielding);
            }
            Step::Nap(length) => {
                // Relaxed: whether to nap at all. The edge comes with the poll after it.
                let is_over = || self.root.released.load(Ordering::Relaxed) >= wait.round;
                self.doorbell.nap(length, is_over);
            }
            Step::Expired if mutant("timeout-silent") => return Err(Struck),
            Step::Expired => {
                wait.has_expired = true;
                self.strike(Cause {
                    participant: Some(wait.waiter.index),
                    kind: CauseKind::TimedOut,
                    message: format!("it had waited for {waited:?} in round {}", wait.round),
                });
            }
        }
        Ok(false)
    }

    /// What to do next: what the pace says, less what this wait has no use for.
    fn step(&self, wait: &Wait<'_>, waited: Duration) -> Step {
        let mut pace = self.cold.pace;
        if wait.has_expired || !wait.mode.may_fail() {
            pace.deadline = None;
        }
        if !wait.waiter.courtesy.may_yield(wait.round) {
            pace.yielding = Duration::ZERO;
        }
        pace.step(waited)
    }

    /// Stops the team, unless it is stopped already.
    #[cold]
    pub(crate) fn strike(&self, cause: Cause) {
        // P1. The cause comes first: whoever sees P2 or P3 finds it.
        if !mutant("cause-late") {
            self.cold.cause.offer(cause.clone());
        }
        // P2. Of this and the last arrival of a round, one comes first, and everybody obeys that.
        let old = self.root.arrived.fetch_or(POISON, edge::POISON_STRIKE); // H
        // P3. Tell those who wait already. `old` says how many rounds were complete.
        if old & POISON == 0 {
            let n_complete = old / self.root.size;
            let offset = if mutant("verdict-short") { 0 } else { 1 };
            self.verdict.store(n_complete + offset, edge::VERDICT); // I
            self.doorbell.ring();
        }
        if mutant("cause-late") {
            self.cold.cause.offer(cause);
        }
    }

    /// Why the team was stopped, if it was.
    pub(crate) fn cause(&self) -> Option<Arc<Cause>> {
        self.cold.cause.get()
    }
}
