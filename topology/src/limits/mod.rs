//! Limits: what the system around this process allows, whatever the hardware has. CPU time and threads.

mod cgroup;
mod threads;

pub use threads::{ThreadBudget, ThreadLimit, ThreadLimitKind, ThreadStartError};

use std::path::{Path, PathBuf};

use cgroup::Hierarchy;

/// The environment variable that puts another directory in the place of `/sys/fs/cgroup`.
const ROOT_VARIABLE: &str = "PHALANX_CGROUP_ROOT";

/// CPU time that a cgroup allows: so many microseconds in each period, on any number of CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CpuQuota {
    /// Time in microseconds that may be used in each period.
    pub quota_us: u64,
    /// The length of the period in microseconds.
    pub period_us: u64,
}

impl CpuQuota {
    /// The quota as a number of CPUs that could run all the time.
    #[must_use]
    pub fn cpus(&self) -> f64 {
        self.quota_us as f64 / self.period_us.max(1) as f64
    }
}

/// What limits this process: the tightest of each kind over all the cgroups that it is nested in.
///
/// # Examples
/// ```
/// use phalanx_topology::Limits;
///
/// let limits = Limits::read();
/// if let Some(quota) = limits.cpu_quota() {
///     println!("the cgroup allows the time of {:.2} CPUs", quota.cpus());
/// }
/// if let Some(budget) = limits.max_threads() {
///     println!("{} more threads can start, by {}", budget.n_threads, budget.limit);
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    cpu_quota: Option<(CpuQuota, PathBuf)>,
    threads: Vec<ThreadLimit>,
}

impl Limits {
    /// The limits of this process. Limits that cannot be read are taken as absent.
    ///
    /// Where `PHALANX_CGROUP_ROOT` is set, that directory is read in the place of `/sys/fs/cgroup`.
    #[must_use]
    pub fn read() -> Self {
        let cgroup_root = std::env::var_os(ROOT_VARIABLE)
            .map_or_else(|| PathBuf::from("/sys/fs/cgroup"), PathBuf::from);
        Self::read_trees(Path::new("/proc"), &cgroup_root)
    }

    /// The limits as a file system rooted elsewhere shows them: `root/proc` and `root/sys/fs/cgroup`.
    #[must_use]
    pub fn read_from(root: impl AsRef<Path>) -> Self {
        let root = root.as_ref();
        Self::read_trees(&root.join("proc"), &root.join("sys/fs/cgroup"))
    }

    fn read_trees(proc_root: &Path, cgroup_root: &Path) -> Self {
        let hierarchy = Hierarchy::of_this_process(proc_root, cgroup_root);
        let mut threads = threads::of_kernel(proc_root);
        threads.extend(hierarchy.pids_limits());
        Self {
            cpu_quota: hierarchy.tightest_cpu_quota(),
            threads,
        }
    }

    /// The CPU time that the tightest cgroup allows, where one does.
    #[must_use]
    pub fn cpu_quota(&self) -> Option<CpuQuota> {
        self.cpu_quota.as_ref().map(|(quota, _)| *quota)
    }

    /// The file that sets [`cpu_quota`](Self::cpu_quota).
    #[must_use]
    pub fn cpu_quota_file(&self) -> Option<&Path> {
        self.cpu_quota.as_ref().map(|(_, file)| file.as_path())
    }

    /// Every limit on threads that was found.
    #[must_use]
    pub fn thread_limits(&self) -> &[ThreadLimit] {
        &self.threads
    }

    /// How many more threads can start, and which limit says so; nothing where no limit was found.
    #[must_use]
    pub fn max_threads(&self) -> Option<ThreadBudget<'_>> {
        self.threads
            .iter()
            .map(|limit| ThreadBudget {
                n_threads: limit.max.saturating_sub(limit.n_now),
                limit,
            })
            .min_by_key(|budget| budget.n_threads)
    }

    /// Whether `n_threads` more threads can start, as far as the limits tell.
    ///
    /// # Errors
    /// [`ThreadStartError::Limit`] names the limit that they meet.
    pub fn check_threads(&self, n_threads: usize) -> Result<(), ThreadStartError> {
        match self.max_threads() {
            Some(budget) if (n_threads as u64) > budget.n_threads => Err(ThreadStartError::Limit {
                n_wanted: n_threads as u64,
                n_possible: budget.n_threads,
                limit: budget.limit.clone(),
            }),
            _ => Ok(()),
        }
    }
}
