//! Random generators.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

use super::ModelError;
use super::error::{finite, in_range};
use crate::problem::{Basis, MAX_MODES, Measure, Problem, Truncation};

/// Random monomials, as generators of the gates and as observable: no structure at all, so that terms only ever spread.
///
/// Each monomial has `body` factors: in the Majorana basis that many different slots, in the Pauli basis that many different qubits with a letter each. Coefficients
/// are close to normally distributed with mean 0 and variance 1, parameters likewise with standard deviation `spread`. Each gate is one monomial.
///
/// The same parameters and seed give the same problem for ever, on every machine: the numbers come from PCG XSL RR 128/64, a generator fixed by its definition, and
/// are made into coefficients by additions alone.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomGenerators {
    /// The algebra.
    pub basis: Basis,
    /// The number of modes or qubits.
    pub num_modes: u32,
    /// How many monomials are drawn for the observable. Equal ones are added up.
    pub n_terms: u32,
    /// The number of gates.
    pub n_gates: u32,
    /// The factors of each monomial, at least 1.
    pub body: u32,
    /// The standard deviation of the parameters.
    pub spread: f64,
    /// Where the stream of random numbers starts.
    pub seed: u64,
    /// What a run may drop.
    pub truncation: Option<Truncation>,
}

impl RandomGenerators {
    /// Four-body Majorana monomials: 10,000 in the observable, 100 gates, parameters of 0.1, monomials of up to 6 slots.
    pub fn majorana(num_modes: u32, seed: u64) -> Self {
        RandomGenerators {
            basis: Basis::Majorana,
            num_modes,
            n_terms: 10_000,
            n_gates: 100,
            body: 4,
            spread: 0.1,
            seed,
            truncation: Some(Truncation::new(Measure::Length, 6)),
        }
    }

    /// The same with Pauli strings on four qubits, and weights of up to 6.
    pub fn pauli(num_modes: u32, seed: u64) -> Self {
        RandomGenerators {
            basis: Basis::Pauli,
            truncation: Some(Truncation::new(Measure::Support, 6)),
            ..RandomGenerators::majorana(num_modes, seed)
        }
    }

    /// The problem, named `random_MODES`.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a number of modes that is not supported or monomials with more factors than there are, [`ModelError::NotFinite`], and whatever is wrong with
    /// the truncation.
    pub fn problem(&self) -> Result<Problem, ModelError> {
        in_range("num_modes", self.num_modes.into(), 1, MAX_MODES.into())?;
        in_range("body", self.body.into(), 1, self.places().into())?;
        in_range("n_terms", self.n_terms.into(), 0, MAX_COUNT)?;
        in_range("n_gates", self.n_gates.into(), 0, MAX_COUNT)?;
        finite("spread", self.spread)?;

        let mut draw = Draw::new(self.seed);
        let mut builder =
            Problem::builder(self.basis, self.num_modes).name(format!("random_{}", self.num_modes));
        if let Some(truncation) = &self.truncation {
            builder = builder.truncation(truncation.clone());
        }
        for _ in 0..self.n_terms {
            builder = builder.observe(self.monomial(&mut draw), draw.normal());
        }
        for _ in 0..self.n_gates {
            let term = (self.monomial(&mut draw), draw.normal());
            builder = builder.gate(self.spread * draw.normal(), [term]);
        }
        Ok(builder.build()?)
    }

    /// Slots or qubits: what the factors of a monomial are drawn from.
    fn places(&self) -> u32 {
        match self.basis {
            Basis::Majorana => 2 * self.num_modes,
            Basis::Pauli => self.num_modes,
        }
    }

    fn monomial(&self, draw: &mut Draw) -> Vec<u32> {
        let places = draw.subset(self.places(), self.body);
        match self.basis {
            Basis::Majorana => places,
            Basis::Pauli => {
                let letters: [&[u32]; 3] = [&[0], &[1], &[0, 1]];
                let slots = places.into_iter().flat_map(|q| {
                    let letter = letters[draw.below(3) as usize];
                    letter.iter().map(move |half| 2 * q + half)
                });
                slots.collect()
            }
        }
    }
}

/// The most monomials or gates: what a problem file can hold.
const MAX_COUNT: u64 = 10_000_000;

/// The stream of random numbers and what is made of it.
struct Draw(Pcg64);

impl Draw {
    fn new(seed: u64) -> Self {
        // The default stream of the generator.
        Draw(Pcg64::new(
            seed.into(),
            0x0A02_BDBF_7BB3_C0A7_AC28_FA16_A64A_BF96,
        ))
    }

    /// A whole number below `end`, by the high half of a product: off from uniform by less than end / 2^64.
    fn below(&mut self, end: u32) -> u32 {
        let product = u128::from(self.0.next_u64()) * u128::from(end);
        (product >> 64) as u32
    }

    /// `size` different numbers below `end`, ascending. Floyd's algorithm: one draw for each.
    fn subset(&mut self, end: u32, size: u32) -> Vec<u32> {
        let mut chosen = std::collections::BTreeSet::new();
        for top in end - size..end {
            let candidate = self.below(top + 1);
            if !chosen.insert(candidate) {
                chosen.insert(top);
            }
        }
        chosen.into_iter().collect()
    }

    /// Close to a standard normal number: the sum of twelve uniform ones less six. No logarithm or cosine, whose last bits depend on the machine.
    fn normal(&mut self) -> f64 {
        const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;
        let uniform = (0..12).map(|_| (self.0.next_u64() >> 11) as f64 * UNIT);
        uniform.sum::<f64>() - 6.0
    }
}
