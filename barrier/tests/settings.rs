//! What the settings take, what they refuse, and that they reach the waiters.
#![cfg(not(any(phalanx_loom, phalanx_shuttle)))]

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use phalanx_barrier::{Clock, Grouping, Nap, Pace, SettingError, Step, Team};
use proptest::prelude::*;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

#[test]
fn spin_budgets_that_are_taken() {
    assert_eq!(Pace::parse_spin_budget("0"), Ok(us(0)));
    assert_eq!(Pace::parse_spin_budget("200"), Ok(us(200)));
    assert_eq!(Pace::parse_spin_budget("60000000"), Ok(us(60_000_000)));
    assert_eq!(Pace::parse_spin_budget("unlimited"), Ok(Duration::MAX));
}

#[test]
fn b07_bad_spin_budgets_are_errors() {
    for bad in [
        "",
        "abc",
        "-1",
        "1e99",
        "60000001",
        " 5",
        "5us",
        "0x10",
        "1.5",
        "infinite",
        "99999999999999999999999",
    ] {
        let error = Pace::parse_spin_budget(bad).expect_err(bad);
        assert_eq!(
            error.to_string(),
            format!(
                "PHALANX_SPIN_BUDGET_US is `{bad}`: expected a whole number of microseconds \
                 from 0 to 60000000, or `unlimited`"
            )
        );
    }
}

#[test]
fn groupings() {
    assert_eq!(Grouping::parse("flat"), Ok(Grouping::Flat));
    assert_eq!(Grouping::parse("grouped"), Ok(Grouping::Grouped));
    for bad in ["", "Flat", "auto", "flat "] {
        let error = Grouping::parse(bad).expect_err(bad);
        assert_eq!(
            error,
            SettingError::Grouping {
                value: bad.to_owned()
            }
        );
        assert!(error.to_string().ends_with("expected `flat` or `grouped`"));
    }
}

#[test]
fn more_threads_than_cpus_do_not_spin() {
    for (n_threads, n_cpus) in [(2, 1), (3, 2), (112, 56)] {
        assert_eq!(
            Pace::for_team(n_threads, n_cpus).step(Duration::ZERO),
            Step::Yield
        );
    }
    for (n_threads, n_cpus) in [(1, 1), (2, 2), (7, 56)] {
        assert_eq!(
            Pace::for_team(n_threads, n_cpus).step(Duration::ZERO),
            Step::Spin
        );
    }
}

#[test]
fn steps_by_the_clock() {
    let mut pace = Pace {
        spin: us(100),
        yielding: us(50),
        nap: Some(Nap {
            shortest: us(20),
            longest: us(1_000),
        }),
        deadline: None,
    };
    assert_eq!(pace.step(us(99)), Step::Spin);
    assert_eq!(pace.step(us(100)), Step::Yield);
    assert_eq!(pace.step(us(149)), Step::Yield);
    assert_eq!(pace.step(us(150)), Step::Nap(us(20)));
    assert_eq!(pace.step(us(800)), Step::Nap(us(100)));
    assert_eq!(pace.step(us(1_000_000)), Step::Nap(us(1_000)));
    assert_eq!(pace.step(Duration::MAX), Step::Nap(us(1_000)));
    pace.deadline = Some(us(120));
    assert_eq!(pace.step(us(119)), Step::Yield);
    assert_eq!(pace.step(us(120)), Step::Expired);
    pace.deadline = None;
    pace.nap = None;
    assert_eq!(pace.step(Duration::MAX), Step::Yield);
    pace.spin = Duration::MAX;
    assert_eq!(pace.step(us(u64::MAX)), Step::Spin);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Whatever the pace, a waiter spins first, then yields, then naps, and never goes back.
    #[test]
    fn a_wait_goes_one_way(
        spin in 0..2_000_u64,
        yielding in 0..2_000_u64,
        naps in prop::option::of((1..100_u64, 100..2_000_u64)),
        deadline in prop::option::of(0..10_000_u64),
        moments in prop::collection::vec(0..12_000_u64, 2..50),
    ) {
        let pace = Pace {
            spin: us(spin),
            yielding: us(yielding),
            nap: naps.map(|(shortest, longest)| Nap { shortest: us(shortest), longest: us(longest) }),
            deadline: deadline.map(us),
        };
        let mut moments = moments;
        moments.sort_unstable();
        let stage = |waited| match pace.step(us(waited)) {
            Step::Spin => (0, Duration::ZERO),
            Step::Yield => (1, Duration::ZERO),
            Step::Nap(length) => (2, length),
            _ => (3, Duration::ZERO),
        };
        let stages: Vec<_> = moments.iter().map(|&waited| stage(waited)).collect();
        prop_assert!(stages.is_sorted(), "{stages:?}");
    }
}

/// A clock that stands where a test has put it.
#[derive(Default)]
struct Hands(AtomicU64);

impl Clock for Hands {
    fn now(&self) -> Duration {
        us(self.0.load(Relaxed))
    }
}

/// Set for the runs of this program that tests of the environment start.
const INNER: &str = "PHALANX_TEST_INNER";

/// The part of the last test that runs under a setting of its own.
///
/// Says on standard output how often a waiter slept before the budget was spent
/// and after, by a clock that this test moves.
#[test]
fn inner_budget() {
    if std::env::var_os(INNER).is_none() {
        return;
    }
    let pace = match Pace::from_env(2, 2) {
        Ok(pace) => pace,
        Err(error) => return println!("refused: {error}"),
    };
    let hands = Arc::new(Hands::default());
    let mut team = Team::flat(2).pace(pace).clock(hands.clone()).build();
    let mut late = team.pop().expect("there are two");
    let mut early = team.pop().expect("there are two");
    let (tell, tid) = std::sync::mpsc::channel();
    let waiter = thread::spawn(move || {
        let me = std::fs::read_link("/proc/thread-self").expect("Linux has it");
        tell.send(me).expect("the test waits for it");
        early.wait()
    });
    let tid = tid.recv().expect("the waiter says it");
    let sleeps = || -> u64 {
        let status =
            std::fs::read_to_string(std::path::Path::new("/proc").join(&tid).join("status"));
        let status = status.expect("the waiter waits");
        let line = status
            .lines()
            .find(|line| line.starts_with("voluntary_ctxt_switches"));
        let count = line.and_then(|line| line.split_whitespace().last()?.parse().ok());
        count.expect("Linux counts them")
    };
    // Long enough for the waiter to have looked at the clock at zero.
    thread::sleep(Duration::from_millis(100));
    let mut counts = Vec::new();
    for at in [0, 2_999, 3_049, 3_060] {
        hands.0.store(at, Relaxed);
        thread::sleep(Duration::from_millis(20));
        let before = sleeps();
        thread::sleep(Duration::from_millis(100));
        counts.push(sleeps() - before);
    }
    println!("sleeps: {counts:?}");
    late.wait().expect("both are there");
    assert!(waiter.join().expect("does not panic").is_ok());
}

/// The part of the next test that runs under a setting of its own.
#[test]
fn inner_grouping() {
    if std::env::var_os(INNER).is_some() {
        match Grouping::from_env() {
            Ok(grouping) => println!("is {grouping:?}"),
            Err(error) => println!("refused: {error}"),
        }
    }
}

/// What the test `inner` of this program prints with a variable set.
fn with_variable(inner: &str, name: &str, value: &str) -> String {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", inner, "--nocapture", "--test-threads=1"])
        .env(name, value)
        .env(INNER, "1")
        .output()
        .expect("starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

#[test]
fn grouping_of_the_environment() {
    let with = |value| with_variable("inner_grouping", "PHALANX_BARRIER_GROUPING", value);
    assert!(with("flat").contains("is Some(Flat)"));
    assert!(with("grouped").contains("is Some(Grouped)"));
    assert!(with("hexagonal").contains("refused: PHALANX_BARRIER_GROUPING is `hexagonal`"));
    let other = with_variable("inner_grouping", "PHALANX_SPIN_BUDGET_US", "1");
    assert!(other.contains("is None"));
}

#[test]
#[cfg(target_os = "linux")]
fn b07_budget_of_the_environment_reaches_the_waiter() {
    let with_budget = |value| with_variable("inner_budget", "PHALANX_SPIN_BUDGET_US", value);
    // It spins for 3 ms, yields for 50 us, and then sleeps again and again.
    let text = with_budget("3000");
    let counts = text
        .split("sleeps: [")
        .nth(1)
        .and_then(|rest| rest.split(']').next());
    let counts: Vec<u64> = (counts.expect(&text).split(", "))
        .map(|count| count.parse().expect(&text))
        .collect();
    assert_eq!(counts[..3], [0, 0, 0], "slept within the budget");
    assert!(
        counts[3] > 5,
        "{counts:?}: did not sleep although the budget was spent"
    );

    // The whole wait is within an unlimited budget.
    assert!(with_budget("unlimited").contains("sleeps: [0, 0, 0, 0]"));
    assert!(with_budget("abc").contains("refused: PHALANX_SPIN_BUDGET_US is `abc`"));
}
