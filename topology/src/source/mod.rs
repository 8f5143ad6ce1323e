//! Where descriptions of machines come from: hwloc, or the affinity mask alone.

pub(crate) mod affinity;
#[cfg(feature = "hwloc")]
pub(crate) mod hwloc;

use crate::{DiscoverError, UnknownSetting};

/// The environment variable that chooses the source at run time.
const SOURCE_VARIABLE: &str = "PHALANX_TOPOLOGY";

/// What [`Topology::discover`](crate::Topology::discover) reads the machine with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The hwloc library: caches, NUMA nodes, packages, kinds of cores. Needs the feature `hwloc`.
    Hwloc,
    /// The affinity mask and, on Linux, which CPUs are siblings; one domain. Always there: the way out where
    /// hwloc is missing, slow or crashes.
    Affinity,
}

impl Source {
    /// The source that `PHALANX_TOPOLOGY` names, `hwloc` or `affinity`; unset, the best one of this build.
    ///
    /// # Errors
    /// - [`DiscoverError::UnknownSetting`] for any other value.
    /// - [`DiscoverError::BuiltWithoutHwloc`] for `hwloc` in a build without it.
    pub fn from_env() -> Result<Self, DiscoverError> {
        match std::env::var_os(SOURCE_VARIABLE) {
            None => Ok(Self::best()),
            Some(value) => Self::named(&value.to_string_lossy()),
        }
    }

    /// The most informative source that this build has.
    #[must_use]
    pub fn best() -> Self {
        if cfg!(feature = "hwloc") {
            Self::Hwloc
        } else {
            Self::Affinity
        }
    }

    fn named(value: &str) -> Result<Self, DiscoverError> {
        match value {
            "affinity" => Ok(Self::Affinity),
            "hwloc" if cfg!(feature = "hwloc") => Ok(Self::Hwloc),
            "hwloc" => Err(DiscoverError::BuiltWithoutHwloc {
                what: "PHALANX_TOPOLOGY=hwloc",
            }),
            _ => Err(UnknownSetting {
                setting: SOURCE_VARIABLE,
                value: value.to_owned(),
                known: "hwloc, affinity",
            }
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn settings_are_known_or_refused_with_the_list() {
        assert_eq!(Source::named("affinity"), Ok(Source::Affinity));
        assert_eq!(Source::named("hwloc").is_ok(), cfg!(feature = "hwloc"));
        for value in ["", "HWLOC", "off"] {
            let message = Source::named(value).unwrap_err().to_string();
            assert!(
                message.contains("known values are: hwloc, affinity"),
                "{message}"
            );
        }
    }
}
