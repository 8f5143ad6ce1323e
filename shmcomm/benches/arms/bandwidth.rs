//! How fast `alltoallv` copies, beside two threads that copy as much of their own, and beside two that
//! copy the same blocks with nothing but two barriers around it.

// The bare arm does by hand what the crate does: it reads another thread's slice.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

use phalanx_shmcomm::{Communicator, ShmComm, Team};

use super::{Batches, Run, on_team, on_two};

/// Whether the data stay as they are from step to step, or are written anew before each.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Data {
    Same,
    Fresh,
}

fn buffers(words: usize) -> (Vec<u64>, Vec<u64>) {
    ((0..2 * words as u64).collect(), vec![0; 2 * words])
}

fn renew(data: Data, send: &mut [u64], k: u64) {
    match data {
        Data::Same => send[0] = k,
        Data::Fresh => send.fill(k),
    }
}

/// Each of two participants gets a block of `words` from each.
pub(crate) fn ours(batches: Batches, words: usize, data: Data) -> Run {
    let set_up = |_: &mut ShmComm| buffers(words);
    on_team(batches, set_up, |comm, (send, receive), k| {
        renew(data, send, k);
        let counts = [words as u64; 2];
        comm.alltoallv(send, &counts, receive, &counts)
            .expect("nobody fails in a benchmark");
        black_box(receive[0])
    })
}

/// Each of two threads copies two blocks of `words` of its own, and asks nobody.
pub(crate) fn memcpy(batches: Batches, words: usize, data: Data) -> Run {
    on_two(vec![(), ()], |_, ()| {
        let (mut send, mut receive) = buffers(words);
        batches.time(|k| {
            renew(data, &mut send, k);
            black_box(&mut receive[..]).copy_from_slice(black_box(&send));
            0
        })
    })
}

/// The same copies as ours with the same two barriers, by raw pointers: what is left is the machine's.
pub(crate) fn bare(batches: Batches, words: usize, data: Data) -> Run {
    let sent = [const { AtomicPtr::new(std::ptr::null_mut()) }; 2];
    on_two(Team::flat(2).build(), |me, mut participant| {
        let (mut send, mut receive) = buffers(words);
        batches.time(|k| {
            renew(data, &mut send, k);
            // Relaxed: the barrier orders it.
            sent[me].store(send.as_mut_ptr(), Relaxed);
            participant.wait().expect("nobody fails in a benchmark");
            for source in [1 - me, me] {
                let theirs = sent[source].load(Relaxed);
                // SAFETY: the pointer is that of a slice of two blocks of `words`, which its owner
                // leaves alone between the two barriers.
                let block = unsafe { std::slice::from_raw_parts(theirs.add(me * words), words) };
                receive[source * words..][..words].copy_from_slice(block);
            }
            participant.settle().expect("nobody fails in a benchmark");
            black_box(receive[0])
        })
    })
}
