//! Versions, lints and licences stand in one place, and each crate can be published.

use super::Finding;
use super::tree::{File, Tree};

/// A line of a manifest: its number, the table it is in, what it says.
struct Entry<'t> {
    at: usize,
    table: String,
    line: &'t str,
}

/// The lines of a manifest that set something. No parser of TOML: our manifests set one thing a line.
fn entries(file: &File) -> Vec<Entry<'_>> {
    let mut table = String::new();
    let mut entries = Vec::new();
    for (at, line) in file.lines() {
        let bare = line.trim();
        if bare.starts_with('[') && !bare.contains('=') {
            table = bare
                .split(']')
                .next()
                .unwrap_or_default()
                .trim_matches('[')
                .to_owned();
        } else if !bare.is_empty() && !bare.starts_with('#') {
            entries.push(Entry {
                at,
                table: table.clone(),
                line,
            });
        }
    }
    entries
}

fn manifests(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.members
        .iter()
        .filter_map(|member| tree.file(&format!("{}/Cargo.toml", member.folder)))
}

/// Crates take versions, lints and the package's own fields from the workspace.
pub(super) fn inherited(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in manifests(tree) {
        let entries = entries(file);
        for entry in entries
            .iter()
            .filter(|entry| entry.table.ends_with("dependencies"))
        {
            let is_inherited = entry.line.contains("workspace = true");
            if !is_inherited {
                let what = format!("not from the workspace: {}", entry.line.trim());
                findings.push(Finding::new(&file.path, entry.at, what));
            }
        }
        for entry in entries
            .iter()
            .filter(|entry| entry.table.contains("dependencies."))
        {
            let what = "a dependency is one line, `name = { workspace = true, ... }`";
            findings.push(Finding::new(&file.path, entry.at, what));
        }
        let mut wanted = vec![("lints", "workspace = true")];
        for field in [
            "edition",
            "rust-version",
            "license",
            "repository",
            "authors",
        ] {
            wanted.push(("package", field));
        }
        for (table, start) in wanted {
            let is_there = entries.iter().any(|entry| {
                entry.table == table
                    && entry.line.starts_with(start)
                    && entry.line.contains("workspace = true")
            });
            if !is_there {
                findings.push(Finding::new(
                    &file.path,
                    0,
                    format!("[{table}] {start} is not from the workspace"),
                ));
            }
        }
    }
    findings
}

/// Each dependency of the workspace, ours aside, says what it is for; each is used by a crate.
pub(super) fn commented(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path == "Cargo.toml") {
        for entry in entries(file) {
            if entry.table != "workspace.dependencies" {
                continue;
            }
            let name = entry.line.split([' ', '=', '.']).next().unwrap_or_default();
            if !entry.line.contains("path = ") && !entry.line.contains(" # ") {
                findings.push(Finding::new(
                    &file.path,
                    entry.at,
                    format!("what is {name} for?"),
                ));
            }
            let mut used = tree.members.iter().flat_map(|member| &member.dependencies);
            if !entry.line.contains("path = ") && !used.any(|used| used == name) {
                findings.push(Finding::new(
                    &file.path,
                    entry.at,
                    format!("nothing uses {name}"),
                ));
            }
        }
    }
    findings
}

/// What a registry asks of a crate, and the texts of both licences.
pub(super) fn fields(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &tree.members {
        let fields = [
            ("license", &member.license),
            ("readme", &member.readme),
            ("description", &member.description),
        ];
        for (name, _) in fields.into_iter().filter(|(_, value)| value.is_none()) {
            let path = format!("{}/Cargo.toml", member.folder);
            findings.push(Finding::new(&path, 0, format!("no {name}")));
        }
    }
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        if tree
            .file(name)
            .is_none_or(|file| file.text.trim().is_empty())
        {
            findings.push(Finding::new(name, 0, "not there"));
        }
    }
    findings
}

/// Each crate has a README worth the name, whose examples are compiled, and a library says what it is.
pub(super) fn documented(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &tree.members {
        let path = format!("{}/README.md", member.folder);
        let readme = tree.file(&path).map_or("", |file| file.text.as_str());
        if readme
            .lines()
            .filter(|line| !line.trim().is_empty())
            .count()
            < 5
        {
            findings.push(Finding::new(&path, 0, "says next to nothing"));
        }
        let Some(lib) = tree.file(&format!("{}/src/lib.rs", member.folder)) else {
            continue;
        };
        let n_said = lib
            .text
            .lines()
            .filter(|line| line.starts_with("//! "))
            .count();
        if n_said < 3 {
            findings.push(Finding::new(
                &lib.path,
                1,
                "says next to nothing of the crate",
            ));
        }
        let has_examples = fences(readme).any(|fence| ["", "rust"].contains(&fence));
        let src = format!("{}/src/", member.folder);
        let mut own = tree.rust().filter(|file| file.path.starts_with(&src));
        if has_examples && !own.any(|file| file.text.contains("include_str!(\"../README.md\")")) {
            findings.push(Finding::new(
                &path,
                0,
                "its examples are no doctests of the crate",
            ));
        }
    }
    findings
}

/// The words that open a fence, up to the first comma.
fn fences(text: &str) -> impl Iterator<Item = &str> {
    let marks = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("```"));
    marks
        .step_by(2)
        .map(|word| word.split(',').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;
    use crate::workspace::Member;

    const GOOD: &str = "[package]\nedition.workspace = true\nrust-version.workspace = true\nlicense.workspace = true\n\
                        repository.workspace = true\nauthors.workspace = true\n\n[dependencies]\na.workspace = true\n\
                        b = { workspace = true, features = [\"x\"] } # why\n\n[lints]\nworkspace = true\n";

    fn member() -> Member {
        let some = || Some("x".to_owned());
        Member {
            name: "p".to_owned(),
            folder: "p".to_owned(),
            license: some(),
            readme: some(),
            description: some(),
            dependencies: vec!["a".to_owned()],
            ..Member::default()
        }
    }

    fn found(check: fn(&Tree) -> Vec<Finding>, files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files, &[member()]))
            .into_iter()
            .map(|finding| finding.what)
            .collect()
    }

    #[test]
    fn what_is_not_inherited_is_found() {
        let check = |text: &str| found(inherited, &[("p/Cargo.toml", text)]);
        assert!(check(GOOD).is_empty(), "{:?}", check(GOOD));
        for (from, to) in [
            ("a.workspace = true", "a = \"1\""),
            ("b = { workspace = true,", "b = { version = \"1\","),
            ("[lints]\nworkspace = true", ""),
            ("license.workspace = true", "license = \"MIT\""),
            ("edition.workspace = true", "edition = \"2024\""),
            (
                "[lints]",
                "[target.'cfg(x)'.dependencies]\nc = \"1\"\n[lints]",
            ),
            ("[lints]", "[dependencies.c]\nversion = \"1\"\n[lints]"),
        ] {
            let bad = GOOD.replace(from, to);
            assert_ne!(bad, GOOD);
            assert_eq!(check(&bad).len(), 1, "{to}: {:?}", check(&bad));
        }
    }

    #[test]
    fn dependencies_without_comment_or_user_are_found() {
        let check = |line: &str| {
            found(
                commented,
                &[(
                    "Cargo.toml",
                    &format!("[workspace.dependencies]\n{line}\n[profile.x]\ny = 1\n"),
                )],
            )
        };
        assert!(check("a = \"1\"   # what for").is_empty());
        assert!(check("p = { path = \"p\", version = \"0.1.0\" }").is_empty());
        assert_eq!(check("a = \"1\""), ["what is a for?"]);
        assert_eq!(check("b = \"1\" # what for"), ["nothing uses b"]);
    }

    #[test]
    fn missing_fields_and_licences_are_found() {
        let licences = [("LICENSE-MIT", "x"), ("LICENSE-APACHE", "x")];
        assert!(found(fields, &licences).is_empty());
        assert_eq!(
            found(fields, &[("LICENSE-MIT", "x"), ("LICENSE-APACHE", " \n")]),
            ["not there"]
        );
        let bare = Member {
            license: None,
            readme: None,
            ..member()
        };
        let tree = Tree::of(&licences, &[bare]);
        assert_eq!(fields(&tree).len(), 2);
    }

    #[test]
    fn crates_that_do_not_explain_themselves_are_found() {
        let readme = "# p\n\nOne.\nTwo.\n\n```rust\nlet x = 1;\n```\n";
        let lib = "//! A\n//! B\n//! C\n#[doc = include_str!(\"../README.md\")]\n";
        let check = |readme, lib| {
            found(
                documented,
                &[("p/README.md", readme), ("p/src/lib.rs", lib)],
            )
        };
        assert!(check(readme, lib).is_empty());
        assert_eq!(check("# p\n", lib), ["says next to nothing"]);
        assert_eq!(
            check(readme, "//! A\n// include_str!(\"../README.md\")\n").len(),
            1
        );
        assert_eq!(check(readme, "//! A\n//! B\n//! C\n").len(), 1);
        let plain = readme.replace("```rust", "```text");
        assert!(check(&plain, "//! A\n//! B\n//! C\n").is_empty());
    }
}
