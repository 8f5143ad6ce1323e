//! Window by window: hundreds of gates at a time, bucket by bucket, in cache.
//!
//! Every gate of a stretch of the circuit, commuting or not, maps the coset M + span(generators) onto itself. So the terms are sorted into
//! buckets by linear labels that vanish on the span, each bucket belongs to one participant, and the whole stretch is run on one bucket
//! after the other, in circuit order, truncating after every gate. Between windows the operator is a pool: no index, no columns.
//! The multiset of (monomial, coefficient bits) is that of the walk gate by gate.

mod border;
mod bucket;
mod labels;
mod plan;
mod table;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use phalanx_shmcomm::Communicator;

use super::circuit::Circuit;
use super::counts::Counts;
use super::readout::{self, Readout};
use super::rule::{Gate, check_stop};
use super::{GateProgress, Walk, shared_bytes};
use crate::algebra::{Algebra, Monomial};
use crate::error::EngineError;
use crate::fault;
use crate::operator::kernels::with_best;
use crate::operator::pool::Pool;
use crate::operator::store::TOO_MANY;
use crate::problem::Problem;
use crate::truncation::Predicate;
use border::sort;
use bucket::{Bucket, Layout, Step};
use labels::Labels;
use plan::{Census, Growth, SAMPLE, TARGET, Window, plan};

/// While the whole operator has no more terms than this, one participant runs it as one bucket.
const ALONE: u64 = TARGET;
/// That bucket is given up once it has grown to this many terms.
const ALONE_UNTIL: u64 = 4 * TARGET;

/// The window-by-window walk of one participant.
pub(super) struct WindowWalk<'w, A: Algebra, C: Communicator, const W: usize> {
    pool: Pool<W>,
    readout: Readout<A, W>,
    circuit: Arc<Circuit<W>>,
    predicate: Predicate,
    growth: Growth,
    /// Fingerprints for the tables of buckets.
    prints: Labels,
    counts: Counts,
    n_slots: u32,
    comm: &'w mut C,
    stop: &'w AtomicBool,
}

impl<'w, A: Algebra, C: Communicator, const W: usize> WindowWalk<'w, A, C, W> {
    pub(super) fn new(
        problem: &Problem,
        comm: &'w mut C,
        stop: &'w AtomicBool,
    ) -> Result<Self, EngineError> {
        let n_owners = comm.world_size();
        let circuit = comm.share(|| Circuit::new::<A>(problem, n_owners))?;
        let predicate = Predicate::new(problem.truncation());
        let me = comm.index();
        let readout = Readout::new(problem, me);
        let pool = readout.initial(problem, &predicate, |term| circuit.router.owner(term) == me);
        Ok(WindowWalk {
            pool,
            readout,
            circuit,
            predicate,
            growth: Growth::default(),
            prints: Labels::fingerprints::<W>(problem.num_slots()),
            counts: Counts::default(),
            n_slots: problem.num_slots(),
            comm,
            stop,
        })
    }

    /// Some of the terms of all participants, in the same order everywhere.
    fn sample(&mut self) -> Result<Vec<Monomial<W>>, EngineError> {
        let share = SAMPLE / self.comm.world_size();
        let stride = self.pool.len().div_ceil(share.max(1)).max(1);
        let mut mine = Vec::new();
        for (monomial, _) in self.pool.every(stride) {
            mine.extend_from_slice(monomial.words());
        }
        let (mut all, mut lens) = (Vec::new(), Vec::new());
        self.comm.allgather(&mine, &mut all, &mut lens)?;
        let words = all.chunks_exact(W).filter_map(|words| words.first_chunk());
        Ok(words.map(|words| Monomial::from_words(*words)).collect())
    }

    /// Runs the window that begins at gate `begin`, and returns where it ends.
    fn window(&mut self, begin: usize) -> Result<usize, EngineError> {
        fault::point(self.comm.layout().partition.0, "gate");
        let n_terms = self.comm.allreduce_sum(self.pool.len() as u64)?;
        let (end, alone) = if n_terms <= ALONE {
            (self.alone(begin)?, true)
        } else {
            let sample = self.sample()?;
            let census = Census {
                n_terms,
                sample: &sample,
                n_participants: self.comm.world_size(),
                n_slots: self.n_slots,
                format: self.pool.format(),
            };
            let window = plan(&self.circuit.rotations, begin, &self.growth, &census);
            self.run(&window, begin)?;
            (window.end, false)
        };
        if !alone {
            let after = self.comm.allreduce_sum(self.pool.len() as u64)?;
            self.growth.record(n_terms, after, end - begin);
        }
        if u32::try_from(self.pool.len()).is_err() {
            return Err(TOO_MANY);
        }
        self.counts.windows += 1;
        self.counts.window_gates += (end - begin) as u64;
        Ok(end)
    }

    /// Runs a window on this participant's buckets.
    fn run(&mut self, window: &Window<W>, begin: usize) -> Result<(), EngineError> {
        fault::point(self.comm.layout().partition.0, "exchange");
        let stop = self.stop;
        let empty = Pool::new(self.pool.format());
        let pool = std::mem::replace(&mut self.pool, empty);
        let mut sorted = sort(pool, window, self.comm, &mut self.counts, || {
            check_stop(stop)
        })?;
        let layout = Layout::new(self.n_slots, window.touched, window.odd);
        let steps = self.circuit.steps(
            &self.predicate,
            &self.prints,
            stop,
            begin..window.end,
            &layout,
        );
        let mut bucket = Bucket::new();
        for at in 0..sorted.buckets.len() {
            check_stop(stop)?;
            let blocks = std::mem::take(&mut sorted.buckets[at]);
            if blocks.is_empty() {
                continue;
            }
            with_best(|| {
                sorted.load(&blocks, &mut bucket, &layout, &self.prints);
                for step in &steps {
                    let begin = |monomial: &Monomial<W>| self.readout.beginning(monomial);
                    bucket.apply::<A>(step, &layout, begin, &mut self.counts);
                }
            });
            sorted.unload(blocks, &bucket);
        }
        self.pool = sorted.done;
        Ok(())
    }

    /// Runs gates from `begin` on participant 0 alone, until the operator has grown; returns where it stopped.
    fn alone(&mut self, begin: usize) -> Result<usize, EngineError> {
        fault::point(self.comm.layout().partition.0, "exchange");
        let empty = Pool::new(self.pool.format());
        let pool = std::mem::replace(&mut self.pool, empty);
        let mut bucket = Bucket::new();
        let everything = Monomial::from_slots(&(0..self.n_slots).collect::<Vec<_>>());
        let layout = Layout::new(self.n_slots, everything, true);
        border::gather(
            pool,
            &mut bucket,
            &layout,
            &self.prints,
            self.comm,
            &mut self.counts,
        )?;
        let mut end = self.circuit.rotations.len();
        if self.comm.index() == 0 {
            let steps = self.circuit.steps(
                &self.predicate,
                &self.prints,
                self.stop,
                begin..end,
                &layout,
            );
            for (step, at) in steps.iter().zip(begin..) {
                check_stop(self.stop)?;
                let begin = |monomial: &Monomial<W>| self.readout.beginning(monomial);
                with_best(|| bucket.apply::<A>(step, &layout, begin, &mut self.counts));
                if bucket.len() as u64 > ALONE_UNTIL {
                    end = at + 1;
                    break;
                }
            }
            for (monomial, coefficient) in bucket.terms() {
                self.pool.push(monomial, coefficient);
            }
        }
        let mut told = vec![end as u64];
        self.comm.broadcast(0, &mut told)?;
        Ok(told.first().map_or(end, |&end| end as usize))
    }
}

impl<const W: usize> Circuit<W> {
    /// Gates with the columns that they add up under a layout.
    fn steps<'a>(
        &'a self,
        predicate: &'a Predicate,
        prints: &Labels,
        stop: &'a AtomicBool,
        range: Range<usize>,
        layout: &Layout<W>,
    ) -> Vec<Step<'a, W>> {
        let steps = self.rotations[range].iter().map(|rotation| Step {
            gate: Gate {
                rotation,
                predicate,
                stop,
            },
            print: prints.of(rotation.generator.bits()),
            columns: layout.columns(&rotation.touched, rotation.generator.odd_length_matters()),
        });
        steps.collect()
    }
}

impl<A: Algebra, C: Communicator, const W: usize> Walk for WindowWalk<'_, A, C, W> {
    fn apply_circuit(&mut self, progress: &mut dyn FnMut(GateProgress)) -> Result<(), EngineError> {
        let gates = self.circuit.rotations.len();
        let mut begin = 0;
        while begin < gates {
            begin = self.window(begin)?;
            progress(GateProgress {
                gates_done: begin,
                gates,
                local_terms: self.local_terms(),
            });
        }
        Ok(())
    }

    fn local_terms(&self) -> u64 {
        self.pool.len() as u64
    }

    fn num_terms(&mut self) -> Result<u64, EngineError> {
        Ok(self.comm.allreduce_sum(self.local_terms())?)
    }

    fn expectation(&mut self) -> Result<f64, EngineError> {
        self.readout.expectation(&self.pool, self.comm)
    }

    fn checksum(&mut self) -> Result<u64, EngineError> {
        self.readout.checksum(&self.pool, self.comm)
    }

    fn operator_bytes(&self) -> u64 {
        let circuit = shared_bytes(self.comm, self.circuit.bytes());
        (self.pool.bytes() + self.readout.bytes() + self.prints.bytes() + circuit) as u64
    }

    fn for_each_term(&self, f: &mut dyn FnMut(&[u32], f64)) {
        readout::for_each_term(&self.pool, f);
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}
