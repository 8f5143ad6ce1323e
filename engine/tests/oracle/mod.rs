//! A slow, plain oracle of operator propagation: a hash map from monomials to coefficients, and the rules written down one after the other.
//!
//! It uses nothing of the engine but the accessors of `Problem`. What the engine does cleverly, this does obviously; where both agree, to the bit, both are right or both
//! follow the same wrong rule, and against the latter there are dense matrices in [`dense`].

// Each test binary uses a part of it.
#![allow(dead_code)]

pub(crate) mod dense;
mod monomial;
pub(crate) mod random;

use std::collections::{BTreeMap, HashMap, HashSet};

use phalanx_engine::problem::{Basis, Measure, Picture, Problem, Rotation, Truncation};

use monomial::sigma;
pub(crate) use monomial::{Key, anticommute};

/// What a run gives.
#[derive(Debug)]
pub(crate) struct Run {
    /// The number of stored terms after each repeat.
    pub(crate) num_terms: Vec<usize>,
    /// The expectation value after each repeat.
    pub(crate) expectation: Vec<f64>,
    /// The stored terms at the end, by ascending slot lists.
    pub(crate) operator: BTreeMap<Vec<u32>, f64>,
    /// The order-independent checksum of the stored terms.
    pub(crate) checksum: u64,
}

/// Propagates a problem.
pub(crate) fn run(problem: &Problem) -> Run {
    let oracle = Oracle::new(problem);
    let mut operator = oracle.initial_operator();
    let (mut num_terms, mut expectation) = (Vec::new(), Vec::new());
    for _ in 0..problem.repeat() {
        if oracle.schrodinger {
            problem
                .rotations()
                .for_each(|gate| oracle.rotate(&mut operator, gate));
        } else {
            problem
                .rotations()
                .rev()
                .for_each(|gate| oracle.rotate(&mut operator, gate));
        }
        num_terms.push(operator.len());
        expectation.push(oracle.expectation(&operator));
    }
    Run {
        num_terms,
        expectation,
        checksum: checksum(&operator),
        operator: operator
            .into_iter()
            .map(|(key, c)| (key.slots(), c))
            .collect(),
    }
}

type Operator = HashMap<Key, f64>;

struct Oracle<'p> {
    problem: &'p Problem,
    basis: Basis,
    num_modes: u32,
    occupied: Key,
    truncation: Option<&'p Truncation>,
    schrodinger: bool,
}

impl<'p> Oracle<'p> {
    fn new(problem: &'p Problem) -> Self {
        let occupied: Vec<u32> = problem.initial_state().iter().map(|q| 2 * q).collect();
        Oracle {
            problem,
            basis: problem.basis(),
            num_modes: problem.num_modes(),
            occupied: Key::new(problem.num_modes(), &occupied),
            truncation: problem.truncation(),
            schrodinger: problem.picture() != Picture::Heisenberg,
        }
    }

    fn key(&self, slots: &[u32]) -> Key {
        Key::new(self.num_modes, slots)
    }

    /// The observable without its identity, or all paired monomials up to the cutoff of the state.
    fn initial_operator(&self) -> Operator {
        let Picture::Schrodinger { cutoff } = self.problem.picture() else {
            let terms = self.problem.observable().iter();
            return terms
                .map(|term| (self.key(&term.slots), term.coefficient))
                .collect();
        };
        let modes = u64::from(self.num_modes);
        let slots = match self.basis {
            Basis::Majorana => cutoff,
            Basis::Pauli => 2 * cutoff.min(modes),
        };
        let most_pairs = slots.min(2 * modes).div_ceil(2) as u32;
        // The oracle is for few modes: walk through all subsets.
        assert!(self.num_modes <= 16, "too many modes to list the subsets");
        let subsets = (0_u32..1 << self.num_modes).filter(|set| set.count_ones() <= most_pairs);
        let keys = subsets.map(|set| {
            let modes = (0..self.num_modes).filter(|q| set >> q & 1 == 1);
            self.key(&modes.flat_map(|q| [2 * q, 2 * q + 1]).collect::<Vec<u32>>())
        });
        keys.map(|key| (key.clone(), self.score(&key))).collect()
    }

    /// The value of a monomial in the product state.
    fn score(&self, key: &Key) -> f64 {
        if !key.is_paired() {
            return 0.0;
        }
        // Each pair is Z, up to the sign that the Hermitian Majorana monomial of p pairs carries: i^(p(2p-1)) (iZ)^p = (-1)^p Z..Z.
        let pairs = match self.basis {
            Basis::Majorana => key.len() / 2,
            Basis::Pauli => 0,
        };
        let minus = pairs + key.overlap(&self.occupied);
        if minus % 2 == 1 { -1.0 } else { 1.0 }
    }

    fn is_kept(&self, key: &Key) -> bool {
        let Some(truncation) = self.truncation else {
            return true;
        };
        let size = match truncation.measure {
            Measure::Length => key.len(),
            Measure::Support => key.support(),
        };
        key.is_paired() || u64::from(size) <= truncation.cutoff
    }

    /// Whether a term is short enough to be rotated.
    fn is_rotated(&self, key: &Key) -> bool {
        let cap = self
            .truncation
            .and_then(|truncation| truncation.max_rotated_length);
        cap.is_none_or(|cap| key.len() <= cap)
    }

    /// Whether a term, with this coefficient before the gate, emits its partner.
    fn emits(&self, key: &Key, coefficient: f64, partner: &Key, sin: f64) -> bool {
        let emission = sin.abs() * coefficient.abs();
        let lower = self.truncation.and_then(|truncation| truncation.lower_atol);
        let upper = self.truncation.and_then(|truncation| truncation.upper_atol);
        self.is_rotated(key)
            && lower.is_none_or(|lower| emission > lower)
            && (self.is_kept(partner) || upper.is_some_and(|upper| emission >= upper))
    }

    fn rotate(&self, operator: &mut Operator, gate: Rotation<'_>) {
        let generator = self.key(gate.slots);
        let (sin, cos) = ((2.0 * gate.angle).sin(), (2.0 * gate.angle).cos());
        let applied = if self.schrodinger { -sin } else { sin };

        let mut before: Operator = operator
            .iter()
            .filter(|(key, _)| anticommute(self.basis, key, &generator))
            .map(|(key, &coefficient)| (key.clone(), coefficient))
            .collect();
        let emitting: Vec<Key> = before
            .iter()
            .filter(|&(key, &coefficient)| {
                self.emits(key, coefficient, &key.product(&generator), sin)
            })
            .map(|(key, _)| key.clone())
            .collect();

        for key in before.keys().filter(|key| self.is_rotated(key)) {
            *operator.get_mut(key).unwrap() *= cos;
        }
        let mut joined = HashSet::new();
        for key in emitting {
            let partner = key.product(&generator);
            if !joined.insert(key.clone().min(partner.clone())) {
                continue;
            }
            if !before.contains_key(&partner) {
                let initial = if self.schrodinger {
                    self.score(&partner)
                } else {
                    0.0
                };
                before.insert(partner.clone(), initial);
                operator.insert(partner.clone(), cos * initial);
            }
            let sine = applied * sigma(self.basis, &key, &generator);
            *operator.get_mut(&partner).unwrap() += sine * before[&key];
            *operator.get_mut(&key).unwrap() -= sine * before[&partner];
        }
    }

    fn expectation(&self, operator: &Operator) -> f64 {
        let core = self.problem.core();
        if self.schrodinger {
            let terms = self.problem.observable().iter();
            core + terms
                .map(|term| term.coefficient * operator.get(&self.key(&term.slots)).unwrap_or(&0.0))
                .sum::<f64>()
        } else {
            core + operator
                .iter()
                .map(|(key, c)| c * self.score(key))
                .sum::<f64>()
        }
    }
}

/// The sum, modulo 2^64, of one hash for each term.
fn checksum(operator: &Operator) -> u64 {
    let mix = |mut z: u64| {
        z ^= z >> 30;
        z = z.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z ^= z >> 27;
        z = z.wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    };
    let hash = |(key, c): (&Key, &f64)| {
        let words = key.0.iter().copied().chain([(c + 0.0).to_bits()]);
        words.fold(0x9E37_79B9_7F4A_7C15, |x, word| mix(x ^ word))
    };
    operator.iter().map(hash).fold(0, u64::wrapping_add)
}
