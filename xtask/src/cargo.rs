//! Builds one program with cargo and says where it is.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::workspace;

/// The folder for build products, `target` unless the environment says otherwise.
pub(crate) fn target_dir() -> PathBuf {
    let folder = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    workspace::root().join(folder)
}

/// A folder of its own below the one for build products: other flags there do not rebuild what is here.
pub(crate) fn scratch(name: &str) -> Result<PathBuf> {
    let folder = target_dir().join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// Runs `cargo` with `args` and answers with the program of kind `kind` called `name` that it built.
pub(crate) fn build(
    args: &[&str],
    env: &[(&str, &str)],
    kind: &str,
    name: &str,
) -> Result<PathBuf> {
    let output = Command::new("cargo")
        .args(args)
        .arg("--message-format=json-render-diagnostics")
        .envs(env.iter().copied())
        .current_dir(workspace::root())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "`cargo {}` failed", args.join(" "));
    let messages = String::from_utf8_lossy(&output.stdout);
    executable(&messages, kind, name)
        .with_context(|| format!("`cargo {}` built no {kind} `{name}`", args.join(" ")))
}

fn executable(messages: &str, kind: &str, name: &str) -> Option<PathBuf> {
    messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let target = &message["target"];
        let is_it = target["name"] == name && target["kind"][0] == kind;
        let path = message["executable"].as_str().filter(|_| is_it)?;
        Some(Path::new(path).to_owned())
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::executable;

    #[test]
    fn the_right_artifact_is_taken() {
        let messages = r#"
            {"reason":"compiler-artifact","target":{"kind":["lib"],"name":"loom"},"executable":null}
            {"reason":"compiler-artifact","target":{"kind":["test"],"name":"other"},"executable":"/b/other"}
            {"reason":"compiler-artifact","target":{"kind":["test"],"name":"loom"},"executable":"/b/loom-1"}
            {"reason":"build-finished","success":true}"#;
        assert_eq!(
            executable(messages, "test", "loom").as_deref(),
            Some(Path::new("/b/loom-1"))
        );
        assert_eq!(executable(messages, "bin", "loom"), None);
    }
}
