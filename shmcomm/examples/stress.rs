//! Every verb under stress, as a plain program: for ThreadSanitizer, and for machines that misbehave.
//!
//! `stress [ROUNDS]` runs teams of 1 to 8 threads in seven layouts through rounds of all verbs,
//! then stops teams at random moments while lent memory is freed at once, then lets threads die
//! while their peers hold views of what they sent. It prints a line for each part and exits with 0,
//! or panics where a value is not what it should be.

use std::thread;

use phalanx_shmcomm::{
    CommError, Communicator, ExactSum, Leg, Outbox, PairLane, Partition, RankShift, ShmComm,
    ShmPairLane, Team, team,
};

const LAYOUTS: [&[usize]; 7] = [
    &[0],
    &[0, 0],
    &[0, 1],
    &[0, 0, 1],
    &[0, 1, 0, 1],
    &[0, 1, 2, 1, 0],
    &[0, 0, 0, 1, 1, 2, 2, 2],
];

fn main() {
    let n_rounds = match std::env::args().nth(1).map(|rounds| rounds.parse()) {
        None => 300,
        Some(Ok(rounds)) => rounds,
        Some(Err(error)) => {
            eprintln!("usage: stress [ROUNDS]: {error}");
            std::process::exit(2);
        }
    };
    for domains in LAYOUTS {
        on_all(domains, |mut comm| {
            verbs(&mut comm, n_rounds).expect("nobody stops this team")
        });
    }
    println!("verbs: {} layouts, {n_rounds} rounds each", LAYOUTS.len());
    let mut dice = Dice(1);
    for attempt in 0..n_rounds {
        stopped(
            LAYOUTS[attempt as usize % LAYOUTS.len()],
            dice.below(20_000),
        );
    }
    println!("poison: {n_rounds} teams stopped");
    for attempt in 0..n_rounds {
        deaths(LAYOUTS[attempt as usize % LAYOUTS.len()], dice.below(12));
    }
    println!("deaths: {n_rounds} teams lost a participant");
}

/// A small generator of numbers, enough to be somewhere else each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn on_all<R: Send>(domains: &[usize], body: impl Fn(ShmComm) -> R + Sync) -> Vec<R> {
    run(team(Team::grouped(domains)), body)
}

fn run<R: Send>(comms: Vec<ShmComm>, body: impl Fn(ShmComm) -> R + Sync) -> Vec<R> {
    let body = &body;
    thread::scope(|scope| {
        let threads: Vec<_> = comms
            .into_iter()
            .map(|comm| scope.spawn(move || body(comm)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no thread panics"))
            .collect()
    })
}

/// Now little, which is copied, now much, which is lent.
fn count(from: usize, to: usize, round: u64) -> u64 {
    let scale = if round.is_multiple_of(3) { 500 } else { 1 };
    (from as u64 * 5 + to as u64 * 3 + round) % 7 * scale
}

fn word(from: usize, to: usize, round: u64) -> u64 {
    round * 10_000 + (from * 100 + to) as u64
}

fn blocks(counts: &[u64], word: impl Fn(usize) -> u64) -> Box<[u64]> {
    let block = |(peer, &count): (usize, &u64)| std::iter::repeat_n(word(peer), count as usize);
    counts.iter().enumerate().flat_map(block).collect()
}

/// All verbs, `n_rounds` times, out of memory that is freed as soon as each returns.
fn verbs(comm: &mut ShmComm, n_rounds: u64) -> Result<(), CommError> {
    let (me, n) = (comm.index(), comm.world_size());
    let mut lane = comm.pair_lane()?;
    let mut spare = vec![Outbox::new(n), Outbox::new(n)];
    for round in 0..n_rounds {
        one_round(comm, round)?;
        pairs(comm, &mut lane, &mut spare, round)?;
        let shared = comm.share(|| vec![round; 3])?;
        assert_eq!(*shared, [round; 3]);
        let mut data = vec![word(me, 0, round)];
        let root = round as usize % n;
        comm.broadcast(root, &mut data)?;
        assert_eq!(data, [word(root, 0, round)]);
        comm.agree(Ok::<(), String>(()))?;
    }
    Ok(())
}

fn one_round(comm: &mut ShmComm, round: u64) -> Result<(), CommError> {
    let (me, n) = (comm.index(), comm.world_size());
    let counts: Vec<u64> = (0..n).map(|to| count(me, to, round)).collect();
    let mut expected = vec![0; n];
    comm.alltoall_counts(&counts, &mut expected)?;
    let send = blocks(&counts, |to| word(me, to, round));
    let arrived = blocks(&expected, |from| word(from, me, round));
    let mut receive = vec![0; arrived.len()];
    comm.alltoallv(&send, &counts, &mut receive, &expected)?;
    assert_eq!(receive, *arrived);

    let (mut inbox, mut answers) = (Vec::new(), Vec::new());
    let mut leg = comm.resolve(&send, &counts, 1, &mut inbox)?;
    assert_eq!((leg.received(), &*inbox), (&*expected, &*arrived));
    assert_eq!(leg.allreduce_sum(round)?, round * n as u64);
    let back: Box<[u64]> = inbox.iter().map(|word| !word).collect();
    leg.reply(&back, 1, &mut answers)?;
    assert!(
        answers
            .iter()
            .zip(&send)
            .all(|(answer, query)| *answer == !query)
    );

    let mut values = vec![me as f64; 50 + 100 * (round as usize % 3)].into_boxed_slice();
    comm.allreduce_sum_inplace(&mut values)?;
    let total = (n * (n - 1) / 2) as f64;
    assert!(values.iter().all(|&value| value == total));
    assert_eq!(comm.allreduce_exact(ExactSum::from(me as f64))?, total);
    let (mut all, mut lengths) = (Vec::new(), Vec::new());
    comm.allgather(&send[..send.len().min(me)], &mut all, &mut lengths)?;
    assert_eq!(lengths.iter().sum::<u64>(), all.len() as u64);
    comm.barrier()
}

fn pairs(
    comm: &mut ShmComm,
    lane: &mut ShmPairLane<u64>,
    spare: &mut Vec<Outbox<u64>>,
    round: u64,
) -> Result<(), CommError> {
    let (me, n) = (comm.index(), comm.world_size());
    let mut outbox = spare.pop().expect("two outboxes are enough");
    outbox.clear();
    for to in 0..n {
        let block = blocks(&[count(me, to, round)], |_| word(me, to, round));
        outbox.block_mut(Partition(to)).extend_from_slice(&block);
    }
    let done = lane.exchange(comm, RankShift::HERE, outbox)?;
    for (source, block) in done.view.iter() {
        assert_eq!(block.len() as u64, count(source.0, me, round));
        assert!(
            block
                .iter()
                .all(|&theirs| theirs == word(source.0, me, round))
        );
    }
    if let Some(mut released) = done.recycled {
        (0..n).for_each(|to| released.block_mut(Partition(to)).fill(u64::MAX));
        spare.push(released);
    }
    Ok(())
}

/// A team that is stopped from outside after a while: all fail in the same round or none does.
fn stopped(domains: &[usize], after: u64) {
    let comms = team(Team::grouped(domains));
    let handle = comms[0].poison_handle();
    let rounds = thread::scope(|scope| {
        scope.spawn(move || {
            (0..after).for_each(|_| std::hint::spin_loop());
            handle.poison("stopped");
        });
        run(comms, |mut comm| {
            (0..)
                .take_while(|&round| one_round(&mut comm, round).is_ok())
                .count()
        })
    });
    assert!(
        rounds.windows(2).all(|two| two[0].abs_diff(two[1]) == 0),
        "{rounds:?}"
    );
}

/// A participant leaves after some exchanges, while its peers look at what it sent last.
fn deaths(domains: &[usize], after: u64) {
    on_all(domains, |mut comm| {
        let (me, n) = (comm.index(), comm.world_size());
        let mut lane = comm.pair_lane().expect("nobody is dead yet");
        let mut spare = vec![Outbox::new(n), Outbox::new(n)];
        for round in 0..after {
            pairs(&mut comm, &mut lane, &mut spare, round).expect("nobody is dead yet");
        }
        let mut outbox = Outbox::new(n);
        (0..n).for_each(|to| outbox.block_mut(Partition(to)).push(word(me, to, after)));
        let view = match lane.exchange(&mut comm, RankShift::HERE, outbox) {
            Ok(done) => done.view,
            Err(failed) => panic!("nobody is dead yet: {failed}"),
        };
        if me == 0 {
            return;
        }
        // Fails at once or when participant 0 is gone, and the second time at once.
        assert!(comm.barrier().is_err() && comm.barrier().is_err());
        for (source, block) in view.iter() {
            assert_eq!(block, [word(source.0, me, after)]);
        }
    });
}
