//! Wakes those who nap, most of the time.

use std::time::Duration;

use crate::line::Line;

/// What a napping waiter listens to.
///
/// Nothing depends on it but latency. Every nap ends by itself, and then the
/// waiter looks at the words that count; the bell only ends it sooner. Hence the
/// releaser need not make sure that it sees everybody who is about to nap,
/// which would take a fence in every round. It looks at the number of nappers, a line
/// that nobody writes while all are awake.
#[derive(Default)]
pub(crate) struct Doorbell(Line<imp::Bell>);

impl Doorbell {
    /// Ends the naps of those who are seen to nap.
    #[inline]
    pub(crate) fn ring(&self) {
        self.0.ring();
    }

    /// Naps for `length` or until the bell rings, unless it `is_over` already.
    pub(crate) fn nap(&self, length: Duration, is_over: impl Fn() -> bool) {
        self.0.nap(length, is_over);
    }
}

#[cfg(not(any(phalanx_loom, phalanx_shuttle)))]
mod imp {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::sync::{Condvar, Mutex, PoisonError};
    use std::time::Duration;

    #[derive(Default)]
    pub(crate) struct Bell {
        n_napping: AtomicUsize,
        mutex: Mutex<()>,
        rung: Condvar,
    }

    impl Bell {
        #[inline]
        pub(crate) fn ring(&self) {
            // Relaxed: a napper that is missed wakes up by itself.
            if self.n_napping.load(Relaxed) > 0 {
                self.wake();
            }
        }

        #[cold]
        fn wake(&self) {
            // Whoever counted itself under the lock has begun its nap by now, or seen that it is over.
            drop(self.mutex.lock());
            self.rung.notify_all();
        }

        #[cold]
        pub(crate) fn nap(&self, length: Duration, is_over: impl Fn() -> bool) {
            let guard = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
            // Relaxed: the number is a hint, see `ring`.
            self.n_napping.fetch_add(1, Relaxed);
            if !is_over() {
                drop(self.rung.wait_timeout(guard, length));
            }
            self.n_napping.fetch_sub(1, Relaxed);
        }
    }
}

/// Under a model every nap is a yield, and ends by itself: the worst that a bell can do.
#[cfg(any(phalanx_loom, phalanx_shuttle))]
mod imp {
    use std::time::Duration;

    #[derive(Default)]
    pub(crate) struct Bell;

    impl Bell {
        pub(crate) fn ring(&self) {}

        pub(crate) fn nap(&self, _length: Duration, _is_over: impl Fn() -> bool) {
            crate::sync::yield_now();
        }
    }
}
