//! Newtypes for the numbers that must not be mixed up: operating-system indices and our own dense ones.

use std::fmt;

/// Defines a newtype over `u32` that prints as `PREFIX` and its number.
macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index into a slice.
            #[must_use]
            pub const fn idx(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

index_type!(
    /// A processing unit (a hardware thread) by its **operating-system** index: the number that `taskset`,
    /// `/proc` and `sched_setaffinity` use. It is an identity, never a position in a list.
    PuId,
    "P#"
);
index_type!(
    /// A NUMA node by its **operating-system** index: the number that `numactl` and `set_mempolicy` use.
    NumaId,
    "N#"
);
index_type!(
    /// A package (socket), numbered densely in the order in which the machine lists them.
    PackageId,
    "pack"
);
index_type!(
    /// A domain: cores that synchronise cheaply with one another. Numbered densely by first appearance among
    /// the cores that this process may use, so `0..n_domains` are all inhabited.
    DomainId,
    "d"
);
index_type!(
    /// A kind of core, numbered densely by increasing performance among the cores that this process may use:
    /// the highest number is the fastest kind.
    CoreKind,
    "kind"
);
