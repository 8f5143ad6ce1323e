//! What a user may choose about a run, and what the environment chooses.

use std::fmt;
use std::str::FromStr;

use crate::Mode;
use crate::group::{Partitions, Pinning, SettingError};

/// Which way a circuit is walked. The results have the same bits in every mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModeChoice {
    /// Gate by gate, for now: it is the faster one on operators that fit a cache. Window by window takes half the memory, and
    /// less time on large operators; which one suits a problem is yet to be decided from what the walk sees.
    #[default]
    Auto,
    /// This one.
    Exactly(Mode),
}

impl ModeChoice {
    /// What [`str::parse`] takes.
    pub const KNOWN: &'static str = "auto, gate, window";

    /// The mode that is run.
    pub fn resolve(self) -> Mode {
        match self {
            ModeChoice::Auto => Mode::Gate,
            ModeChoice::Exactly(mode) => mode,
        }
    }
}

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
