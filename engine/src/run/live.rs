//! Last-known figures that partitions leave behind while they run, for whoever watches.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Progress;
use crate::propagate::GateProgress;

/// The figures of all partitions. Each is written by one thread and read by the watching one.
pub(super) struct Live {
    partitions: Vec<Figures>,
}

/// Aligned so that no two partitions write to one cache line, nor to a pair of lines that is fetched together.
#[derive(Default)]
#[repr(align(128))]
struct Figures {
    repeat: AtomicU64,
    gates_done: AtomicU64,
    gates: AtomicU64,
    terms: AtomicU64,
    term_gates: AtomicU64,
}

impl Live {
    pub(super) fn new(n_partitions: usize) -> Self {
        Live {
            partitions: (0..n_partitions).map(|_| Figures::default()).collect(),
        }
    }

    /// A partition begins a repeat.
    pub(super) fn begin(&self, partition: usize, repeat: u64) {
        let own = &self.partitions[partition];
        set(&own.gates_done, 0);
        set(&own.repeat, repeat);
    }

    /// A partition has done a gate, or a window of gates.
    pub(super) fn gate(&self, partition: usize, progress: GateProgress) {
        let own = &self.partitions[partition];
        let done = progress.gates_done as u64;
        let fresh = done.saturating_sub(get(&own.gates_done));
        set(&own.gates_done, done);
        set(&own.gates, progress.gates as u64);
        set(&own.terms, progress.local_terms);
        // Nobody else writes it, so reading and writing apart lose nothing.
        set(
            &own.term_gates,
            get(&own.term_gates).saturating_add(progress.local_terms.saturating_mul(fresh)),
        );
    }

    /// How far the run has come; partition 0 stands for all, since they move in lock-step.
    pub(super) fn progress(&self, repeats: u64) -> Progress {
        let sum = |figure: fn(&Figures) -> &AtomicU64| {
            let figures = self.partitions.iter().map(|own| get(figure(own)));
            figures.fold(0, u64::saturating_add)
        };
        let first = &self.partitions[0];
        Progress {
            repeat: get(&first.repeat),
            repeats,
            gates_done: get(&first.gates_done),
            gates: get(&first.gates),
            num_terms: sum(|own| &own.terms),
            term_gates: sum(|own| &own.term_gates),
        }
    }
}

fn set(figure: &AtomicU64, value: u64) {
    // Relaxed: for show; nothing is read because of it.
    figure.store(value, Ordering::Relaxed);
}

fn get(figure: &AtomicU64) -> u64 {
    // Relaxed: as in `set`; an old figure is as good.
    figure.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_add_up_and_the_first_tells_the_gate() {
        let live = Live::new(2);
        let at = |gates_done, local_terms| GateProgress {
            gates_done,
            gates: 9,
            local_terms,
        };
        live.begin(0, 3);
        live.gate(0, at(1, 10));
        live.gate(0, at(2, 12));
        live.gate(1, at(1, 100));
        let progress = live.progress(5);
        assert_eq!((progress.repeat, progress.repeats), (3, 5));
        assert_eq!((progress.gates_done, progress.gates), (2, 9));
        assert_eq!(progress.num_terms, 112);
        assert_eq!(progress.term_gates, 122);
        live.begin(0, 4);
        assert_eq!(live.progress(5).gates_done, 0);
        // A window of three gates at once.
        live.gate(0, at(3, 20));
        assert_eq!(live.progress(5).term_gates, 182);
    }
}
