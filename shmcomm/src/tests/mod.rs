//! Tests that need to see inside: faults at each point of each verb, and every pair of verbs at once.

mod faults;
mod mismatch;

use std::thread;

use crate::{
    CommError, Communicator, ExactSum, Leg, Outbox, PairLane, RankShift, ShmComm, ShmPairLane,
    Team, Verb, team,
};

/// How much each participant publishes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Amount {
    /// Little enough to be copied: no second barrier.
    Little,
    /// So much that it is lent, by those verbs that can have so much.
    Much,
}

impl Amount {
    /// Words in a block.
    fn words(self) -> usize {
        match self {
            Amount::Little => 1,
            Amount::Much => 2_000,
        }
    }

    /// Whether a verb lends memory with this much of it.
    fn is_lent_by(self, verb: Verb) -> bool {
        match verb {
            Verb::Share | Verb::PairLane => true,
            Verb::Alltoallv | Verb::Resolve | Verb::Reply | Verb::Allgather => self == Amount::Much,
            Verb::AllreduceSumInplace | Verb::AllreduceExact => self == Amount::Much,
            Verb::Broadcast => self == Amount::Much,
            _ => false,
        }
    }
}

/// Performs one verb with data that depend on who sends to whom, and checks what it brings.
fn perform(
    verb: Verb,
    amount: Amount,
    comm: &mut ShmComm,
    lane: &mut ShmPairLane<u64>,
) -> Result<(), CommError> {
    let (me, n, words) = (comm.index(), comm.world_size(), amount.words());
    let block = |from: usize, to: usize| vec![(from * 10 + to) as u64; words];
    let mine: Vec<u64> = (0..n).flat_map(|to| block(me, to)).collect();
    let arrived: Vec<u64> = (0..n).flat_map(|from| block(from, me)).collect();
    let counts = vec![words as u64; n];
    let total = n * (n - 1) / 2;
    match verb {
        Verb::Barrier => comm.barrier()?,
        Verb::AlltoallCounts => {
            let mut receive = vec![0; n];
            comm.alltoall_counts(&counts, &mut receive)?;
            assert_eq!(receive, counts);
        }
        Verb::Alltoallv => {
            let mut receive = vec![0; n * words];
            comm.alltoallv(&mine, &counts, &mut receive, &counts)?;
            assert_eq!(receive, arrived);
        }
        Verb::Resolve => {
            let mut inbox = Vec::new();
            drop(comm.resolve(&mine, &counts, 1, &mut inbox)?);
            assert_eq!(inbox, arrived);
        }
        Verb::Reply => {
            let (mut inbox, mut answers) = (Vec::new(), Vec::new());
            let leg = comm.resolve(&mine, &counts, 1, &mut inbox)?;
            leg.reply(&inbox, 1, &mut answers)?;
            assert_eq!(answers, mine);
        }
        Verb::AllreduceSum => assert_eq!(comm.allreduce_sum(me as u64)?, total as u64),
        Verb::AllreduceSumInplace => {
            let mut values = vec![me as f64; words];
            comm.allreduce_sum_inplace(&mut values)?;
            assert_eq!(values, vec![total as f64; words]);
        }
        Verb::AllreduceExact => {
            let mut sums = vec![ExactSum::from(me as f64); words.div_ceil(100)];
            comm.allreduce_exact_inplace(&mut sums)?;
            assert!(sums.iter().all(|sum| sum.value() == total as f64));
        }
        Verb::Allgather => {
            let (mut all, mut lengths) = (Vec::new(), Vec::new());
            comm.allgather(&mine[..me * words], &mut all, &mut lengths)?;
            assert_eq!(all.len(), total * words);
        }
        Verb::Broadcast => {
            let mut data = mine;
            comm.broadcast(n - 1, &mut data)?;
            assert_eq!(data[..words], block(n - 1, 0));
        }
        Verb::Share => assert_eq!(*comm.share(|| 17_u8)?, 17),
        Verb::Agree => comm.agree(Ok::<(), String>(()))?,
        Verb::PairLane => drop(comm.pair_lane::<u32>()?),
        Verb::PairExchange => {
            let mut outbox = Outbox::new(n);
            for (to, block) in comm.layout().partitions().zip(mine.chunks(words)) {
                outbox.block_mut(to).extend(block);
            }
            let received = lane.exchange(comm, RankShift::HERE, outbox)?;
            for ((_, block), expected) in received.view.iter().zip(arrived.chunks(words)) {
                assert_eq!(block, expected);
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
