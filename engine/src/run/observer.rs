//! What a run tells while it is under way.

use crate::group::Plan;
use crate::problem::Problem;

use super::Row;

/// Hears of a run while it goes on, on the thread that called [`Run::go`](super::Run::go). No partition waits for it.
pub trait Observer {
    /// The initial operator stands on all partitions; the walk begins.
    fn started(&mut self, _started: &Started<'_>) {}

    /// About ten times a second, between rows.
    fn progress(&mut self, _progress: &Progress) {}

    /// A repeat is done.
    fn row(&mut self, _row: &Row) {}
}

/// Nobody listens.
impl Observer for () {}

/// What is known when the walk begins.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Started<'a> {
    /// What is propagated.
    pub problem: &'a Problem,
    /// On how many partitions, and where.
    pub plan: &'a Plan,
    /// How the circuit is walked.
    pub mode: &'static str,
}

/// How far a run has come. Read without stopping the partitions: close to the truth, not a snapshot of one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The repeat under way, counted from 1.
    pub repeat: u64,
    /// How many repeats the problem has.
    pub repeats: u64,
    /// Rotations that are done in this repeat; where they are done a window at a time, it moves on by whole windows.
    pub gates_done: u64,
    /// Rotations of a repeat.
    pub gates: u64,
    /// Terms on all partitions.
    pub num_terms: u64,
    /// Terms that have been taken through a rotation since the run began, each counted once for each rotation. The terms of a window are those at its end.
    pub term_gates: u64,
}
