//! Propagation: one participant's share of an operator, pushed through a circuit.
//!
//! - `circuit`: the problem, prepared for one width of monomials.
//! - `readout`: how an operator starts, and what is read off it; `rule`: what one gate does to one pair.
//! - `gate`: gate by gate; `window`: hundreds of gates at a time, in cache. Both give the same bits.

mod circuit;
mod counts;
mod gate;
mod readout;
mod records;
mod rule;
mod window;

use std::sync::atomic::AtomicBool;

use phalanx_shmcomm::Communicator;

use crate::algebra::{Algebra, Majorana, Pauli};
use crate::error::EngineError;
use crate::problem::{Basis, Problem};
pub use counts::Counts;
use gate::GateWalk;
use window::WindowWalk;

/// How a circuit is walked. Both ways give the same terms and the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Gate by gate, over an indexed operator.
    Gate,
    /// A window of gates at a time, bucket by bucket, in cache.
    Window,
}

impl Mode {
    /// Its name in settings and reports.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Gate => "gate",
            Mode::Window => "window",
        }
    }
}

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
/// use phalanx_engine::{Mode, Propagator, problem::{Basis, Problem}};
/// use phalanx_shmcomm::{Team, team};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Z under exp(+i 0.5 X): cos 1 Z + ...
/// let problem = Problem::builder(Basis::Pauli, 1).observe([0, 1], 1.0).gate(0.5, [([0], 1.0)]).build()?;
/// let (mut comm, stop) = (team(Team::flat(1)).remove(0), AtomicBool::new(false));
/// let mut propagator = Propagator::new(&problem, Mode::Window, &mut comm, &stop)?;
/// propagator.apply_circuit(&mut |_| {})?;
/// assert_eq!(propagator.num_terms()?, 2);
/// assert_eq!(propagator.expectation()?, 1_f64.cos());
/// # Ok(())
/// # }
/// ```
pub struct Propagator<'w, C: Communicator> {
    walk: Box<dyn Walk + 'w>,
    mode: Mode,
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
    fn counts(&self) -> Counts;
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
        mode: Mode,
        comm: &'w mut C,
        stop: &'w AtomicBool,
    ) -> Result<Self, EngineError> {
        let walk = match problem.basis() {
            Basis::Majorana => walk_for::<Majorana, C>(problem, mode, comm, stop),
            Basis::Pauli => walk_for::<Pauli, C>(problem, mode, comm, stop),
        }?;
        Ok(Propagator {
            walk,
            mode,
            marker: std::marker::PhantomData,
        })
    }

    /// Applies the problem's circuit once, whatever its `repeat`, and calls `progress` now and then: after each rotation, or after each window.
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
    /// [`EngineError::Overflow`], for everybody, if a coefficient is no longer finite; [`EngineError::Comm`].
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

    /// What this participant has done so far, in numbers.
    pub fn counts(&self) -> Counts {
        self.walk.counts()
    }

    /// How the circuit is walked.
    pub fn mode(&self) -> Mode {
        self.mode
    }
}

/// What the partitions of a rank share is counted on the first of them.
fn shared_bytes<C: Communicator>(comm: &C, bytes: usize) -> usize {
    if comm.layout().partition.0 == 0 {
        bytes
    } else {
        0
    }
}

/// Picks the width: the smallest compiled one that has room for the problem's slots.
fn walk_for<'w, A: Algebra, C: Communicator>(
    problem: &Problem,
    mode: Mode,
    comm: &'w mut C,
    stop: &'w AtomicBool,
) -> Result<Box<dyn Walk + 'w>, EngineError> {
    macro_rules! widths {
        ($($width:literal)*) => {
            match problem.num_slots() as usize {
                $(slots if slots <= 64 * $width => walk::<A, C, $width>(problem, mode, comm, stop),)*
                // `MAX_MODES` is what the last width holds.
                _ => walk::<A, C, 128>(problem, mode, comm, stop),
            }
        };
    }
    widths!(1 2 4 8 32)
}

fn walk<'w, A: Algebra, C: Communicator, const W: usize>(
    problem: &Problem,
    mode: Mode,
    comm: &'w mut C,
    stop: &'w AtomicBool,
) -> Result<Box<dyn Walk + 'w>, EngineError> {
    Ok(match mode {
        Mode::Gate => Box::new(GateWalk::<A, C, W>::new(problem, comm, stop)?),
        Mode::Window => Box::new(WindowWalk::<A, C, W>::new(problem, comm, stop)?),
    })
}
