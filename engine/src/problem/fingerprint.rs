//! One number for the whole content of a problem, so that ranks can agree that they hold the same one.

use super::{Basis, Measure, Picture, Problem, Term};

impl Problem {
    /// A 64-bit hash of everything that determines the result of a run, and of nothing else.
    ///
    /// The name is left out, and so is the order in which the observable lists its terms. -0.0 counts as +0.0. The value is the same on
    /// every machine and in every version that reads this format: lists are hashed behind their lengths, numbers as 64-bit words, each through
    /// x = mix(x xor word) with the mixing function of splitmix64.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Hash::new();
        hash.word(match self.basis {
            Basis::Majorana => 0,
            Basis::Pauli => 1,
        });
        hash.word(self.num_modes.into());
        hash.slots(&self.initial_state);
        hash.number(self.core);
        let mut observable: Vec<&Term> = self.observable.iter().collect();
        observable.sort_unstable_by(|a, b| a.slots.cmp(&b.slots));
        hash.length(observable.len());
        observable.into_iter().for_each(|term| hash.term(term));
        hash.length(self.gates.len());
        for gate in &self.gates {
            hash.length(gate.generator.len());
            gate.generator.iter().for_each(|term| hash.term(term));
            hash.length(gate.parameter);
        }
        hash.length(self.parameters.len());
        self.parameters.iter().for_each(|&value| hash.number(value));
        hash.word(self.repeat);
        if let Some(truncation) = &self.truncation {
            hash.word(match truncation.measure {
                Measure::Length => 1,
                Measure::Support => 2,
            });
            hash.word(truncation.cutoff);
            hash.option(truncation.lower_atol, Hash::number);
            hash.option(truncation.upper_atol, Hash::number);
            hash.option(truncation.max_rotated_length, |hash, cap| {
                hash.word(cap.into())
            });
        } else {
            hash.word(0);
        }
        match self.picture {
            Picture::Heisenberg => hash.word(0),
            Picture::Schrodinger { cutoff } => {
                hash.word(1);
                hash.word(cutoff);
            }
        }
        hash.0
    }
}

struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Hash(0x9E37_79B9_7F4A_7C15)
    }

    fn word(&mut self, word: u64) {
        let mut z = self.0 ^ word;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        self.0 = z ^ (z >> 31);
    }

    fn length(&mut self, length: usize) {
        self.word(length as u64);
    }

    fn number(&mut self, value: f64) {
        self.word((value + 0.0).to_bits());
    }

    fn slots(&mut self, slots: &[u32]) {
        self.length(slots.len());
        slots.iter().for_each(|&slot| self.word(slot.into()));
    }

    fn term(&mut self, term: &Term) {
        self.slots(&term.slots);
        self.number(term.coefficient);
    }

    fn option<T>(&mut self, value: Option<T>, write: impl Fn(&mut Self, T)) {
        match value {
            None => self.word(0),
            Some(value) => {
                self.word(1);
                write(self, value);
            }
        }
    }
}
