//! Where a waiter reads the time.

use std::time::{Duration, Instant};

/// A source of time for [`Team::clock`](crate::Team::clock).
///
/// A waiter asks it only once it has polled in vain for a while, so a barrier
/// that everybody reaches at once reads no clock at all. Tests inject one that
/// moves when they say so.
///
/// # Examples
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use std::time::Duration;
/// use phalanx_barrier::Clock;
///
/// /// Advances by a millisecond each time it is read.
/// struct Ticking(AtomicU64);
///
/// impl Clock for Ticking {
///     fn now(&self) -> Duration {
///         Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
///     }
/// }
/// # let clock = Ticking(AtomicU64::new(3));
/// # assert_eq!(clock.now(), Duration::from_millis(3));
/// # assert_eq!(clock.now(), Duration::from_millis(4));
/// ```
pub trait Clock: Send + Sync {
    /// The time since some fixed moment. It never goes back.
    fn now(&self) -> Duration;
}

/// The monotonic clock of the operating system.
pub(crate) struct SystemClock {
    origin: Instant,
}

impl SystemClock {
    pub(crate) fn new() -> Self {
        SystemClock {
            origin: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.origin.elapsed()
    }
}
