//! How an operator starts, and what is read off it.

use std::marker::PhantomData;

use phalanx_shmcomm::{Communicator, ExactSum};

use crate::algebra::{Algebra, Monomial};
use crate::error::EngineError;
use crate::operator::checksum;
use crate::operator::pool::Pool;
use crate::operator::row::RowFormat;
use crate::problem::{Picture, Problem};
use crate::truncation::Predicate;

/// What scores and sums are taken with. The same on all participants but for the core.
#[derive(Debug)]
pub(super) struct Readout<A, const W: usize> {
    /// Slot 2q of each occupied mode q.
    occupied: Monomial<W>,
    /// In the Schroedinger picture, the terms of the observable, ascending by words.
    probes: Option<Vec<(Monomial<W>, f64)>>,
    /// The observable's identity, on participant 0 alone.
    core: f64,
    n_words: usize,
    algebra: PhantomData<A>,
}

impl<A: Algebra, const W: usize> Readout<A, W> {
    /// The readout of participant `me`.
    pub(super) fn new(problem: &Problem, me: usize) -> Self {
        let occupied: Vec<u32> = problem
            .initial_state()
            .iter()
            .map(|mode| 2 * mode)
            .collect();
        let probes = (problem.picture() != Picture::Heisenberg).then(|| {
            let mut probes: Vec<_> = observable(problem).collect();
            probes.sort_by_key(|(monomial, _)| *monomial.words());
            probes
        });
        Readout {
            occupied: Monomial::from_slots(&occupied),
            probes,
            core: if me == 0 { problem.core() } else { 0.0 },
            n_words: problem.num_slots().div_ceil(64) as usize,
            algebra: PhantomData,
        }
    }

    /// The initial terms that are `mine`: the observable, or the fully paired monomials of the state with their scores.
    pub(super) fn initial(
        &self,
        problem: &Problem,
        predicate: &Predicate,
        mine: impl Fn(&Monomial<W>) -> bool,
    ) -> Pool<W> {
        let pairs = problem
            .picture()
            .initial_pairs(problem.basis(), problem.num_modes());
        // Long rows come in through the rescue and through the initial state: then rows of any length must be cheap.
        let longest = if predicate.rescues() {
            usize::MAX
        } else {
            predicate.longest_kept().max(2 * pairs.unwrap_or(0)) as usize
        };
        let mut pool = Pool::new(RowFormat::choose(problem.num_slots() as usize, longest));
        if let Some(pairs) = pairs {
            paired(
                Monomial::IDENTITY,
                0,
                problem.num_modes(),
                pairs,
                &mut |monomial| {
                    if mine(&monomial) {
                        pool.push(&monomial, A::score(&monomial, &self.occupied));
                    }
                },
            );
        } else {
            for (monomial, coefficient) in
                observable(problem).filter(|(monomial, _)| mine(monomial))
            {
                pool.push(&monomial, coefficient);
            }
        }
        pool
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

    /// The exact sum of score times coefficient (Heisenberg) or of observable times state (Schroedinger), plus the core.
    pub(super) fn expectation<C: Communicator>(
        &self,
        pool: &Pool<W>,
        comm: &mut C,
    ) -> Result<f64, EngineError> {
        let (mut sum, mut n_overflowed) = (ExactSum::new(), 0);
        sum.add(self.core);
        for (monomial, coefficient) in pool.terms() {
            n_overflowed += u64::from(!coefficient.is_finite());
            match &self.probes {
                None if monomial.is_fully_paired() => {
                    sum.add(coefficient * A::score(&monomial, &self.occupied));
                }
                None => {}
                Some(probes) => {
                    if let Ok(at) =
                        probes.binary_search_by_key(monomial.words(), |(probe, _)| *probe.words())
                    {
                        sum.add(probes[at].1 * coefficient);
                    }
                }
            }
        }
        let n_terms = comm.allreduce_sum(n_overflowed)?;
        if n_terms > 0 {
            return Err(EngineError::Overflow { n_terms });
        }
        Ok(comm.allreduce_exact(sum)?)
    }

    pub(super) fn checksum<C: Communicator>(
        &self,
        pool: &Pool<W>,
        comm: &mut C,
    ) -> Result<u64, EngineError> {
        let terms = pool
            .terms()
            .map(|(monomial, coefficient)| checksum::term(&monomial, self.n_words, coefficient));
        let mine = terms.fold(0, u64::wrapping_add);
        let (mut all, mut counts) = (Vec::new(), Vec::new());
        comm.allgather(&[mine], &mut all, &mut counts)?;
        Ok(all.into_iter().fold(0, u64::wrapping_add))
    }

    /// Bytes that are allocated.
    pub(super) fn bytes(&self) -> usize {
        self.probes.as_ref().map_or(0, |probes| {
            probes.capacity() * size_of::<(Monomial<W>, f64)>()
        })
    }
}

fn observable<const W: usize>(problem: &Problem) -> impl Iterator<Item = (Monomial<W>, f64)> {
    let terms = problem.observable().iter();
    terms.map(|term| (Monomial::from_slots(&term.slots), term.coefficient))
}

/// Calls `f` with each fully paired monomial that extends `begin` by up to `more` pairs at modes from `first` on.
fn paired<const W: usize>(
    begin: Monomial<W>,
    first: u32,
    n_modes: u32,
    more: u32,
    f: &mut impl FnMut(Monomial<W>),
) {
    f(begin);
    if more > 0 {
        for mode in first..n_modes {
            let pair = Monomial::from_slots(&[2 * mode, 2 * mode + 1]);
            paired(begin.xor(&pair), mode + 1, n_modes, more - 1, f);
        }
    }
}

/// Calls `f` with the slots and the coefficient of each term.
pub(super) fn for_each_term<const W: usize>(pool: &Pool<W>, f: &mut dyn FnMut(&[u32], f64)) {
    let mut slots = Vec::new();
    for (monomial, coefficient) in pool.terms() {
        slots.clear();
        slots.extend(monomial.slots());
        f(&slots, coefficient);
    }
}
