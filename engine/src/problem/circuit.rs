//! The circuit as the engine walks it: terms, gates, and one rotation at a time.

/// A Hermitian monomial with a real coefficient.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The slots of the monomial, strictly ascending. Empty for the identity.
    pub slots: Vec<u32>,
    /// Its coefficient.
    pub coefficient: f64,
}

impl Term {
    /// A term from its slots, strictly ascending, and its coefficient.
    pub fn new(slots: impl Into<Vec<u32>>, coefficient: f64) -> Self {
        Term {
            slots: slots.into(),
            coefficient,
        }
    }
}

impl<S: Into<Vec<u32>>> From<(S, f64)> for Term {
    fn from((slots, coefficient): (S, f64)) -> Self {
        Term::new(slots, coefficient)
    }
}

/// One gate: exp(+i theta h M) for each term h M of its generator, in the order listed. The terms commute pairwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The terms of the generator; identity terms are allowed and are a global phase.
    pub generator: Vec<Term>,
    /// Which entry of the problem's parameters is theta.
    pub parameter: usize,
}

/// One elementary rotation exp(+i angle M), the unit in which a circuit is walked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation<'a> {
    /// The slots of M, strictly ascending and never empty.
    pub slots: &'a [u32],
    /// theta * h, rounded once. An anticommuting pair mixes with the sine and cosine of twice this.
    pub angle: f64,
    /// h, the coefficient of M in its generator.
    pub coefficient: f64,
    /// The index of its gate in the circuit's list, where gates without a rotation also count.
    pub gate: usize,
    /// The index of theta in the problem's parameters.
    pub parameter: usize,
}
