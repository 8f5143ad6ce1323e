//! Each verb against its hand-made rivals, in turn in one run: `cargo bench -p phalanx-shmcomm --bench ratios`.
//!
//! Arms run in pairs, A B then B A, after an execution that is thrown away. An execution is many
//! short batches, of which the middle one counts and the best one is shown beside it: on a shared
//! machine a batch that lost its CPU would drown a mean. The ratio of each pair is taken; the table
//! has the median ratio with the least and the greatest. An arm that computes something else than
//! ours ends the run.
#![allow(missing_docs)]

mod arms;

use std::time::{Duration, Instant};

use arms::bandwidth::{self, Data};
use arms::{Batches, Run, on_two};

/// How much is measured.
#[derive(Clone, Copy)]
struct Plan {
    pairs: usize,
    /// Batches in an execution.
    batches: u64,
    /// About how long a batch is.
    batch: Duration,
}

fn main() {
    // Cargo passes `--bench`; `cargo test` runs this without it, then only to see that it runs.
    let plan = if std::env::args().any(|argument| argument == "--bench") {
        Plan {
            pairs: 11,
            batches: 200,
            batch: Duration::from_micros(100),
        }
    } else {
        Plan {
            pairs: 1,
            batches: 2,
            batch: Duration::from_micros(10),
        }
    };
    println!(
        "2 pinned threads. Nanoseconds: a cache line's round trip just before, ours (best and middle"
    );
    println!(
        "batch). Then the time of the rival / ours: median (least to greatest) of the middle batches"
    );
    println!("of {} pairs.\n", plan.pairs);
    println!(
        "| verb | round trip | ours, best | ours, middle | mpsc | crossbeam | crossbeam, spinning |"
    );
    println!("|---|---|---|---|---|---|---|");
    arms::verbs::cases()
        .iter()
        .for_each(|case| verb(plan, case));
    println!(
        "\nbytes per second of `alltoallv` / those of two threads that copy as much of their own, and"
    );
    println!("/ those of bare copies of the same blocks between two barriers\n");
    println!(
        "| block | round trip | same data, own | same, bare | fresh data, own | fresh, bare |"
    );
    println!("|---|---|---|---|---|---|");
    [512, 8_192, 131_072]
        .into_iter()
        .for_each(|words| blocks(plan, words));
}

fn verb(plan: Plan, case: &arms::Case) {
    let round_trip = digits(Execution::of(&ping_pong(plan)).middle);
    let mut mine = Vec::new();
    let mut cells = Vec::new();
    for (name, rival) in &case.others {
        let control = Batches { n: 2, steps: 50 };
        let sums = [(case.ours)(control).sum, rival(control).sum];
        assert_eq!(
            sums[0], sums[1],
            "{name} computes something else in {}",
            case.name
        );
        let pairs = in_turn(plan, case.ours, rival);
        cells.push(spread(
            pairs
                .iter()
                .map(|(mine, theirs)| theirs.middle / mine.middle),
        ));
        mine.extend(pairs.into_iter().map(|(mine, _)| mine));
    }
    let best = mine
        .iter()
        .map(|run| run.best)
        .fold(f64::INFINITY, f64::min);
    let middle = spread(mine.iter().map(|run| run.middle));
    println!(
        "| {} | {round_trip} | {} | {middle} | {} |",
        case.name,
        digits(best),
        cells.join(" | ")
    );
}

fn blocks(plan: Plan, words: usize) {
    let round_trip = digits(Execution::of(&ping_pong(plan)).middle);
    let cells = [Data::Same, Data::Fresh].map(|data| {
        let ours = |batches| bandwidth::ours(batches, words, data);
        let against = |rival: &dyn Fn(Batches) -> Run| {
            let pairs = in_turn(plan, ours, rival);
            spread(
                pairs
                    .iter()
                    .map(|(mine, theirs)| theirs.middle / mine.middle),
            )
        };
        let own = against(&|batches| bandwidth::memcpy(batches, words, data));
        let bare = against(&|batches| bandwidth::bare(batches, words, data));
        format!("{own} | {bare}")
    });
    println!(
        "| {} KiB | {round_trip} | {} | {} |",
        words / 128,
        cells[0],
        cells[1]
    );
}

/// One execution of an arm, in nanoseconds a step.
struct Execution {
    best: f64,
    middle: f64,
}

impl Execution {
    fn of((steps, run): &(u64, Run)) -> Execution {
        let mut times: Vec<f64> = run
            .times
            .iter()
            .map(|time| time.as_secs_f64() * 1e9 / *steps as f64)
            .collect();
        times.sort_by(f64::total_cmp);
        Execution {
            best: times[0],
            middle: times[times.len() / 2],
        }
    }
}

fn in_turn(
    plan: Plan,
    ours: impl Fn(Batches) -> Run,
    rival: impl Fn(Batches) -> Run,
) -> Vec<(Execution, Execution)> {
    let steps = [calibrate(plan, &ours), calibrate(plan, &rival)];
    let execute = |arm: &dyn Fn(Batches) -> Run, steps| {
        Execution::of(&(
            steps,
            arm(Batches {
                n: plan.batches,
                steps,
            }),
        ))
    };
    let pair = |k| {
        if k % 2 == 0 {
            let mine = execute(&ours, steps[0]);
            (mine, execute(&rival, steps[1]))
        } else {
            let theirs = execute(&rival, steps[1]);
            (execute(&ours, steps[0]), theirs)
        }
    };
    pair(0);
    (0..plan.pairs).map(pair).collect()
}

/// How many steps make a batch, by the best of a few.
fn calibrate(plan: Plan, arm: &impl Fn(Batches) -> Run) -> u64 {
    let mut steps = 1;
    loop {
        let run = arm(Batches { n: 9, steps });
        let best = run.times.iter().min().copied().unwrap_or_default();
        if best * 2 >= plan.batch || steps > 1 << 24 {
            return steps;
        }
        steps *= 2;
    }
}

/// A line that goes to the other CPU and back.
fn ping_pong(plan: Plan) -> (u64, Run) {
    use std::sync::atomic::{AtomicU64, Ordering};
    let ball = AtomicU64::new(0);
    let steps = 500;
    let n_rounds = steps * plan.batches;
    // Acquire and Release: each side reads what the other wrote, as a barrier's users would.
    let run = on_two(vec![0, 1], |_, side| {
        let mut times = Vec::new();
        let mut begin = Instant::now();
        for round in 0..n_rounds {
            let mine = 2 * round + side;
            while ball.load(Ordering::Acquire) != mine {
                std::hint::spin_loop();
            }
            ball.store(mine + 1, Ordering::Release);
            if (round + 1) % steps == 0 {
                times.push(begin.elapsed());
                begin = Instant::now();
            }
        }
        Run { times, sum: 0 }
    });
    (steps, run)
}

fn spread(values: impl Iterator<Item = f64>) -> String {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let [median, least, greatest] =
        [sorted.len() / 2, 0, sorted.len() - 1].map(|k| digits(sorted[k]));
    format!("{median} ({least} to {greatest})")
}

fn digits(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.2}"),
        ..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}
