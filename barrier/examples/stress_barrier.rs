//! Rounds on real threads with memory that is freed as soon as it may be: what ThreadSanitizer is run on.
//!
//! `cargo run --release -p phalanx-barrier --example stress_barrier [-- REPEATS]`
//!
//! Each participant lends a box in every verb, reads those of its peers between
//! commit and settle, and frees its own on every way out. A missing edge is a
//! race or a use after free. The README has the command for ThreadSanitizer.
#![allow(unsafe_code)] // Plain memory that only the barrier keeps apart is what is under test.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use phalanx_barrier::{Participant, PoisonHandle, Poisoned, Team};

/// A box for each participant.
struct Boxes(Vec<UnsafeCell<Option<Box<u64>>>>);

// SAFETY: participants access the boxes from several threads.
// - Box `i` is written by participant `i` only, outside of commit and settle.
// - It is read by others only between their commit and their settle.
// - That these exclude each other is the guarantee of the barrier, and under test.
unsafe impl Sync for Boxes {}

impl Boxes {
    fn new(n: usize) -> Arc<Boxes> {
        Arc::new(Boxes((0..n).map(|_| UnsafeCell::new(None)).collect()))
    }

    fn set(&self, index: usize, content: Option<Box<u64>>) {
        // SAFETY: as argued at `Sync`: the caller is the owner, and no verb of its is open.
        unsafe { *self.0[index].get() = content };
    }

    fn get(&self, index: usize) -> Option<u64> {
        // SAFETY: as argued at `Sync`: the caller has committed and not settled.
        unsafe { (*self.0[index].get()).as_deref().copied() }
    }
}

/// What becomes of a team.
#[derive(Clone, Copy)]
enum Fate {
    /// All do their rounds.
    Health,
    /// Poison from outside.
    Poison(Duration),
    /// A participant leaves after so many verbs.
    Departure(u64),
}

/// Verbs until the end or the first error; the number of those that passed.
fn verbs(mut me: Participant, boxes: &Boxes, n_verbs: u64) -> (u64, Option<Participant>) {
    for verb in 0..n_verbs {
        boxes.set(me.index(), Some(Box::new(verb)));
        let committed = me.wait();
        if committed.is_ok() {
            for peer in 0..me.team_size() {
                assert_eq!(boxes.get(peer), Some(verb), "box of participant {peer}");
            }
            me.settle().expect("a settle never fails");
        }
        boxes.set(me.index(), None);
        if let Err(Poisoned(cause)) = committed {
            assert!(!cause.message.is_empty());
            return (verb, Some(me));
        }
    }
    (n_verbs, None) // Drops the participant, which poisons the team.
}

/// Runs a team to its fate, and returns how many verbs passed, which must be the same for all.
fn run(domain_of: &[usize], n_verbs: u64, fate: Fate) -> u64 {
    let team = Team::grouped(domain_of).build();
    let boxes = Boxes::new(team.len());
    let poisoner = match fate {
        Fate::Poison(after) => Some((team[0].poison_handle(), after)),
        _ => None,
    }
    .map(|(handle, after): (PoisonHandle, _)| {
        thread::spawn(move || {
            thread::sleep(after);
            handle.poison("from outside");
        })
    });
    let last = team.len() - 1;
    let threads: Vec<_> = (team.into_iter())
        .map(|me| {
            let boxes = boxes.clone();
            let mine = match fate {
                Fate::Departure(after) if me.index() == last => after,
                _ => n_verbs,
            };
            thread::spawn(move || verbs(me, &boxes, mine))
        })
        .collect();
    let outcomes: Vec<_> = threads
        .into_iter()
        .map(|thread| thread.join().expect("no participant panics"))
        .collect();
    if let Some(poisoner) = poisoner {
        poisoner.join().expect("the poisoner does not panic");
    }
    assert!(
        outcomes
            .iter()
            .all(|(n_passed, _)| *n_passed == outcomes[0].0)
    );
    outcomes[0].0
}

fn main() {
    let repeats = std::env::args().nth(1).and_then(|arg| arg.parse().ok());
    let repeats: u64 = repeats.unwrap_or(20);
    let layouts: [&[usize]; 7] = [
        &[0],
        &[0, 0],
        &[0, 0, 1],
        &[0, 1, 0, 1],
        &[4, 7, 7, 4, 9],
        &[0, 0, 0, 1, 2, 2],
        &[0, 1, 1, 1, 1, 1, 2, 3],
    ];
    let mut n_passed = 0;
    for repeat in 0..repeats {
        for domain_of in layouts {
            n_passed += run(domain_of, 200, Fate::Health);
            let moment = Duration::from_micros(repeat * 97 % 1_500);
            n_passed += run(domain_of, u64::MAX, Fate::Poison(moment));
            n_passed += run(domain_of, u64::MAX, Fate::Departure(repeat % 7 * 11));
        }
    }
    println!("stress: {n_passed} verbs passed, each for all or for none");
}
