//! Looking at threads from outside, and putting them where a test wants them (Linux).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The folder of the calling thread under `/proc`.
pub(crate) fn thread_path() -> PathBuf {
    let me = fs::read_link("/proc/thread-self").expect("Linux has it");
    Path::new("/proc").join(me)
}

fn field(path: &Path, name: &str) -> String {
    let status = fs::read_to_string(path.join("status")).expect("the thread is alive");
    let value = status.lines().find_map(|line| line.strip_prefix(name));
    value.expect("Linux has it").trim().to_owned()
}

/// How often a thread has given its CPU up to sleep.
pub(crate) fn sleeps_of(path: &Path) -> u64 {
    let count = field(path, "voluntary_ctxt_switches:");
    count.parse().expect("a number")
}

/// How much CPU time the calling thread has had.
pub(crate) fn cpu_time() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux has it");
    let ns = stat.split(' ').next().and_then(|ns| ns.parse().ok());
    Duration::from_nanos(ns.expect("a number"))
}

/// Two CPUs that this process may use; the same one twice if there is only one.
pub(crate) fn two_cpus() -> [usize; 2] {
    let list = field(&thread_path(), "Cpus_allowed_list:");
    let mut ends = list
        .split([',', '-'])
        .map(|cpu| cpu.parse().expect("a number"));
    let first = ends.next().expect("there is a CPU");
    [first, ends.next().unwrap_or(first)]
}

/// Runs a tool on the calling thread, and says whether it worked.
fn on_me(tool: &str, arguments: &[&str]) -> bool {
    let path = thread_path();
    let tid = path.file_name().expect("ends in the thread's number");
    Command::new(tool)
        .args(arguments)
        .arg(tid)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Pins the calling thread.
pub(crate) fn pin(cpu: usize) {
    assert!(
        on_me("taskset", &["-cp", &cpu.to_string()]),
        "taskset works"
    );
}

/// Gives the calling thread a real-time priority, if that is allowed.
pub(crate) fn chrt_fifo() -> bool {
    on_me("chrt", &["-f", "-p", "50"])
}

/// Threads that keep CPUs busy until they are dropped.
pub(crate) struct Hogs {
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Hogs {
    pub(crate) fn on(cpus: &[usize]) -> Hogs {
        let is_over = Arc::new(AtomicBool::new(false));
        let hog = |&cpu: &usize| {
            let is_over = is_over.clone();
            thread::spawn(move || {
                pin(cpu);
                while !is_over.load(Relaxed) {}
            })
        };
        let threads = cpus.iter().map(hog).collect();
        Hogs { is_over, threads }
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        self.is_over.store(true, Relaxed);
        for thread in self.threads.drain(..) {
            // A hog that could not be pinned has panicked, and the test goes on without it.
            let _ = thread.join();
        }
    }
}

/// The value in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Measures again, up to four times, if the first time does not pass.
///
/// A busy machine can fail a measurement that is sound. It cannot pass one that is not, time and
/// again.
pub(crate) fn measured(mut measure: impl FnMut() -> Result<(), String>) {
    for attempt in 1.. {
        match measure() {
            Ok(()) => return,
            Err(fault) if attempt < 5 => println!("attempt {attempt}: {fault}"),
            Err(fault) => panic!("five times over: {fault}"),
        }
    }
}

/// An error that says what was measured, unless `is_met`.
pub(crate) fn check(is_met: bool, what: String) -> Result<(), String> {
    println!("{what}");
    if is_met { Ok(()) } else { Err(what) }
}
