//! Lists that other commands go by agree with the code they are about.

use super::Finding;
use super::lexer;
use super::tree::Tree;
use crate::mutants;

/// Every listed mutant is one that some crate can play, every `mutant("name")` in the code is listed, and
/// its package has models to notice it.
pub(super) fn mutants(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut listed = Vec::new();
    for file in tree
        .files
        .iter()
        .filter(|file| file.path.ends_with("/mutants.txt"))
    {
        match mutants::parse(&file.path, &file.text) {
            Err(error) => findings.push(Finding::new(&file.path, 0, error.to_string())),
            Ok(list) => listed.extend(list.into_iter().map(|mutant| (file, mutant))),
        }
    }
    for (file, mutant) in &listed {
        let quoted = format!("\"{}\"", mutant.name);
        let is_played = tree
            .rust()
            .any(|file| file.path.contains("/src/") && file.text.contains(&quoted));
        if !is_played {
            findings.push(Finding::new(
                &file.path,
                0,
                format!("nothing plays `{}`", mutant.name),
            ));
        }
        let mut members = tree
            .members
            .iter()
            .filter(|member| member.name == mutant.package);
        if !members.any(|member| member.has_target("test", "loom")) {
            let what = format!(
                "`{}` is for {}, which has no models",
                mutant.name, mutant.package
            );
            findings.push(Finding::new(&file.path, 0, what));
        }
    }
    for file in tree.rust().filter(|file| file.path.contains("/src/")) {
        for ((at, raw), line) in file.lines().zip(lexer::lines(&file.text)) {
            // The name itself is inside a string, so it is read from the raw line.
            if !line.code.contains("mutant(\"\")") {
                continue;
            }
            for rest in raw.split("mutant(\"").skip(1) {
                let name = rest.split('"').next().unwrap_or_default();
                if !listed.iter().any(|(_, mutant)| mutant.name == name) {
                    findings.push(Finding::new(
                        &file.path,
                        at,
                        format!("mutant `{name}` is listed nowhere"),
                    ));
                }
            }
        }
    }
    findings
}

/// CI runs the very command that the README gives for testing.
pub(super) fn ci(tree: &Tree) -> Vec<Finding> {
    let command = concat!("cargo xtask", " test");
    let says = |path: &str| {
        tree.file(path)
            .is_some_and(|file| file.text.contains(command))
    };
    let silent = ["README.md", ".ci/run"]
        .into_iter()
        .filter(|path| !says(path));
    silent
        .map(|path| Finding::new(path, 0, format!("does not say `{command}`")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::{ci, mutants};
    use crate::workspace::Member;

    fn faults(list: &str, code: &str, targets: &[(&str, &str)]) -> usize {
        let targets = targets
            .iter()
            .map(|(kind, name)| ((*kind).to_owned(), (*name).to_owned()));
        let member = Member {
            name: "p".to_owned(),
            targets: targets.collect(),
            ..Member::default()
        };
        let files = [("p/mutants.txt", list), ("p/src/x.rs", code)];
        mutants(&Tree::of(&files, &[member])).len()
    }

    #[test]
    fn mutants_that_are_only_listed_or_only_played_are_found() {
        let models = [("test", "loom")];
        assert_eq!(faults("a\tp\twhat\n", "if mutant(\"a\") {}\n", &models), 0);
        assert_eq!(faults("a\tp\twhat\n", "one(\"a\", Release)\n", &models), 0);
        assert_eq!(faults("a\tp\twhat\n", "if mutant(\"b\") {}\n", &models), 2);
        assert_eq!(faults("a\tp\twhat\n", "\n", &models), 1);
        assert_eq!(faults("", "// mutant(\"b\")\n", &models), 0);
        assert_eq!(faults("a\tp\twhat\n", "if mutant(\"a\") {}\n", &[]), 1);
        assert_eq!(faults("a p what\n", "\n", &models), 1);
    }

    #[test]
    fn another_command_in_ci_is_found() {
        let found =
            |readme, run| ci(&Tree::of(&[("README.md", readme), (".ci/run", run)], &[])).len();
        assert_eq!(found("`cargo xtask test`", "cargo xtask test"), 0);
        assert_eq!(found("`cargo xtask test`", "cargo test"), 1);
        assert_eq!(found("`cargo test`", "cargo xtask test"), 1);
    }
}
