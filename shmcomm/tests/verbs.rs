//! Every verb against what it should bring, computed without it, for teams of several sizes and shapes.

mod common;

use std::convert::Infallible;
use std::sync::Arc;

use common::{count, element, layouts, run, run_team};
use phalanx_shmcomm::{CommError, Communicator, ExactSum, Leg, Partition, Rank, ShmComm};

const SIZES: [usize; 6] = [1, 2, 3, 4, 5, 8];

/// Runs `body` on teams of all sizes and shapes, several rounds each.
fn everywhere(body: impl Fn(&mut ShmComm, usize) + Sync) {
    for n in SIZES {
        for builder in layouts(n) {
            run_team(builder, |mut comm| {
                for round in 0..5 {
                    body(&mut comm, round);
                }
            });
        }
    }
}

/// The blocks that `from` sends to all `n`, and their lengths.
fn blocks_from(from: usize, n: usize) -> (Vec<u64>, Vec<u64>) {
    let counts: Vec<u64> = (0..n).map(|to| count(from, to)).collect();
    let blocks = (0..n).flat_map(|to| (0..count(from, to)).map(move |k| element(from, to, k)));
    (blocks.collect(), counts)
}

/// The blocks that `to` gets from all `n`, and their lengths.
fn blocks_to(to: usize, n: usize) -> (Vec<u64>, Vec<u64>) {
    let counts: Vec<u64> = (0..n).map(|from| count(from, to)).collect();
    let blocks = (0..n).flat_map(|from| (0..count(from, to)).map(move |k| element(from, to, k)));
    (blocks.collect(), counts)
}

#[test]
fn no_test_count_survives_a_transposed_index() {
    for (a, b) in (0..8).flat_map(|a| (0..a).map(move |b| (a, b))) {
        assert!(count(a, b) != count(b, a) || count(a, b) == 0);
    }
}

#[test]
fn layout_is_one_rank() {
    let layouts = run(3, |comm| (comm.layout(), comm.index(), comm.world_size()));
    for (me, (layout, index, size)) in layouts.into_iter().enumerate() {
        assert_eq!((layout.rank, layout.partition), (Rank(0), Partition(me)));
        assert_eq!((layout.n_ranks, layout.n_partitions), (1, 3));
        assert_eq!((index, size), (me, 3));
    }
}

#[test]
fn alltoall_counts_is_the_transpose() {
    everywhere(|comm, round| {
        let (me, n) = (comm.index(), comm.world_size());
        let send: Vec<u64> = (0..n).map(|to| count(me, to) + round as u64).collect();
        let mut receive = vec![u64::MAX; n];
        comm.alltoall_counts(&send, &mut receive).unwrap();
        let expected: Vec<u64> = (0..n).map(|from| count(from, me) + round as u64).collect();
        assert_eq!(receive, expected);
    });
}

#[test]
fn alltoallv_brings_each_block_to_its_place() {
    everywhere(|comm, _| {
        let (me, n) = (comm.index(), comm.world_size());
        let (send, send_counts) = blocks_from(me, n);
        let (expected, receive_counts) = blocks_to(me, n);
        let mut receive = vec![u64::MAX; expected.len()];
        comm.alltoallv(&send, &send_counts, &mut receive, &receive_counts)
            .unwrap();
        assert_eq!(receive, expected);
    });
}

#[test]
fn resolve_brings_counts_and_blocks_and_reply_takes_answers_back() {
    everywhere(|comm, round| {
        let (me, n) = (comm.index(), comm.world_size());
        // Records of two words; the answer to a record is three halves of its first word.
        let (words, counts) = blocks_from(me, n);
        let records: Vec<[u64; 2]> = words.iter().map(|&word| [word, round as u64]).collect();
        let flat: &[u64] = bytemuck::cast_slice(&records);
        let flat_counts: Vec<u64> = counts.iter().map(|count| 2 * count).collect();
        let mut inbox = vec![7; 3];
        let mut leg = comm.resolve(flat, &flat_counts, 2, &mut inbox).unwrap();

        let (expected, expected_counts) = blocks_to(me, n);
        assert_eq!(leg.received(), expected_counts);
        assert_eq!(leg.n_received(), expected.len() as u64);
        let received: &[[u64; 2]] = bytemuck::cast_slice(&inbox);
        assert!(received.iter().all(|record| record[1] == round as u64));
        assert!(
            received
                .iter()
                .map(|record| record[0])
                .eq(expected.iter().copied())
        );

        let asked = leg.allreduce_sum(words.len() as u64).unwrap();
        let everything: u64 = (0..n)
            .flat_map(|from| (0..n).map(move |to| count(from, to)))
            .sum();
        assert_eq!(asked, everything);

        let answer = |word: u64| [word as u32, (word >> 32) as u32 + 1, round as u32];
        let sent: Vec<u32> = received
            .iter()
            .flat_map(|record| answer(record[0]))
            .collect();
        let mut answers = vec![9_u32; 1];
        leg.reply(&sent, 3, &mut answers).unwrap();
        let expected: Vec<u32> = words.iter().flat_map(|&word| answer(word)).collect();
        assert_eq!(answers, expected);
    });
}

#[test]
fn a_leg_may_be_dropped_or_answered_with_nothing() {
    everywhere(|comm, _| {
        let (me, n) = (comm.index(), comm.world_size());
        let (words, counts) = blocks_from(me, n);
        let mut inbox = Vec::new();
        drop(comm.resolve(&words, &counts, 1, &mut inbox).unwrap());
        let leg = comm.resolve(&words, &counts, 1, &mut inbox).unwrap();
        let mut answers = vec![1_u8];
        leg.reply(&[], 0, &mut answers).unwrap();
        assert!(answers.is_empty());
    });
}

#[test]
fn nobody_needs_to_send_anything() {
    everywhere(|comm, _| {
        let n = comm.world_size();
        let none = vec![0; n];
        let mut inbox = vec![1_u64];
        let leg = comm.resolve::<u64>(&[], &none, 4, &mut inbox).unwrap();
        assert_eq!(leg.received(), none);
        leg.reply::<f64>(&[], 2, &mut Vec::new()).unwrap();
        assert!(inbox.is_empty());
        comm.alltoallv::<u8>(&[], &none, &mut [], &none).unwrap();
        let (mut all, mut counts) = (vec![1_u16], Vec::new());
        comm.allgather(&[], &mut all, &mut counts).unwrap();
        assert!(all.is_empty());
        assert_eq!(counts, none);
        comm.allreduce_sum_inplace(&mut []).unwrap();
    });
}

/// Two cache lines, aligned to both: more than the room for copies offers.
#[derive(Clone, Copy, PartialEq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(128))]
struct Wide([u64; 16]);

#[test]
fn elements_may_ask_for_any_alignment() {
    everywhere(|comm, round| {
        let (me, n) = (comm.index(), comm.world_size());
        let wide = |who: usize| Wide([(who * 10 + round) as u64; 16]);
        let (mut all, mut counts) = (Vec::new(), Vec::new());
        comm.allgather(&[wide(me)], &mut all, &mut counts).unwrap();
        assert!(all.into_iter().eq((0..n).map(wide)));
    });
}

#[test]
fn elements_without_size_travel_as_counts() {
    everywhere(|comm, _| {
        let n = comm.world_size();
        let (mut all, mut counts) = (Vec::new(), Vec::new());
        comm.allgather(&[(), ()], &mut all, &mut counts).unwrap();
        assert_eq!(all.len(), 2 * n);
        let one_each = vec![1; n];
        comm.alltoallv(&vec![(); n], &one_each, &mut vec![(); n], &one_each)
            .unwrap();
    });
}

#[test]
fn sums_of_numbers() {
    everywhere(|comm, round| {
        let (me, n) = (comm.index(), comm.world_size());
        let value = |who: usize| 1.0 / (who + round + 3) as f64;
        let expected = (0..n).map(value).fold(0.0, |sum, term| sum + term);
        let sum = comm.allreduce_sum(value(me)).unwrap();
        assert_eq!(sum.to_bits(), f64::to_bits(expected));
        assert_eq!(
            comm.allreduce_sum(me as u64).unwrap(),
            (n * (n - 1) / 2) as u64
        );
    });
}

#[test]
fn a_sum_that_overflows_is_everybodys_and_leaves_the_team_usable() {
    let outcomes = run(3, |mut comm| {
        let overflow = comm.allreduce_sum(u64::MAX / 2);
        (overflow, comm.allreduce_sum(1_u64))
    });
    for (overflow, after) in outcomes {
        assert!(matches!(overflow, Err(CommError::Overflow { .. })));
        assert_eq!(after, Ok(3));
    }
}

#[test]
fn sums_in_place() {
    everywhere(|comm, round| {
        let (me, n) = (comm.index(), comm.world_size());
        for len in [0, 1, 7, 8, 64, 65, 1_000] {
            let value = |who: usize, i: usize| 1.0 / (1 + who * 31 + i * 7 + round) as f64;
            let mut values: Vec<f64> = (0..len).map(|i| value(me, i)).collect();
            comm.allreduce_sum_inplace(&mut values).unwrap();
            for (i, sum) in values.iter().enumerate() {
                let ascending = (1..n).fold(value(0, i), |sum, who| sum + value(who, i));
                assert_eq!(sum.to_bits(), ascending.to_bits());
            }
        }
    });
}

#[test]
fn exact_sums_have_the_same_bits_for_any_number_of_participants() {
    // Values whose ordinary sum depends on the order, dealt out over n participants.
    let values: Vec<f64> = (0..997_u64)
        .map(|i| {
            let mixed = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            (mixed as f64 - 8e12) * 10_f64.powi((i % 40) as i32 - 20)
        })
        .collect();
    let whole = values.iter().copied().collect::<ExactSum>().value();
    let mut ordinary = std::collections::HashSet::new();
    for n in [1, 2, 3, 5, 8] {
        let sums = run(n, |mut comm| {
            let mine = values.iter().copied().skip(comm.index()).step_by(n);
            let plain = comm.allreduce_sum(mine.clone().sum::<f64>()).unwrap();
            let exact = comm.allreduce_exact(mine.collect()).unwrap();
            (exact.to_bits(), plain.to_bits())
        });
        assert!(sums.iter().all(|&(exact, _)| exact == whole.to_bits()));
        ordinary.extend(sums.iter().map(|&(_, plain)| plain));
    }
    assert!(
        ordinary.len() > 1,
        "the values do not tell exact sums from ordinary ones"
    );
}

#[test]
fn vectors_of_exact_sums() {
    everywhere(|comm, _| {
        let (me, n) = (comm.index(), comm.world_size());
        let mut sums: Vec<ExactSum> = (0..70)
            .map(|i| ExactSum::from((me + 1) as f64 * 10_f64.powi(i - 35)))
            .collect();
        comm.allreduce_exact_inplace(&mut sums).unwrap();
        for (i, sum) in sums.iter().enumerate() {
            let scale = 10_f64.powi(i as i32 - 35);
            let expected: ExactSum = (0..n).map(|who| (who + 1) as f64 * scale).collect();
            assert_eq!(sum.value().to_bits(), expected.value().to_bits());
        }
    });
}

#[test]
fn allgather_has_everybodys_block() {
    everywhere(|comm, round| {
        let (me, n) = (comm.index(), comm.world_size());
        let block = |who: usize| (0..(who * 3 + round) % 5).map(move |k| (who * 100 + k) as u16);
        let mine: Vec<u16> = block(me).collect();
        let (mut all, mut counts) = (vec![1], vec![2, 3]);
        comm.allgather(&mine, &mut all, &mut counts).unwrap();
        assert!(all.iter().copied().eq((0..n).flat_map(block)));
        assert!(
            counts
                .iter()
                .copied()
                .eq((0..n).map(|who| block(who).count() as u64))
        );
    });
}

#[test]
fn broadcast_from_each() {
    everywhere(|comm, round| {
        let (me, n) = (comm.index(), comm.world_size());
        for root in 0..n {
            let block = |who: usize| (0..who + round).map(|k| k as f64 + 0.5).collect::<Vec<_>>();
            let mut data = block(me);
            comm.broadcast(root, &mut data).unwrap();
            assert_eq!(data, block(root));
        }
    });
}

#[test]
fn share_is_one_object() {
    everywhere(|comm, round| {
        let me = comm.index();
        let shared = comm.share(|| {
            assert_eq!(me, 0, "only partition 0 makes it");
            vec![round; 3]
        });
        let shared = shared.unwrap();
        assert_eq!(*shared, vec![round; 3]);
        let addresses = {
            let mine = [Arc::as_ptr(&shared) as usize as u64];
            let (mut all, mut counts) = (Vec::new(), Vec::new());
            comm.allgather(&mine, &mut all, &mut counts).unwrap();
            all
        };
        assert!(addresses.windows(2).all(|two| two[0] == two[1]));
    });
}

#[test]
fn agree_names_the_lowest_that_failed() {
    everywhere(|comm, _| {
        let (me, n) = (comm.index(), comm.world_size());
        comm.agree(Ok::<(), Infallible>(())).unwrap();
        for culprit in 0..n {
            let mine = if me >= culprit {
                Err(format!("no room on {me}, \u{b5}"))
            } else {
                Ok(())
            };
            let expected = CommError::Agreed {
                rank: Rank(0),
                partition: Partition(culprit),
                cause: format!("no room on {culprit}, \u{b5}"),
            };
            assert_eq!(comm.agree(mine), Err(expected));
        }
    });
}

#[test]
fn a_large_exchange_is_copied_whole() {
    run(2, |mut comm| {
        let me = comm.index() as u64;
        let len = 300_000_u64;
        let send: Vec<u64> = (0..len).map(|k| k * 2 + me).collect();
        let cut = [len / 3, len - len / 3];
        let receive_counts = [cut[me as usize]; 2];
        let mut receive = vec![0; 2 * cut[me as usize] as usize];
        comm.alltoallv(&send, &cut, &mut receive, &receive_counts)
            .unwrap();
        let begin = if me == 0 { 0 } else { cut[0] };
        let expected =
            (0..2).flat_map(|from| (0..cut[me as usize]).map(move |k| (begin + k) * 2 + from));
        assert!(receive.into_iter().eq(expected));
    });
}
