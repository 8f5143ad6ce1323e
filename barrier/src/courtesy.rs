//! Whether yielding the CPU gets it back soon.

use std::time::Duration;

/// The fewest and the most rounds that a participant does without yielding after a yield that took long.
const PENALTY: (u64, u64) = (64, 1 << 16);

/// What a participant has learnt about yielding.
///
/// Where the threads of the team share CPUs only among themselves, a yield lets
/// the one run that is waited for, and returns within microseconds. Beside a
/// thread that is always busy, it gives that thread a time slice of
/// milliseconds, and the round takes as long. No count of threads and CPUs tells
/// which, but the yield itself does. After one that took long, a participant
/// goes to sleep at once, for twice as many rounds each time.
#[derive(Default)]
pub(crate) struct Courtesy {
    /// The first round in which it may yield again.
    resume: u64,
    penalty: u64,
}

impl Courtesy {
    pub(crate) fn may_yield(&self, round: u64) -> bool {
        round >= self.resume
    }

    /// Learns from a yield in `round` that took `took`, where `most` is still worth it.
    pub(crate) fn learn(&mut self, round: u64, took: Duration, most: Duration) {
        if took > most {
            let (least, most) = PENALTY;
            self.penalty = (2 * self.penalty).clamp(least, most);
            self.resume = round.saturating_add(self.penalty);
        } else {
            self.penalty /= 2;
        }
    }
}

#[cfg(all(test, not(any(phalanx_loom, phalanx_shuttle))))]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_millis(3);
    const SHORT: Duration = Duration::from_micros(2);
    const MOST: Duration = Duration::from_micros(50);

    /// Yields whenever it may, for so many rounds; how often that was.
    fn n_yields(took: Duration, n_rounds: u64) -> usize {
        let mut courtesy = Courtesy::default();
        let mut yields = 0;
        for round in 1..=n_rounds {
            if courtesy.may_yield(round) {
                courtesy.learn(round, took, MOST);
                yields += 1;
            }
        }
        yields
    }

    #[test]
    fn long_yields_become_rare_and_short_ones_do_not() {
        assert_eq!(n_yields(SHORT, 100_000), 100_000);
        // After rounds 1, 65, 193, ...: the pauses double up to 65,536 rounds.
        assert_eq!(n_yields(LONG, 100_000), 11);
        assert_eq!(n_yields(LONG, 1_000_000), 25);
    }

    #[test]
    fn a_quiet_machine_is_forgiven() {
        let mut courtesy = Courtesy::default();
        courtesy.learn(1, LONG, MOST);
        assert!(!courtesy.may_yield(64));
        assert!(courtesy.may_yield(65));
        for round in 65..80 {
            courtesy.learn(round, SHORT, MOST);
        }
        courtesy.learn(80, LONG, MOST);
        assert!(courtesy.may_yield(144), "the penalty is the least again");
    }
}
