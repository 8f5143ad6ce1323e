//! `mutants.txt` names every rule that the source can break, and none that it cannot.
#![cfg(not(any(phalanx_loom, phalanx_shuttle)))]

use std::collections::BTreeSet;
use std::fs;

/// The names in the calls that ask for a mutant, in all files of the source.
fn asked_for() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in fs::read_dir("src").expect("tests run in the crate's folder") {
        let path = file.expect("readable").path();
        let text = fs::read_to_string(path).expect("text");
        for call in ["mutant(", "one(", "both("] {
            for rest in text.split(call).skip(1) {
                let arguments = rest.split(')').next().expect("split gives one");
                let quoted = arguments.split('"').skip(1).step_by(2);
                names.extend(quoted.map(str::to_owned));
            }
        }
    }
    names
}

#[test]
fn every_mutant_is_listed_once() {
    let text = fs::read_to_string("mutants.txt").expect("beside the manifest");
    let mut listed = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.split('\t').collect();
        assert_eq!(fields.len(), 3, "{line}");
        assert_eq!(fields[1], "phalanx-barrier");
        assert!(listed.insert(fields[0].to_owned()), "{} twice", fields[0]);
    }
    assert_eq!(listed, asked_for());
    assert!(
        listed.len() >= 12,
        "nine halves of orderings and three rules at the least"
    );
}
