//! Routing: which participant owns a term.
//!
//! Where the number of participants is a power of two, the owner is a GF(2)-linear function of the slots, so that all partners
//! of one participant's terms under a gate belong to one other participant: owner(M xor G) = owner(M) xor shift(G). Other worlds hash.

use crate::algebra::Monomial;
use crate::operator::hash::{draw, hash};

/// How many row sets are tried for one that reaches every participant.
const ATTEMPTS: u64 = 64;

/// The owner function of a run. All participants make the same one from the same circuit.
#[derive(Clone, Debug)]
pub(crate) enum Router<const W: usize> {
    /// Bit k of the owner is the parity of the term's overlap with row k.
    Linear { rows: Vec<Monomial<W>> },
    /// The hash of the term, modulo the number of participants.
    Hashed { n_owners: usize },
}

fn rank(mut vectors: Vec<usize>) -> u32 {
    let mut rank = 0;
    while let Some(vector) = vectors.pop() {
        if vector != 0 {
            rank += 1;
            let low = vector & vector.wrapping_neg();
            for other in vectors.iter_mut().filter(|other| **other & low != 0) {
                *other ^= vector;
            }
        }
    }
    rank
}

impl<const W: usize> Router<W> {
    /// A router for `n_owners` participants that spreads what `generators` can make of a term as evenly as they allow.
    ///
    /// The terms that a circuit makes of one are that term times products of its generators, so owners are equally loaded if the
    /// generators' shifts span all of them, and some stay empty if they do not.
    pub(crate) fn new(n_owners: usize, n_slots: u32, generators: &[Monomial<W>]) -> Self {
        if !n_owners.is_power_of_two() {
            return Router::Hashed { n_owners };
        }
        let n_rows = n_owners.trailing_zeros();
        let (mut best, mut best_rank) = (Vec::new(), None);
        for attempt in 0..ATTEMPTS {
            let mut state = attempt;
            let rows: Vec<Monomial<W>> = (0..n_rows)
                .map(|_| {
                    Monomial::from_words(std::array::from_fn(|at| {
                        let left = n_slots.saturating_sub(64 * at as u32);
                        draw(&mut state)
                            & if left >= 64 {
                                u64::MAX
                            } else {
                                (1 << left) - 1
                            }
                    }))
                })
                .collect();
            let shifts = generators
                .iter()
                .map(|generator| parities(&rows, generator))
                .collect();
            let rank = rank(shifts);
            if best_rank.is_none_or(|best| rank > best) {
                (best, best_rank) = (rows, Some(rank));
            }
            if best_rank == Some(n_rows) {
                break;
            }
        }
        Router::Linear { rows: best }
    }

    /// The flat index of the participant that owns `monomial`.
    #[inline]
    pub(crate) fn owner(&self, monomial: &Monomial<W>) -> usize {
        match self {
            Router::Linear { rows } => parities(rows, monomial),
            // The lower half of the hash: the index scales the upper one, and must not find its lines crowded.
            Router::Hashed { n_owners } => {
                (((hash(monomial) & 0xFFFF_FFFF) * *n_owners as u64) >> 32) as usize
            }
        }
    }

    /// What a gate xors the owner with; `None` where routing is not linear.
    pub(crate) fn shift(&self, generator: &Monomial<W>) -> Option<usize> {
        match self {
            Router::Linear { .. } => Some(self.owner(generator)),
            Router::Hashed { .. } => None,
        }
    }
}

#[inline]
fn parities<const W: usize>(rows: &[Monomial<W>], monomial: &Monomial<W>) -> usize {
    rows.iter().enumerate().fold(0, |owner, (k, row)| {
        owner | usize::from(row.overlaps_oddly(monomial)) << k
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn owners_shift_as_generators_say(words in any::<[[u64; 2]; 2]>(), n_owners in 1_usize..40) {
            let [term, generator] = words.map(Monomial::<2>::from_words);
            let router = Router::new(n_owners, 128, &[generator]);
            prop_assert!(router.owner(&term) < n_owners);
            match router.shift(&generator) {
                Some(shift) => prop_assert_eq!(router.owner(&term.xor(&generator)), router.owner(&term) ^ shift),
                None => prop_assert!(!n_owners.is_power_of_two()),
            }
        }
    }

    #[test]
    fn every_owner_is_reached_if_the_generators_allow_it() {
        // Four generators on three owners' bits: with an unlucky draw their shifts would be dependent.
        let generators: Vec<_> = [[0, 1], [2, 3], [4, 5], [1, 2]]
            .iter()
            .map(|slots| Monomial::<1>::from_slots(slots))
            .collect();
        let router = Router::new(8, 6, &generators);
        let shifts = generators.iter().filter_map(|g| router.shift(g)).collect();
        assert_eq!(rank(shifts), 3);
    }

    #[test]
    fn rank_counts_independent_vectors() {
        assert_eq!(rank(vec![]), 0);
        assert_eq!(rank(vec![0, 5, 5]), 1);
        assert_eq!(rank(vec![1, 2, 3]), 2);
        assert_eq!(rank(vec![6, 5, 3, 8]), 3);
    }

    #[test]
    fn hashed_owners_are_even() {
        let router = Router::<1>::new(7, 64, &[]);
        let mut loads = [0_usize; 7];
        for word in 0..70_000 {
            loads[router.owner(&Monomial::from_words([word]))] += 1;
        }
        assert!(
            loads.iter().all(|&n| (9_500..10_500).contains(&n)),
            "{loads:?}"
        );
    }
}
