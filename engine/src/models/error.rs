//! What can be wrong with the parameters of a model.

use crate::problem::ProblemError;

/// Parameters that make no circuit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A count or an index outside its range.
    #[error("{parameter} is {found}; it goes from {from} to {to}")]
    OutOfRange {
        /// The name of the parameter.
        parameter: &'static str,
        /// Its value.
        found: u64,
        /// The smallest value.
        from: u64,
        /// The largest value.
        to: u64,
    },
    /// A number that is infinite or no number.
    #[error("{parameter} is {found}; it must be a finite number")]
    NotFinite {
        /// The name of the parameter.
        parameter: &'static str,
        /// Its value.
        found: f64,
    },
    /// Columns of a heavy-hexagon lattice that do not close the hexagons.
    #[error("columns is {found}; a heavy-hexagon lattice has 4k + 3 columns: 3, 7, 11, 15, ...")]
    HeavyHexColumns {
        /// The number of columns.
        found: u32,
    },
    /// An edge that does not join two sites, lower one first.
    #[error(
        "edge ({a}, {b}) is none; an edge joins two of the {n_sites} sites, counted from 0, the lower one first"
    )]
    Edge {
        /// The first site.
        a: u32,
        /// The second site.
        b: u32,
        /// The number of sites.
        n_sites: u32,
    },
    /// What the parameters make is not a valid problem, for example by its truncation.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Checks an integer parameter.
pub(super) fn in_range(
    parameter: &'static str,
    found: u64,
    from: u64,
    to: u64,
) -> Result<(), ModelError> {
    if (from..=to).contains(&found) {
        Ok(())
    } else {
        Err(ModelError::OutOfRange {
            parameter,
            found,
            from,
            to,
        })
    }
}

/// Checks a real parameter.
pub(super) fn finite(parameter: &'static str, found: f64) -> Result<(), ModelError> {
    if found.is_finite() {
        Ok(())
    } else {
        Err(ModelError::NotFinite { parameter, found })
    }
}
