//! Which algebra a problem is written in.

use std::fmt;

/// The operator basis of a problem: what its slots stand for.
///
/// N modes (or qubits) have 2N slots in either basis, and a monomial is a set of slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// Slot j is the Majorana operator m_j. A slot set stands for the Hermitian monomial
    /// i^(w(w-1)/2) m_i1 m_i2 ... m_iw over its w slots in ascending order.
    Majorana,
    /// Slots 2q and 2q+1 belong to qubit q: X = {2q}, Y = {2q+1}, Z = {2q, 2q+1}.
    /// A slot set stands for the plain Pauli string.
    Pauli,
}

impl Basis {
    /// Every name that [`Basis::from_name`] knows.
    pub const NAMES: &'static [&'static str] = &["majorana", "pauli"];

    /// The name used in problem files.
    pub fn name(self) -> &'static str {
        match self {
            Basis::Majorana => "majorana",
            Basis::Pauli => "pauli",
        }
    }

    /// The basis called `name` in problem files, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "majorana" => Some(Basis::Majorana),
            "pauli" => Some(Basis::Pauli),
            _ => None,
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
