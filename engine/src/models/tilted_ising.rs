//! The Ising model in a tilted field.

use super::error::finite;
use super::{Lattice, ModelError};
use crate::problem::{Basis, Measure, Problem, Truncation};

/// Trotter steps of the Ising model in a field along z and x, from |0...0>, observing Z Z of one pair of qubits.
///
/// H = (J sum Z_a Z_b + h_z sum Z_q + h_x sum X_q) / 2. One step is exp(-i dt h) for each piece h of H in turn: the edges in order, then Z on each qubit, then X. Each piece
/// has a parameter of its own, its coupling times dt, and the generator carries the -1/2.
#[derive(Clone, Debug, PartialEq)]
pub struct TiltedIsing {
    /// Where the qubits are.
    pub lattice: Lattice,
    /// J
    pub coupling: f64,
    /// h_z
    pub z_field: f64,
    /// h_x
    pub x_field: f64,
    /// The time step.
    pub dt: f64,
    /// The number of steps.
    pub steps: u64,
    /// The two qubits whose Z Z is observed, the lower one first.
    pub observed_pair: (u32, u32),
    /// What a run may drop.
    pub truncation: Option<Truncation>,
}

impl TiltedIsing {
    /// A grid: J = 1.5, h_z = h_x = 1, dt = 0.05, 16 steps, no weight cutoff, lower threshold 1e-6.
    /// Observes the pair in the middle: in row `rows / 2`, the columns left and right of the middle; in a single column, the rows above and below it.
    pub fn grid(columns: u32, rows: u32) -> Self {
        // Dimensions that overflow are refused in any case.
        let (row, column) = (rows / 2, columns / 2);
        let observed_pair = if columns > 1 {
            let right = row.saturating_mul(columns).saturating_add(column);
            (right.saturating_sub(1), right)
        } else {
            (row.saturating_sub(1), row)
        };
        let sites = columns.saturating_mul(rows);
        TiltedIsing {
            lattice: Lattice::Grid { columns, rows },
            coupling: 1.5,
            z_field: 1.0,
            x_field: 1.0,
            dt: 0.05,
            steps: 16,
            observed_pair,
            truncation: Some(Truncation::new(Measure::Support, sites.into()).with_lower_atol(1e-6)),
        }
    }

    /// The problem, named `tilted_ising_COLUMNSxROWS` on a grid and `tilted_ising_QUBITS` elsewhere.
    ///
    /// # Errors
    /// Those of [`Lattice::edges`], [`ModelError::Edge`] if the observed pair is none, [`ModelError::NotFinite`], and whatever is wrong with the truncation.
    pub fn problem(&self) -> Result<Problem, ModelError> {
        let n_sites = self.lattice.n_sites()?;
        let edges = self.lattice.edges()?;
        let (a, b) = self.observed_pair;
        if a >= b || b >= n_sites {
            return Err(ModelError::Edge { a, b, n_sites });
        }
        finite("coupling", self.coupling)?;
        finite("z_field", self.z_field)?;
        finite("x_field", self.x_field)?;
        finite("dt", self.dt)?;

        let name = match self.lattice {
            Lattice::Grid { columns, rows } => format!("tilted_ising_{columns}x{rows}"),
            _ => format!("tilted_ising_{n_sites}"),
        };
        let z_z = |a: u32, b: u32| [2 * a, 2 * a + 1, 2 * b, 2 * b + 1];
        let mut builder = Problem::builder(Basis::Pauli, n_sites)
            .name(name)
            .observe(z_z(a, b), 1.0)
            .repeat(self.steps);
        if let Some(truncation) = &self.truncation {
            builder = builder.truncation(truncation.clone());
        }
        for (a, b) in edges {
            builder = builder.gate(self.coupling * self.dt, [(z_z(a, b), -0.5)]);
        }
        for q in 0..n_sites {
            builder = builder.gate(self.z_field * self.dt, [([2 * q, 2 * q + 1], -0.5)]);
        }
        for q in 0..n_sites {
            builder = builder.gate(self.x_field * self.dt, [([2 * q], -0.5)]);
        }
        Ok(builder.build()?)
    }
}
