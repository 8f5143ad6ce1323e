//! The system packages that the workspace can use: one entry for each use.

/// Packages that serve one purpose, and how to see that they are there.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) purpose: &'static str,
    /// Whether nothing builds without it; the others come with `setup --with NAME`.
    pub(crate) is_required: bool,
    pub(crate) probes: &'static [Probe],
    pub(crate) apt: &'static [&'static str],
    pub(crate) dnf: &'static [&'static str],
    pub(crate) brew: &'static [&'static str],
}

/// A sign that a package is installed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Probe {
    /// A program on the path.
    Program(&'static str),
    /// A library that `pkg-config` finds.
    Library(&'static str),
    /// As `Library`, on Linux; elsewhere there is no such library and no need of it.
    LinuxLibrary(&'static str),
}

/// Every set, the required ones first.
pub(crate) const SETS: &[Set] = &[
    Set {
        name: "core",
        purpose: "reading the machine with hwloc",
        is_required: true,
        probes: &[
            Probe::Program("pkg-config"),
            Probe::Program("hwloc-info"),
            Probe::Library("hwloc"),
            // hwloc is linked statically, and then needs it.
            Probe::LinuxLibrary("libudev"),
        ],
        apt: &["libhwloc-dev", "hwloc", "libudev-dev", "pkg-config"],
        dnf: &[
            "hwloc-devel",
            "hwloc",
            "systemd-devel",
            "pkgconf-pkg-config",
        ],
        brew: &["hwloc", "pkgconf"],
    },
    Set {
        name: "counting",
        purpose: "counting instructions, which no other load on the machine disturbs",
        is_required: false,
        probes: &[Probe::Program("valgrind")],
        apt: &["valgrind"],
        dnf: &["valgrind"],
        brew: &["valgrind"],
    },
];
