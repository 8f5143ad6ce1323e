//! Control groups, version 1 and 2: the directories that this process is nested in, and their limits.

use std::fs;
use std::path::{Path, PathBuf};

use super::{CpuQuota, ThreadLimit, ThreadLimitKind};

/// The directories that apply to this process, innermost first, for each controller.
pub(super) struct Hierarchy {
    cpu: Vec<PathBuf>,
    pids: Vec<PathBuf>,
}

impl Hierarchy {
    /// Reads `proc/self/cgroup` and finds the directories under the cgroup root.
    pub(super) fn of_this_process(proc_root: &Path, cgroup_root: &Path) -> Self {
        let memberships = fs::read_to_string(proc_root.join("self/cgroup")).unwrap_or_default();
        let mut this = Self {
            cpu: Vec::new(),
            pids: Vec::new(),
        };
        // Each line is `number:controllers:path`; version 2 has number 0 and no controllers.
        for line in memberships.lines() {
            let mut fields = line.splitn(3, ':');
            let (Some(_), Some(controllers), Some(path)) =
                (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            if controllers.is_empty() {
                for mount in [cgroup_root.to_path_buf(), cgroup_root.join("unified")] {
                    let directories = ancestry(&mount, path);
                    this.cpu.extend(directories.iter().cloned());
                    this.pids.extend(directories);
                }
            } else {
                let names: Vec<&str> = controllers.split(',').collect();
                if names.contains(&"cpu") {
                    this.cpu
                        .extend(version_1(cgroup_root, controllers, "cpu", path));
                }
                if names.contains(&"pids") {
                    this.pids
                        .extend(version_1(cgroup_root, controllers, "pids", path));
                }
            }
        }
        // The root itself applies whatever the membership says: in a container it is the container's group.
        this.cpu.push(cgroup_root.to_path_buf());
        this.pids.push(cgroup_root.to_path_buf());
        this
    }

    /// The quota that allows the fewest CPUs, and the file that sets it.
    pub(super) fn tightest_cpu_quota(&self) -> Option<(CpuQuota, PathBuf)> {
        self.cpu
            .iter()
            .filter_map(|directory| quota_of(directory))
            .min_by(|(left, _), (right, _)| left.cpus().total_cmp(&right.cpus()))
    }

    /// The limits on processes and threads, each file once.
    pub(super) fn pids_limits(&self) -> Vec<ThreadLimit> {
        let mut directories = self.pids.clone();
        directories.sort();
        directories.dedup();
        directories
            .iter()
            .filter_map(|directory| pids_of(directory))
            .collect()
    }
}

/// The directories of a version 1 controller, which is mounted under its own name or with its neighbours'.
fn version_1(cgroup_root: &Path, controllers: &str, name: &str, path: &str) -> Vec<PathBuf> {
    let joint = cgroup_root.join(controllers);
    let mount = if joint.is_dir() {
        joint
    } else {
        cgroup_root.join(name)
    };
    ancestry(&mount, path)
}

/// The group's directory and all above it up to the mount. Inside a container the path may be as seen from
/// outside: then its tail is what exists, if any of it does.
fn ancestry(mount: &Path, path: &str) -> Vec<PathBuf> {
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != "..")
        .collect();
    let inside = (0..=parts.len())
        .map(|n_dropped| {
            parts[n_dropped..]
                .iter()
                .fold(mount.to_path_buf(), |path, part| path.join(part))
        })
        .find(|directory| directory.is_dir());
    let Some(inside) = inside else {
        return Vec::new();
    };
    inside
        .ancestors()
        .take_while(|directory| directory.starts_with(mount))
        .map(Path::to_path_buf)
        .collect()
}

/// The quota that one directory sets, in either version's files.
fn quota_of(directory: &Path) -> Option<(CpuQuota, PathBuf)> {
    let version_2 = || {
        let file = directory.join("cpu.max");
        let text = fs::read_to_string(&file).ok()?;
        let mut fields = text.split_whitespace();
        // The first field is `max` where there is no limit; the period has a default.
        let quota_us = fields.next()?.parse().ok()?;
        let period_us = fields.next().map_or(Ok(100_000), str::parse).ok()?;
        Some((
            CpuQuota {
                quota_us,
                period_us,
            },
            file,
        ))
    };
    let version_1 = || {
        let file = directory.join("cpu.cfs_quota_us");
        // No limit is -1, which is no `u64`.
        let quota_us = number_in(&file)?;
        let period_us = number_in(&directory.join("cpu.cfs_period_us"))?;
        Some((
            CpuQuota {
                quota_us,
                period_us,
            },
            file,
        ))
    };
    version_2()
        .or_else(version_1)
        .filter(|(quota, _)| quota.quota_us > 0 && quota.period_us > 0)
}

/// The limit on tasks that one directory sets; the files are alike in both versions.
fn pids_of(directory: &Path) -> Option<ThreadLimit> {
    let file = directory.join("pids.max");
    let max = number_in(&file)?;
    let n_now = number_in(&directory.join("pids.current")).unwrap_or(0);
    Some(ThreadLimit {
        kind: ThreadLimitKind::CgroupPids(file),
        max,
        n_now,
    })
}

/// The number in a file; nothing for `max`, `-1` or no file.
fn number_in(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}
