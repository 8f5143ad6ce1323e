//! What a run drops: the structural cutoff, the thresholds and the length cap, as data.

use std::fmt;

/// How the size of a monomial is measured against [`Truncation::cutoff`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// The number of slots set. Majorana problems only.
    Length,
    /// The number of modes or qubits with any slot set; in the Pauli basis the Pauli weight.
    Support,
}

impl Measure {
    /// Every name that [`Measure::from_name`] knows.
    pub const NAMES: &'static [&'static str] = &["length", "support"];

    /// The name used in problem files.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Length => "length",
            Measure::Support => "support",
        }
    }

    /// The measure called `name` in problem files, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "length" => Some(Measure::Length),
            "support" => Some(Measure::Support),
            _ => None,
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is dropped when a gate makes new terms.
///
/// Truncation decides which terms *emit* their partner; nothing that is already stored is ever removed.
/// With a = |sin(2 phi)| |c|, where phi is the angle of the gate and c the coefficient of the source before it, the tests are, in this order:
///
/// 1. a source with more than [`max_rotated_length`](Self::max_rotated_length) slots neither emits nor is scaled;
/// 2. a source with a <= [`lower_atol`](Self::lower_atol) does not emit;
/// 3. a partner that is fully paired, or whose size is at most [`cutoff`](Self::cutoff), is kept;
/// 4. any other partner is kept only if a >= [`upper_atol`](Self::upper_atol).
#[derive(Clone, Debug, PartialEq)]
pub struct Truncation {
    /// What `cutoff` counts.
    pub measure: Measure,
    /// The largest size of a partner that is kept, in slots or in modes.
    pub cutoff: u64,
    /// At or below this emission a source is silent. At least 0.
    pub lower_atol: Option<f64>,
    /// At or above this emission a partner is kept whatever its size. At least `lower_atol`.
    pub upper_atol: Option<f64>,
    /// The longest monomial, in slots, that is rotated. From 1 to twice the number of modes.
    pub max_rotated_length: Option<u32>,
}

impl Truncation {
    /// A structural cutoff alone.
    pub fn new(measure: Measure, cutoff: u64) -> Self {
        Truncation {
            measure,
            cutoff,
            lower_atol: None,
            upper_atol: None,
            max_rotated_length: None,
        }
    }

    /// The same with a lower threshold.
    #[must_use]
    pub fn with_lower_atol(mut self, lower_atol: f64) -> Self {
        self.lower_atol = Some(lower_atol);
        self
    }

    /// The same with an upper threshold.
    #[must_use]
    pub fn with_upper_atol(mut self, upper_atol: f64) -> Self {
        self.upper_atol = Some(upper_atol);
        self
    }

    /// The same with a cap on the length of what is rotated.
    #[must_use]
    pub fn with_max_rotated_length(mut self, slots: u32) -> Self {
        self.max_rotated_length = Some(slots);
        self
    }
}
