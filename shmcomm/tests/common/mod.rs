//! Running a closure on every participant of a team, each on a thread of its own.
#![allow(dead_code)]

use std::thread;

use phalanx_shmcomm::{ShmComm, Team, team};

/// A team of `n` in one group, in pairs, or in uneven and interleaved groups.
pub(crate) fn layouts(n: usize) -> Vec<Team> {
    let uneven: Vec<usize> = (0..n).map(|i| usize::from(i % 3 == 1)).collect();
    let pairs: Vec<usize> = (0..n).map(|i| i / 2).collect();
    vec![Team::flat(n), Team::grouped(&pairs), Team::grouped(&uneven)]
}

/// Runs `body` on every participant of a flat team and gathers what it returns, in order.
pub(crate) fn run<R: Send>(n: usize, body: impl Fn(ShmComm) -> R + Sync) -> Vec<R> {
    run_team(Team::flat(n), body)
}

/// [`run`] on a given team.
pub(crate) fn run_team<R: Send>(builder: Team, body: impl Fn(ShmComm) -> R + Sync) -> Vec<R> {
    run_all(team(builder), body)
}

/// [`run`] on participants that are there already.
pub(crate) fn run_all<R: Send>(comms: Vec<ShmComm>, body: impl Fn(ShmComm) -> R + Sync) -> Vec<R> {
    let body = &body;
    thread::scope(|scope| {
        let threads: Vec<_> = comms
            .into_iter()
            .map(|comm| scope.spawn(move || body(comm)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no participant panics"))
            .collect()
    })
}

/// How many elements `from` sends to `to` in these tests: none for a quarter of the pairs, another
/// number for each of the rest.
pub(crate) fn count(from: usize, to: usize) -> u64 {
    if (from + 2 * to).is_multiple_of(4) {
        return 0;
    }
    (from * 8 + to + 1) as u64
}

/// What element `k` of the block from `from` to `to` is.
pub(crate) fn element(from: usize, to: usize, k: u64) -> u64 {
    (from as u64) << 40 | (to as u64) << 20 | k
}
