//! Which side of the expectation value moves.

use super::Basis;

/// The picture in which a problem is propagated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Picture {
    /// The observable is propagated backwards through the circuit. The usual choice.
    Heisenberg,
    /// The state is propagated forwards through the circuit.
    Schrodinger {
        /// How much of the product state is there at the start, in slots (Majorana) or qubits (Pauli):
        /// all fully paired monomials of up to [`Picture::initial_pairs`] pairs.
        /// It bounds only this initial set; what gates make is bounded by the truncation.
        cutoff: u64,
    },
}

impl Picture {
    /// Every name that problem files know.
    pub const NAMES: &'static [&'static str] = &["heisenberg", "schrodinger"];

    /// The name used in problem files.
    pub fn name(self) -> &'static str {
        match self {
            Picture::Heisenberg => "heisenberg",
            Picture::Schrodinger { .. } => "schrodinger",
        }
    }

    /// The largest number of slot pairs {2q, 2q+1} in a monomial of the initial state: ceil(s/2), where s is the cutoff in slots, at most `num_modes`.
    /// `None` in the Heisenberg picture.
    pub fn initial_pairs(self, basis: Basis, num_modes: u32) -> Option<u32> {
        let Picture::Schrodinger { cutoff } = self else {
            return None;
        };
        let slots = match basis {
            Basis::Majorana => cutoff,
            Basis::Pauli => cutoff.saturating_mul(2),
        };
        let pairs = slots.min(2 * u64::from(num_modes)).div_ceil(2);
        // At most num_modes by the line above, so it fits.
        Some(u32::try_from(pairs).unwrap_or(num_modes))
    }

    /// The number of rows of the initial state, the identity included; saturates at `u64::MAX`. `None` in the Heisenberg picture.
    pub fn initial_rows(self, basis: Basis, num_modes: u32) -> Option<u64> {
        let pairs = u128::from(self.initial_pairs(basis, num_modes)?);
        let modes = u128::from(num_modes);
        let (mut rows, mut choices) = (1_u128, 1_u128);
        for k in 1..=pairs {
            // choices <= 2^64 and modes <= 2^32, so the product stays below 2^128.
            choices = choices * (modes - k + 1) / k;
            rows += choices;
            if rows > u128::from(u64::MAX) {
                return Some(u64::MAX);
            }
        }
        Some(u64::try_from(rows).unwrap_or(u64::MAX))
    }
}
