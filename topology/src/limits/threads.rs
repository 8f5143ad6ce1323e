//! Limits on the number of threads, and the error of a thread that cannot start.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Limits;

/// Linux capabilities that lift the limit on a user's processes.
const CAP_SYS_ADMIN: u32 = 21;
const CAP_SYS_RESOURCE: u32 = 24;

/// Which rule limits the number of threads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ThreadLimitKind {
    /// A cgroup's `pids.max`; the file.
    CgroupPids(PathBuf),
    /// The user's limit on processes, `ulimit -u`.
    UserProcesses,
    /// The kernel's `kernel.threads-max`.
    KernelThreads,
    /// The kernel's `kernel.pid_max`: each thread has a number of its own.
    KernelPids,
}

impl fmt::Display for ThreadLimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CgroupPids(file) => write!(f, "the cgroup's pids.max ({})", file.display()),
            Self::UserProcesses => {
                f.write_str("the user's limit on processes (RLIMIT_NPROC, ulimit -u)")
            }
            Self::KernelThreads => {
                f.write_str("the kernel's limit on threads (kernel.threads-max)")
            }
            Self::KernelPids => f.write_str("the kernel's highest process number (kernel.pid_max)"),
        }
    }
}

/// One limit on threads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ThreadLimit {
    /// Which one.
    pub kind: ThreadLimitKind,
    /// The most that may exist at once.
    pub max: u64,
    /// How many exist now, as far as that can be told; this process's own threads at least.
    pub n_now: u64,
}

impl fmt::Display for ThreadLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} = {}, of which {} are taken",
            self.kind, self.max, self.n_now
        )
    }
}

/// How many more threads can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadBudget<'a> {
    /// So many.
    pub n_threads: u64,
    /// Because of this limit, the tightest one.
    pub limit: &'a ThreadLimit,
}

/// A thread cannot start, or could not.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ThreadStartError {
    /// A limit is known in advance not to allow it.
    #[error("{n_wanted} threads cannot start, only {n_possible} more can: {limit}")]
    Limit {
        /// How many were wanted.
        n_wanted: u64,
        /// How many can start.
        n_possible: u64,
        /// What limits them.
        limit: ThreadLimit,
    },
    /// The operating system refused a thread, with the limit that most likely made it.
    #[error("thread {thread} of {n_threads} cannot start ({cause}); the tightest limit is {limit}")]
    Refused {
        /// The thread's number, from 0.
        thread: usize,
        /// How many were to start.
        n_threads: usize,
        /// What the operating system said.
        cause: io::Error,
        /// The tightest limit.
        limit: ThreadLimit,
    },
    /// The operating system refused a thread, and no limit is known that could have made it.
    #[error("thread {thread} of {n_threads} cannot start ({cause}); no limit on threads was found")]
    Unexplained {
        /// The thread's number, from 0.
        thread: usize,
        /// How many were to start.
        n_threads: usize,
        /// What the operating system said.
        cause: io::Error,
    },
}

impl ThreadStartError {
    /// Explains why thread `thread` of `n_threads` did not start, by limits read now: `Limits::read()`.
    #[must_use]
    pub fn explain(cause: io::Error, thread: usize, n_threads: usize, limits: &Limits) -> Self {
        match limits.max_threads() {
            Some(budget) => Self::Refused {
                thread,
                n_threads,
                cause,
                limit: budget.limit.clone(),
            },
            None => Self::Unexplained {
                thread,
                n_threads,
                cause,
            },
        }
    }
}

/// The limits that do not come from cgroups, as files under `/proc` tell them.
pub(super) fn of_kernel(proc_root: &Path) -> Vec<ThreadLimit> {
    let read = |file: &str| fs::read_to_string(proc_root.join(file)).unwrap_or_default();
    let status = read("self/status");
    let n_own: u64 = field(&status, "Threads:")
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    // `0.1 0.2 0.3 running/existing last`: tasks of the whole system.
    let n_all = read("loadavg")
        .split(['/', ' '])
        .nth(4)
        .and_then(|text| text.parse().ok())
        .unwrap_or(n_own);
    let mut limits = Vec::new();
    let mut push = |kind, max: Option<u64>, n_now| {
        limits.extend(max.map(|max| ThreadLimit { kind, max, n_now }))
    };
    push(
        ThreadLimitKind::KernelThreads,
        read("sys/kernel/threads-max").trim().parse().ok(),
        n_all,
    );
    push(
        ThreadLimitKind::KernelPids,
        read("sys/kernel/pid_max").trim().parse().ok(),
        n_all,
    );
    if !is_exempt(&status, &read("self/uid_map")) {
        let text = read("self/limits");
        let soft = field(&text, "Max processes").and_then(|text| text.parse().ok());
        push(ThreadLimitKind::UserProcesses, soft, n_own);
    }
    limits
}

/// Whether the kernel lets this process exceed the user's limit: it needs a capability in the first user
/// namespace, and that namespace is the one whose map is everything onto itself.
fn is_exempt(status: &str, uid_map: &str) -> bool {
    let capabilities = field(status, "CapEff:")
        .and_then(|text| u64::from_str_radix(text, 16).ok())
        .unwrap_or(0);
    let lifts = capabilities & (1 << CAP_SYS_ADMIN | 1 << CAP_SYS_RESOURCE) != 0;
    lifts && uid_map.split_whitespace().eq(["0", "0", "4294967295"])
}

/// The first word after a label at the start of a line.
fn field<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(label)?.split_whitespace().next())
}
