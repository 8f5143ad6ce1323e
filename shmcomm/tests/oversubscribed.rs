//! More participants than CPUs, thousands of rounds: progress, and the right data each time.

mod common;

use std::time::{Duration, Instant};

use common::{count, element, layouts, run_team};
use phalanx_shmcomm::{Communicator, Leg, Outbox, PairLane, Partition, RankShift};

/// One round of collectives of every kind, with data that tell the round.
fn round<C: Communicator>(
    comm: &mut C,
    lane: &mut C::PairLane<u64>,
    spare: &mut Vec<Outbox<u64>>,
    round: u64,
) {
    let (me, n) = (comm.index(), comm.world_size());
    let stamp = |from: usize, to: usize| element(from, to, round);
    assert_eq!(comm.allreduce_sum(round), Ok(round * n as u64));

    let counts: Vec<u64> = (0..n).map(|to| count(me, to) % 3).collect();
    let queries: Vec<u64> = (0..n)
        .flat_map(|to| std::iter::repeat_n(stamp(me, to), (count(me, to) % 3) as usize))
        .collect();
    let (mut inbox, mut answers) = (Vec::new(), Vec::new());
    let leg = comm.resolve(&queries, &counts, 1, &mut inbox).unwrap();
    let mut at = 0;
    for from in 0..n {
        let received = leg.received()[from] as usize;
        assert!(
            inbox[at..at + received]
                .iter()
                .all(|&word| word == stamp(from, me))
        );
        at += received;
    }
    let send: Vec<u64> = inbox.iter().map(|word| !word).collect();
    leg.reply(&send, 1, &mut answers).unwrap();
    assert!(
        answers
            .iter()
            .zip(&queries)
            .all(|(answer, query)| *answer == !query)
    );

    let mut outbox = spare.pop().expect("two outboxes are enough");
    outbox.clear();
    for to in 0..n {
        outbox.block_mut(Partition(to)).push(stamp(me, to));
    }
    let done = lane
        .exchange(comm, RankShift::HERE, outbox)
        .map_err(|failed| failed.error)
        .unwrap();
    for (source, block) in done.view.iter() {
        assert_eq!(block, [stamp(source.0, me)]);
    }
    spare.extend(done.recycled);
}

fn rounds(per_cpu: usize, n_rounds: u64) -> Duration {
    let n = per_cpu * std::thread::available_parallelism().map_or(2, usize::from);
    let begin = Instant::now();
    for builder in layouts(n).into_iter().take(2) {
        run_team(builder, |mut comm| {
            let mut lane = comm.pair_lane().unwrap();
            let mut spare = vec![Outbox::new(n), Outbox::new(n)];
            for k in 0..n_rounds {
                round(&mut comm, &mut lane, &mut spare, k);
            }
        });
    }
    begin.elapsed()
}

#[test]
fn as_many_as_cpus() {
    assert!(rounds(1, 3_000) < Duration::from_secs(120));
}

#[test]
fn twice_as_many() {
    assert!(rounds(2, 2_000) < Duration::from_secs(120));
}

#[test]
fn four_times_as_many() {
    assert!(rounds(4, 2_000) < Duration::from_secs(120));
}
