//! The kicked Ising model.

use std::f64::consts::{FRAC_PI_4, FRAC_PI_8};

use super::error::{finite, in_range};
use super::{Lattice, ModelError};
use crate::problem::{Basis, Measure, Problem, Truncation};

/// Kicks of X on all qubits, then of ZZ on all edges, from |0...0>, observing Z of one qubit.
///
/// One step is exp(-i x_angle X_q) for each qubit q in order, then exp(-i zz_angle Z_a Z_b) for each edge in order. Each gate has a parameter of its own, which is
/// the negative of its angle.
#[derive(Clone, Debug, PartialEq)]
pub struct KickedIsing {
    /// Where the qubits are.
    pub lattice: Lattice,
    /// The angle of the X kicks.
    pub x_angle: f64,
    /// The angle of the ZZ kicks.
    pub zz_angle: f64,
    /// The number of steps.
    pub steps: u64,
    /// The qubit whose Z is observed.
    pub observed_qubit: u32,
    /// What a run may drop.
    pub truncation: Option<Truncation>,
}

impl KickedIsing {
    /// The 127 qubits of an Eagle processor in 20 steps: X angle pi/8, ZZ angle pi/4, observing qubit 62; weights of up to 8, lower threshold 1e-4.
    pub fn eagle() -> Self {
        let mut eagle = KickedIsing::on(
            Lattice::HeavyHex {
                columns: 15,
                rows: 7,
            },
            62,
        );
        eagle.steps = 20;
        eagle.truncation = Some(Truncation::new(Measure::Support, 8).with_lower_atol(1e-4));
        eagle
    }

    /// Any lattice: X angle pi/8, ZZ angle pi/4, one step, nothing dropped.
    pub fn on(lattice: Lattice, observed_qubit: u32) -> Self {
        KickedIsing {
            lattice,
            x_angle: FRAC_PI_8,
            zz_angle: FRAC_PI_4,
            steps: 1,
            observed_qubit,
            truncation: None,
        }
    }

    /// The problem, named `kicked_ising_QUBITS`.
    ///
    /// # Errors
    /// Those of [`Lattice::edges`], [`ModelError::OutOfRange`] for an observed qubit that is not there, [`ModelError::NotFinite`], and whatever is wrong with the truncation.
    pub fn problem(&self) -> Result<Problem, ModelError> {
        let n_sites = self.lattice.n_sites()?;
        let edges = self.lattice.edges()?;
        in_range(
            "observed_qubit",
            self.observed_qubit.into(),
            0,
            u64::from(n_sites) - 1,
        )?;
        finite("x_angle", self.x_angle)?;
        finite("zz_angle", self.zz_angle)?;

        let z = 2 * self.observed_qubit;
        let mut builder = Problem::builder(Basis::Pauli, n_sites)
            .name(format!("kicked_ising_{n_sites}"))
            .observe([z, z + 1], 1.0)
            .repeat(self.steps);
        if let Some(truncation) = &self.truncation {
            builder = builder.truncation(truncation.clone());
        }
        for site in 0..n_sites {
            builder = builder.gate(-self.x_angle, [([2 * site], 1.0)]);
        }
        for (a, b) in edges {
            builder = builder.gate(
                -self.zz_angle,
                [([2 * a, 2 * a + 1, 2 * b, 2 * b + 1], 1.0)],
            );
        }
        Ok(builder.build()?)
    }
}
