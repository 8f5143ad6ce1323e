//! Who is who: ranks, partitions, and the flat world they make up.

use std::fmt;

/// A process of the job, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rank(pub usize);

/// A lock-stepped thread inside its rank, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Partition(pub usize);

/// Which rank a pair exchange goes to: the peer of rank `r` is `r ^ shift`.
///
/// Both sides of a pair derive the same shift, and the shift is its own
/// inverse, so there is no sender and receiver to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RankShift(pub usize);

impl RankShift {
    /// The exchange stays inside the rank.
    pub const HERE: RankShift = RankShift(0);
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}", self.0)
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "partition {}", self.0)
    }
}

impl fmt::Display for RankShift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank shift {}", self.0)
    }
}

/// The place of one participant in a world of `n_ranks * n_partitions`.
///
/// The flat index of a participant is rank-major:
/// `rank * n_partitions + partition`. Every verb that speaks of a peer, a
/// source or a destination means this index, and every list of blocks is in
/// ascending order of it.
///
/// ```
/// use phalanx_shmcomm::{Layout, Partition, Rank};
///
/// let me = Layout { rank: Rank(1), n_ranks: 2, partition: Partition(2), n_partitions: 3 };
/// assert_eq!(me.index(), 5);
/// assert_eq!(me.world_size(), 6);
/// assert_eq!(me.locate(2), (Rank(0), Partition(2)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The process this participant runs in.
    pub rank: Rank,
    /// How many processes there are.
    pub n_ranks: usize,
    /// Which of its process's threads it is.
    pub partition: Partition,
    /// How many threads each process has, the same everywhere.
    pub n_partitions: usize,
}

impl Layout {
    /// The flat index of this participant, below [`world_size`](Self::world_size).
    pub fn index(&self) -> usize {
        self.index_of(self.rank, self.partition)
    }

    /// How many participants there are in all.
    pub fn world_size(&self) -> usize {
        self.n_ranks * self.n_partitions
    }

    /// The flat index of another participant.
    pub fn index_of(&self, rank: Rank, partition: Partition) -> usize {
        rank.0 * self.n_partitions + partition.0
    }

    /// Rank and partition of a flat index.
    pub fn locate(&self, index: usize) -> (Rank, Partition) {
        (
            Rank(index / self.n_partitions),
            Partition(index % self.n_partitions),
        )
    }

    /// The partitions of a rank, ascending.
    pub fn partitions(&self) -> impl ExactSizeIterator<Item = Partition> + use<> {
        (0..self.n_partitions).map(Partition)
    }
}
