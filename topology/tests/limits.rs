//! Limits as trees of files tell them: cgroups of both versions, nested and seen from inside a container, and
//! the kernel's own. Each test writes the tree that it reads.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use phalanx_topology::placement::{PlacementRequest, auto_partitions};
use phalanx_topology::{
    CpuQuota, Limits, Machine, MachinePu, PuId, ThreadLimitKind, ThreadStartError, Topology,
};

/// A tree of files that disappears with the value.
struct Tree(PathBuf);

impl Tree {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root =
            std::env::temp_dir().join(format!("phalanx-limits-{name}-{}", std::process::id()));
        for (file, text) in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(root)
    }

    fn limits(&self) -> Limits {
        Limits::read_from(&self.0)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn quota_of(name: &str, files: &[(&str, &str)]) -> Option<CpuQuota> {
    Tree::new(name, files).limits().cpu_quota()
}

#[test]
fn nothing_to_read_is_no_limit() {
    let limits = Limits::read_from("/nonexistent");
    assert_eq!(limits, Limits::default());
    assert_eq!(limits.cpu_quota(), None);
    assert_eq!(limits.max_threads(), None);
    limits.check_threads(1_000_000).unwrap();
    assert_eq!(
        limits.to_string(),
        "CPU time: no quota\nno limit on threads was found\n"
    );
}

/// Case T15, version 2: `docker --cpus=2` and the like.
#[test]
fn t15_quota_of_version_2() {
    let quota = quota_of(
        "v2",
        &[
            ("proc/self/cgroup", "0::/box\n"),
            ("sys/fs/cgroup/box/cpu.max", "200000 100000\n"),
        ],
    );
    assert_eq!(
        quota,
        Some(CpuQuota {
            quota_us: 200_000,
            period_us: 100_000
        })
    );
    let pus = (0..4).map(|cpu| MachinePu::bare(PuId(cpu), cpu)).collect();
    let topology = Topology::whole(Machine::from_pus("by hand", pus).unwrap()).unwrap();
    let request = PlacementRequest {
        cpu_quota: quota,
        ..PlacementRequest::new(1)
    };
    assert_eq!(auto_partitions(&topology, &request), 2);
}

#[test]
fn a_quota_without_a_limit_is_none() {
    for (name, text) in [
        ("max", "max 100000\n"),
        ("zero", "0 100000\n"),
        ("period", "100000 0\n"),
        ("empty", ""),
    ] {
        let quota = quota_of(
            name,
            &[
                ("proc/self/cgroup", "0::/\n"),
                ("sys/fs/cgroup/cpu.max", text),
            ],
        );
        assert_eq!(quota, None, "{name}");
    }
}

/// Whatever level it is set at, the tightest one holds.
#[test]
fn nested_groups_take_the_tightest() {
    let inner_is_wide = [
        ("proc/self/cgroup", "0::/outer/inner\n"),
        ("sys/fs/cgroup/outer/cpu.max", "150000 100000\n"),
        ("sys/fs/cgroup/outer/inner/cpu.max", "50000 10000\n"),
        ("sys/fs/cgroup/outer/pids.max", "100\n"),
        ("sys/fs/cgroup/outer/pids.current", "40\n"),
        ("sys/fs/cgroup/outer/inner/pids.max", "70\n"),
        ("sys/fs/cgroup/outer/inner/pids.current", "1\n"),
        ("sys/fs/cgroup/sibling/pids.max", "2\n"),
    ];
    let tree = Tree::new("nested", &inner_is_wide);
    let limits = tree.limits();
    assert!((limits.cpu_quota().unwrap().cpus() - 1.5).abs() < 1e-12);
    assert_eq!(
        limits.cpu_quota_file().unwrap(),
        tree.0.join("sys/fs/cgroup/outer/cpu.max")
    );
    let budget = limits.max_threads().unwrap();
    assert_eq!(budget.n_threads, 60);
    assert_eq!(
        budget.limit.kind,
        ThreadLimitKind::CgroupPids(tree.0.join("sys/fs/cgroup/outer/pids.max"))
    );
    assert_eq!(
        limits.thread_limits().len(),
        2,
        "a sibling's limit is not ours"
    );
}

/// Version 1: controllers in trees of their own, mounted alone or together.
#[test]
fn version_1_mounts() {
    let apart = [
        (
            "proc/self/cgroup",
            "9:pids:/job\n3:cpuset:/\n2:cpu:/job/step\n",
        ),
        ("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "300000\n"),
        ("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"),
        ("sys/fs/cgroup/cpu/job/step/cpu.cfs_quota_us", "-1\n"),
        ("sys/fs/cgroup/cpu/job/step/cpu.cfs_period_us", "100000\n"),
        ("sys/fs/cgroup/pids/job/pids.max", "64\n"),
    ];
    let tree = Tree::new("v1-apart", &apart);
    assert_eq!(
        tree.limits().cpu_quota(),
        Some(CpuQuota {
            quota_us: 300_000,
            period_us: 100_000
        })
    );
    assert_eq!(tree.limits().max_threads().unwrap().n_threads, 64);
    let together = [
        ("proc/self/cgroup", "4:cpu,cpuacct:/job\n"),
        ("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n"),
        (
            "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us",
            "100000\n",
        ),
    ];
    assert!((quota_of("v1-together", &together).unwrap().cpus() - 2.5).abs() < 1e-12);
}

/// In a container the membership is often as seen from outside, and the root of the mount is the container.
#[test]
fn a_path_from_outside_the_container() {
    let files = [
        (
            "proc/self/cgroup",
            "0::/system.slice/docker-1234.scope/app\n",
        ),
        ("sys/fs/cgroup/cpu.max", "400000 100000\n"),
        ("sys/fs/cgroup/app/cpu.max", "100000 100000\n"),
        ("sys/fs/cgroup/pids.max", "max\n"),
    ];
    let tree = Tree::new("outside", &files);
    assert!((tree.limits().cpu_quota().unwrap().cpus() - 1.0).abs() < 1e-12);
    assert_eq!(tree.limits().max_threads(), None, "`max` is no limit");
}

#[test]
fn odd_memberships_do_no_harm() {
    for (name, membership) in [
        ("short", "0:\n::\n\n7"),
        ("upwards", "0::/../../etc\n"),
        ("colons", "0::/a:b\n"),
        ("empty", ""),
    ] {
        let tree = Tree::new(
            name,
            &[
                ("proc/self/cgroup", membership),
                ("sys/fs/cgroup/pids.max", "9\n"),
            ],
        );
        assert_eq!(tree.limits().max_threads().unwrap().n_threads, 9, "{name}");
    }
}

/// The kernel's files, with a user that the limit applies to.
fn kernel_files(
    uid_map: &'static str,
    capabilities: &'static str,
) -> Vec<(&'static str, &'static str)> {
    vec![
        ("proc/self/status", capabilities),
        ("proc/self/uid_map", uid_map),
        (
            "proc/self/limits",
            "Limit  Soft Limit  Hard Limit  Units\nMax processes             500   600   processes\n",
        ),
        ("proc/sys/kernel/threads-max", "4000\n"),
        ("proc/sys/kernel/pid_max", "32768\n"),
        ("proc/loadavg", "0.10 0.20 0.30 2/900 12345\n"),
    ]
}

const PLAIN_USER: &str = "Name:\tx\nThreads:\t3\nCapEff:\t0000000000000000\n";
const ALL_CAPABILITIES: &str = "Name:\tx\nThreads:\t3\nCapEff:\t000001ffffffffff\n";
const FIRST_NAMESPACE: &str = "         0          0 4294967295\n";
const CONTAINER: &str = "         0     100000      65536\n";

#[test]
fn the_users_and_the_kernels_limits() {
    let user = Tree::new("user", &kernel_files(FIRST_NAMESPACE, PLAIN_USER)).limits();
    let budget = user.max_threads().unwrap();
    assert_eq!(
        (budget.n_threads, &budget.limit.kind),
        (497, &ThreadLimitKind::UserProcesses)
    );
    // The kernel lets a privileged process pass, but only the one of the first user namespace.
    let root = Tree::new("root", &kernel_files(FIRST_NAMESPACE, ALL_CAPABILITIES)).limits();
    let budget = root.max_threads().unwrap();
    assert_eq!(
        (budget.n_threads, &budget.limit.kind),
        (3100, &ThreadLimitKind::KernelThreads)
    );
    let contained = Tree::new("contained", &kernel_files(CONTAINER, ALL_CAPABILITIES)).limits();
    assert_eq!(
        contained.max_threads().unwrap().limit.kind,
        ThreadLimitKind::UserProcesses
    );
    assert_eq!(user.thread_limits().len(), 3);
}

#[test]
fn an_unlimited_user_is_not_limited() {
    let mut files = kernel_files(FIRST_NAMESPACE, PLAIN_USER);
    files[2].1 = "Max processes             unlimited   unlimited   processes\n";
    let limits = Tree::new("unlimited", &files).limits();
    assert!(
        limits
            .thread_limits()
            .iter()
            .all(|limit| limit.kind != ThreadLimitKind::UserProcesses)
    );
}

/// Too many threads are refused before any is started, with the limit's name.
#[test]
fn too_many_threads_name_the_limit() {
    let mut files = kernel_files(FIRST_NAMESPACE, PLAIN_USER);
    files.extend([
        ("proc/self/cgroup", "0::/\n"),
        ("sys/fs/cgroup/pids.max", "20\n"),
        ("sys/fs/cgroup/pids.current", "12\n"),
    ]);
    let limits = Tree::new("check", &files).limits();
    limits.check_threads(8).unwrap();
    let error = limits.check_threads(9).unwrap_err();
    assert!(
        matches!(
            error,
            ThreadStartError::Limit {
                n_wanted: 9,
                n_possible: 8,
                ..
            }
        ),
        "{error}"
    );
    let message = error.to_string();
    assert!(
        message.starts_with("9 threads cannot start, only 8 more can: the cgroup's pids.max ("),
        "{message}"
    );
    assert!(
        message.ends_with("sys/fs/cgroup/pids.max) = 20, of which 12 are taken"),
        "{message}"
    );
}

/// A group that is over its limit already has room for none, not for an enormous number.
#[test]
fn over_the_limit_leaves_nothing() {
    let files = [
        ("sys/fs/cgroup/pids.max", "5\n"),
        ("sys/fs/cgroup/pids.current", "9\n"),
    ];
    assert_eq!(
        Tree::new("over", &files)
            .limits()
            .max_threads()
            .unwrap()
            .n_threads,
        0
    );
}

#[test]
fn a_failed_start_is_explained_by_the_tightest_limit() {
    let again = || io::Error::from(io::ErrorKind::WouldBlock);
    let limits = Tree::new("explain", &kernel_files(FIRST_NAMESPACE, PLAIN_USER)).limits();
    let message = ThreadStartError::explain(again(), 3, 8, &limits).to_string();
    assert!(
        message.starts_with("thread 3 of 8 cannot start ("),
        "{message}"
    );
    assert!(message.contains("RLIMIT_NPROC"), "{message}");
    let message = ThreadStartError::explain(again(), 3, 8, &Limits::default()).to_string();
    assert!(
        message.ends_with("no limit on threads was found"),
        "{message}"
    );
}

/// On this machine: something is read, and it leaves room for the threads of this test.
#[test]
fn this_machine_lets_a_thread_start() {
    if Path::new("/proc/self/status").exists() {
        let limits = Limits::read();
        assert!(
            limits
                .max_threads()
                .is_some_and(|budget| budget.n_threads > 0),
            "{limits}"
        );
    }
}
