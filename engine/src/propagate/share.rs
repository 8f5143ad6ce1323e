//! A participant's share of the operator: how it starts, and what is read off it.

use std::marker::PhantomData;

use phalanx_shmcomm::{Communicator, ExactSum};

use crate::algebra::{Algebra, Monomial};
use crate::error::EngineError;
use crate::operator::hash::hash;
use crate::operator::row::RowFormat;
use crate::operator::{Store, checksum};
use crate::problem::{Picture, Problem};
use crate::route::Router;
use crate::truncation::Predicate;

/// The terms that this participant owns, and what the score of a term is taken with.
#[derive(Debug)]
pub(super) struct Share<A, const W: usize> {
    pub(super) store: Store<W>,
    /// Slot 2q of each occupied mode q.
    occupied: Monomial<W>,
    /// In the Schroedinger picture, the terms of the observable that this participant would own.
    probes: Option<Vec<(Monomial<W>, f64)>>,
    /// The observable's identity, on participant 0 alone.
    core: f64,
    n_words: usize,
    algebra: PhantomData<A>,
}

impl<A: Algebra, const W: usize> Share<A, W> {
    /// The initial rows of participant `me`.
    pub(super) fn new(
        problem: &Problem,
        predicate: &Predicate,
        router: &Router<W>,
        me: usize,
    ) -> Result<Self, EngineError> {
        let mine = |monomial: &Monomial<W>| router.owner(monomial) == me;
        let occupied: Vec<u32> = problem
            .initial_state()
            .iter()
            .map(|mode| 2 * mode)
            .collect();
        let observable = problem
            .observable()
            .iter()
            .map(|term| (Monomial::from_slots(&term.slots), term.coefficient));
        let observable: Vec<_> = observable.filter(|(monomial, _)| mine(monomial)).collect();
        let pairs = problem
            .picture()
            .initial_pairs(problem.basis(), problem.num_modes());
        // Long rows come in through the rescue and through the initial state: then rows of any length must be cheap.
        let longest = match (predicate.rescues(), pairs) {
            (true, _) => usize::MAX,
            (false, pairs) => predicate.longest_kept().max(2 * pairs.unwrap_or(0)) as usize,
        };
        let mut share = Share {
            store: Store::new(
                problem.num_slots() as usize,
                RowFormat::choose(problem.num_slots() as usize, longest),
            ),
            occupied: Monomial::from_slots(&occupied),
            probes: None,
            core: if me == 0 { problem.core() } else { 0.0 },
            n_words: problem.num_slots().div_ceil(64) as usize,
            algebra: PhantomData,
        };
        match problem.picture() {
            Picture::Heisenberg => {
                for (monomial, coefficient) in &observable {
                    share.store.push(hash(monomial), monomial, *coefficient)?;
                }
            }
            Picture::Schrodinger { .. } => {
                share.push_paired(
                    &mut Vec::new(),
                    problem.num_modes(),
                    pairs.unwrap_or(0),
                    &mine,
                )?;
                share.probes = Some(observable);
            }
        }
        Ok(share)
    }

    /// Appends each fully paired monomial that extends `modes` by up to `more` modes above its last one, with its score.
    fn push_paired(
        &mut self,
        modes: &mut Vec<u32>,
        n_modes: u32,
        more: u32,
        mine: &impl Fn(&Monomial<W>) -> bool,
    ) -> Result<(), EngineError> {
        let slots: Vec<u32> = modes
            .iter()
            .flat_map(|mode| [2 * mode, 2 * mode + 1])
            .collect();
        let monomial = Monomial::from_slots(&slots);
        if mine(&monomial) {
            let score = A::score(&monomial, &self.occupied);
            self.store.push(hash(&monomial), &monomial, score)?;
        }
        if more > 0 {
            for mode in modes.last().map_or(0, |last| last + 1)..n_modes {
                modes.push(mode);
                self.push_paired(modes, n_modes, more - 1, mine)?;
                modes.pop();
            }
        }
        Ok(())
    }

    /// The coefficient with which a term that was never there begins: its score in the Schroedinger picture, else zero.
    #[inline]
    pub(super) fn beginning(&self, monomial: &Monomial<W>) -> f64 {
        if self.probes.is_some() {
            A::score(monomial, &self.occupied)
        } else {
            0.0
        }
    }

    pub(super) fn num_terms<C: Communicator>(&self, comm: &mut C) -> Result<u64, EngineError> {
        Ok(comm.allreduce_sum(self.store.len() as u64)?)
    }

    /// The exact sum of score times coefficient (Heisenberg) or of observable times state (Schroedinger), plus the core.
    pub(super) fn expectation<C: Communicator>(&self, comm: &mut C) -> Result<f64, EngineError> {
        let mut sum = ExactSum::new();
        sum.add(self.core);
        match &self.probes {
            None => {
                for (monomial, coefficient) in self
                    .store
                    .terms()
                    .filter(|(monomial, _)| monomial.is_fully_paired())
                {
                    sum.add(coefficient * A::score(&monomial, &self.occupied));
                }
            }
            Some(probes) => {
                for (monomial, coefficient) in probes {
                    if let Some(row) = self.store.find(hash(monomial), monomial) {
                        sum.add(coefficient * self.store.coefficient(row));
                    }
                }
            }
        }
        Ok(comm.allreduce_exact(sum)?)
    }

    pub(super) fn checksum<C: Communicator>(&self, comm: &mut C) -> Result<u64, EngineError> {
        let terms = self
            .store
            .terms()
            .map(|(monomial, coefficient)| checksum::term(&monomial, self.n_words, coefficient));
        let mine = terms.fold(0, u64::wrapping_add);
        let (mut all, mut counts) = (Vec::new(), Vec::new());
        comm.allgather(&[mine], &mut all, &mut counts)?;
        Ok(all.into_iter().fold(0, u64::wrapping_add))
    }

    pub(super) fn bytes(&self) -> usize {
        let probes = self.probes.as_ref().map_or(0, |probes| {
            probes.capacity() * size_of::<(Monomial<W>, f64)>()
        });
        self.store.bytes() + probes
    }

    pub(super) fn for_each_term(&self, f: &mut dyn FnMut(&[u32], f64)) {
        let mut slots = Vec::new();
        for (monomial, coefficient) in self.store.terms() {
            slots.clear();
            slots.extend(monomial.slots());
            f(&slots, coefficient);
        }
    }
}
