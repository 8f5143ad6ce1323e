//! Dependencies between our crates point down only.

use super::Finding;
use super::tree::Tree;

/// The crates from the bottom up. A crate may depend on those of lower storeys, not on its neighbours.
const STOREYS: &[&[&str]] = &[
    &["phalanx-topology", "phalanx-barrier", "phalanx-profile"],
    &["phalanx-shmcomm"],
    &["phalanx-hybridcomm"],
    &["phalanx-engine"],
    &["phalanx-bench-harness"],
];
/// It has to build before anything else does, so it stands beside the house.
const OUTSIDE: &str = "xtask";

/// Upward or level arrows, of every kind of dependency, and crates that have no storey.
pub(super) fn upward(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &tree.members {
        let mut found = |what| {
            findings.push(Finding::new(
                &format!("{}/Cargo.toml", member.folder),
                0,
                what,
            ));
        };
        let own = storey(&member.name);
        if own.is_none() && member.name != OUTSIDE {
            found(format!(
                "{} has no storey yet: say where it stands",
                member.name
            ));
        }
        for below in &member.dependencies {
            let is_ours = tree.members.iter().any(|other| other.name == *below);
            if is_ours && storey(below) >= own {
                found(format!("{} may not depend on {below}", member.name));
            }
        }
    }
    findings
}

fn storey(name: &str) -> Option<usize> {
    STOREYS.iter().position(|storey| storey.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::upward;
    use crate::workspace::Member;

    fn findings(arrows: &[(&str, &[&str])]) -> Vec<String> {
        let member = |(name, below): &(&str, &[&str])| Member {
            name: (*name).to_owned(),
            dependencies: below.iter().map(|name| (*name).to_owned()).collect(),
            ..Member::default()
        };
        let members: Vec<_> = arrows.iter().map(member).collect();
        upward(&Tree::of(&[], &members))
            .into_iter()
            .map(|finding| finding.what)
            .collect()
    }

    #[test]
    fn upward_and_level_arrows_are_found() {
        let house: &[(&str, &[&str])] = &[
            ("phalanx-topology", &["libc"]),
            ("phalanx-barrier", &["thiserror"]),
            ("phalanx-shmcomm", &["phalanx-barrier"]),
            ("phalanx-engine", &["phalanx-shmcomm", "phalanx-topology"]),
            ("xtask", &["anyhow"]),
        ];
        assert!(findings(house).is_empty());
        for (at, wrong) in [
            (0, "phalanx-barrier"),
            (1, "phalanx-shmcomm"),
            (2, "phalanx-engine"),
            (4, "phalanx-topology"),
        ] {
            let mut house = house.to_vec();
            let wrongs = [wrong];
            house[at].1 = &wrongs;
            assert_eq!(
                findings(&house),
                [format!("{} may not depend on {wrong}", house[at].0)]
            );
        }
    }

    #[test]
    fn a_crate_without_a_storey_is_found() {
        assert_eq!(findings(&[("phalanx-attic", &[])]).len(), 1);
    }
}
