//! Problems from Rust: setters, then one `build` with the checks that files get.

use super::{Basis, Gate, Picture, Problem, ProblemError, Term, Truncation, check};

/// Collects what a [`Problem`] is made of. Nothing is checked before [`build`](Self::build).
///
/// # Examples
///
/// ```
/// use phalanx_engine::problem::{Basis, Measure, Problem, Truncation};
///
/// let problem = Problem::builder(Basis::Majorana, 2)
///     .name("hopping")
///     .initial_state([0])
///     .observe([], 0.5)
///     .observe([0, 1], 0.5)
///     .gate(0.1, [([0, 3], -0.5), ([1, 2], 0.5)])
///     .truncation(Truncation::new(Measure::Length, 4).with_lower_atol(1e-6))
///     .build();
/// assert!(problem.is_ok());
///
/// let error = Problem::builder(Basis::Majorana, 2).observe([4], 1.0).build().unwrap_err();
/// assert_eq!(error.to_string(), "observable[0]: slot 4 is out of range; slots go from 0 to 3");
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ProblemBuilder {
    pub(super) name: Option<String>,
    pub(super) basis: Basis,
    pub(super) num_modes: u32,
    pub(super) initial_state: Vec<u32>,
    pub(super) observable: Vec<Term>,
    pub(super) gates: Vec<Gate>,
    pub(super) parameters: Vec<f64>,
    pub(super) repeat: u64,
    pub(super) truncation: Option<Truncation>,
    pub(super) picture: Picture,
}

impl Problem {
    /// Starts a problem of `num_modes` modes or qubits: empty state, zero observable, empty circuit applied once, nothing dropped, Heisenberg picture.
    pub fn builder(basis: Basis, num_modes: u32) -> ProblemBuilder {
        ProblemBuilder {
            name: None,
            basis,
            num_modes,
            initial_state: Vec::new(),
            observable: Vec::new(),
            gates: Vec::new(),
            parameters: Vec::new(),
            repeat: 1,
            truncation: None,
            picture: Picture::Heisenberg,
        }
    }
}

impl ProblemBuilder {
    /// What the problem is called.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The occupied modes, or the qubits in |1>, in any order. Replaces what was given before.
    pub fn initial_state(mut self, occupied: impl Into<Vec<u32>>) -> Self {
        self.initial_state = occupied.into();
        self
    }

    /// Adds a term to the observable. Equal monomials are added up.
    pub fn observe(mut self, slots: impl Into<Vec<u32>>, coefficient: f64) -> Self {
        self.observable.push(Term::new(slots, coefficient));
        self
    }

    /// Appends a gate with a parameter of its own, `theta`.
    pub fn gate<T: Into<Term>>(self, theta: f64, generator: impl IntoIterator<Item = T>) -> Self {
        let parameter = self.parameters.len();
        self.parameter(theta).shared_gate(parameter, generator)
    }

    /// Appends a parameter without a gate. The first has index 0.
    pub fn parameter(mut self, theta: f64) -> Self {
        self.parameters.push(theta);
        self
    }

    /// Appends a gate that refers to the parameter of index `parameter`, which may be added before or after it.
    pub fn shared_gate<T: Into<Term>>(
        mut self,
        parameter: usize,
        generator: impl IntoIterator<Item = T>,
    ) -> Self {
        let generator = generator.into_iter().map(Into::into).collect();
        self.gates.push(Gate {
            generator,
            parameter,
        });
        self
    }

    /// How many times the whole circuit is applied. 1 if never called.
    pub fn repeat(mut self, repeat: u64) -> Self {
        self.repeat = repeat;
        self
    }

    /// What a run may drop.
    pub fn truncation(mut self, truncation: Truncation) -> Self {
        self.truncation = Some(truncation);
        self
    }

    /// Which side is propagated.
    pub fn picture(mut self, picture: Picture) -> Self {
        self.picture = picture;
        self
    }

    /// Checks everything and makes the problem.
    ///
    /// # Errors
    /// The first fault, in the order of the fields of a problem file, with the path that the field has there.
    pub fn build(self) -> Result<Problem, ProblemError> {
        if let Some(name) = &self.name {
            check::name(name)?;
        }
        check::num_modes(self.num_modes.into())?;
        let initial_state = check::initial_state(self.num_modes, self.initial_state)?;
        let (core, observable) = check::observable(self.num_modes, self.observable)?;
        check::gates(self.basis, self.num_modes, &self.gates)?;
        check::angles(&self.gates, &self.parameters)?;
        check::repeat(self.repeat)?;
        if let Some(truncation) = &self.truncation {
            check::truncation(self.basis, self.num_modes, truncation)?;
        }
        check::picture(self.basis, self.num_modes, self.picture)?;
        Ok(Problem {
            name: self.name,
            basis: self.basis,
            num_modes: self.num_modes,
            initial_state,
            core,
            observable,
            gates: self.gates,
            parameters: self.parameters,
            repeat: self.repeat,
            truncation: self.truncation,
            picture: self.picture,
        })
    }
}
