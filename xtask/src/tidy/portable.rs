//! Nothing in the tree is about one machine or one network.

use super::Finding;
use super::tree::Tree;

/// Written in two halves, or this file would find itself.
const FOLDERS: [&str; 5] = [
    concat!("/wo", "rk"),
    concat!("/tm", "p"),
    concat!("/ho", "me"),
    concat!("/ro", "ot"),
    concat!("/Us", "ers"),
];
const HOSTS: [&str; 5] = [
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("npmjs", ".org"),
    concat!("deb.debian", ".org"),
];

/// Absolute paths that exist on the machine of whoever wrote them.
pub(super) fn machine_paths(tree: &Tree) -> Vec<Finding> {
    search(tree, |line| {
        FOLDERS.into_iter().find(|folder| {
            line.match_indices(folder).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                let after = line[at + folder.len()..].chars().next();
                let is_part = |c: char| c.is_alphanumeric() || "_-./~}".contains(c);
                !before.is_some_and(is_part)
                    && !after.is_some_and(|c| c.is_alphanumeric() || "_-".contains(c))
            })
        })
    })
}

/// Where packages come from is for each machine's settings to say.
pub(super) fn hosts(tree: &Tree) -> Vec<Finding> {
    search(tree, |line| {
        HOSTS.into_iter().find(|host| line.contains(host))
    })
}

/// Lines in which `find` finds something; `Cargo.lock` is cargo's own.
fn search(tree: &Tree, find: impl Fn(&str) -> Option<&'static str>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path != "Cargo.lock") {
        for (at, line) in file.lines() {
            findings.extend(
                find(line).map(|what| Finding::new(&file.path, at, format!("names {what}"))),
            );
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::{FOLDERS, HOSTS, hosts, machine_paths};

    #[test]
    fn paths_of_one_machine_are_found() {
        for folder in FOLDERS {
            for line in [
                format!("see {folder}/x"),
                format!("`{folder}`"),
                format!("\"{folder}/a\""),
                folder.to_owned(),
            ] {
                assert_eq!(lines(machine_paths, "a.md", &line), [1], "{line}");
            }
            for line in [
                format!("cgroup{folder}/x"),
                format!("{folder}s"),
                format!("../x{folder}"),
            ] {
                assert!(lines(machine_paths, "a.md", &line).is_empty(), "{line}");
            }
        }
        assert!(lines(machine_paths, "a.md", "/sys/fs/cgroup and /proc/self").is_empty());
    }

    #[test]
    fn hosts_are_found() {
        for host in HOSTS {
            assert_eq!(
                lines(hosts, "a.toml", &format!("\n# from https://{host}/x\n")),
                [2]
            );
        }
        assert!(lines(hosts, "a.toml", "repository = \"https://example.org\"").is_empty());
        assert!(lines(hosts, "Cargo.lock", HOSTS[0]).is_empty());
    }
}
