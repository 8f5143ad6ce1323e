//! Pair lanes among the threads of one process: one barrier for each exchange, and no copy.

// The lane's cells hold outboxes that their owners write and that peers read in place.
#![allow(unsafe_code)]

use std::sync::Arc;

use crate::loan::Loan;
use crate::pair::{Blocks, check_outbox};
use crate::shared::Shared;
use crate::sync::{SharedCell, mutant};
use crate::tag::Tag;
use crate::{
    CommError, Element, Exchanged, Outbox, PairError, PairLane, PairView, Partition, RankShift,
    ShmComm, Verb,
};

/// A participant's end of a lane for pair exchanges inside its process.
///
/// A view borrows the end, so neither the next exchange nor the end's own end of life can come
/// while the view is looked at:
///
/// ```compile_fail,E0499
/// # use phalanx_shmcomm::*;
/// fn late(comm: &mut ShmComm, lane: &mut ShmPairLane<u64>) -> Result<usize, CommError> {
///     let first = lane.exchange(comm, RankShift::HERE, Outbox::new(2))?;
///     let second = lane.exchange(comm, RankShift::HERE, Outbox::new(2))?;
///     Ok(first.view.block(Partition(0)).len())
/// }
/// ```
///
/// ```compile_fail,E0505
/// # use phalanx_shmcomm::*;
/// fn dropped(comm: &mut ShmComm, mut lane: ShmPairLane<u64>) -> Result<usize, CommError> {
///     let first = lane.exchange(comm, RankShift::HERE, Outbox::new(2))?;
///     drop(lane);
///     Ok(first.view.block(Partition(0)).len())
/// }
/// ```
///
/// A buffer that was published is gone until it comes back:
///
/// ```compile_fail,E0382
/// # use phalanx_shmcomm::*;
/// fn touched(
///     comm: &mut ShmComm,
///     lane: &mut ShmPairLane<u64>,
///     mut outbox: Outbox<u64>,
/// ) -> Result<(), CommError> {
///     lane.exchange(comm, RankShift::HERE, outbox)?;
///     outbox.clear();
///     Ok(())
/// }
/// ```
///
/// And there is one end for each participant:
///
/// ```compile_fail,E0599
/// # use phalanx_shmcomm::*;
/// fn twice(lane: ShmPairLane<u64>) -> [ShmPairLane<u64>; 2] {
///     [lane.clone(), lane]
/// }
/// ```
///
/// While a view is held, other verbs and other lanes go on:
///
/// ```
/// # use phalanx_shmcomm::*;
/// fn meanwhile(comm: &mut ShmComm, lane: &mut ShmPairLane<u64>) -> Result<u64, CommError> {
///     let received = lane.exchange(comm, RankShift::HERE, Outbox::new(2))?;
///     let total = comm.allreduce_sum(1_u64)?;
///     Ok(total + received.view.block(Partition(0)).len() as u64)
/// }
/// ```
pub struct ShmPairLane<T: Element> {
    team: Arc<Shared>,
    number: u32,
    received: Received<T>,
}

/// The end's position on the lane: what the last finished call brought, if there was one.
struct Received<T> {
    lane: Arc<Lane<T>>,
    me: usize,
    /// How many exchanges have finished.
    calls: u64,
    /// Where the blocks of each participant's outbox of the last finished call are.
    outboxes: Vec<*const [Vec<T>]>,
}

/// What all ends of a lane share, kept alive by each of them and so by each view.
///
/// Two outboxes for each participant, by the parity of the call: call k + 1 is
/// posted before its barrier, while slow peers still read call k.
struct Lane<T> {
    posts: [Box<[Post<T>]>; 2],
}

/// One participant's outbox of one parity. Only its owner touches the cell, on a line of its own;
/// peers have the address of the blocks from the owner's slot.
#[cfg_attr(not(phalanx_loom), repr(align(128)))]
struct Post<T>(SharedCell<Option<Outbox<T>>>);

// SAFETY: the pointers lead into outboxes of `lane`, which `Lane` argues may be read from any
// thread if `T: Sync`, and whose ends may be on any thread if `T: Send`.
unsafe impl<T: Send + Sync> Send for Received<T> {}
// SAFETY: as for `Send`: a shared `Received` only reads.
unsafe impl<T: Send + Sync> Sync for Received<T> {}

// SAFETY: a post is written only by its owner, before the barrier of its call and after the barrier
// of the next, and its blocks are read by peers only between the two (`post`, `take`,
// `Received::block`). Outboxes move to other threads when the last end frees the lane, hence
// `T: Send`, and are read from other threads, hence `T: Sync`.
unsafe impl<T: Send + Sync> Send for Lane<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Send + Sync> Sync for Lane<T> {}

impl<T> Lane<T> {
    fn new(n: usize) -> Lane<T> {
        let posts = || (0..n).map(|_| Post(SharedCell::new(None))).collect();
        Lane {
            posts: [posts(), posts()],
        }
    }

    fn cell(&self, call: u64, owner: usize) -> &SharedCell<Option<Outbox<T>>> {
        let parity = if mutant("single-parity") { 0 } else { call % 2 };
        &self.posts[parity as usize][owner].0
    }

    /// Keeps the outbox of call `call` for as long as peers may look at it (L1).
    ///
    /// # Safety
    /// The caller is the owner, and call `call - 1` has finished for it while `call` has not.
    unsafe fn post(&self, call: u64, owner: usize, outbox: Outbox<T>) {
        // SAFETY:
        // - The last to read what this cell held were views of call - 2. Their owners arrived in
        //   call - 1, which takes their lane ends by `&mut`: the views had ended by then, and the
        //   barrier of call - 1, which the caller has passed, orders their reads before this write.
        // - Nobody reads it for call `call` before the barrier of that call.
        self.cell(call, owner)
            .with_mut(|cell| unsafe { *cell = Some(outbox) });
    }

    /// Takes back what was posted for call `call`, if it is still there (L2 after a failure, L4).
    ///
    /// # Safety
    /// The caller is the owner, and either call `call + 1` has passed its barrier, or call `call`
    /// has failed.
    unsafe fn take(&self, call: u64, owner: usize) -> Option<Outbox<T>> {
        // SAFETY:
        // - If call + 1 has passed: every peer arrived in it with its end by `&mut`, so its view of
        //   `call` had ended, and the barrier orders its reads before this write.
        // - If `call` has failed: it failed for everybody, so nobody has a view of it.
        self.cell(call, owner)
            .with_mut(|cell| unsafe { (*cell).take() })
    }
}

impl<T: Element> Blocks<T> for Received<T> {
    fn n_blocks(&self) -> usize {
        self.outboxes.len()
    }

    fn block(&self, source: Partition) -> &[T] {
        let outbox = self.outboxes[source.0];
        // What is read belongs to this cell: the model is to see it.
        self.lane.cell(self.calls - 1, source.0).with(|_| ());
        // SAFETY:
        // - The address is that of the blocks of the outbox which `source` posted for the last
        //   finished call before its barrier, taken from its slot behind that barrier. The blocks
        //   are on the heap and stay where they are while the outbox moves into its post.
        // - They are blocks of `T`: the lane's type was compared when its ends were made, and its
        //   number is part of the tag that was compared in the call.
        // - While `self` is borrowed this end cannot arrive in the lane's next call, without which
        //   `source` does not touch the post again (`take`, `post`); the lane keeps it alive.
        let blocks = unsafe { &*outbox };
        &blocks[self.me]
    }
}

impl ShmComm {
    pub(crate) fn lane<T: Element>(&mut self) -> Result<ShmPairLane<T>, CommError> {
        let (n, me, number) = (self.member.n(), self.member.me, self.n_lanes);
        if number >= Tag::DETAIL_LIMIT {
            let message = format!("a team makes at most {} lanes", Tag::DETAIL_LIMIT);
            return Err(CommError::argument(Verb::PairLane, message));
        }
        let number = number as u32;
        let lane = self.share_one(Verb::PairLane, number, || Lane::<T>::new(n))?;
        self.n_lanes += 1;
        Ok(ShmPairLane {
            team: self.member.shared.clone(),
            number,
            received: Received {
                lane,
                me,
                calls: 0,
                outboxes: vec![std::ptr::slice_from_raw_parts(std::ptr::null(), 0); n],
            },
        })
    }
}

impl<T: Element> PairLane<T> for ShmPairLane<T> {
    type Comm = ShmComm;

    fn exchange(
        &mut self,
        comm: &mut ShmComm,
        shift: RankShift,
        outbox: Outbox<T>,
    ) -> Result<Exchanged<'_, T>, PairError<T>> {
        if let Err(error) = self.check(comm, shift, &outbox) {
            return Err(PairError { error, outbox });
        }
        let Received {
            lane,
            me,
            calls,
            outboxes,
        } = &mut self.received;
        let (call, me, number) = (*calls, *me, self.number);
        let bytes = outbox.len() * size_of::<T>();
        // The stamp of the call goes along: two outboxes of one lane cannot be taken for each other.
        let loan = Loan::parked(outbox.blocks()).scale(call);
        // SAFETY: this end is participant `me`'s only one: `pair_lane` makes one for each and it is
        // not `Clone`. `calls` counts its finished calls.
        unsafe { lane.post(call, me, outbox) };
        let verb = Verb::PairExchange;
        let recycled = comm
            .member
            .round(verb, number, bytes, loan, |passed| match passed {
                Ok(reading) => {
                    *calls += 1;
                    for (source, outbox) in outboxes.iter_mut().enumerate() {
                        let peer = reading.peer(source);
                        debug_assert_eq!(peer.scale(), call, "an outbox of another call");
                        *outbox = peer.parked();
                    }
                    let last = if mutant("early-recycle") {
                        Some(call)
                    } else {
                        call.checked_sub(1)
                    };
                    // SAFETY: call `last + 1` has just passed its barrier.
                    Ok(last.and_then(|last| unsafe { lane.take(last, me) }))
                }
                // SAFETY: call `call` has failed.
                Err(error) => Err((error, unsafe { lane.take(call, me) })),
            });
        match recycled {
            Ok(recycled) => Ok(Exchanged {
                view: PairView::new(&self.received),
                recycled,
            }),
            Err((error, outbox)) => Err(PairError {
                error,
                outbox: outbox.unwrap_or_else(|| Outbox::new(comm.member.n())),
            }),
        }
    }
}

impl<T: Element> ShmPairLane<T> {
    fn check(&self, comm: &ShmComm, shift: RankShift, outbox: &Outbox<T>) -> Result<(), CommError> {
        let verb = Verb::PairExchange;
        let member = &comm.member;
        if !Arc::ptr_eq(&self.team, &member.shared) || self.received.me != member.me {
            return Err(CommError::ForeignLane { verb });
        }
        if shift != RankShift::HERE {
            let message = format!("{shift} leads out of a world of one rank");
            return Err(CommError::argument(verb, message));
        }
        check_outbox(&crate::Communicator::layout(comm), outbox)
    }
}

/// Under the model only: an end that frees its post when it is dropped, which none does.
#[cfg(phalanx_loom)]
impl<T: Element> Drop for ShmPairLane<T> {
    fn drop(&mut self) {
        if mutant("drop-frees") && self.received.calls > 0 && !std::thread::panicking() {
            // SAFETY: there is none, which is what the model is to notice; the model runs one
            // thread at a time.
            drop(unsafe {
                self.received
                    .lane
                    .take(self.received.calls - 1, self.received.me)
            });
        }
    }
}

impl<T: Element> std::fmt::Debug for ShmPairLane<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShmPairLane")
            .field("number", &self.number)
            .field("calls", &self.received.calls)
            .finish_non_exhaustive()
    }
}
