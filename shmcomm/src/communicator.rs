//! The `Communicator` trait: the verbs that all participants of a world call in the same order.

use std::any::Any;
use std::fmt::Display;
use std::sync::Arc;

use crate::{CommError, Element, ExactSum, Layout, PairLane, PoisonHandle, Summable};

/// One participant's handle on a world that moves in lock-step.
///
/// A world has `n_ranks * n_partitions` participants, each with a communicator
/// of its own that is neither cloned nor shared. All of them call the same
/// verbs in the same order. Blocks and counts are indexed by the flat index of
/// [`Layout`], ascending; blocks follow one another without gaps; counts are in
/// elements unless said otherwise. A participant also sends to itself.
///
/// # Failure
/// A verb either happens for everybody or fails for everybody: what was lent to
/// peers is never read after the verb has returned. A failed verb other than
/// [`agree`](Self::agree), an [`Argument`](CommError::Argument) error or an
/// overflowing sum leaves the world dead: each later verb fails at once.
/// Dropping a communicator counts as a failure, harmless if nobody has a verb
/// left to call.
///
/// # Collective
/// Every verb is called by all participants, in the same order, with the same
/// element type. A participant in another verb than its peers gets
/// [`CommError::Mismatch`], as they do.
pub trait Communicator: Send + Sized {
    /// What [`resolve`](Self::resolve) returns: the way back for the answers.
    type Leg<'c>: Leg
    where
        Self: 'c;

    /// This participant's end of a lane for pair exchanges.
    type PairLane<T: Element>: PairLane<T, Comm = Self>;

    /// Where this participant is in the world.
    fn layout(&self) -> Layout;

    /// The flat index of this participant.
    fn index(&self) -> usize {
        self.layout().index()
    }

    /// How many participants there are.
    fn world_size(&self) -> usize {
        self.layout().world_size()
    }

    /// Stops the world: every verb from the next one on fails for everybody, with this cause
    /// unless there was one before.
    fn poison(&self, message: impl Into<String>);

    /// [`poison`](Self::poison) because of a panic that was caught, with its text. Do this before the
    /// communicator is dropped, which would only know that there was a panic.
    fn poison_panicked(&self, payload: &(dyn Any + Send));

    /// A handle that can stop the world from another thread: for watchdogs, and for whoever
    /// catches this participant's panic.
    fn poison_handle(&self) -> PoisonHandle;

    /// Leaves the world because of an error of the caller's own, which becomes everybody's cause.
    fn fail(self, error: impl Display) {
        self.poison(error.to_string());
    }

    /// Returns when everybody has arrived.
    ///
    /// # Errors
    /// [`CommError::Poisoned`] or [`CommError::PeerFailed`].
    #[doc(alias = "MPI_Barrier")]
    fn barrier(&mut self) -> Result<(), CommError>;

    /// `send[d]` is this participant's number for `d`; afterwards `receive[s]` is the number of `s`
    /// for this participant.
    ///
    /// # Errors
    /// [`CommError::Argument`] if a slice has not one number for each participant; else as
    /// [`barrier`](Self::barrier), or [`CommError::Mismatch`].
    #[doc(alias = "MPI_Alltoall")]
    fn alltoall_counts(&mut self, send: &[u64], receive: &mut [u64]) -> Result<(), CommError>;

    /// Sends `send_counts[d]` elements to `d` and receives `receive_counts[s]` from `s`, all known.
    ///
    /// # Errors
    /// [`CommError::Argument`] if the counts do not add up to the slices; [`CommError::Count`] if a
    /// sender disagrees with `receive_counts`; [`CommError::ElementType`]; else as
    /// [`alltoall_counts`](Self::alltoall_counts). What `receive` holds after an error is unspecified.
    #[doc(alias = "MPI_Alltoallv")]
    fn alltoallv<T: Element>(
        &mut self,
        send: &[T],
        send_counts: &[u64],
        receive: &mut [T],
        receive_counts: &[u64],
    ) -> Result<(), CommError>;

    /// Sends records whose number the receivers do not know, and keeps the way back open.
    ///
    /// `send_counts[d]` elements go to `d`, in records of `record` elements; `inbox` is replaced by
    /// what arrived, ascending by source. The [`Leg`] says how many records came from whom, and
    /// takes the answers back to where the queries came from. It borrows the communicator, so that
    /// no other exchange can come between query and answer; drop it if there is nothing to answer.
    ///
    /// # Errors
    /// [`CommError::Argument`] if `record` is zero, a count is not a multiple of it, or the counts do
    /// not add up to `send`; [`CommError::RecordSize`] if participants disagree on `record`; else as [`alltoallv`](Self::alltoallv).
    fn resolve<T: Element>(
        &mut self,
        send: &[T],
        send_counts: &[u64],
        record: usize,
        inbox: &mut Vec<T>,
    ) -> Result<Self::Leg<'_>, CommError>;

    /// The sum of everybody's number, ascending by participant; the same bits for everybody.
    ///
    /// A sum of `f64` is rounded at each step, in an order that the layout decides: use
    /// [`allreduce_exact`](Self::allreduce_exact) for one that no layout can change.
    ///
    /// # Errors
    /// [`CommError::Overflow`], for everybody, if a sum of `u64` does not fit; else as
    /// [`alltoall_counts`](Self::alltoall_counts).
    #[doc(alias = "MPI_Allreduce")]
    fn allreduce_sum<N: Summable>(&mut self, value: N) -> Result<N, CommError>;

    /// Replaces each element by the sum of everybody's, ascending by participant.
    ///
    /// # Errors
    /// [`CommError::Count`], for everybody, if lengths differ; [`CommError::Unfinished`] if a
    /// participant panicked inside; else as [`alltoall_counts`](Self::alltoall_counts). What `values` holds after an error is unspecified.
    #[doc(alias = "MPI_Allreduce")]
    fn allreduce_sum_inplace(&mut self, values: &mut [f64]) -> Result<(), CommError>;

    /// Replaces each exact sum by the exact total over everybody: the same bits for any layout.
    ///
    /// # Errors
    /// As [`allreduce_sum_inplace`](Self::allreduce_sum_inplace).
    fn allreduce_exact_inplace(&mut self, sums: &mut [ExactSum]) -> Result<(), CommError>;

    /// The exact total of everybody's sum, rounded once: the same bits for any layout.
    ///
    /// # Errors
    /// As [`alltoall_counts`](Self::alltoall_counts).
    fn allreduce_exact(&mut self, mut sum: ExactSum) -> Result<f64, CommError> {
        self.allreduce_exact_inplace(std::slice::from_mut(&mut sum))?;
        Ok(sum.value())
    }

    /// Everybody's block to everybody: `all` is replaced by the blocks, `counts` by their lengths,
    /// both ascending by source.
    ///
    /// # Errors
    /// As [`alltoallv`](Self::alltoallv).
    #[doc(alias = "MPI_Allgatherv")]
    fn allgather<T: Element>(
        &mut self,
        mine: &[T],
        all: &mut Vec<T>,
        counts: &mut Vec<u64>,
    ) -> Result<(), CommError>;

    /// Replaces everybody's `data` by that of participant `root`.
    ///
    /// # Errors
    /// [`CommError::Argument`] if there is no such participant; [`CommError::Mismatch`] if
    /// participants name different roots; else as [`alltoallv`](Self::alltoallv).
    #[doc(alias = "MPI_Bcast")]
    fn broadcast<T: Element>(&mut self, root: usize, data: &mut Vec<T>) -> Result<(), CommError>;

    /// One object for all partitions of a rank: partition 0 makes it, all of them get it.
    ///
    /// `make` runs on partition 0 of each rank, before anybody waits for it.
    ///
    /// # Errors
    /// [`CommError::ElementType`] if partitions disagree on the type; else as
    /// [`alltoall_counts`](Self::alltoall_counts).
    fn share<X: Any + Send + Sync>(
        &mut self,
        make: impl FnOnce() -> X,
    ) -> Result<Arc<X>, CommError>;

    /// Turns an error that any participant found into everybody's.
    ///
    /// The lowest participant that brings one wins. The world stays usable: everybody knows. End
    /// each job with one, so that nobody takes the job for done while another failed at its end.
    ///
    /// # Errors
    /// [`CommError::Agreed`], naming rank, partition and cause; else as
    /// [`alltoall_counts`](Self::alltoall_counts).
    fn agree<E: Display>(&mut self, mine: Result<(), E>) -> Result<(), CommError>;

    /// Makes a lane for pair exchanges of `T`, and this participant's end of it.
    ///
    /// # Errors
    /// [`CommError::ElementType`] if participants disagree on the type; else as
    /// [`alltoall_counts`](Self::alltoall_counts).
    fn pair_lane<T: Element>(&mut self) -> Result<Self::PairLane<T>, CommError>;
}

/// The way back of a [`Communicator::resolve`]: who sent how much, and where the answers go.
///
/// It owns the geometry of the exchange and borrows the communicator, so a
/// stale or doubled answer does not compile.
#[must_use = "the queries are not answered yet; drop the leg if they need no answer"]
pub trait Leg: Sized {
    /// How many records came from each participant, ascending.
    fn received(&self) -> &[u64];

    /// How many records came in all.
    fn n_received(&self) -> u64 {
        self.received().iter().sum()
    }

    /// [`Communicator::allreduce_sum`], between query and answer.
    ///
    /// # Errors
    /// As there.
    fn allreduce_sum<N: Summable>(&mut self, value: N) -> Result<N, CommError>;

    /// Sends `per_record` elements back for each record that was received, in the order of the inbox.
    ///
    /// `answers` is replaced by the answers to this participant's own records, in the order in
    /// which it had sent them.
    ///
    /// # Errors
    /// [`CommError::Answers`] if `send` is not `per_record` elements for each received record;
    /// [`CommError::RecordSize`], for everybody, if participants disagree on `per_record`;
    /// [`CommError::ElementType`]; else as [`Communicator::alltoallv`].
    #[doc(alias = "alltoallv_reverse")]
    fn reply<U: Element>(
        self,
        send: &[U],
        per_record: usize,
        answers: &mut Vec<U>,
    ) -> Result<(), CommError>;
}
