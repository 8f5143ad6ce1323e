//! Where the workspace is and what it is made of, as `cargo metadata` tells it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xshell::{Shell, cmd};

/// The workspace's root folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder of the workspace")
}

/// A shell in the root folder.
pub(crate) fn shell() -> Result<Shell> {
    let shell = Shell::new()?;
    shell.change_dir(root());
    Ok(shell)
}

/// A crate of the workspace.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Relative to the root.
    pub(crate) folder: String,
    pub(crate) is_published: bool,
    pub(crate) license: Option<String>,
    pub(crate) readme: Option<String>,
    pub(crate) description: Option<String>,
    /// Direct dependencies of every kind, by package name.
    pub(crate) dependencies: Vec<String>,
    /// (kind, name): `("test", "loom")`, `("example", "stress")`, `("bench", "barrier")`, ...
    pub(crate) targets: Vec<(String, String)>,
}

impl Member {
    pub(crate) fn has_target(&self, kind: &str, name: &str) -> bool {
        self.targets.iter().any(|(k, n)| k == kind && n == name)
    }
}

/// The workspace's crates.
///
/// # Errors
/// Also where `Cargo.lock` does not fit the manifests.
pub(crate) fn members() -> Result<Vec<Member>> {
    let shell = shell()?;
    let json = cmd!(
        shell,
        "cargo metadata --format-version 1 --no-deps --locked"
    )
    .quiet()
    .read()
    .context("cargo metadata failed; is Cargo.lock up to date?")?;
    parse(&json)
}

fn parse(json: &str) -> Result<Vec<Member>> {
    let metadata: Value = serde_json::from_str(json)?;
    let root = PathBuf::from(text(&metadata["workspace_root"]).context("no workspace_root")?);
    let packages = list(&metadata["packages"]);
    ensure!(!packages.is_empty(), "cargo metadata lists no package");
    packages
        .iter()
        .map(|package| member(package, &root))
        .collect()
}

fn member(package: &Value, root: &Path) -> Result<Member> {
    let manifest = PathBuf::from(text(&package["manifest_path"]).context("no manifest_path")?);
    let folder = manifest
        .parent()
        .and_then(|folder| folder.strip_prefix(root).ok());
    let mut targets = Vec::new();
    for target in list(&package["targets"]) {
        for kind in list(&target["kind"]) {
            if let (Some(kind), Some(name)) = (text(kind), text(&target["name"])) {
                targets.push((kind, name));
            }
        }
    }
    Ok(Member {
        name: text(&package["name"]).context("a package without name")?,
        folder: folder
            .context("a package outside the workspace")?
            .display()
            .to_string(),
        is_published: package["publish"].is_null(),
        license: text(&package["license"]),
        readme: text(&package["readme"]),
        description: text(&package["description"]),
        dependencies: list(&package["dependencies"])
            .iter()
            .filter_map(|dependency| text(&dependency["name"]))
            .collect(),
        targets,
    })
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{members, parse};

    #[test]
    fn this_workspace_is_read() {
        let members = members().unwrap();
        let own = members
            .iter()
            .find(|member| member.name == "xtask")
            .unwrap();
        assert_eq!(own.folder, "xtask");
        assert!(!own.is_published);
        assert!(own.has_target("bin", "xtask"));
        assert!(own.dependencies.iter().any(|name| name == "anyhow"));
    }

    #[test]
    fn other_text_is_refused() {
        assert!(parse("no JSON").is_err());
        assert!(parse(r#"{"workspace_root": "/x", "packages": []}"#).is_err());
    }
}
