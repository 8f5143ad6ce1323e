//! Rounds of a team in good health: everybody passes each of them, and sees what was written before.
#![cfg(not(any(phalanx_loom, phalanx_shuttle)))]

mod common;
mod dice;

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use common::run;
use dice::Dice;
use phalanx_barrier::{Grouping, Participant, Team};
use proptest::prelude::*;

/// Each writes its word, all meet, each reads all words, all meet.
///
/// The words are relaxed, so only the barrier orders them.
fn exchange(team: Vec<Participant>, n_rounds: u64, pause: impl Fn(&mut Dice) + Sync) {
    let words: Vec<_> = team.iter().map(|_| AtomicU64::new(0)).collect();
    run(team, |mut me| {
        let mut dice = Dice::new(me.index());
        for round in 1..=n_rounds {
            pause(&mut dice);
            words[me.index()].store(round, Relaxed);
            me.wait().expect("nobody fails");
            for word in &words {
                assert_eq!(word.load(Relaxed), round);
            }
            me.settle().expect("nobody fails");
        }
    });
}

#[test]
fn b05_sizes_one_and_zero() {
    assert!(Team::flat(0).build().is_empty());
    assert!(Team::grouped(&[]).build().is_empty());
    assert!(Team::reassemble(Vec::new()).is_ok_and(|team| team.is_empty()));

    for one in [Team::flat(1), Team::grouped(&[7])] {
        let mut one = one.build();
        let start = Instant::now();
        for _ in 0..1_000_000 {
            one[0].wait().expect("it waits for nobody");
        }
        assert!(start.elapsed() < Duration::from_secs(1));
    }
    exchange(Team::grouped(&[0, 0]).build(), 100, |_| ());
    exchange(Team::grouped(&[3, 2, 1]).build(), 100, |_| ());
}

/// Threads that come late, are descheduled or sleep, at odd moments.
#[test]
fn b09_no_lost_wake_up() {
    let n_rounds = if std::env::var_os("PHALANX_LONG_TESTS").is_some() {
        1_000_000
    } else {
        3_000
    };
    for n in [2, 3, 5, 8] {
        exchange(Team::flat(n).build(), n_rounds, |dice| {
            match dice.roll(200) {
                0 => thread::sleep(Duration::from_millis(1)),
                1 => thread::yield_now(),
                some => {
                    let until = Instant::now() + Duration::from_nanos(25 * some);
                    while Instant::now() < until {
                        spin_loop();
                    }
                }
            }
        });
    }
}

#[test]
fn b10_written_before_is_seen_after() {
    let n_rounds = if std::env::var_os("PHALANX_LONG_TESTS").is_some() {
        1_000_000
    } else {
        10_000
    };
    for domain_of in [
        &[0, 1][..],
        &[0, 0, 1],
        &[0, 1, 0, 1],
        &[5, 5, 5, 9, 9, 2, 9],
    ] {
        exchange(Team::grouped(domain_of).build(), n_rounds, |_| ());
    }
}

#[test]
fn indices_and_sizes() {
    for grouping in [Grouping::Flat, Grouping::Grouped] {
        let team = Team::grouped(&[4, 4, 8]).grouping(grouping);
        assert_eq!(team.size(), 3);
        let team = team.build();
        assert!(team.iter().enumerate().all(|(at, me)| me.index() == at));
        assert!(team.iter().all(|me| me.team_size() == 3));
        exchange(team, 100, |_| ());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    /// Any domains, and somebody who leaves after some round: all pass exactly the rounds before.
    ///
    /// The oracle: a round passes if and only if nobody has left before it.
    #[test]
    fn all_pass_the_same_rounds(
        domain_of in prop::collection::vec(0..4_usize, 1..9),
        leaves_after in prop::collection::vec(prop::option::of(0..20_u64), 1..9),
    ) {
        let n_rounds = 20;
        let leaving = |index: usize| leaves_after.get(index).copied().flatten();
        let expected = (0..domain_of.len()).filter_map(leaving).min().unwrap_or(n_rounds);
        let passed = run(Team::grouped(&domain_of).build(), |mut me| {
            let mine = leaving(me.index()).unwrap_or(n_rounds);
            (0..mine).take_while(|_| me.wait().is_ok()).count() as u64
        });
        prop_assert!(passed.iter().all(|&passed| passed == expected), "{passed:?}");
    }
}
