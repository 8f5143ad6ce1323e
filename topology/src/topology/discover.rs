//! Where a `Topology` comes from: this machine, a description, or a machine made by hand.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::Topology;
use crate::source::{self, Source};
use crate::{DiscoverError, DomainPolicy, Machine, os};

impl Topology {
    /// This machine, restricted to the CPUs that this process may use: those of its main thread, whatever the
    /// calling thread has been pinned to since.
    ///
    /// The source is the one that `PHALANX_TOPOLOGY` names, `hwloc` or `affinity`; the domains are those of
    /// `PHALANX_DOMAIN_LEVEL` ([`DomainPolicy`]). Where hwloc fails, the affinity mask takes its place and one
    /// log line says so. Load it once and share it: [`Topology::shared`].
    ///
    /// # Errors
    /// - [`DiscoverError::UnknownSetting`], [`DiscoverError::BuiltWithoutHwloc`]: one of the two is wrong.
    /// - [`DiscoverError::NoAffinity`]: the operating system does not tell the mask.
    /// - [`DiscoverError::NoUsableCpu`]: the machine and the mask have nothing in common.
    pub fn discover() -> Result<Self, DiscoverError> {
        Self::discover_with(Source::from_env()?, DomainPolicy::from_env()?)
    }

    /// [`Topology::discover`] from a source and with domains that the caller chooses.
    ///
    /// # Errors
    /// As for [`Topology::discover`].
    pub fn discover_with(source: Source, policy: DomainPolicy) -> Result<Self, DiscoverError> {
        let machine = match source {
            Source::Affinity => source::affinity::read()?,
            Source::Hwloc => this_machine_by_hwloc()?,
        };
        if !machine.is_this_system() {
            return Ok(Self::whole(machine)?.with_domain_policy(policy));
        }
        let allowed = os::process_cpus().map_err(|cause| DiscoverError::NoAffinity {
            cause: cause.to_string(),
        })?;
        Self::build(Arc::new(machine), policy, &allowed.into_iter().collect())
    }

    /// The topology of this machine, read at the first call and kept for the life of the process.
    ///
    /// # Errors
    /// As for [`Topology::discover`], and the same at every call.
    pub fn shared() -> Result<&'static Self, DiscoverError> {
        static SHARED: OnceLock<Result<Topology, DiscoverError>> = OnceLock::new();
        SHARED
            .get_or_init(Self::discover)
            .as_ref()
            .map_err(Clone::clone)
    }

    /// The machine that an hwloc XML document describes (`lstopo --of xml` writes one), with all its CPUs.
    /// It is not this system: placements can be planned, nothing can be pinned.
    ///
    /// # Errors
    /// - [`DiscoverError::BadDescription`]: hwloc cannot read it.
    /// - [`DiscoverError::BuiltWithoutHwloc`]: nobody is there to read it.
    pub fn from_xml(xml: &str) -> Result<Self, DiscoverError> {
        #[cfg(feature = "hwloc")]
        return Self::whole(source::hwloc::read_xml(xml)?);
        #[cfg(not(feature = "hwloc"))]
        return refuse(xml, "a machine from XML");
    }

    /// The machine that an hwloc XML file describes, as [`Topology::from_xml`].
    ///
    /// # Errors
    /// As for [`Topology::from_xml`].
    pub fn from_xml_file(path: impl AsRef<Path>) -> Result<Self, DiscoverError> {
        #[cfg(feature = "hwloc")]
        return Self::whole(source::hwloc::read_xml_file(path.as_ref())?);
        #[cfg(not(feature = "hwloc"))]
        return refuse(path, "a machine from an XML file");
    }

    /// The machine that an hwloc synthetic description such as `pack:2 [numa] l3:2 core:8 pu:2` describes, with
    /// all its CPUs. It is not this system: placements can be planned, nothing can be pinned.
    ///
    /// # Errors
    /// As for [`Topology::from_xml`].
    pub fn from_synthetic(description: &str) -> Result<Self, DiscoverError> {
        #[cfg(feature = "hwloc")]
        return Self::whole(source::hwloc::read_synthetic(description)?);
        #[cfg(not(feature = "hwloc"))]
        return refuse(description, "a machine from a synthetic description");
    }

    /// A machine with all its CPUs.
    ///
    /// # Errors
    /// [`DiscoverError::NoUsableCpu`] where it has none.
    pub fn whole(machine: Machine) -> Result<Self, DiscoverError> {
        let all = machine.pus().iter().map(|pu| pu.pu).collect();
        Self::build(Arc::new(machine), DomainPolicy::Auto, &all)
    }
}

/// hwloc's view; where it fails, the affinity mask's, and one line in the log.
#[cfg(feature = "hwloc")]
fn this_machine_by_hwloc() -> Result<Machine, DiscoverError> {
    let no_cpu = || DiscoverError::BadDescription {
        what: "machine",
        cause: "it lists no CPU".to_owned(),
    };
    source::hwloc::read_this_machine()
        .and_then(|machine| {
            if machine.pus().is_empty() {
                Err(no_cpu())
            } else {
                Ok(machine)
            }
        })
        .or_else(|error| {
            static LOGGED: std::sync::Once = std::sync::Once::new();
            LOGGED.call_once(
                || tracing::warn!(%error, "hwloc failed; using the affinity mask alone"),
            );
            source::affinity::read()
        })
}

#[cfg(not(feature = "hwloc"))]
fn this_machine_by_hwloc() -> Result<Machine, DiscoverError> {
    Err(DiscoverError::BuiltWithoutHwloc {
        what: "reading the machine with hwloc",
    })
}

/// The answer of a build without hwloc; the input is taken so that both builds have the same signature.
#[cfg(not(feature = "hwloc"))]
fn refuse<T>(_input: T, what: &'static str) -> Result<Topology, DiscoverError> {
    Err(DiscoverError::BuiltWithoutHwloc { what })
}
