//! The names of the verbs, as errors, stall reports and profiles spell them.

use std::fmt;

/// A collective operation: what a participant is in, or was last in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Verb {
    /// Everybody arrives before anybody leaves.
    Barrier = 1,
    /// The transpose of the matrix of counts.
    AlltoallCounts,
    /// Blocks to everybody, with counts that both sides know.
    Alltoallv,
    /// Counts and blocks in one round.
    Resolve,
    /// The answers of a [`Resolve`](Verb::Resolve), along its legs backwards.
    Reply,
    /// One number of each participant, added up.
    AllreduceSum,
    /// A vector of each participant, added up element by element.
    AllreduceSumInplace,
    /// Sums without rounding, the same bits in every layout.
    AllreduceExact,
    /// Everybody's block to everybody.
    Allgather,
    /// One participant's block to everybody.
    Broadcast,
    /// One object for all the threads of a process.
    Share,
    /// One participant's error becomes everybody's.
    Agree,
    /// The making of a pair lane.
    PairLane,
    /// A pair exchange.
    PairExchange,
}

impl Verb {
    /// Every verb, in the order of their numbers.
    pub const ALL: [Verb; 14] = [
        Verb::Barrier,
        Verb::AlltoallCounts,
        Verb::Alltoallv,
        Verb::Resolve,
        Verb::Reply,
        Verb::AllreduceSum,
        Verb::AllreduceSumInplace,
        Verb::AllreduceExact,
        Verb::Allgather,
        Verb::Broadcast,
        Verb::Share,
        Verb::Agree,
        Verb::PairLane,
        Verb::PairExchange,
    ];

    /// The name of the method, as one would search for it.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Barrier => "barrier",
            Verb::AlltoallCounts => "alltoall_counts",
            Verb::Alltoallv => "alltoallv",
            Verb::Resolve => "resolve",
            Verb::Reply => "reply",
            Verb::AllreduceSum => "allreduce_sum",
            Verb::AllreduceSumInplace => "allreduce_sum_inplace",
            Verb::AllreduceExact => "allreduce_exact",
            Verb::Allgather => "allgather",
            Verb::Broadcast => "broadcast",
            Verb::Share => "share",
            Verb::Agree => "agree",
            Verb::PairLane => "pair_lane",
            Verb::PairExchange => "exchange",
        }
    }

    /// The verb of a number that [`Verb`] was cast to.
    pub fn from_number(number: u8) -> Option<Verb> {
        Verb::ALL.into_iter().find(|&verb| verb as u8 == number)
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
