//! How a waiter passes its time: spin, then yield, then nap, by the clock.

use std::time::Duration;

use crate::SettingError;

/// The longest spin budget that may be asked for in numbers: a minute.
const MOST_BUDGET_US: u64 = 60_000_000;

/// How long a waiter does what, counted from the moment it began to wait.
///
/// A waiter spins for `spin`, which answers within one cache miss but takes a
/// CPU from whoever else could use it. Then it yields for `yielding`, between
/// polls; if one of these yields takes longer than that, others are after the
/// CPU, and for some rounds the participant does without. From then on it
/// naps. The one that completes the round wakes it, or nearly always does; and
/// if not, the nap ends by itself, after an eighth of the time waited so far
/// within the bounds of [`Nap`]. So a long wait costs next to no CPU time.
///
/// Budgets are wall time and mean the same on every processor; counts of
/// iterations would not.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use phalanx_barrier::{Pace, Step};
///
/// let pace = Pace::for_team(4, 4);
/// assert_eq!(pace.step(Duration::ZERO), Step::Spin);
/// // Four threads on two CPUs: whoever spins keeps the one it waits for from running.
/// assert_eq!(Pace::for_team(4, 2).step(Duration::ZERO), Step::Yield);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How long to poll without giving up the CPU.
    pub spin: Duration,
    /// How long to poll after that, yielding the CPU between polls.
    pub yielding: Duration,
    /// How to sleep from then on, or `None` to go on yielding.
    pub nap: Option<Nap>,
    /// When to stop waiting and poison the team, or `None` to wait for ever.
    ///
    /// Off by default, since waits of an unbalanced job may be long. It never
    /// ends a [`settle`](crate::Participant::settle).
    pub deadline: Option<Duration>,
}

/// The bounds of one nap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nap {
    /// The shortest sleep worth asking for.
    pub shortest: Duration,
    /// The longest sleep, and so the most that a waiter which is not woken may be late.
    pub longest: Duration,
}

/// What a waiter does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Poll again at once.
    Spin,
    /// Let another thread run first.
    Yield,
    /// Sleep for so long first.
    Nap(Duration),
    /// The deadline has passed.
    Expired,
}

impl Pace {
    /// The pace for `n_threads` threads that share `n_cpus` CPUs.
    ///
    /// Spins only if every thread can have a CPU of its own.
    pub fn for_team(n_threads: usize, n_cpus: usize) -> Pace {
        let spin = if n_threads > n_cpus {
            Duration::ZERO
        } else {
            Duration::from_micros(50)
        };
        Pace {
            spin,
            yielding: Duration::from_micros(50),
            nap: Some(Nap {
                shortest: Duration::from_micros(100),
                longest: Duration::from_millis(2),
            }),
            deadline: None,
        }
    }

    /// [`Pace::for_team`], with the spin budget of `PHALANX_SPIN_BUDGET_US` if that is set.
    ///
    /// A budget that was asked for is kept even where there are more threads than CPUs.
    ///
    /// # Errors
    ///
    /// [`SettingError::SpinBudget`] if the variable is set to something that
    /// [`Pace::parse_spin_budget`] does not take.
    pub fn from_env(n_threads: usize, n_cpus: usize) -> Result<Pace, SettingError> {
        let mut pace = Pace::for_team(n_threads, n_cpus);
        if let Some(value) = std::env::var_os("PHALANX_SPIN_BUDGET_US") {
            pace.spin = Pace::parse_spin_budget(&value.to_string_lossy())?;
        }
        Ok(pace)
    }

    /// Reads a spin budget: a whole number of microseconds up to a minute, or `unlimited`.
    ///
    /// # Errors
    ///
    /// [`SettingError::SpinBudget`], which says what would have been taken.
    pub fn parse_spin_budget(value: &str) -> Result<Duration, SettingError> {
        if value == "unlimited" {
            return Ok(Duration::MAX);
        }
        match value.parse() {
            Ok(budget_us @ 0..=MOST_BUDGET_US) => Ok(Duration::from_micros(budget_us)),
            _ => Err(SettingError::SpinBudget {
                value: value.to_owned(),
                most: MOST_BUDGET_US,
            }),
        }
    }

    /// How many CPUs this process may use, as far as it can tell; at least 1.
    ///
    /// Counts the affinity mask and the CPU quota, not other processes.
    pub fn usable_cpus() -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    /// What to do after having waited for `waited`. A pure function.
    pub fn step(&self, waited: Duration) -> Step {
        if self.deadline.is_some_and(|deadline| waited >= deadline) {
            return Step::Expired;
        }
        if waited < self.spin {
            return Step::Spin;
        }
        match self.nap {
            Some(nap) if waited >= self.spin.saturating_add(self.yielding) => {
                let length = (waited / 8).max(nap.shortest).min(nap.longest);
                Step::Nap(length)
            }
            _ => Step::Yield,
        }
    }
}
