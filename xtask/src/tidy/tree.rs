//! The files that git knows or would add, and the crates, as the checks see them.

use std::fs;

use anyhow::Result;
use xshell::cmd;

use crate::workspace::{self, Member};

/// A file, its path relative to the root with `/` between.
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
}

impl File {
    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it is only ever built as a test or a benchmark.
    pub(super) fn is_test(&self) -> bool {
        let folders: Vec<_> = self.path.split('/').collect();
        let (name, folders) = folders.split_last().expect("a path has a last part");
        *name == "tests.rs"
            || folders
                .iter()
                .any(|folder| ["tests", "benches"].contains(folder))
    }

    /// The lines with their numbers from 1.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(at, line)| (at + 1, line))
    }
}

pub(super) struct Tree {
    pub(super) files: Vec<File>,
    pub(super) members: Vec<Member>,
}

impl Tree {
    /// This workspace's.
    pub(super) fn read() -> Result<Tree> {
        let shell = workspace::shell()?;
        let paths = cmd!(shell, "git ls-files --cached --others --exclude-standard")
            .quiet()
            .read()?;
        let mut files = Vec::new();
        for path in paths.lines() {
            // One that is deleted and not yet committed so is no fault.
            if let Ok(bytes) = fs::read(workspace::root().join(path)) {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                files.push(File {
                    path: path.to_owned(),
                    text,
                });
            }
        }
        Ok(Tree {
            files,
            members: workspace::members()?,
        })
    }

    pub(super) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.is_rust())
    }

    pub(super) fn markdown(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".md"))
    }

    pub(super) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Whether there is such a file, or a file below such a folder.
    pub(super) fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self
                .files
                .iter()
                .any(|file| file.path == path || file.path.starts_with(&folder))
    }

    /// A tree that is written down in a test.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)], members: &[Member]) -> Tree {
        let file = |(path, text): &(&str, &str)| File {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        };
        Tree {
            files: files.iter().map(file).collect(),
            members: members.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;

    #[test]
    fn tests_are_told_by_their_place() {
        let paths = [
            "a/src/x.rs",
            "a/src/tests.rs",
            "a/src/x/tests.rs",
            "a/tests/x.rs",
            "a/benches/x.rs",
        ];
        let files: Vec<_> = paths.iter().map(|path| (*path, "")).collect();
        let tree = Tree::of(&files, &[]);
        let told: Vec<_> = tree.rust().map(super::File::is_test).collect();
        assert_eq!(told, [false, true, true, true, true]);
    }

    #[test]
    fn folders_are_known_by_their_files() {
        let tree = Tree::of(&[("a/b/c.md", "")], &[]);
        assert!(tree.has("a/b/c.md") && tree.has("a/b") && tree.has("a") && tree.has(""));
        assert!(!tree.has("a/b/c") && !tree.has("b"));
    }
}
