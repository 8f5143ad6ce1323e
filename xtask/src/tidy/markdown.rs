//! The documentation names files, commands and crates that exist, and all of the crates.

use super::Finding;
use super::tree::{File, Tree};
use crate::COMMANDS;

/// Relative links lead to files of this tree, and their anchors to headings.
pub(super) fn links(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.markdown() {
        for (at, line) in outside_fences(file) {
            for target in targets(line) {
                if let Some(what) = dead(tree, file, target) {
                    findings.push(Finding::new(&file.path, at, what));
                }
            }
        }
    }
    findings
}

fn dead(tree: &Tree, file: &File, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = match path.is_empty() {
        true => file.path.clone(),
        false => resolve(&file.path, path)?,
    };
    if !tree.has(&path) {
        return Some(format!("a dead link: {target}"));
    }
    let aim = tree
        .file(&path)
        .filter(|_| !anchor.is_empty() && path.ends_with(".md"))?;
    let mut headings = outside_fences(aim).filter(|(_, line)| line.starts_with('#'));
    let is_there = headings.any(|(_, line)| slug(line) == anchor);
    (!is_there).then(|| format!("no heading for the link {target}"))
}

/// `path` as seen from `file`, relative to the root; outside the root it is as it stands, and not found.
fn resolve(file: &str, path: &str) -> Option<String> {
    let mut parts: Vec<_> = file.split('/').collect();
    parts.pop();
    for part in path.split('/').filter(|part| !["", "."].contains(part)) {
        match part {
            ".." if parts.is_empty() => return Some(path.to_owned()),
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// What stands in the parentheses of `[text](target)`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', ' ']).next())
}

/// The anchor that a heading gets.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The lines that are prose, not examples.
fn outside_fences(file: &File) -> impl Iterator<Item = (usize, &str)> {
    let mut is_inside = false;
    file.lines().filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_inside ^= is_fence;
        !is_fence && !is_inside
    })
}

/// Each `cargo xtask COMMAND --option` that is written anywhere exists.
pub(super) fn commands(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let scripts = tree
        .files
        .iter()
        .filter(|file| file.path.starts_with(".ci/"));
    for file in tree.markdown().chain(tree.rust()).chain(scripts) {
        for (at, line) in file.lines() {
            for call in line.split("cargo xtask ").skip(1) {
                findings.extend(wrong(call).map(|what| Finding::new(&file.path, at, what)));
            }
        }
    }
    findings
}

/// What is wrong with the words after `cargo xtask`.
fn wrong(call: &str) -> Option<String> {
    let call = call
        .split(['`', ')', '"', '#', ';', '&', '|', ','])
        .next()?;
    let mut words = call
        .split_whitespace()
        .map(|word| word.trim_end_matches(['.', ':']));
    let name = words.next()?;
    // Placeholders stand for any command.
    if name.starts_with("--help")
        || name.starts_with(|c: char| c.is_uppercase() || "{<[".contains(c))
    {
        return None;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        return Some(format!("no command `cargo xtask {name}`"));
    };
    let mut options = words.filter(|word| word.starts_with('-') && *word != "--help");
    let unknown = options.find(|option| !command.flags.iter().any(|flag| flag.name == *option));
    unknown.map(|option| format!("`cargo xtask {name}` has no option `{option}`"))
}

/// README.md and ARCHITECTURE.md name every crate.
pub(super) fn named_crates(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in ["README.md", "ARCHITECTURE.md"] {
        let text = tree.file(path).map_or("", |file| file.text.as_str());
        for member in tree
            .members
            .iter()
            .filter(|member| !text.contains(&member.name))
        {
            findings.push(Finding::new(
                path,
                0,
                format!("does not name {}", member.name),
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::super::tree::Tree;
    use super::{commands, links, named_crates};
    use crate::workspace::Member;

    #[test]
    fn dead_links_are_found() {
        let found = |text: &str| {
            let files = [
                ("a/x.md", text),
                ("a/b.rs", ""),
                ("y.md", "# A `big` heading\n```\n# code\n```\n"),
            ];
            links(&Tree::of(&files, &[])).len()
        };
        for dead in [
            "c.rs",
            "../b.rs",
            "../../y.md",
            "../y.md#another",
            "../y.md#code",
            "#none",
        ] {
            assert_eq!(found(&format!("see [this]({dead})")), 1, "{dead}");
        }
        for live in [
            "b.rs",
            "../y.md",
            "../a",
            "../a/",
            "../y.md#a-big-heading",
            "https://a.b/c",
            "b.rs#L3",
        ] {
            assert_eq!(found(&format!("see [this]({live})")), 0, "{live}");
        }
        assert_eq!(found("```\nx[1](none.rs)\n```\n"), 0);
        assert_eq!(found("[a](b.rs) and [b](none.rs \"title\")"), 1);
    }

    #[test]
    fn commands_that_do_not_exist_are_found() {
        for call in ["tset", "loom --mutant", "test -p x", "mpi"] {
            assert_eq!(
                lines(commands, "a.md", &format!("run `cargo {} {call}`", "xtask")),
                [1],
                "{call}"
            );
        }
        for call in [
            "test",
            "loom -p x --mutants",
            "COMMAND",
            "--help",
            "test --only NAME",
            "demo`, then `x --y",
        ] {
            assert!(
                lines(commands, "a.md", &format!("`cargo xtask {call}`")).is_empty(),
                "{call}"
            );
        }
    }

    #[test]
    fn crates_that_are_not_named_are_found() {
        let member = Member {
            name: "phalanx-attic".to_owned(),
            ..Member::default()
        };
        let found = |readme: &str| {
            let files = [
                ("README.md", readme),
                ("ARCHITECTURE.md", "`phalanx-attic`"),
            ];
            named_crates(&Tree::of(&files, std::slice::from_ref(&member))).len()
        };
        assert_eq!(found("of many crates"), 1);
        assert_eq!(found("of phalanx-attic"), 0);
    }
}
