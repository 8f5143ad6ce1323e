//! Verbs allocate nothing once their vectors have grown. Alone in its process, for it counts them.
#![allow(unsafe_code)] // a global allocator that counts is an unsafe trait

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::run;
use phalanx_shmcomm::{Communicator, Leg, Outbox, PairLane, Partition, RankShift};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is left to the system's allocator; counting touches a thread-local that needs
// neither allocation nor destructor.
unsafe impl GlobalAlloc for Counting {
    /// # Safety
    /// As for the system's allocator.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    /// # Safety
    /// As for the system's allocator.
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

#[test]
fn verbs_reuse_what_they_have() {
    assert!(allocations() > 0, "the counter does not count");
    run(2, |mut comm| {
        for words in [4, 4_000] {
            let (send, counts) = (vec![1_u64; 2 * words], vec![words as u64; 2]);
            let (mut receive, mut counts_back) = (vec![0; 2 * words], vec![0; 2]);
            let (mut inbox, mut answers, mut all) = (Vec::new(), Vec::new(), Vec::new());
            let mut data = vec![1_u64; words];
            let mut lane = comm.pair_lane::<u64>().unwrap();
            let mut spare = vec![Outbox::new(2), Outbox::new(2)];
            let mut round = || {
                comm.barrier().unwrap();
                comm.alltoall_counts(&counts, &mut counts_back).unwrap();
                comm.alltoallv(&send, &counts, &mut receive, &counts)
                    .unwrap();
                let leg = comm.resolve(&send, &counts, 1, &mut inbox).unwrap();
                leg.reply(&inbox, 1, &mut answers).unwrap();
                comm.allreduce_sum(1_u64).unwrap();
                comm.allgather(&data, &mut all, &mut counts_back).unwrap();
                comm.broadcast(1, &mut data).unwrap();
                comm.agree(Ok::<(), String>(())).unwrap();
                let mut outbox = spare.pop().expect("two outboxes are enough");
                outbox.clear();
                (0..2).for_each(|to| outbox.block_mut(Partition(to)).extend_from_slice(&data));
                let done = lane.exchange(&mut comm, RankShift::HERE, outbox).unwrap();
                spare.extend(done.recycled);
            };
            (0..4).for_each(|_| round());
            let before = allocations();
            (0..100).for_each(|_| round());
            assert_eq!(allocations(), before);
        }
    });
}
