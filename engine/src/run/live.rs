//! Last-known figures that partitions leave behind while they run, for whoever watches.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Progress;
use crate::propagate::GateProgress;

/// The figures of all partitions. Each is written by one thread and read by the watching one.
///
/// All accesses are Relaxed: the figures are for show, and nothing else is read because of them.
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
        own.gates_done.store(0, Ordering::Relaxed);
        own.repeat.store(repeat, Ordering::Relaxed);
    }

    /// A partition has done a gate.
    pub(super) fn gate(&self, partition: usize, progress: GateProgress) {
        let own = &self.partitions[partition];
        own.gates_done
            .store(progress.gates_done as u64, Ordering::Relaxed);
        own.gates.store(progress.gates as u64, Ordering::Relaxed);
        own.terms.store(progress.local_terms, Ordering::Relaxed);
        // Nobody else writes it, so a load and a store lose nothing.
        let term_gates = own.term_gates.load(Ordering::Relaxed);
        own.term_gates.store(
            term_gates.saturating_add(progress.local_terms),
            Ordering::Relaxed,
        );
    }

    /// How far the run has come; partition 0 stands for all, since they move in lock-step.
    pub(super) fn progress(&self, repeats: u64) -> Progress {
        let sum = |figure: fn(&Figures) -> &AtomicU64| {
            let figures = self
                .partitions
                .iter()
                .map(|own| figure(own).load(Ordering::Relaxed));
            figures.fold(0, u64::saturating_add)
        };
        let first = &self.partitions[0];
        Progress {
            repeat: first.repeat.load(Ordering::Relaxed),
            repeats,
            gates_done: first.gates_done.load(Ordering::Relaxed),
            gates: first.gates.load(Ordering::Relaxed),
            num_terms: sum(|own| &own.terms),
            term_gates: sum(|own| &own.term_gates),
        }
    }
}
