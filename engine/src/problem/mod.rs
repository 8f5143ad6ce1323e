//! Problems: what is simulated, validated once and for all.
//!
//! A [`Problem`] is a circuit, a product state, an observable, and what a run may drop. It comes from a file ([`Problem::load`]), from JSON text
//! ([`Problem::from_json`]), from [`ProblemBuilder`], or from one of the [`models`](crate::models). All ways lead through the same checks, so whoever
//! holds one may rely on what its accessors promise.
//!
//! **Signs.** A gate is exp(+i theta h M). Gates act on the state in the order listed. With i M_k M_G = sigma M_(k xor G) for an anticommuting pair, a
//! rotation by phi = theta h takes, in the Heisenberg picture and in both bases, c_k to cos(2 phi) c_k - sin(2 phi) sigma c_p, and c_p to
//! cos(2 phi) c_p + sin(2 phi) sigma c_k, where p = k xor G. The Schroedinger picture negates the sine.

mod basis;
mod builder;
mod check;
mod circuit;
mod commute;
mod error;
mod fingerprint;
mod load;
mod parse;
mod picture;
mod truncation;
mod write;

pub use basis::Basis;
pub use builder::ProblemBuilder;
pub use circuit::{Gate, Rotation, Term};
pub use error::{Fault, ProblemError};
pub use picture::Picture;
pub use truncation::{Measure, Truncation};

/// The `format` tag of problem files.
pub const FORMAT: &str = "phalanx-problem/1";
/// The most modes or qubits that a problem may have.
pub const MAX_MODES: u32 = 4096;
/// The most often that a circuit may be repeated.
pub const MAX_REPEAT: u64 = 1_000_000;
/// The most bytes that a problem file may have.
pub const MAX_FILE_BYTES: u64 = 1 << 30;
/// The most rows that the initial state of the Schroedinger picture may have.
pub const MAX_INITIAL_ROWS: u64 = u32::MAX as u64;
/// The most characters that a name may have.
pub const MAX_NAME_CHARS: usize = 200;

/// A validated problem.
///
/// # Examples
///
/// ```
/// use phalanx_engine::problem::{Basis, Problem};
///
/// # fn main() -> Result<(), phalanx_engine::problem::ProblemError> {
/// // Z on qubit 1 under exp(+i 0.3 X_1), then exp(+i 0.2 Z_0 Z_1), five times.
/// let problem = Problem::builder(Basis::Pauli, 2)
///     .observe([2, 3], 1.0)
///     .gate(0.3, [([2], 1.0)])
///     .gate(0.2, [([0, 1, 2, 3], 1.0)])
///     .repeat(5)
///     .build()?;
/// assert_eq!(problem.rotations().count(), 2);
/// assert_eq!(Problem::from_json(problem.to_json().as_bytes())?, problem);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    name: Option<String>,
    basis: Basis,
    num_modes: u32,
    initial_state: Vec<u32>,
    core: f64,
    observable: Vec<Term>,
    gates: Vec<Gate>,
    parameters: Vec<f64>,
    repeat: u64,
    truncation: Option<Truncation>,
    picture: Picture,
}

impl Problem {
    /// What the problem is called, if it has a name: one line of at most [`MAX_NAME_CHARS`] characters.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The algebra that slots refer to.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// The number of modes or qubits, from 1 to [`MAX_MODES`].
    pub fn num_modes(&self) -> u32 {
        self.num_modes
    }

    /// The number of slots, twice the number of modes.
    pub fn num_slots(&self) -> u32 {
        2 * self.num_modes
    }

    /// The occupied modes, or the qubits in |1>, ascending, each once.
    pub fn initial_state(&self) -> &[u32] {
        &self.initial_state
    }

    /// The coefficient of the identity in the observable; 0 where it has none.
    ///
    /// Its value is its own in any state. It is never rotated, and in the Heisenberg picture it is not among the terms that are counted.
    /// (In the Schroedinger picture the identity *of the state* is an ordinary row, with coefficient 1.)
    pub fn core(&self) -> f64 {
        self.core
    }

    /// The observable without its identity: distinct monomials in the order in which they were first listed.
    ///
    /// Equal monomials have been added up, in the order listed. One whose sum is zero is kept, with coefficient zero.
    pub fn observable(&self) -> &[Term] {
        &self.observable
    }

    /// The gates of one application of the circuit, in the order in which they act on the state.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The parameters that gates refer to. Not every parameter need be used.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// How many times the whole list of gates is applied, from 0 to [`MAX_REPEAT`].
    pub fn repeat(&self) -> u64 {
        self.repeat
    }

    /// What a run may drop; `None` keeps everything.
    pub fn truncation(&self) -> Option<&Truncation> {
        self.truncation.as_ref()
    }

    /// Which side is propagated.
    pub fn picture(&self) -> Picture {
        self.picture
    }

    /// The rotations of one application of the circuit, in the order in which they act on the state. The Heisenberg picture walks them with `rev()`.
    ///
    /// Identity terms of generators are left out: they are a global phase. All others are there, whatever their coefficient.
    pub fn rotations(&self) -> impl DoubleEndedIterator<Item = Rotation<'_>> + Clone {
        self.gates.iter().enumerate().flat_map(
            |(
                gate,
                Gate {
                    generator,
                    parameter,
                },
            )| {
                let theta = self.parameters[*parameter];
                let terms = generator.iter().filter(|term| !term.slots.is_empty());
                terms.map(move |term| Rotation {
                    slots: &term.slots,
                    angle: theta * term.coefficient,
                    coefficient: term.coefficient,
                    gate,
                    parameter: *parameter,
                })
            },
        )
    }

    /// The same problem under another name.
    ///
    /// # Errors
    /// [`Fault::Name`] if it is too long or has control characters.
    pub fn with_name(mut self, name: impl Into<String>) -> Result<Self, ProblemError> {
        let name = name.into();
        check::name(&name)?;
        self.name = Some(name);
        Ok(self)
    }

    /// The same circuit applied `repeat` times.
    ///
    /// # Errors
    /// [`Fault::Repeat`] beyond [`MAX_REPEAT`].
    pub fn with_repeat(mut self, repeat: u64) -> Result<Self, ProblemError> {
        check::repeat(repeat)?;
        self.repeat = repeat;
        Ok(self)
    }

    /// The same circuit at other parameters.
    ///
    /// # Errors
    /// [`Fault::NotFinite`] and [`Fault::AngleOverflows`] for values that give no finite angle, [`Fault::ParameterOutOfRange`] if a gate refers beyond the last one.
    pub fn with_parameters(mut self, parameters: Vec<f64>) -> Result<Self, ProblemError> {
        check::angles(&self.gates, &parameters)?;
        self.parameters = parameters;
        Ok(self)
    }

    /// The same problem with another truncation; `None` keeps everything.
    ///
    /// # Errors
    /// As for a problem file: [`Fault::LengthWithPauli`], [`Fault::Threshold`], [`Fault::UpperBelowLower`], [`Fault::MaxRotatedLength`].
    pub fn with_truncation(mut self, truncation: Option<Truncation>) -> Result<Self, ProblemError> {
        if let Some(truncation) = &truncation {
            check::truncation(self.basis, self.num_modes, truncation)?;
        }
        self.truncation = truncation;
        Ok(self)
    }

    /// The same problem in another picture.
    ///
    /// # Errors
    /// [`Fault::StateTooLarge`] if the initial state would have more than [`MAX_INITIAL_ROWS`] rows.
    pub fn with_picture(mut self, picture: Picture) -> Result<Self, ProblemError> {
        check::picture(self.basis, self.num_modes, picture)?;
        self.picture = picture;
        Ok(self)
    }
}
