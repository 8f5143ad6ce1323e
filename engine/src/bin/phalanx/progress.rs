//! How fast a run is, and how long it may still take.

use std::time::{Duration, Instant};

use phalanx_engine::run::{Progress, Row};

use crate::numbers::{duration, scaled, thousands};

/// Watches a run through what its observer hears.
pub(crate) struct Meter {
    /// Seconds of the last repeat that is done.
    last_seconds: Option<f64>,
    /// Terms after the last two.
    last_terms: [u64; 2],
    repeat_began: Instant,
    last: Option<(Instant, u64)>,
    /// Terms taken through a rotation in a second, smoothed.
    rate: Option<f64>,
}

impl Meter {
    pub(crate) fn new() -> Self {
        Meter {
            last_seconds: None,
            last_terms: [0; 2],
            repeat_began: Instant::now(),
            last: None,
            rate: None,
        }
    }

    pub(crate) fn row(&mut self, row: &Row) {
        self.last_seconds = Some(row.seconds);
        self.last_terms = [self.last_terms[1], row.num_terms];
        self.repeat_began = Instant::now();
    }

    /// `repeat 12 of 29, 1,063,245 terms, 31.2 M terms/s, about 2 min 10 s left`
    pub(crate) fn describe(&mut self, progress: &Progress) -> String {
        let rate = self.rate(progress, Instant::now());
        let rate = rate.map_or_else(String::new, |rate| {
            format!(", {} terms/s", scaled(rate, ""))
        });
        let left = self.left(progress, self.repeat_began.elapsed());
        let left = left.map_or_else(String::new, |left| {
            format!(", about {} left", duration(left))
        });
        format!(
            "repeat {} of {}, {} terms{rate}{left}",
            progress.repeat,
            progress.repeats,
            thousands(progress.num_terms),
        )
    }

    /// Terms taken through a rotation in a second; none before it has been looked at twice.
    fn rate(&mut self, progress: &Progress, now: Instant) -> Option<f64> {
        if let Some((then, term_gates)) = self.last {
            let seconds = now.duration_since(then).as_secs_f64();
            if seconds > 0.0 {
                let fresh = progress.term_gates.saturating_sub(term_gates) as f64 / seconds;
                // Half of what is shown comes from the last two seconds.
                let weight = 0.5_f64.powf(seconds / 2.0);
                self.rate = Some(
                    self.rate
                        .map_or(fresh, |old| old * weight + fresh * (1.0 - weight)),
                );
            }
        }
        self.last = Some((now, progress.term_gates));
        self.rate
    }

    /// How long the rest may take: later repeats take longer than earlier ones, by a factor that the terms of the last two tell and that wears off.
    fn left(&self, progress: &Progress, in_repeat: Duration) -> Option<Duration> {
        let fraction = progress.gates_done as f64 / progress.gates.max(1) as f64;
        let in_repeat = in_repeat.as_secs_f64();
        let growth = match self.last_terms {
            [before, last] if before > 0 => (last as f64 / before as f64).clamp(1.0, 2.0),
            _ => 1.0,
        };
        let whole = match self.last_seconds {
            _ if fraction > 0.3 => in_repeat / fraction,
            Some(last) => (last * growth).max(in_repeat),
            None if fraction > 0.0 => in_repeat / fraction,
            None => return None,
        };
        let mut left = (whole - in_repeat).max(0.0);
        let (mut next, mut factor) = (whole, growth);
        let mut n_left = progress.repeats.saturating_sub(progress.repeat);
        while n_left > 0 && factor > 1.001 {
            next *= factor;
            left += next;
            factor = 1.0 + (factor - 1.0) * 0.8;
            n_left -= 1;
        }
        Duration::try_from_secs_f64(left + next * n_left as f64).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(rows: &[(f64, u64)]) -> Meter {
        let mut meter = Meter::new();
        for &(seconds, num_terms) in rows {
            let mut row = Row::default();
            row.seconds = seconds;
            row.num_terms = num_terms;
            meter.row(&row);
        }
        meter
    }

    fn at(repeat: u64, repeats: u64, gates_done: u64, term_gates: u64) -> Progress {
        let mut progress = Progress::default();
        progress.repeat = repeat;
        progress.repeats = repeats;
        progress.gates_done = gates_done;
        progress.gates = 100;
        progress.term_gates = term_gates;
        progress
    }

    fn left(meter: &Meter, progress: &Progress, in_repeat: f64) -> Option<f64> {
        let left = meter.left(progress, Duration::from_secs_f64(in_repeat));
        left.map(|left| left.as_secs_f64())
    }

    #[test]
    fn steady_repeats_take_as_long_as_those_before() {
        let meter = meter(&[(1.0, 70), (9.0, 70), (2.0, 70)]);
        assert_eq!(left(&meter, &at(4, 10, 50, 0), 1.0), Some(13.0));
        assert_eq!(left(&meter, &at(10, 10, 50, 0), 1.0), Some(1.0));
    }

    #[test]
    fn growing_repeats_go_on_growing_for_a_while() {
        let meter = meter(&[(1.0, 40), (1.5, 60)]);
        let seconds = left(&meter, &at(3, 5, 0, 0), 0.0).unwrap();
        // 2.25, then 2.25 * 1.5, then that times 1.4.
        assert!((seconds - (2.25 + 3.375 + 4.725)).abs() < 1e-9, "{seconds}");
        // A million repeats are no reason to count them all, or to promise more than a duration holds.
        assert!(left(&meter, &at(3, 1_000_000, 0, 0), 0.0).unwrap() > 1e6);
    }

    #[test]
    fn nothing_is_promised_before_anything_is_known() {
        let meter = meter(&[]);
        assert_eq!(left(&meter, &at(1, 10, 0, 0), 5.0), None);
        assert_eq!(left(&meter, &at(1, 2, 50, 0), 5.0), Some(15.0));
    }

    #[test]
    fn the_rate_is_what_was_done_meanwhile() {
        let mut meter = meter(&[]);
        let began = Instant::now();
        assert_eq!(meter.rate(&at(1, 1, 0, 0), began), None);
        assert_eq!(
            meter.rate(&at(1, 1, 1, 3_000), began + Duration::from_secs(1)),
            Some(3_000.0)
        );
        // Two idle seconds halve it.
        assert_eq!(
            meter.rate(&at(1, 1, 1, 3_000), began + Duration::from_secs(3)),
            Some(1_500.0)
        );
        let mut progress = at(1, 3, 50, 3_000);
        progress.num_terms = 12_345;
        let line = meter.describe(&progress);
        let (before, after) = ("repeat 1 of 3, 12,345 terms, ", " left");
        assert!(line.starts_with(before) && line.ends_with(after), "{line}");
    }
}
