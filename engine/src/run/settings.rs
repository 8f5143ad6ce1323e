//! What a user may choose about a run, and what the environment chooses.

use std::fmt;
use std::str::FromStr;

use crate::Mode;
use crate::group::{Partitions, Pinning, SettingError};
use crate::problem::Problem;

/// Which way a circuit is walked. The results have the same bits in every mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModeChoice {
    /// The one that suits the problem, judged by its lower threshold: a high one silences most terms, which are then only scaled, and
    /// that is cheapest gate by gate; else a window of gates at a time is faster. See [`ModeChoice::resolve`].
    #[default]
    Auto,
    /// This one.
    Exactly(Mode),
}

impl ModeChoice {
    /// What [`str::parse`] takes.
    pub const KNOWN: &'static str = "auto, gate, window";

    /// The mode in which this problem is run.
    pub fn resolve(self, problem: &Problem) -> Mode {
        let lower = problem
            .truncation()
            .and_then(|truncation| truncation.lower_atol);
        match self {
            ModeChoice::Exactly(mode) => mode,
            ModeChoice::Auto if lower >= Some(MOSTLY_SILENT) => Mode::Gate,
            ModeChoice::Auto => Mode::Window,
        }
    }
}

/// From this lower threshold on, problems are taken for ones in which most terms are silent. Measured on five circuits: Hubbard and kicked
/// Ising at 1e-4 were faster gate by gate; Hubbard at 1e-8, tilted Ising at 1e-6 and random generators without one were not.
const MOSTLY_SILENT: f64 = 1e-5;

impl FromStr for ModeChoice {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        match text {
            "auto" => Ok(ModeChoice::Auto),
            "gate" => Ok(ModeChoice::Exactly(Mode::Gate)),
            "window" => Ok(ModeChoice::Exactly(Mode::Window)),
            _ => Err(SettingError::unknown("mode", text, Self::KNOWN)),
        }
    }
}

impl fmt::Display for ModeChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ModeChoice::Auto => "auto",
            ModeChoice::Exactly(mode) => mode.name(),
        })
    }
}

/// How a problem is run. None of it changes a bit of the results.
///
/// # Examples
/// ```
/// use phalanx_engine::run::Settings;
///
/// let mut settings = Settings::from_env()?;
/// settings.partitions = "2".parse()?;
/// # Ok::<(), phalanx_engine::group::SettingError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// How many partitions; `PHALANX_PARTITIONS`.
    pub partitions: Partitions,
    /// How the circuit is walked; `PHALANX_MODE`.
    pub mode: ModeChoice,
    /// Whether the threads are pinned; `PHALANX_PINNING`.
    pub pinning: Pinning,
}

impl Settings {
    /// The settings that the environment asks for, defaults for the others.
    ///
    /// # Errors
    /// [`SettingError::Unknown`] for a value that means nothing: it names the variable and what it takes.
    pub fn from_env() -> Result<Self, SettingError> {
        Ok(Settings {
            partitions: variable("PHALANX_PARTITIONS", Partitions::KNOWN)?,
            mode: variable("PHALANX_MODE", ModeChoice::KNOWN)?,
            pinning: variable("PHALANX_PINNING", Pinning::KNOWN)?,
        })
    }
}

/// The value of a variable, the default where it is not set.
fn variable<T: FromStr + Default>(name: &str, known: &str) -> Result<T, SettingError> {
    let Some(value) = std::env::var_os(name) else {
        return Ok(T::default());
    };
    let value = value.to_string_lossy();
    value
        .parse()
        .map_err(|_| SettingError::unknown(name, value, known))
}

#[cfg(test)]
mod tests {
    use super::ModeChoice;
    use crate::Mode;
    use crate::problem::{Basis, Measure, Problem, Truncation};

    #[test]
    fn the_lower_threshold_chooses_between_the_modes() {
        let resolve = |choice: ModeChoice, lower: Option<f64>| {
            let mut truncation = Truncation::new(Measure::Support, 4);
            truncation.lower_atol = lower;
            let problem = Problem::builder(Basis::Pauli, 1).truncation(truncation);
            choice.resolve(&problem.build().unwrap())
        };
        assert_eq!(resolve(ModeChoice::Auto, Some(1e-4)), Mode::Gate);
        assert_eq!(resolve(ModeChoice::Auto, Some(1e-6)), Mode::Window);
        assert_eq!(resolve(ModeChoice::Auto, None), Mode::Window);
        assert_eq!(resolve(ModeChoice::Exactly(Mode::Gate), None), Mode::Gate);
    }

    #[test]
    fn a_mode_reads_back_as_it_is_shown_and_others_are_refused_with_the_list() {
        for name in ModeChoice::KNOWN.split(", ") {
            assert_eq!(name.parse::<ModeChoice>().unwrap().to_string(), name);
        }
        let message = "windows".parse::<ModeChoice>().unwrap_err().to_string();
        assert!(
            message.contains("`windows`") && message.contains(ModeChoice::KNOWN),
            "{message}"
        );
    }
}
