//! Tests that need to see inside: faults at each point of each verb, and every pair of verbs at once.

mod faults;
mod mismatch;

use std::thread;

use crate::{
    CommError, Communicator, ExactSum, Leg, Outbox, PairLane, RankShift, ShmComm, ShmPairLane,
    Team, Verb, team,
};

/// Performs one verb with data that depend on who sends to whom, and checks what it brings.
fn perform(verb: Verb, comm: &mut ShmComm, lane: &mut ShmPairLane<u64>) -> Result<(), CommError> {
    let (me, n) = (comm.index(), comm.world_size());
    let word = |from: usize, to: usize| (from * 10 + to) as u64;
    let mine: Vec<u64> = (0..n).map(|to| word(me, to)).collect();
    let arrived: Vec<u64> = (0..n).map(|from| word(from, me)).collect();
    let ones = vec![1; n];
    match verb {
        Verb::Barrier => comm.barrier()?,
        Verb::AlltoallCounts => {
            let mut receive = vec![0; n];
            comm.alltoall_counts(&mine, &mut receive)?;
            assert_eq!(receive, arrived);
        }
        Verb::Alltoallv => {
            let mut receive = vec![0; n];
            comm.alltoallv(&mine, &ones, &mut receive, &ones)?;
            assert_eq!(receive, arrived);
        }
        Verb::Resolve => {
            let mut inbox = Vec::new();
            drop(comm.resolve(&mine, &ones, 1, &mut inbox)?);
            assert_eq!(inbox, arrived);
        }
        Verb::Reply => {
            let (mut inbox, mut answers) = (Vec::new(), Vec::new());
            let leg = comm.resolve(&mine, &ones, 1, &mut inbox)?;
            leg.reply(&inbox, 1, &mut answers)?;
            assert_eq!(answers, mine);
        }
        Verb::AllreduceSum => {
            let sum = comm.allreduce_sum(me as u64)?;
            assert_eq!(sum, (n * (n - 1) / 2) as u64);
        }
        Verb::AllreduceSumInplace => {
            let mut values = vec![me as f64; 40];
            comm.allreduce_sum_inplace(&mut values)?;
            assert_eq!(values, vec![(n * (n - 1) / 2) as f64; 40]);
        }
        Verb::AllreduceExact => {
            let sum = comm.allreduce_exact(ExactSum::from(me as f64))?;
            assert_eq!(sum, (n * (n - 1) / 2) as f64);
        }
        Verb::Allgather => {
            let (mut all, mut counts) = (Vec::new(), Vec::new());
            comm.allgather(&mine[..me], &mut all, &mut counts)?;
            assert_eq!(all.len(), n * (n - 1) / 2);
        }
        Verb::Broadcast => {
            let mut data = mine;
            comm.broadcast(n - 1, &mut data)?;
            assert_eq!(data[0], word(n - 1, 0));
        }
        Verb::Share => assert_eq!(*comm.share(|| 17_u8)?, 17),
        Verb::Agree => comm.agree(Ok::<(), String>(()))?,
        Verb::PairLane => drop(comm.pair_lane::<u32>()?),
        Verb::PairExchange => {
            let mut outbox = Outbox::new(n);
            for (to, &word) in comm.layout().partitions().zip(&mine) {
                outbox.block_mut(to).push(word);
            }
            let received = lane.exchange(comm, RankShift::HERE, outbox)?;
            for ((_, block), word) in received.view.iter().zip(&arrived) {
                assert_eq!(block, [*word]);
            }
        }
    }
    Ok(())
}

/// Runs `body` on a team of `n`, each participant with an end of one lane, and says what became of
/// each, panics included.
fn on_team<R: Send>(
    n: usize,
    body: impl Fn(&mut ShmComm, &mut ShmPairLane<u64>) -> R + Sync,
) -> Vec<thread::Result<R>> {
    let body = &body;
    thread::scope(|scope| {
        let threads: Vec<_> = team(Team::flat(n))
            .into_iter()
            .map(|mut comm| {
                scope.spawn(move || {
                    let mut lane = comm.pair_lane().expect("nothing has failed yet");
                    body(&mut comm, &mut lane)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    })
}
