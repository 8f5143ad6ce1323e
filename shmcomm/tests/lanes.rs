//! Pair lanes: what arrives, what comes back and when, and what happens to buffers when ends go away.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::{count, element, layouts, run, run_all, run_team};
use phalanx_shmcomm::{
    CommError, Communicator, Element, Exchanged, Outbox, PairError, PairLane, Partition, RankShift,
    Team, reassemble, team,
};

/// What a buffer is overwritten with as soon as it may be touched again.
const RELEASED: u64 = u64::MAX;

/// An outbox of call `call`: a block of another length for each pair, each element telling where it
/// comes from, where it goes to and in which call.
fn fill(outbox: &mut Outbox<u64>, me: usize, call: u64) {
    for to in 0..outbox.n_blocks() {
        let elements = (0..count(me, to)).map(|k| element(me, to, k) | call << 52);
        let block = outbox.block_mut(Partition(to));
        block.clear();
        block.extend(elements);
    }
}

fn is_block_of(block: &[u64], from: usize, to: usize, call: u64) -> bool {
    let expected = (0..count(from, to)).map(|k| element(from, to, k) | call << 52);
    block.iter().copied().eq(expected)
}

#[test]
fn blocks_arrive_and_outboxes_come_back_from_the_next_call() {
    for n in [1, 2, 3, 4, 8] {
        for builder in layouts(n) {
            run_team(builder, |mut comm| {
                let me = comm.index();
                let mut lane = comm.pair_lane::<u64>().unwrap();
                let mut spare = vec![Outbox::new(n), Outbox::new(n)];
                for call in 0..50 {
                    let mut outbox = spare.pop().expect("two outboxes are enough");
                    fill(&mut outbox, me, call);
                    let done = lane.exchange(&mut comm, RankShift::HERE, outbox).unwrap();
                    assert_eq!(done.view.n_blocks(), n);
                    for (source, block) in done.view.iter() {
                        assert!(is_block_of(block, source.0, me, call));
                        assert!(std::ptr::eq(block, done.view.block(source)));
                    }
                    assert_eq!(done.recycled.is_none(), call == 0);
                    if let Some(recycled) = done.recycled {
                        for to in 0..n {
                            assert!(is_block_of(recycled.block(Partition(to)), me, to, call - 1));
                        }
                        spare.push(recycled);
                    }
                }
            });
        }
    }
}

/// A buffer may be overwritten the instant it comes back, while slow peers still look at later ones:
/// every value is read late, after a random wait, and again after another verb.
#[test]
fn a_released_buffer_is_nobodys_view() {
    const N: usize = 4;
    run(N, |mut comm| {
        let me = comm.index();
        let mut lane = comm.pair_lane::<u64>().unwrap();
        let mut spare = vec![Outbox::new(N), Outbox::new(N)];
        let mut state = me as u64 + 1;
        for call in 0..2_000 {
            let mut outbox = spare.pop().expect("two outboxes are enough");
            fill(&mut outbox, me, call);
            let mut done = lane.exchange(&mut comm, RankShift::HERE, outbox).unwrap();
            if let Some(mut recycled) = done.recycled.take() {
                for to in 0..N {
                    recycled.block_mut(Partition(to)).fill(RELEASED);
                }
                spare.push(recycled);
            }
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            match state >> 62 {
                0 => std::thread::yield_now(),
                1 => (0..state >> 56).for_each(|_| std::hint::spin_loop()),
                _ => (),
            }
            let intact =
                |(source, block): (Partition, &[u64])| is_block_of(block, source.0, me, call);
            assert!(done.view.iter().all(intact));
            if call % 7 == 0 {
                comm.barrier().unwrap();
                assert!(done.view.iter().all(intact));
            }
        }
    });
}

#[test]
fn two_lanes_and_other_verbs_go_on_while_a_view_is_held() {
    run(3, |mut comm| {
        let me = comm.index();
        let mut first = comm.pair_lane::<u64>().unwrap();
        let mut second = comm.pair_lane::<u64>().unwrap();
        for call in 0..20 {
            let (mut queries, mut answers) = (Outbox::new(3), Outbox::new(3));
            fill(&mut queries, me, call);
            let queries = first
                .exchange(&mut comm, RankShift::HERE, queries)
                .unwrap()
                .view;
            for (source, block) in queries.iter() {
                answers
                    .block_mut(source)
                    .extend(block.iter().map(|word| word ^ 1));
            }
            let answers = second
                .exchange(&mut comm, RankShift::HERE, answers)
                .unwrap()
                .view;
            assert_eq!(comm.allreduce_sum(1_u64), Ok(3));
            for (source, block) in answers.iter() {
                let back: Vec<u64> = block.iter().map(|word| word ^ 1).collect();
                assert!(is_block_of(&back, me, source.0, call));
                assert!(is_block_of(queries.block(source), source.0, me, call));
            }
        }
    });
}

#[test]
fn an_end_that_goes_away_leaves_its_buffers_to_those_who_look_at_them() {
    let looking = AtomicUsize::new(0);
    for _ in 0..50 {
        looking.store(0, Ordering::SeqCst);
        run(3, |mut comm| {
            let me = comm.index();
            let mut lane = comm.pair_lane::<u64>().unwrap();
            let mut outbox = Outbox::new(3);
            fill(&mut outbox, me, 3);
            let view = lane
                .exchange(&mut comm, RankShift::HERE, outbox)
                .unwrap()
                .view;
            if me == 0 {
                drop(lane);
                drop(comm);
                looking.fetch_add(1, Ordering::SeqCst);
                return;
            }
            while looking.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            for (source, block) in view.iter() {
                assert!(is_block_of(block, source.0, me, 3));
            }
            assert!(matches!(comm.barrier(), Err(CommError::Poisoned { .. })));
            for (source, block) in view.iter() {
                assert!(is_block_of(block, source.0, me, 3));
            }
        });
    }
}

fn refused<T: Element + std::fmt::Debug>(
    outcome: Result<Exchanged<'_, T>, PairError<T>>,
) -> (CommError, Outbox<T>) {
    let refused = outcome.expect_err("it should be refused");
    (refused.error, refused.outbox)
}

#[test]
fn what_is_refused_brings_the_outbox_back_and_harms_nobody() {
    run(2, |mut comm| {
        let mut lane = comm.pair_lane::<u64>().unwrap();
        let mut full = Outbox::new(3);
        full.block_mut(Partition(2)).push(5);
        let (error, back) = refused(lane.exchange(&mut comm, RankShift::HERE, full.clone()));
        assert!(matches!(error, CommError::Argument { .. }), "{error}");
        assert_eq!(back, full);
        let (error, _) = refused(lane.exchange(&mut comm, RankShift(1), Outbox::new(2)));
        assert!(error.to_string().contains("rank shift 1"), "{error}");
        assert!(
            lane.exchange(&mut comm, RankShift::HERE, Outbox::new(2))
                .is_ok()
        );
    });
}

#[test]
fn a_lane_works_only_with_its_own_communicator() {
    let mut one = team(Team::flat(1)).remove(0);
    let mut other = team(Team::flat(1)).remove(0);
    let mut lane = one.pair_lane::<u64>().unwrap();
    let (error, _) = refused(lane.exchange(&mut other, RankShift::HERE, Outbox::new(1)));
    assert!(matches!(error, CommError::ForeignLane { .. }), "{error}");

    // Nor with another participant of its own team.
    let lanes = run(2, |mut comm| (comm.pair_lane::<u64>().unwrap(), comm));
    let [(mut of_first, _), (_, mut second)] = <[_; 2]>::try_from(lanes).expect("two");
    let (error, _) = refused(of_first.exchange(&mut second, RankShift::HERE, Outbox::new(2)));
    assert!(matches!(error, CommError::ForeignLane { .. }), "{error}");

    // Nor with its own once that has been put into a new team.
    let mut again = reassemble(vec![one]).expect("a team of one").remove(0);
    let (error, _) = refused(lane.exchange(&mut again, RankShift::HERE, Outbox::new(1)));
    assert!(matches!(error, CommError::ForeignLane { .. }), "{error}");
}

#[test]
fn a_failed_exchange_brings_the_outbox_back() {
    let comms = team(Team::flat(2));
    let stop = comms[0].poison_handle();
    run_all(comms, |mut comm| {
        let me = comm.index();
        let mut lane = comm.pair_lane::<u64>().unwrap();
        let mut outbox = Outbox::new(2);
        fill(&mut outbox, me, 0);
        lane.exchange(&mut comm, RankShift::HERE, outbox).unwrap();
        stop.poison("enough");
        for _ in 0..3 {
            let mut outbox = Outbox::new(2);
            fill(&mut outbox, me, 1);
            // The one that is slower may find the round complete: then both pass it.
            match lane.exchange(&mut comm, RankShift::HERE, outbox.clone()) {
                Ok(done) => assert!(is_block_of(done.view.block(Partition(0)), 0, me, 1)),
                Err(failed) => {
                    assert!(failed.to_string().contains("enough"), "{failed}");
                    assert_eq!(failed.outbox, outbox);
                    assert!(CommError::from(failed).is_echo());
                }
            }
        }
    });
}

#[test]
fn an_outbox_tells_what_it_holds() {
    let mut outbox = Outbox::new(3);
    assert!(outbox.is_empty());
    outbox.block_mut(Partition(1)).extend([1_u32, 2, 3]);
    assert_eq!(
        (outbox.len(), outbox.is_empty(), outbox.n_blocks()),
        (3, false, 3)
    );
    assert!(outbox.capacity_bytes() >= 12);
    outbox.clear();
    assert!(outbox.is_empty() && outbox.capacity_bytes() >= 12);
    outbox.shrink_to(0);
    assert_eq!(outbox.capacity_bytes(), 0);
}
