//! Ratios with their spreads: `cargo bench -p phalanx-barrier --bench ratios [-- THREADS [BATCHES]]`.
//!
//! The arms take turns, batch by batch and back and forth, so that whatever
//! else the machine does falls on all of them. A ratio is the median of the
//! ratios within one turn, and its spread the range from the first to the
//! third quartile.

mod arms;

use std::fmt::Write;

use arms::{Arm, BARE, Crew, OURS, PING_PONG, STD, arms};

/// Nanoseconds a round, one for each batch of an arm.
type Samples = Vec<f64>;

fn main() {
    let numbers: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let n = numbers.first().copied().unwrap_or(2).max(1);
    let n_batches = numbers.get(1).copied().unwrap_or(200).max(3);
    let arms = arms(n);
    let mut crew = Crew::new(n, &arms);
    let mut samples = vec![Samples::new(); arms.len()];
    for batch in 0..=n_batches {
        let mut order: Vec<usize> = (0..arms.len()).collect();
        if batch % 2 == 1 {
            order.reverse();
        }
        for arm in order {
            // A system call each round: enough of them, but not for ever.
            let n_rounds = if arms[arm].name == STD { 500 } else { 5_000 };
            let elapsed = crew.time(arm, n_rounds);
            // The first batch finds cold caches and sleeping CPUs.
            if batch > 0 {
                samples[arm].push(elapsed.as_nanos() as f64 / n_rounds as f64);
            }
        }
    }
    print!("{}", report(&arms, n, crew.pinned_to.as_deref(), &samples));
}

/// A table of the arms and a line for each goal.
fn report(arms: &[Arm], n: usize, pinned_to: Option<&[usize]>, samples: &[Samples]) -> String {
    let of = |name| {
        let arm = arms.iter().position(|arm| arm.name == name);
        &samples[arm.expect("the goals name arms that there are")]
    };
    let mut out = String::new();
    let n_batches = samples[0].len();
    let pins = pinned_to.map_or("not pinned".to_owned(), |cpus| {
        format!("pinned to CPUs {cpus:?}")
    });
    let _ = writeln!(out, "{n} threads, {pins}, {n_batches} batches\n");
    let _ = writeln!(
        out,
        "| barrier | best ns | median ns | times `{OURS}` | spread |"
    );
    let _ = writeln!(out, "|---|---|---|---|---|");
    for (arm, times) in arms.iter().zip(samples) {
        let [best, _, median, _] = quartiles(times);
        let [_, low, ratio, high] = quartiles(&ratios(times, of(OURS)));
        let _ = writeln!(
            out,
            "| {} | {best:.0} | {median:.0} | {ratio:.2} | {low:.2} to {high:.2} |",
            arm.name
        );
    }
    if n == 2 && pinned_to.is_some() {
        let goals = [
            (
                "against the ping-pong's round trip, at most 1.0",
                of(PING_PONG),
                1.0,
            ),
            (
                "against the same without poison, at most 1.2",
                of(BARE),
                1.2,
            ),
            ("against std::sync::Barrier, at most 1/8", of(STD), 0.125),
        ];
        out.push('\n');
        for (what, other, most) in goals {
            let [_, low, ratio, high] = quartiles(&ratios(of(OURS), other));
            let verdict = if ratio <= most { "met" } else { "MISSED" };
            let _ = writeln!(out, "{what}: {ratio:.3} ({low:.3} to {high:.3}), {verdict}");
        }
    }
    out
}

/// Batch by batch.
fn ratios(times: &[f64], base: &[f64]) -> Samples {
    times
        .iter()
        .zip(base)
        .map(|(time, base)| time / base)
        .collect()
}

/// Least, first quartile, median, third quartile.
fn quartiles(values: &[f64]) -> [f64; 4] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    [0, 1, 2, 3].map(|quarter| sorted[quarter * (sorted.len() - 1) / 4])
}
