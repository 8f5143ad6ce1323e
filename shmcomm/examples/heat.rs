//! Heat that spreads along a rod cut into pieces: neighbours swap their ends, and the total is exact.
//!
//! `heat` runs the same rod on 1, 2, 3, 4 and 8 threads. Each step swaps the ends of the pieces
//! through a pair lane: one barrier, no copy. The total heat is a sum without rounding, so it has
//! the same bits however the rod was cut.

use std::thread;

use phalanx_shmcomm::{
    CommError, Communicator, ExactSum, Outbox, PairLane, Partition, RankShift, Team, team,
};

const CELLS: usize = 840;
const STEPS: usize = 2_000;

fn main() -> Result<(), CommError> {
    for n in [1, 2, 3, 4, 8] {
        let totals = thread::scope(|scope| {
            let threads: Vec<_> = team(Team::flat(n))
                .into_iter()
                .map(|mut comm| scope.spawn(move || spread(&mut comm)))
                .collect();
            let joined = threads
                .into_iter()
                .map(|thread| thread.join().expect("no thread panics"));
            joined.collect::<Result<Vec<f64>, _>>()
        })?;
        println!(
            "{n} threads: total heat {:?}, bits {:016x}",
            totals[0],
            totals[0].to_bits()
        );
    }
    Ok(())
}

/// Runs this thread's piece of the rod, and returns the heat of all of it.
fn spread<C: Communicator>(comm: &mut C) -> Result<f64, CommError> {
    let (me, n) = (comm.index(), comm.world_size());
    let begin = me * CELLS / n;
    let end = (me + 1) * CELLS / n;
    // Hot in the middle; one cell more on each side for the neighbours' ends.
    let heat = |cell: usize| 100.0 / (1.0 + (cell as f64 - 300.3).powi(2));
    let mut piece: Vec<f64> = [0.0]
        .into_iter()
        .chain((begin..end).map(heat))
        .chain([0.0])
        .collect();
    let mut lane = comm.pair_lane::<f64>()?;
    let mut spare = vec![Outbox::new(n), Outbox::new(n)];
    for _ in 0..STEPS {
        let mut outbox = spare.pop().expect("two outboxes are enough");
        outbox.clear();
        let (first, last) = (piece[1], piece[piece.len() - 2]);
        if me > 0 {
            outbox.block_mut(Partition(me - 1)).push(first);
        }
        if me + 1 < n {
            outbox.block_mut(Partition(me + 1)).push(last);
        }
        let done = lane.exchange(comm, RankShift::HERE, outbox)?;
        let from = |neighbour: Option<usize>, own: f64| match neighbour {
            Some(neighbour) => done.view.block(Partition(neighbour))[0],
            // The rod ends here, and keeps its heat.
            None => own,
        };
        let left = from(me.checked_sub(1), first);
        let right = from(Some(me + 1).filter(|&next| next < n), last);
        spare.extend(done.recycled);

        let padded = piece.len();
        (piece[0], piece[padded - 1]) = (left, right);
        let next = piece
            .windows(3)
            .map(|cells| cells[1] + 0.2 * (cells[0] - 2.0 * cells[1] + cells[2]));
        piece = [0.0].into_iter().chain(next).chain([0.0]).collect();
    }
    let inner = &piece[1..piece.len() - 1];
    comm.allreduce_exact(inner.iter().copied().collect::<ExactSum>())
}
