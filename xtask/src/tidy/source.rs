//! Checks on Rust source, file by file.

use super::Finding;
use super::lexer::{self, Line};
use super::tree::{File, Tree};

const MAX_LINES: usize = 600;
/// How far above a line its reason may stand, in lines that are no comments themselves.
const NEAR: usize = 8;
/// The reason of a test that is ignored because another starts it.
const CHILD: &str = "\"run as a child\"";
const ORDERINGS: [&str; 5] = ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];

/// A file is read as a whole; one that is too long is read by nobody.
pub(super) fn length(tree: &Tree) -> Vec<Finding> {
    let long = tree.rust().filter(|file| file.lines().count() > MAX_LINES);
    long.map(|file| {
        let n = file.lines().count();
        Finding::new(
            &file.path,
            0,
            format!("{n} lines; {MAX_LINES} are the most, 300 are plenty"),
        )
    })
    .collect()
}

/// The first line says what the file is for.
pub(super) fn first_line(tree: &Tree) -> Vec<Finding> {
    let mute = tree.rust().filter(|file| !file.text.starts_with("//! "));
    mute.map(|file| {
        Finding::new(
            &file.path,
            1,
            "the first line is not `//! what this file is for`",
        )
    })
    .collect()
}

/// Each unsafe block and impl says why it is sound, each unsafe function what its caller must see to.
pub(super) fn unsafe_code(tree: &Tree) -> Vec<Finding> {
    each_line(tree.rust(), |lines, at| {
        let line = &lines[at];
        if !line.has_word("unsafe") || line.code.trim_start().starts_with('#') {
            return None;
        }
        let is_declared = line.has_word("fn") || line.has_word("trait");
        if is_declared {
            let is_type = line.code.contains("unsafe fn(") || line.code.contains("fn(");
            let says = is_type || doc_above(lines, at).contains("# Safety");
            return (!says).then(|| "an unsafe function or trait without `# Safety`".to_owned());
        }
        let says = near(lines, at).any(|line| line.comment.contains("SAFETY"));
        (!says).then(|| "unsafe code without `// SAFETY:`".to_owned())
    })
}

/// A crate without unsafe code says so, and is kept to it by the compiler.
pub(super) fn forbid_unsafe(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &tree.members {
        let src = format!("{}/src/", member.folder);
        let own = || tree.rust().filter(|file| file.path.starts_with(&src));
        let uses = own().any(|file| {
            lexer::lines(&file.text)
                .iter()
                .any(|l| l.has_word("unsafe"))
        });
        for name in ["lib.rs", "main.rs"] {
            let root = tree.file(&format!("{src}{name}"));
            let says = |file: &&File| file.text.contains("#![forbid(unsafe_code)]");
            if let Some(file) = root.filter(|file| !uses && !says(file)) {
                let what = "no unsafe code here, so say `#![forbid(unsafe_code)]`";
                findings.push(Finding::new(&file.path, 1, what));
            }
        }
    }
    findings
}

/// An atomic ordering names the edge it makes, or says why it needs none.
pub(super) fn orderings(tree: &Tree) -> Vec<Finding> {
    each_line(tree.rust().filter(|file| !file.is_test()), |lines, at| {
        let is_import =
            |line: &Line| line.code.contains("use ") || line.code.contains("Ordering::{");
        if is_import(&lines[at]) {
            return None;
        }
        let imports = |name: &str| {
            lines
                .iter()
                .any(|l| is_import(l) && l.code.contains("Ordering") && l.has_word(name))
        };
        let is_used = |name: &str| {
            lines[at].code.contains(&format!("Ordering::{name}"))
                || lines[at].has_word(name) && imports(name)
        };
        let name = ORDERINGS.iter().find(|name| is_used(name))?;
        let says = near(lines, at).any(|line| !line.comment.is_empty());
        (!says).then(|| format!("{name}, without the edge it makes"))
    })
}

/// Nothing is left for later.
pub(super) fn unfinished(tree: &Tree) -> Vec<Finding> {
    each_line(tree.rust(), |lines, at| {
        let macros = ["todo!", "unimplemented!", "dbg!"];
        let found = macros.iter().find(|name| {
            let bare = name.trim_end_matches('!');
            lines[at].code.contains(*name) && lines[at].has_word(bare)
        });
        let marks = ["TODO", "FIXME", "XXX"];
        let mark = marks.iter().find(|mark| {
            let comment = Line {
                code: lines[at].comment.clone(),
                comment: String::new(),
            };
            comment.has_word(mark)
        });
        found.or(mark).map(|what| format!("unfinished: {what}"))
    })
}

/// A test or an example that does not run tells nothing.
///
/// A test that another one starts in a process of its own has to be ignored by
/// the harness. It says so, and is named by the one that starts it.
pub(super) fn ignored(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        let lines = lexer::lines(&file.text);
        for (at, line) in lines.iter().enumerate() {
            if !line.code.contains("#[") || !line.has_word("ignore") {
                continue;
            }
            let is_child = file
                .text
                .lines()
                .nth(at)
                .is_some_and(|line| line.contains(CHILD));
            let name = lines[at..].iter().find_map(|line| name_of_fn(&line.code));
            let starts = |name: &str| tree.rust().any(|file| quotes(&file.text, name));
            if !is_child {
                findings.push(Finding::new(&file.path, at + 1, "an ignored test"));
            } else if !name.is_some_and(starts) {
                findings.push(Finding::new(
                    &file.path,
                    at + 1,
                    "a child that no test starts",
                ));
            }
        }
    }
    for file in tree.rust().chain(tree.markdown()) {
        for (at, line) in file.lines() {
            let text = line.trim_start();
            let text = text
                .trim_start_matches("//!")
                .trim_start_matches("///")
                .trim_start();
            let fence = text.strip_prefix("```").unwrap_or_default();
            if fence.split(',').any(|word| word.trim() == "ignore") {
                findings.push(Finding::new(
                    &file.path,
                    at,
                    "an example that is not compiled",
                ));
            }
        }
    }
    findings
}

fn name_of_fn(code: &str) -> Option<&str> {
    let (_, rest) = code.split_once("fn ")?;
    rest.split('(').next()
}

/// Whether `name` ends a string in `text`, as it stands or after the path of a module.
fn quotes(text: &str, name: &str) -> bool {
    text.contains(&format!("\"{name}\"")) || text.contains(&format!("::{name}\""))
}

/// Asks `fault` about each line of each file.
fn each_line<'t>(
    files: impl Iterator<Item = &'t File>,
    fault: impl Fn(&[Line], usize) -> Option<String>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        let lines = lexer::lines(&file.text);
        for at in 0..lines.len() {
            findings.extend(fault(&lines, at).map(|what| Finding::new(&file.path, at + 1, what)));
        }
    }
    findings
}

/// A line and those above it, up to [`NEAR`] of them that hold no comment.
fn near(lines: &[Line], at: usize) -> impl Iterator<Item = &Line> {
    let mut n_bare = 0;
    lines[..=at].iter().rev().take_while(move |line| {
        n_bare += usize::from(line.comment.is_empty());
        n_bare <= NEAR
    })
}

/// The comments and attributes right above a line.
fn doc_above(lines: &[Line], at: usize) -> String {
    let above = lines[..at].iter().rev();
    let block = above.take_while(|line| {
        let code = line.code.trim();
        code.is_empty() && !line.comment.is_empty() || code.starts_with('#')
    });
    block.map(|line| line.comment.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::super::tree::Tree;
    use super::*;
    use crate::workspace::Member;

    #[test]
    fn long_files_are_found() {
        assert_eq!(lines(length, "a.rs", &"x\n".repeat(601)), [0]);
        assert!(lines(length, "a.rs", &"x\n".repeat(600)).is_empty());
    }

    #[test]
    fn mute_files_are_found() {
        assert_eq!(lines(first_line, "a.rs", "#![x]\n//! late\n"), [1]);
        assert_eq!(lines(first_line, "a.rs", ""), [1]);
        assert!(lines(first_line, "a.rs", "//! what\n").is_empty());
    }

    #[test]
    fn unsafe_code_without_its_reason_is_found() {
        let bare = "fn f() {\n    unsafe { g() }\n}\nunsafe impl Send for X {}\n/// Does.\npub unsafe fn h() {}\n";
        assert_eq!(lines(unsafe_code, "a.rs", bare), [2, 4, 6]);
        let far = format!("// SAFETY: far\n{}unsafe {{ g() }}\n", "\n".repeat(NEAR));
        assert_eq!(lines(unsafe_code, "a.rs", &far), [NEAR + 2]);
        let long = format!(
            "// SAFETY: long\n{}unsafe {{ g() }}\n",
            "// more\n".repeat(NEAR)
        );
        assert!(lines(unsafe_code, "a.rs", &long).is_empty());
        let told = "// SAFETY: g is fine.\nunsafe { g() }\n/// Does.\n///\n/// # Safety\n/// x\n#[inline]\npub unsafe fn h() {}\n\
                    // the word unsafe, \nlet f: unsafe fn(u8) = h;\n#![forbid(unsafe_code)]\n\"unsafe {\";\n";
        assert!(lines(unsafe_code, "a.rs", told).is_empty());
    }

    #[test]
    fn crates_that_do_not_forbid_what_they_do_not_use_are_found() {
        let member = Member {
            folder: "a".to_owned(),
            ..Member::default()
        };
        let check = |lib: &str, other: &str| {
            let files = [("a/src/lib.rs", lib), ("a/src/b.rs", other)];
            forbid_unsafe(&Tree::of(&files, std::slice::from_ref(&member))).len()
        };
        assert_eq!(check("//! a\n", "fn safe() {}"), 1);
        assert_eq!(check("//! a\n#![forbid(unsafe_code)]\n", "fn safe() {}"), 0);
        assert_eq!(check("//! a\n", "unsafe { f() }"), 0);
    }

    #[test]
    fn orderings_without_their_edge_are_found() {
        assert_eq!(
            lines(orderings, "a/src/x.rs", "x.load(Ordering::Acquire);\n"),
            [1]
        );
        let imported = "use std::sync::atomic::Ordering::{Acquire, Release};\n\nx.load(Acquire);\n";
        assert_eq!(lines(orderings, "a/src/x.rs", imported), [3]);
        let told = "// Acquire: pairs with Release in set.\nx.load(Ordering::Acquire);\n";
        assert!(lines(orderings, "a/src/x.rs", told).is_empty());
        let others = "match a.cmp(&b) {\n    Ordering::Less => Acquire,\n}\n";
        assert!(lines(orderings, "a/src/x.rs", others).is_empty());
        assert!(lines(orderings, "a/tests/x.rs", "x.load(Ordering::SeqCst);\n").is_empty());
    }

    #[test]
    fn unfinished_code_is_found() {
        let text = "todo!();\nunimplemented!(\"x\");\ndbg!(x);\n// TODO: more\n";
        assert_eq!(lines(unfinished, "a.rs", text), [1, 2, 3, 4]);
        let fine = "// a todo!() in a comment\n\"dbg!(x)\";\nmytodo!();\n";
        assert!(lines(unfinished, "a.rs", fine).is_empty());
    }

    #[test]
    fn ignored_tests_are_found() {
        let text = "#[ignore]\n#[ignore = \"slow\"]\n#[cfg_attr(debug_assertions, ignore)]\n/// ```ignore\n";
        assert_eq!(lines(ignored, "a.rs", text), [1, 2, 3, 4]);
        assert_eq!(lines(ignored, "a.md", "```rust,ignore\n"), [1]);
        assert!(
            lines(
                ignored,
                "a.rs",
                "let ignore = 1;\n/// ```no_run\n// #[ignore]\n"
            )
            .is_empty()
        );
    }
}
