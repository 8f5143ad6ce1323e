//! What can go wrong, one enum for each question that a caller asks.

use thiserror::Error;

use crate::{NumaId, PuId};

/// A set of CPUs that cannot be represented or read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MaskError {
    /// The CPU does not fit in the mask's fixed width.
    #[error("CPU {cpu} does not fit in a mask of {limit} CPUs")]
    CpuOutOfRange {
        /// The CPU's operating-system index.
        cpu: u32,
        /// The first index that does not fit.
        limit: u32,
    },
    /// The bytes are not those of a mask.
    #[error("a CPU mask is {expected_bytes} bytes long, not {n_bytes}")]
    WrongLength {
        /// How many there were.
        n_bytes: usize,
        /// How many a mask has.
        expected_bytes: usize,
    },
    /// The text is not a list of CPUs.
    #[error("`{text}` is not a list of CPUs such as 0-3,8: {fault}")]
    BadList {
        /// The text.
        text: String,
        /// What is wrong with it.
        fault: &'static str,
    },
}

/// A setting has a value that means nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{setting}={value} is unknown; known values are: {known}")]
pub struct UnknownSetting {
    /// What was to be set: an environment variable, or what a flag sets.
    pub setting: &'static str,
    /// Its value.
    pub value: String,
    /// The values that are known.
    pub known: &'static str,
}

/// The machine could not be described.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DiscoverError {
    /// `PHALANX_TOPOLOGY` or `PHALANX_DOMAIN_LEVEL` has a value that means nothing.
    #[error(transparent)]
    UnknownSetting(#[from] UnknownSetting),
    /// This build cannot do what was asked, since it was made without the `hwloc` feature.
    #[error("{what} needs the `hwloc` feature, which this build was made without")]
    BuiltWithoutHwloc {
        /// What was asked.
        what: &'static str,
    },
    /// hwloc refused the description of a machine.
    #[error("hwloc cannot read this {what}: {cause}")]
    BadDescription {
        /// `XML document`, `XML file` or `synthetic description`.
        what: &'static str,
        /// What it said.
        cause: String,
    },
    /// The description names one processing unit twice.
    #[error("the machine lists {pu} twice")]
    RepeatedPu {
        /// The processing unit.
        pu: PuId,
    },
    /// There is no CPU left to run on.
    #[error(
        "none of the machine's CPUs ({machine}) is among those this process may use ({allowed})"
    )]
    NoUsableCpu {
        /// The machine's CPUs as a list.
        machine: String,
        /// The allowed CPUs as a list.
        allowed: String,
    },
    /// The operating system did not say which CPUs this process may use.
    #[error("the operating system does not say which CPUs this process may use: {cause}")]
    NoAffinity {
        /// What it said.
        cause: String,
    },
}

/// A thread could not be pinned. Nothing has changed in any of these cases.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PinError {
    /// The topology describes another machine (XML, synthetic): binding to it would mean nothing.
    #[error("cannot pin to {pu}: the topology ({source_name}) is not this system")]
    NotThisSystem {
        /// The processing unit asked for.
        pu: PuId,
        /// Where the topology came from.
        source_name: String,
    },
    /// The processing unit is not one that this process may use, or does not exist.
    #[error("cannot pin to {pu}: this process may use {allowed} only")]
    NotAllowed {
        /// The processing unit asked for.
        pu: PuId,
        /// What may be used, as a list.
        allowed: String,
    },
    /// The operating system refused the call.
    #[error("cannot pin to {pu}: the operating system says {cause}")]
    Refused {
        /// The processing unit asked for.
        pu: PuId,
        /// What it said.
        cause: String,
    },
    /// The call was accepted, but the thread's mask read back afterwards is another one.
    #[error("pinning to {pu} was accepted but did not take: the thread may run on {got}")]
    NotTaken {
        /// The processing unit asked for.
        pu: PuId,
        /// The mask read back, as a list.
        got: String,
    },
    /// There is no pinning on this operating system.
    #[error("cannot pin to {pu}: this operating system has no thread affinity that we know of")]
    Unsupported {
        /// The processing unit asked for.
        pu: PuId,
    },
}

/// Memory could not be bound to a NUMA node. Allocations go where the operating system puts them by itself.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The topology describes another machine.
    #[error("cannot bind memory to {node}: the topology ({source_name}) is not this system")]
    NotThisSystem {
        /// The node asked for.
        node: NumaId,
        /// Where the topology came from.
        source_name: String,
    },
    /// The machine has no such node.
    #[error("cannot bind memory to {node}: the machine has no such NUMA node")]
    NoSuchNode {
        /// The node asked for.
        node: NumaId,
    },
    /// Nobody knows on which node the core is.
    #[error("cannot bind memory: the NUMA node of {pu} is not known")]
    UnknownNode {
        /// The processing unit whose node was asked for.
        pu: PuId,
    },
    /// The operating system refused, as containers commonly make it do.
    #[error("cannot bind memory to {node}: the operating system says {cause}")]
    Refused {
        /// The node asked for.
        node: NumaId,
        /// What it said.
        cause: String,
    },
    /// There is no memory binding on this operating system.
    #[error(
        "cannot bind memory to {node}: this operating system has no memory policy that we know of"
    )]
    Unsupported {
        /// The node asked for.
        node: NumaId,
    },
}
