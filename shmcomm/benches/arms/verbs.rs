//! The cases: every verb, and the same through channels.

use std::sync::Arc;

use phalanx_shmcomm::{
    CommError, Communicator, ExactSum, Leg, Outbox, PairLane, Partition, RankShift, ShmComm,
};

use super::channels::{Crossbeam, End, Kind, Mpsc, Spinning, on_channels};
use super::{Batches, Case, Run, on_team};

/// Words in a block where a case speaks of blocks.
const WORDS: usize = 64;
/// Elements of the vector that is summed in place.
const LONG: usize = 1024;

pub(crate) fn cases() -> Vec<Case> {
    macro_rules! case {
        ($name:literal, $ours:ident, $by_hand:ident) => {
            Case {
                name: $name,
                ours: $ours,
                others: vec![
                    ("mpsc", $by_hand::<Mpsc>),
                    ("crossbeam", $by_hand::<Crossbeam>),
                    ("spinning", $by_hand::<Spinning>),
                ],
            }
        };
    }
    vec![
        case!("barrier", barrier, barrier_by_hand),
        case!("alltoall_counts", counts, counts_by_hand),
        case!("alltoallv, 64 words", blocks, blocks_by_hand),
        case!("resolve, 64 words", queries, blocks_by_hand),
        case!("resolve and reply, 64 words", answers, answers_by_hand),
        case!("allreduce_sum", sum, sum_by_hand),
        case!("allreduce_sum_inplace, 1024", sums, sums_by_hand),
        case!("allreduce_exact", exact, exact_by_hand),
        case!("allgather, 64 words", gather, gather_by_hand),
        case!("broadcast, 64 words", broadcast, broadcast_by_hand),
        case!("share", share, share_by_hand),
        case!("agree", agree, agree_by_hand),
        case!("pair exchange, 64 words", pair, pair_by_hand),
    ]
}

/// No verb fails here.
fn done<T>(outcome: Result<T, CommError>) -> T {
    outcome.expect("nobody fails in a benchmark")
}

fn block(me: usize) -> Vec<u64> {
    (0..WORDS as u64).map(|k| k + 1_000 * me as u64).collect()
}

fn barrier(n: Batches) -> Run {
    on_team(
        n,
        |_| (),
        |comm, (), _| {
            done(comm.barrier());
            1
        },
    )
}

fn barrier_by_hand<K: Kind>(n: Batches) -> Run {
    on_channels::<K, (), _>(
        n,
        |_| (),
        |_, end, (), _| {
            end.send(());
            end.receive();
            1
        },
    )
}

fn counts(n: Batches) -> Run {
    on_team(
        n,
        |_| [0; 2],
        |comm, received, k| {
            done(comm.alltoall_counts(&[k, k + 1], received));
            received[0] + received[1]
        },
    )
}

fn counts_by_hand<K: Kind>(n: Batches) -> Run {
    on_channels::<K, u64, _>(
        n,
        |_| (),
        |me, end, (), k| {
            let send = [k, k + 1];
            end.send(send[1 - me]);
            send[me] + end.receive()
        },
    )
}

fn blocks(n: Batches) -> Run {
    let set_up = |comm: &mut ShmComm| {
        let me = comm.index();
        ([block(me), block(me)].concat(), vec![0; 2 * WORDS])
    };
    on_team(n, set_up, |comm, (send, receive), k| {
        send[0] = k;
        let counts = [WORDS as u64; 2];
        done(comm.alltoallv(send, &counts, receive, &counts));
        receive[0] + receive[WORDS]
    })
}

/// A block to the other, a copy of the own one.
fn blocks_by_hand<K: Kind>(n: Batches) -> Run {
    let set_up = |me: usize| ([block(me), block(me)].concat(), vec![0; 2 * WORDS]);
    on_channels::<K, Vec<u64>, _>(n, set_up, |me, end, (send, receive), k| {
        send[0] = k;
        let part = |who: usize| who * WORDS..(who + 1) * WORDS;
        end.send(send[part(1 - me)].to_vec());
        receive[part(me)].copy_from_slice(&send[part(me)]);
        receive[part(1 - me)].copy_from_slice(&end.receive());
        receive[0] + receive[WORDS]
    })
}

fn queries(n: Batches) -> Run {
    let set_up = |comm: &mut ShmComm| {
        (
            [block(comm.index()), block(comm.index())].concat(),
            Vec::new(),
        )
    };
    on_team(n, set_up, |comm, (send, inbox), k| {
        send[0] = k;
        drop(done(comm.resolve(send, &[WORDS as u64; 2], 1, inbox)));
        inbox[0] + inbox[WORDS]
    })
}

fn answers(n: Batches) -> Run {
    let set_up = |comm: &mut ShmComm| {
        let send = [block(comm.index()), block(comm.index())].concat();
        (send, Vec::new(), Vec::new())
    };
    on_team(n, set_up, |comm, (send, inbox, answers), k| {
        send[0] = k;
        let leg = done(comm.resolve(send, &[WORDS as u64; 2], 1, inbox));
        inbox.iter_mut().for_each(|word| *word += 1);
        done(leg.reply(inbox, 1, answers));
        answers[0] + answers[WORDS]
    })
}

fn answers_by_hand<K: Kind>(n: Batches) -> Run {
    let set_up = |me: usize| ([block(me), block(me)].concat(), vec![0; 2 * WORDS]);
    on_channels::<K, Vec<u64>, _>(n, set_up, |me, end, (send, answers), k| {
        send[0] = k;
        let part = |who: usize| who * WORDS..(who + 1) * WORDS;
        end.send(send[part(1 - me)].to_vec());
        let mut asked = end.receive();
        asked.iter_mut().for_each(|word| *word += 1);
        end.send(asked);
        for (answer, query) in answers[part(me)].iter_mut().zip(&send[part(me)]) {
            *answer = query + 1;
        }
        answers[part(1 - me)].copy_from_slice(&end.receive());
        answers[0] + answers[WORDS]
    })
}

fn sum(n: Batches) -> Run {
    on_team(
        n,
        |comm| comm.index() as f64,
        |comm, me, k| done(comm.allreduce_sum(*me + k as f64)) as u64,
    )
}

fn sum_by_hand<K: Kind>(n: Batches) -> Run {
    on_channels::<K, f64, _>(
        n,
        |me| me as f64,
        |_, end, me, k| {
            let mine = *me + k as f64;
            end.send(mine);
            (mine + end.receive()) as u64
        },
    )
}

fn sums(n: Batches) -> Run {
    on_team(
        n,
        |_| vec![0.0; LONG],
        |comm, values, k| {
            values.fill(k as f64);
            done(comm.allreduce_sum_inplace(values));
            values[LONG - 1] as u64
        },
    )
}

fn sums_by_hand<K: Kind>(n: Batches) -> Run {
    on_channels::<K, Vec<f64>, _>(
        n,
        |_| vec![0.0; LONG],
        |_, end, values, k| {
            values.fill(k as f64);
            end.send(values.clone());
            values
                .iter_mut()
                .zip(end.receive())
                .for_each(|(sum, term)| *sum += term);
            values[LONG - 1] as u64
        },
    )
}

fn exact(n: Batches) -> Run {
    on_team(
        n,
        |_| (),
        |comm, (), k| done(comm.allreduce_exact(ExactSum::from(k as f64))) as u64,
    )
}

fn exact_by_hand<K: Kind>(n: Batches) -> Run {
    on_channels::<K, ExactSum, _>(
        n,
        |_| (),
        |_, end, (), k| {
            let mut sum = ExactSum::from(k as f64);
            end.send(sum);
            sum.merge(&end.receive());
            sum.value() as u64
        },
    )
}

fn gather(n: Batches) -> Run {
    let set_up = |comm: &mut ShmComm| (block(comm.index()), Vec::new(), Vec::new());
    on_team(n, set_up, |comm, (mine, all, counts), k| {
        mine[0] = k;
        done(comm.allgather(mine, all, counts));
        all[0] + all[WORDS]
    })
}

fn gather_by_hand<K: Kind>(n: Batches) -> Run {
    let set_up = |me: usize| (block(me), vec![0; 2 * WORDS]);
    on_channels::<K, Vec<u64>, _>(n, set_up, |me, end, (mine, all), k| {
        mine[0] = k;
        end.send(mine.clone());
        all[me * WORDS..][..WORDS].copy_from_slice(mine);
        all[(1 - me) * WORDS..][..WORDS].copy_from_slice(&end.receive());
        all[0] + all[WORDS]
    })
}

/// The root changes from step to step, or the roots of the channels would run ahead.
fn broadcast(n: Batches) -> Run {
    on_team(
        n,
        |comm| block(comm.index()),
        |comm, data, k| {
            let root = k as usize % 2;
            if comm.index() == root {
                data[0] = k;
            }
            done(comm.broadcast(root, data));
            data[0]
        },
    )
}

fn broadcast_by_hand<K: Kind>(n: Batches) -> Run {
    on_channels::<K, Vec<u64>, _>(n, block, |me, end, data, k| {
        if k as usize % 2 == me {
            data[0] = k;
            end.send(data.clone());
        } else {
            *data = end.receive();
        }
        data[0]
    })
}

fn share(n: Batches) -> Run {
    on_team(n, |_| (), |comm, (), k| *done(comm.share(|| k)))
}

/// With a word of thanks, or the giver would run ahead.
fn share_by_hand<K: Kind>(n: Batches) -> Run {
    on_channels::<K, Option<Arc<u64>>, _>(
        n,
        |_| (),
        |me, end, (), k| {
            if me == 0 {
                let shared = Arc::new(k);
                end.send(Some(shared.clone()));
                end.receive();
                return *shared;
            }
            let shared = end.receive();
            end.send(None);
            shared.map_or(0, |shared| *shared)
        },
    )
}

fn agree(n: Batches) -> Run {
    on_team(
        n,
        |_| (),
        |comm, (), _| u64::from(comm.agree(Ok::<(), String>(())).is_ok()),
    )
}

fn agree_by_hand<K: Kind>(n: Batches) -> Run {
    on_channels::<K, Option<String>, _>(
        n,
        |_| (),
        |_, end, (), _| {
            end.send(None);
            u64::from(end.receive().is_none())
        },
    )
}

/// Both fill a block for each of the two, and add up what they get.
fn pair(n: Batches) -> Run {
    let set_up = |comm: &mut ShmComm| {
        let lane = done(comm.pair_lane::<u64>());
        (lane, vec![Outbox::new(2), Outbox::new(2)])
    };
    on_team(n, set_up, |comm, (lane, spare), k| {
        let mut outbox = spare.pop().expect("two are enough");
        outbox.clear();
        for to in 0..2 {
            outbox.block_mut(Partition(to)).extend(k..k + WORDS as u64);
        }
        let received = lane
            .exchange(comm, RankShift::HERE, outbox)
            .map_err(CommError::from);
        let received = done(received);
        spare.extend(received.recycled);
        received
            .view
            .iter()
            .map(|(_, block)| block.iter().sum::<u64>())
            .sum()
    })
}

/// Buffers travel to the other and back again.
fn pair_by_hand<K: Kind>(n: Batches) -> Run {
    let set_up = |_| (Vec::new(), Vec::new());
    on_channels::<K, Vec<u64>, _>(n, set_up, |_, end, (own, other), k| {
        for block in [&mut *own, &mut *other] {
            block.clear();
            block.extend(k..k + WORDS as u64);
        }
        end.send(std::mem::take(other));
        let received = end.receive();
        let sum = own.iter().sum::<u64>() + received.iter().sum::<u64>();
        end.send(received);
        *other = end.receive();
        sum
    })
}
