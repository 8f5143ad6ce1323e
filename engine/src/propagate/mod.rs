//! Propagation: one participant's share of an operator, pushed through a circuit.
//!
//! - [`circuit`]: the problem, prepared for one width of monomials.
//! - [`share`]: the operator's rows that this participant owns, how they start, and what is read off them.
//! - [`gate`]: gate by gate.

mod circuit;
mod gate;
mod share;

use std::sync::atomic::AtomicBool;

use phalanx_shmcomm::Communicator;

use crate::algebra::{Algebra, Majorana, Pauli};
use crate::error::EngineError;
use crate::problem::{Basis, Problem};
use gate::GateWalk;

/// How far a walk through the circuit has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GateProgress {
    /// Rotations that are done in this application of the circuit.
    pub gates_done: usize,
    /// Rotations of one application of the circuit.
    pub gates: usize,
    /// Terms that this participant holds now.
    pub local_terms: u64,
}

/// One participant's share of a propagation.
///
/// Made and driven on the participant's own thread, so that its memory is near it.
///
/// # Collective
/// All participants make one from equal problems and call the methods that return a `Result` in the same order. After an
/// error the world is dead.
///
/// # Examples
/// ```
/// use std::sync::atomic::AtomicBool;
/// use phalanx_engine::{Propagator, problem::{Basis, Problem}};
/// use phalanx_shmcomm::{Team, team};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Z under exp(+i 0.5 X): cos 1 Z + ...
/// let problem = Problem::builder(Basis::Pauli, 1).observe([0, 1], 1.0).gate(0.5, [([0], 1.0)]).build()?;
/// let (mut comm, stop) = (team(Team::flat(1)).remove(0), AtomicBool::new(false));
/// let mut propagator = Propagator::new(&problem, &mut comm, &stop)?;
/// propagator.apply_circuit(&mut |_| {})?;
/// assert_eq!(propagator.num_terms()?, 2);
/// assert_eq!(propagator.expectation()?, 1_f64.cos());
/// # Ok(())
/// # }
/// ```
pub struct Propagator<'w, C: Communicator> {
    walk: Box<dyn Walk + 'w>,
    marker: std::marker::PhantomData<&'w mut C>,
}

/// What a walk does, whatever its algebra and width.
trait Walk {
    fn apply_circuit(&mut self, progress: &mut dyn FnMut(GateProgress)) -> Result<(), EngineError>;
    fn local_terms(&self) -> u64;
    fn num_terms(&mut self) -> Result<u64, EngineError>;
    fn expectation(&mut self) -> Result<f64, EngineError>;
    fn checksum(&mut self) -> Result<u64, EngineError>;
    fn operator_bytes(&self) -> u64;
    fn for_each_term(&self, f: &mut dyn FnMut(&[u32], f64));
}

impl<'w, C: Communicator> Propagator<'w, C> {
    /// Builds this participant's share of the initial operator (Heisenberg: the observable; Schroedinger: the state).
    ///
    /// `stop` is looked at again and again; once it is true, the walk ends with [`EngineError::Interrupted`].
    ///
    /// # Errors
    /// [`EngineError::Comm`] if a verb fails, [`EngineError::Capacity`] if there are too many terms.
    ///
    /// # Collective
    /// By all participants, with equal problems.
    pub fn new(
        problem: &Problem,
        comm: &'w mut C,
        stop: &'w AtomicBool,
    ) -> Result<Self, EngineError> {
        let walk = match problem.basis() {
            Basis::Majorana => walk_for::<Majorana, C>(problem, comm, stop),
            Basis::Pauli => walk_for::<Pauli, C>(problem, comm, stop),
        }?;
        Ok(Propagator {
            walk,
            marker: std::marker::PhantomData,
        })
    }

    /// Applies the problem's circuit once, whatever its `repeat`, and calls `progress` after each rotation.
    ///
    /// # Errors
    /// [`EngineError::Interrupted`], [`EngineError::Capacity`], or [`EngineError::Comm`].
    pub fn apply_circuit(
        &mut self,
        progress: &mut dyn FnMut(GateProgress),
    ) -> Result<(), EngineError> {
        self.walk.apply_circuit(progress)
    }

    /// How many terms this participant holds.
    pub fn local_terms(&self) -> u64 {
        self.walk.local_terms()
    }

    /// How many terms the operator has.
    ///
    /// # Errors
    /// [`EngineError::Comm`].
    pub fn num_terms(&mut self) -> Result<u64, EngineError> {
        self.walk.num_terms()
    }

    /// The expectation value, summed exactly and rounded once: the same bits for any layout.
    ///
    /// # Errors
    /// [`EngineError::Comm`].
    pub fn expectation(&mut self) -> Result<f64, EngineError> {
        self.walk.expectation()
    }

    /// A checksum of the stored terms and the bits of their coefficients, the same for any layout; -0.0 counts as +0.0.
    ///
    /// # Errors
    /// [`EngineError::Comm`].
    pub fn checksum(&mut self) -> Result<u64, EngineError> {
        self.walk.checksum()
    }

    /// The bytes that this participant's share of the operator keeps between gates, scratch included.
    pub fn operator_bytes(&self) -> u64 {
        self.walk.operator_bytes()
    }

    /// Calls `f` with the slots, ascending, and the coefficient of each term that this participant holds, in no particular order.
    pub fn for_each_term(&self, f: &mut dyn FnMut(&[u32], f64)) {
        self.walk.for_each_term(f);
    }

    /// How the circuit is walked.
    pub fn mode(&self) -> &'static str {
        "gate"
    }
}

/// Picks the width: the smallest compiled one that has room for the problem's slots.
fn walk_for<'w, A: Algebra, C: Communicator>(
    problem: &Problem,
    comm: &'w mut C,
    stop: &'w AtomicBool,
) -> Result<Box<dyn Walk + 'w>, EngineError> {
    macro_rules! widths {
        ($($width:literal)*) => {
            match problem.num_slots() as usize {
                $(slots if slots <= 64 * $width => Box::new(GateWalk::<A, C, $width>::new(problem, comm, stop)?),)*
                // `MAX_MODES` is what the last width holds.
                _ => Box::new(GateWalk::<A, C, 128>::new(problem, comm, stop)?),
            }
        };
    }
    Ok(widths!(1 2 4 8 32))
}
