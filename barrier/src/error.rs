//! What can be wrong with a setting.

/// A setting has a value that is none of the known ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// The spin budget is neither a number of microseconds in range nor the one word it may be.
    #[error(
        "PHALANX_SPIN_BUDGET_US is `{value}`: expected a whole number of microseconds from 0 to {most}, or `unlimited`"
    )]
    SpinBudget {
        /// What was found.
        value: String,
        /// The largest number that is taken.
        most: u64,
    },
    /// The grouping is not one of the two.
    #[error("PHALANX_BARRIER_GROUPING is `{value}`: expected `flat` or `grouped`")]
    Grouping {
        /// What was found.
        value: String,
    },
}
