//! Two threads that talk through a pair of channels, as one would write it by hand.

use std::sync::mpsc;

use super::{Batches, Run, on_two};

/// One end of a pair of channels.
pub(crate) trait End<M>: Send {
    fn send(&self, message: M);
    fn receive(&self) -> M;
}

/// Which channels to use.
pub(crate) trait Kind {
    type End<M: Send>: End<M>;

    /// The two ends of a connection.
    fn pair<M: Send>() -> Vec<Self::End<M>>;
}

/// `std::sync::mpsc`, blocking.
pub(crate) struct Mpsc;

/// `crossbeam-channel`, blocking.
pub(crate) struct Crossbeam;

/// `crossbeam-channel`, with a receiver that only spins.
pub(crate) struct Spinning;

pub(crate) struct MpscEnd<M>(mpsc::Sender<M>, mpsc::Receiver<M>);
pub(crate) struct CrossbeamEnd<M>(crossbeam_channel::Sender<M>, crossbeam_channel::Receiver<M>);
pub(crate) struct SpinningEnd<M>(CrossbeamEnd<M>);

impl Kind for Mpsc {
    type End<M: Send> = MpscEnd<M>;

    fn pair<M: Send>() -> Vec<MpscEnd<M>> {
        let (to_second, from_first) = mpsc::channel();
        let (to_first, from_second) = mpsc::channel();
        vec![
            MpscEnd(to_second, from_second),
            MpscEnd(to_first, from_first),
        ]
    }
}

impl Kind for Crossbeam {
    type End<M: Send> = CrossbeamEnd<M>;

    fn pair<M: Send>() -> Vec<CrossbeamEnd<M>> {
        // Two messages at most are on their way: room for them is faster than unbounded.
        let (to_second, from_first) = crossbeam_channel::bounded(4);
        let (to_first, from_second) = crossbeam_channel::bounded(4);
        vec![
            CrossbeamEnd(to_second, from_second),
            CrossbeamEnd(to_first, from_first),
        ]
    }
}

impl Kind for Spinning {
    type End<M: Send> = SpinningEnd<M>;

    fn pair<M: Send>() -> Vec<SpinningEnd<M>> {
        Crossbeam::pair().into_iter().map(SpinningEnd).collect()
    }
}

const LOST: &str = "the other end is there";

impl<M: Send> End<M> for MpscEnd<M> {
    fn send(&self, message: M) {
        self.0.send(message).expect(LOST);
    }

    fn receive(&self) -> M {
        self.1.recv().expect(LOST)
    }
}

impl<M: Send> End<M> for CrossbeamEnd<M> {
    fn send(&self, message: M) {
        self.0.send(message).expect(LOST);
    }

    fn receive(&self) -> M {
        self.1.recv().expect(LOST)
    }
}

impl<M: Send> End<M> for SpinningEnd<M> {
    fn send(&self, message: M) {
        self.0.send(message);
    }

    fn receive(&self) -> M {
        loop {
            if let Ok(message) = self.0.1.try_recv() {
                return message;
            }
            std::hint::spin_loop();
        }
    }
}

/// Runs `step` on both ends of a connection, each on a CPU of its own.
pub(crate) fn on_channels<K: Kind, M: Send, S>(
    batches: Batches,
    set_up: impl Fn(usize) -> S + Sync,
    step: impl Fn(usize, &K::End<M>, &mut S, u64) -> u64 + Sync,
) -> Run {
    on_two(K::pair::<M>(), |me, end| {
        let mut state = set_up(me);
        batches.time(|k| step(me, &end, &mut state, k))
    })
}
