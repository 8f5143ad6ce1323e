//! Gate by gate: find the anticommuting terms, exchange with the one peer where partners live elsewhere, join, apply.
//!
//! For a gate of angle phi with i M_k M_G = sigma M_p, p = k xor G, every anticommuting term is scaled by cos 2 phi, and across each
//! edge c_p gains sin 2 phi sigma c_k while c_k loses sin 2 phi sigma c_p, all taken before the gate. There is an edge where
//! one of its ends emits. Terms are tested for emission before anything is looked up, since most do not emit.
//!
//! Each coefficient is one rounded product with the cosine plus at most one rounded product with the sine: the bits cannot depend on
//! the order of rows or on who owns them.

mod emit;
mod local;
mod remote;
mod scan;
mod scratch;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use phalanx_shmcomm::Communicator;

use super::circuit::Circuit;
use super::counts::Counts;
use super::readout::{self, Readout};
use super::rule::Gate;
use super::{GateProgress, Walk, shared_bytes};
use crate::algebra::{Algebra, Monomial};
use crate::error::EngineError;
use crate::fault;
use crate::operator::Store;
use crate::problem::Problem;
use crate::truncation::Predicate;
use remote::Lanes;
use scan::{clear, holds};
use scratch::{Fresh, Scratch};

/// The terms that this participant owns, how new ones begin, and what was done to them.
struct Share<A, const W: usize> {
    store: Store<W>,
    readout: Readout<A, W>,
    counts: Counts,
}

impl<A: Algebra, const W: usize> Share<A, W> {
    fn new(
        problem: &Problem,
        predicate: &Predicate,
        circuit: &Circuit<W>,
        me: usize,
    ) -> Result<Self, EngineError> {
        let readout = Readout::<A, W>::new(problem, me);
        let pool = readout.initial(problem, predicate, |monomial| {
            circuit.router.owner(monomial) == me
        });
        let store = Store::from_pool(problem.num_slots() as usize, pool)?;
        Ok(Share {
            store,
            readout,
            counts: Counts::default(),
        })
    }
}

/// What the owner of a partner finds.
struct Met {
    /// Its row, if it was there; else it is among the fresh ones now.
    row: Option<u32>,
    /// Its coefficient before the gate.
    before: f64,
}

impl<A: Algebra, const W: usize> Share<A, W> {
    /// Turns the partner of a source: scales it and adds the source's gain, or makes it if it is not there.
    #[inline(always)]
    fn meet(
        &mut self,
        gate: &Gate<'_, W>,
        scratch: &mut Scratch<W>,
        hash: u64,
        partner: &Monomial<W>,
        gain: f64,
    ) -> Met {
        let cos = gate.rotation.cos;
        let Some(row) = self.store.find(hash, partner) else {
            let before = self.readout.beginning(partner);
            scratch.fresh.push(Fresh {
                monomial: *partner,
                hash,
                coefficient: cos * before + gain,
            });
            return Met { row: None, before };
        };
        let coefficient = self.store.coefficient_mut(row);
        let before = *coefficient;
        // A partner beyond the length cap is no event: it is turned without being scaled.
        let is_event = holds(&scratch.events, row);
        *coefficient = if is_event { cos * before } else { before } + gain;
        clear(&mut scratch.events, row);
        Met {
            row: Some(row),
            before,
        }
    }
}

/// The gate-by-gate walk of one participant.
pub(super) struct GateWalk<'w, A: Algebra, C: Communicator, const W: usize> {
    share: Share<A, W>,
    circuit: Arc<Circuit<W>>,
    predicate: Predicate,
    scratch: Scratch<W>,
    lanes: Option<Lanes<C>>,
    comm: &'w mut C,
    stop: &'w AtomicBool,
}

impl<'w, A: Algebra, C: Communicator, const W: usize> GateWalk<'w, A, C, W> {
    pub(super) fn new(
        problem: &Problem,
        comm: &'w mut C,
        stop: &'w AtomicBool,
    ) -> Result<Self, EngineError> {
        let n_owners = comm.world_size();
        let circuit = comm.share(|| Circuit::new::<A>(problem, n_owners))?;
        let predicate = Predicate::new(problem.truncation());
        let share = Share::new(problem, &predicate, &circuit, comm.index());
        // A share that cannot be built on one participant must not leave the others waiting; its own error stays what it is.
        let agreed = comm.agree(share.as_ref().map(|_| ()));
        let share = share?;
        agreed?;
        let pairwise = comm.world_size() > 1 && comm.world_size().is_power_of_two();
        let lanes = pairwise.then(|| Lanes::new(comm)).transpose()?;
        Ok(GateWalk {
            share,
            circuit,
            predicate,
            scratch: Scratch::default(),
            lanes,
            comm,
            stop,
        })
    }

    fn rotate(&mut self, at: usize) -> Result<(), EngineError> {
        let gate = Gate {
            rotation: &self.circuit.rotations[at],
            predicate: &self.predicate,
            stop: self.stop,
        };
        fault::point(self.comm.layout().partition.0, "gate");
        match (gate.rotation.shift, &mut self.lanes) {
            (Some(0), _) => local::rotate(&gate, &mut self.share, &mut self.scratch)?,
            (Some(shift), Some(lanes)) => {
                let route = remote::Pair {
                    lanes,
                    comm: self.comm,
                    shift,
                };
                remote::rotate(&gate, &mut self.share, &mut self.scratch, route)?;
            }
            _ => {
                let route = remote::Everyone {
                    router: &self.circuit.router,
                    comm: self.comm,
                };
                remote::rotate(&gate, &mut self.share, &mut self.scratch, route)?;
            }
        }
        self.scratch.give_back();
        Ok(())
    }
}

impl<A: Algebra, C: Communicator, const W: usize> Walk for GateWalk<'_, A, C, W> {
    fn apply_circuit(&mut self, progress: &mut dyn FnMut(GateProgress)) -> Result<(), EngineError> {
        let gates = self.circuit.rotations.len();
        for at in 0..gates {
            self.rotate(at)?;
            progress(GateProgress {
                gates_done: at + 1,
                gates,
                local_terms: self.local_terms(),
            });
        }
        Ok(())
    }

    fn local_terms(&self) -> u64 {
        self.share.store.len() as u64
    }

    fn num_terms(&mut self) -> Result<u64, EngineError> {
        Ok(self.comm.allreduce_sum(self.local_terms())?)
    }

    fn expectation(&mut self) -> Result<f64, EngineError> {
        self.share
            .readout
            .expectation(self.share.store.pool(), self.comm)
    }

    fn checksum(&mut self) -> Result<u64, EngineError> {
        self.share
            .readout
            .checksum(self.share.store.pool(), self.comm)
    }

    fn operator_bytes(&self) -> u64 {
        let lanes = self.lanes.as_ref().map_or(0, Lanes::bytes);
        let share = self.share.store.bytes() + self.share.readout.bytes();
        let circuit = shared_bytes(self.comm, self.circuit.bytes());
        (share + self.scratch.bytes() + lanes + circuit) as u64
    }

    fn for_each_term(&self, f: &mut dyn FnMut(&[u32], f64)) {
        readout::for_each_term(self.share.store.pool(), f);
    }

    fn counts(&self) -> Counts {
        self.share.counts
    }
}
