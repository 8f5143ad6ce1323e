//! Random teams, groups and count matrices: every exchange against a transposition done without it.

mod common;

use common::run_team;
use phalanx_shmcomm::{Communicator, Leg, Outbox, PairLane, Partition, RankShift, Team};
use proptest::prelude::*;

/// What everybody sends to everybody: `blocks[from][to]`.
type Blocks = Vec<Vec<Vec<u32>>>;

/// A team's domains, its blocks, and how many elements answer a record.
fn worlds() -> impl Strategy<Value = (Vec<usize>, Blocks, usize)> {
    (1..7_usize).prop_flat_map(|n| {
        let block = prop_oneof![
            2 => Just(Vec::new()),
            3 => prop::collection::vec(any::<u32>(), 1..6),
            1 => prop::collection::vec(any::<u32>(), 100..200),
        ];
        let blocks = prop::collection::vec(prop::collection::vec(block, n), n);
        (prop::collection::vec(0..3_usize, n), blocks, 0..4_usize)
    })
}

fn counts<'b>(blocks: impl Iterator<Item = &'b Vec<u32>>) -> Vec<u64> {
    blocks.map(|block| block.len() as u64).collect()
}

/// The answer to an element: as many elements as asked for, each telling which one it is.
fn answer(element: u32, per_record: usize) -> impl Iterator<Item = u64> {
    (0..per_record as u64).map(move |k| u64::from(element) << 8 | k)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn exchanges_are_transpositions((domains, blocks, per_record) in worlds()) {
        let n = domains.len();
        run_team(Team::grouped(&domains), |mut comm| {
            let me = comm.index();
            let (sends, arrives) = (&blocks[me], |from: usize| &blocks[from][me]);
            let send: Vec<u32> = sends.concat();
            let send_counts = counts(sends.iter());
            let expected: Vec<u32> = (0..n).flat_map(|from| arrives(from).clone()).collect();
            let expected_counts = counts((0..n).map(arrives));

            let mut receive_counts = vec![9; n];
            comm.alltoall_counts(&send_counts, &mut receive_counts).unwrap();
            assert_eq!(receive_counts, expected_counts);

            let mut receive = vec![0; expected.len()];
            comm.alltoallv(&send, &send_counts, &mut receive, &receive_counts).unwrap();
            assert_eq!(receive, expected);

            let (mut inbox, mut answers) = (Vec::new(), Vec::new());
            let leg = comm.resolve(&send, &send_counts, 1, &mut inbox).unwrap();
            assert_eq!(&inbox, &expected);
            assert_eq!(leg.received(), expected_counts);
            let back: Vec<u64> = inbox.iter().flat_map(|&x| answer(x, per_record)).collect();
            leg.reply(&back, per_record, &mut answers).unwrap();
            let asked: Vec<u64> = send.iter().flat_map(|&x| answer(x, per_record)).collect();
            assert_eq!(answers, asked);

            let (mut all, mut lengths) = (Vec::new(), Vec::new());
            comm.allgather(&send, &mut all, &mut lengths).unwrap();
            let everything: Vec<u32> = blocks.iter().flat_map(|sends| sends.concat()).collect();
            assert_eq!(all, everything);
            assert_eq!(lengths, counts(blocks.iter().map(|sends| sends.concat()).collect::<Vec<_>>().iter()));

            let mut lane = comm.pair_lane::<u32>().unwrap();
            let mut outbox = Outbox::new(n);
            for (to, block) in sends.iter().enumerate() {
                outbox.block_mut(Partition(to)).extend(block);
            }
            let done = lane.exchange(&mut comm, RankShift::HERE, outbox).unwrap();
            assert!(done.view.iter().all(|(source, block)| block == arrives(source.0)));
        });
    }
}
