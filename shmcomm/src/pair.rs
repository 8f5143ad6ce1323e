//! Pair exchange: buffers that move in, views that borrow, buffers that come back.

use crate::{CommError, Communicator, Element, Layout, Partition, RankShift};

/// What one participant sends in a pair exchange: one block for each partition of the peer rank.
///
/// The blocks keep their capacity from use to use. An exchange takes the
/// outbox by value, so a published block cannot be touched, and hands it back
/// from a later call as [`Exchanged::recycled`]. Two outboxes in turn are
/// enough for an endless sequence of exchanges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outbox<T> {
    blocks: Vec<Vec<T>>,
}

impl<T> Outbox<T> {
    /// An empty outbox for a peer rank of `n_partitions` partitions.
    pub fn new(n_partitions: usize) -> Self {
        Outbox {
            blocks: (0..n_partitions).map(|_| Vec::new()).collect(),
        }
    }

    /// How many blocks it has.
    pub fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The block that goes to `to`.
    ///
    /// # Panics
    /// If the outbox has no such partition.
    pub fn block(&self, to: Partition) -> &[T] {
        &self.blocks[to.0]
    }

    /// The block that goes to `to`, to be filled.
    ///
    /// # Panics
    /// If the outbox has no such partition.
    pub fn block_mut(&mut self, to: Partition) -> &mut Vec<T> {
        &mut self.blocks[to.0]
    }

    pub(crate) fn blocks(&self) -> &[Vec<T>] {
        &self.blocks
    }

    /// Empties every block and keeps its capacity.
    pub fn clear(&mut self) {
        self.blocks.iter_mut().for_each(Vec::clear);
    }

    /// Gives back the capacity of each block beyond `most` elements; its contents stay.
    pub fn shrink_to(&mut self, most: usize) {
        self.blocks
            .iter_mut()
            .for_each(|block| block.shrink_to(most));
    }

    /// How many elements there are in all blocks.
    pub fn len(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }

    /// Whether every block is empty.
    pub fn is_empty(&self) -> bool {
        self.blocks.iter().all(Vec::is_empty)
    }

    /// The memory the blocks hold on to, in bytes, used or not.
    pub fn capacity_bytes(&self) -> usize {
        let elements: usize = self.blocks.iter().map(Vec::capacity).sum();
        elements * size_of::<T>()
    }
}

/// Where the blocks of a [`PairView`] are: implemented by lanes, not by their users.
///
/// A lane implements it on what its ends borrow from; the view keeps that
/// borrowed, so an implementation need only hand out slices that stay as they
/// are for as long as `self` is borrowed.
pub trait Blocks<T>: Sync {
    /// How many sources there are.
    fn n_blocks(&self) -> usize;

    /// The block that partition `source` of the peer rank sent to this participant.
    ///
    /// # Panics
    /// If there is no such partition.
    fn block(&self, source: Partition) -> &[T];
}

/// What one participant received in a pair exchange: one block from each partition of the peer rank.
///
/// Inside a rank the blocks are the senders' own buffers, not copies. The view
/// borrows the lane end, so it cannot outlive the lane's next exchange. It does
/// not borrow the communicator: other verbs, and other lanes, run meanwhile.
pub struct PairView<'l, T> {
    blocks: &'l dyn Blocks<T>,
}

impl<T> Clone for PairView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PairView<'_, T> {}

impl<'l, T> PairView<'l, T> {
    /// A view of what a lane received.
    pub fn new(blocks: &'l dyn Blocks<T>) -> Self {
        PairView { blocks }
    }

    /// How many blocks there are: the partitions of a rank.
    pub fn n_blocks(&self) -> usize {
        self.blocks.n_blocks()
    }

    /// The block that partition `source` of the peer rank sent.
    ///
    /// # Panics
    /// If there is no such partition.
    pub fn block(&self, source: Partition) -> &'l [T] {
        self.blocks.block(source)
    }

    /// All blocks with their sources, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Partition, &'l [T])> + use<'l, T> {
        let blocks = self.blocks;
        (0..blocks.n_blocks()).map(move |source| {
            let source = Partition(source);
            (source, blocks.block(source))
        })
    }
}

impl<T> std::fmt::Debug for PairView<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.iter().map(|(_, block)| block.len()))
            .finish()
    }
}

/// A finished pair exchange.
#[derive(Debug)]
pub struct Exchanged<'l, T> {
    /// What was received.
    pub view: PairView<'l, T>,
    /// The outbox of the call before, which nobody reads any more, as it was
    /// sent: clear it before filling it. `None` after a lane's first call.
    pub recycled: Option<Outbox<T>>,
}

/// A pair exchange that did not happen, and the outbox that was meant for it.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct PairError<T> {
    /// What went wrong.
    pub error: CommError,
    /// The caller's buffers, unharmed.
    pub outbox: Outbox<T>,
}

impl<T> From<PairError<T>> for CommError {
    fn from(failed: PairError<T>) -> CommError {
        failed.error
    }
}

/// One participant's end of a lane for pair exchanges.
///
/// Made by [`Communicator::pair_lane`]. Lanes are independent of each other:
/// a view of one stays valid while another is used.
pub trait PairLane<T: Element>: Send {
    /// The communicator that makes and drives such lanes.
    type Comm: Communicator;

    /// Sends a block to each partition of rank `own ^ shift`, receives one from each.
    ///
    /// The peer's blocks may have any lengths, none included, and no length
    /// needs to be told beforehand.
    ///
    /// # Errors
    /// [`CommError::Argument`] if the outbox has not one block for each
    /// partition, or if there is no such rank; [`CommError::ForeignLane`] if
    /// `comm` is not the communicator the lane was made with;
    /// [`CommError::Poisoned`], [`CommError::Mismatch`] or
    /// [`CommError::PeerFailed`] if the exchange did not happen. All of them
    /// bring the outbox back.
    ///
    /// # Collective
    /// By all participants of both ranks, the same number of times on each lane.
    fn exchange(
        &mut self,
        comm: &mut Self::Comm,
        shift: RankShift,
        outbox: Outbox<T>,
    ) -> Result<Exchanged<'_, T>, PairError<T>>;
}

/// Refuses what every lane refuses, before anything is published.
pub fn check_outbox<T>(layout: &Layout, outbox: &Outbox<T>) -> Result<(), CommError> {
    if outbox.n_blocks() == layout.n_partitions {
        return Ok(());
    }
    Err(CommError::argument(
        crate::Verb::PairExchange,
        format!(
            "the outbox has {} blocks, a rank has {} partitions",
            outbox.n_blocks(),
            layout.n_partitions
        ),
    ))
}
