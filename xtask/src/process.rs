//! Runs commands into a log file, under a limit of time, and leaves none of their children behind.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ended {
    Well,
    Badly(ExitStatus),
    /// It was killed, with all that it had started.
    OutOfTime,
}

/// Runs `command` without standard input, all that it prints going to `log`, for at most `limit`.
pub(crate) fn run_logged(command: &mut Command, log: &File, limit: Duration) -> Result<Ended> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log.try_clone()?)
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(match status.success() {
                true => Ended::Well,
                false => Ended::Badly(status),
            });
        }
        if start.elapsed() > limit {
            kill_tree(&mut child)?;
            return Ok(Ended::OutOfTime);
        }
        sleep(Duration::from_millis(20));
    }
}

/// Kills a child and, where the system lists processes under `/proc`, its descendants too.
///
/// A process group of its own would do as well, but would take Ctrl-C from the child.
pub(crate) fn kill_tree(child: &mut Child) -> Result<()> {
    let descendants = descendants(child.id(), &parents());
    child.kill()?;
    child.wait()?;
    for pid in descendants {
        // One that ended with its parent is no fault.
        let _ = Command::new("kill")
            .args(["-KILL", &pid.to_string()])
            .stderr(Stdio::null())
            .status();
    }
    Ok(())
}

/// The parent of each process, as far as `/proc` says.
fn parents() -> BTreeMap<u32, u32> {
    let mut parents = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        if let Some(parent) = parent_in(&entry.path().join("stat")) {
            parents.insert(pid, parent);
        }
    }
    parents
}

/// The fourth field of a `stat` file; the second is in parentheses and may hold blanks.
fn parent_in(stat: &Path) -> Option<u32> {
    let stat = fs::read_to_string(stat).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

fn descendants(pid: u32, parents: &BTreeMap<u32, u32>) -> Vec<u32> {
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        let children = parents.iter().filter(|(_, of)| **of == parent);
        let children: Vec<_> = children.map(|(child, _)| *child).collect();
        found.extend(children);
        next += 1;
    }
    found.split_off(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs::File;
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::{Ended, descendants, parents, run_logged};

    fn sh(script: &str, limit: Duration) -> Ended {
        let log = File::create("/dev/null").unwrap();
        run_logged(Command::new("sh").args(["-c", script]), &log, limit).unwrap()
    }

    #[test]
    fn ends_are_told_apart() {
        let long = Duration::from_secs(60);
        assert_eq!(sh("exit 0", long), Ended::Well);
        assert!(matches!(sh("exit 3", long), Ended::Badly(status) if status.code() == Some(3)));
        let start = Instant::now();
        assert_eq!(sh("sleep 60", Duration::from_millis(50)), Ended::OutOfTime);
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn grandchildren_do_not_outlive_the_limit() {
        // The number is unlikely enough to be found again in the list of processes.
        let ended = sh("sleep 61.7251 & sleep 61.7251", Duration::from_millis(300));
        assert_eq!(ended, Ended::OutOfTime);
        std::thread::sleep(Duration::from_millis(300));
        for pid in parents().keys() {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&line).starts_with("sleep\x0061.7251"));
        }
    }

    #[test]
    fn descendants_are_found_at_any_depth() {
        let parents = BTreeMap::from([(2, 1), (3, 2), (4, 3), (5, 1), (6, 9)]);
        assert_eq!(descendants(2, &parents), [3, 4]);
        assert_eq!(descendants(1, &parents), [2, 5, 3, 4]);
        assert!(descendants(6, &parents).is_empty());
    }
}
