//! How fast `alltoallv` copies, beside two threads that do nothing but copy as much.

use std::hint::black_box;

use phalanx_shmcomm::{Communicator, ShmComm};

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
