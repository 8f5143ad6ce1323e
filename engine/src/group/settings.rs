//! What a user may choose about a group, as words of a flag or of an environment variable.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use phalanx_shmcomm::BadStallTime;
use phalanx_topology::UnknownSetting;

/// A setting has a value that means nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// A flag or a variable of this crate.
    #[error("{setting}: `{value}` is unknown; known values: {known}")]
    #[non_exhaustive]
    Unknown {
        /// The flag, or the environment variable.
        setting: String,
        /// What was found.
        value: String,
        /// What would have been taken.
        known: String,
    },
    /// `PHALANX_TOPOLOGY` or `PHALANX_DOMAIN_LEVEL`.
    #[error(transparent)]
    Topology(#[from] UnknownSetting),
    /// `PHALANX_SPIN_BUDGET_US` or `PHALANX_BARRIER_GROUPING`.
    #[error(transparent)]
    Barrier(#[from] phalanx_barrier::SettingError),
    /// `PHALANX_STALL_S`.
    #[error(transparent)]
    Stall(#[from] BadStallTime),
}

impl SettingError {
    /// A value that a flag or a variable does not take.
    pub fn unknown(
        setting: impl Into<String>,
        value: impl Into<String>,
        known: impl Into<String>,
    ) -> Self {
        SettingError::Unknown {
            setting: setting.into(),
            value: value.into(),
            known: known.into(),
        }
    }
}

/// How many partitions a rank has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Partitions {
    /// One for each physical core of this rank's share of the machine, within its CPU quota.
    #[default]
    Auto,
    /// So many.
    Exactly(NonZeroUsize),
}

impl Partitions {
    /// What [`str::parse`] takes.
    pub const KNOWN: &'static str = "auto, or a number from 1";
}

impl FromStr for Partitions {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        match text {
            "auto" => Ok(Partitions::Auto),
            _ => text
                .parse()
                .map(Partitions::Exactly)
                .map_err(|_| SettingError::unknown("partitions", text, Self::KNOWN)),
        }
    }
}

impl fmt::Display for Partitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Partitions::Auto => f.write_str("auto"),
            Partitions::Exactly(n) => n.fmt(f),
        }
    }
}

/// Whether the threads are pinned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pinning {
    /// Each to a processing unit of its own, as far as there are enough.
    #[default]
    On,
    /// They run where the operating system puts them, and form one domain.
    Off,
}

impl Pinning {
    /// What [`str::parse`] takes.
    pub const KNOWN: &'static str = "on, off";
}

impl FromStr for Pinning {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        match text {
            "on" => Ok(Pinning::On),
            "off" => Ok(Pinning::Off),
            _ => Err(SettingError::unknown("pinning", text, Self::KNOWN)),
        }
    }
}

impl fmt::Display for Pinning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pinning::On => "on",
            Pinning::Off => "off",
        })
    }
}
