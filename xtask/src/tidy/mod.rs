//! `cargo xtask tidy`: what people forget and no compiler says.
//!
//! Each check is a function from the tree to findings, with a test beside it
//! that shows it a fault (it must be found) and its repair (it must not).

mod arrows;
mod lexer;
mod manifests;
mod markdown;
mod models;
mod portable;
mod source;
mod tree;

use anyhow::{Result, bail};

use crate::args::{self, Options};
use tree::Tree;

pub(crate) const COMMAND: args::Command = args::Command {
    name: "tidy",
    summary: "find what people forget and no compiler says",
    about: "Long files, missing first lines, unsafe code and atomic orderings without their reasons, unfinished code, \
            ignored\ntests, upward arrows between crates, versions and lints in a second place, paths of one machine, \
            dead links,\ncommands in the documentation that do not exist. A second or two.",
    flags: &[],
    run,
};

/// A fault, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    file: String,
    /// From 1; 0 for the file as a whole.
    line: usize,
    what: String,
}

impl Finding {
    fn new(file: &str, line: usize, what: impl Into<String>) -> Finding {
        Finding {
            file: file.to_owned(),
            line,
            what: what.into(),
        }
    }
}

type Check = fn(&Tree) -> Vec<Finding>;

const CHECKS: &[(&str, Check)] = &[
    ("length", source::length),
    ("first line", source::first_line),
    ("unsafe", source::unsafe_code),
    ("forbid unsafe", source::forbid_unsafe),
    ("orderings", source::orderings),
    ("unfinished", source::unfinished),
    ("ignored tests", source::ignored),
    ("arrows", arrows::upward),
    ("one place", manifests::inherited),
    ("commented dependencies", manifests::commented),
    ("fields", manifests::fields),
    ("crate documentation", manifests::documented),
    ("this machine", portable::machine_paths),
    ("hosts", portable::hosts),
    ("links", markdown::links),
    ("commands", markdown::commands),
    ("named crates", markdown::named_crates),
    ("mutants", models::mutants),
    ("one test command", models::ci),
];

fn run(_: &Options) -> Result<()> {
    let tree = Tree::read()?;
    let mut n_findings = 0;
    for (name, check) in CHECKS {
        let mut findings = check(&tree);
        findings.sort();
        n_findings += findings.len();
        for Finding { file, line, what } in findings {
            println!("{file}:{line}: {what} [{name}]");
        }
    }
    if n_findings > 0 {
        bail!("{n_findings} findings");
    }
    println!(
        "tidy: {} checks on {} files, nothing found",
        CHECKS.len(),
        tree.files.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Check;
    use super::tree::Tree;

    /// The lines that `check` finds fault with in one file.
    pub(super) fn lines(check: Check, path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)], &[]))
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn the_tree_is_read() {
        let tree = Tree::read().unwrap();
        assert!(tree.file("xtask/src/tidy/mod.rs").is_some());
        assert!(tree.file("xtask/src").is_none() && tree.has("xtask/src"));
        assert!(tree.members.iter().any(|member| member.name == "xtask"));
    }
}
