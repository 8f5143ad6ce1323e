//! The same barrier with the poison taken out: what poison costs is the difference.

use std::sync::atomic::{AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Release};
use std::time::Instant;

use phalanx_barrier::{Pace, Step};

/// As padded as the words of the real one.
#[repr(align(128))]
pub(crate) struct Line<T>(pub(crate) T);

/// A flat team's counter: arrival, release, and waiting by the clock, but no poison bit and no verdict.
pub(crate) struct Bare {
    arrived: Line<AtomicU64>,
    released: Line<AtomicU64>,
    size: u64,
}

impl Bare {
    pub(crate) fn new(size: u64) -> Bare {
        Bare {
            arrived: Line(AtomicU64::new(0)),
            released: Line(AtomicU64::new(0)),
            size,
        }
    }

    #[inline]
    pub(crate) fn wait(&self, round: u64, pace: &Pace) {
        // AcqRel and Release/Acquire as B, C and D of the protocol.
        if self.arrived.0.fetch_add(1, AcqRel) + 1 == round * self.size {
            self.released.0.store(round, Release);
            return;
        }
        let mut since = None;
        loop {
            for _ in 0..64 {
                if self.released.0.load(Acquire) >= round {
                    return;
                }
                std::hint::spin_loop();
            }
            Bare::pass_time(&mut since, pace);
        }
    }

    #[cold]
    fn pass_time(since: &mut Option<Instant>, pace: &Pace) {
        let waited = since.get_or_insert_with(Instant::now).elapsed();
        match pace.step(waited) {
            Step::Yield => std::thread::yield_now(),
            Step::Nap(length) => std::thread::sleep(length),
            _ => (),
        }
    }
}
