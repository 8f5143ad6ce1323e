//! What a user may choose about a run, and what the environment chooses.

use std::fmt;
use std::str::FromStr;

use crate::group::{Partitions, Pinning, SettingError};

/// How a circuit is walked. The results have the same bits in every mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// The one that suits the problem.
    #[default]
    Auto,
    /// Gate by gate.
    Gate,
}

impl Mode {
    /// What [`str::parse`] takes.
    pub const KNOWN: &'static str = "auto, gate";
}

impl FromStr for Mode {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        match text {
            "auto" => Ok(Mode::Auto),
            "gate" => Ok(Mode::Gate),
            _ => Err(SettingError::unknown("mode", text, Self::KNOWN)),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Auto => "auto",
            Mode::Gate => "gate",
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
    pub mode: Mode,
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
            mode: variable("PHALANX_MODE", Mode::KNOWN)?,
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
    use super::Mode;

    #[test]
    fn a_mode_reads_back_as_it_is_shown_and_others_are_refused_with_the_list() {
        for mode in [Mode::Auto, Mode::Gate] {
            assert_eq!(mode.to_string().parse::<Mode>().unwrap(), mode);
            assert!(Mode::KNOWN.contains(&mode.to_string()));
        }
        let message = "windows".parse::<Mode>().unwrap_err().to_string();
        assert!(
            message.contains("`windows`") && message.contains(Mode::KNOWN),
            "{message}"
        );
    }
}
