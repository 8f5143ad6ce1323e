//! The lists of mutants: `mutants.txt` in each crate that has any.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail, ensure};

use crate::workspace;

/// A rule that can be broken on purpose.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mutant {
    /// What `PHALANX_MUTANT` calls it.
    pub(crate) name: String,
    /// The package whose models must notice.
    pub(crate) package: String,
    pub(crate) breaks: String,
    /// Whether the model notices by never ending, so that running out of time counts.
    pub(crate) hangs: bool,
}

/// All mutants of the workspace.
pub(crate) fn read() -> Result<Vec<Mutant>> {
    let mut mutants = Vec::new();
    for member in workspace::members()? {
        let path = workspace::root().join(&member.folder).join("mutants.txt");
        if path.is_file() {
            let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
            mutants.extend(parse(&format!("{}/mutants.txt", member.folder), &text)?);
        }
    }
    Ok(mutants)
}

/// Reads lines of the form `name TAB package TAB what it breaks [TAB hang]`; `#` begins a comment line.
pub(crate) fn parse(file: &str, text: &str) -> Result<Vec<Mutant>> {
    let mut mutants = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let place = format!("{file}:{}", at + 1);
        let fields: Vec<_> = line.split('\t').map(str::trim).collect();
        let (name, package, breaks, hangs) = match fields[..] {
            [name, package, breaks] => (name, package, breaks, false),
            [name, package, breaks, "hang"] => (name, package, breaks, true),
            _ => bail!("{place}: not `name TAB package TAB what it breaks [TAB hang]`"),
        };
        ensure!(
            ![name, package, breaks].contains(&""),
            "{place}: an empty field"
        );
        ensure!(
            seen.insert((name, package)),
            "{place}: `{name}` is listed twice for {package}"
        );
        mutants.push(Mutant {
            name: name.to_owned(),
            package: package.to_owned(),
            breaks: breaks.to_owned(),
            hangs,
        });
    }
    Ok(mutants)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn lines_become_mutants() {
        let text = "# why\n\na\tp\tbreaks a\nb\tp\tbreaks b\thang\na\tq\tthe same elsewhere\n";
        let mutants = parse("mutants.txt", text).unwrap();
        let told: Vec<_> = mutants
            .iter()
            .map(|m| (m.name.as_str(), m.package.as_str(), m.hangs))
            .collect();
        assert_eq!(
            told,
            [("a", "p", false), ("b", "p", true), ("a", "q", false)]
        );
    }

    #[test]
    fn bad_lines_are_refused_with_their_place() {
        for (text, said) in [
            ("a p what", "mutants.txt:1: not"),
            ("a\tp\twhat\tsometimes", "mutants.txt:1: not"),
            ("# x\na\t\twhat", "mutants.txt:2: an empty field"),
            ("a\tp\tx\na\tp\ty", "mutants.txt:2: `a` is listed twice"),
        ] {
            let error = parse("mutants.txt", text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
