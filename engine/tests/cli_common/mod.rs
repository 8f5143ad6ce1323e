//! Running the program in tests: its own environment, a limit of time, and problems to give it.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

/// The program.
pub(crate) const PHALANX: &str = env!("CARGO_BIN_EXE_phalanx");

/// The program, without any setting from the environment that the tests run in, and with a minute to end.
pub(crate) fn phalanx(args: &[&str]) -> Command {
    let mut command = Command::new(PHALANX);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PHALANX_") {
            command.env_remove(name);
        }
    }
    command
        .args(args)
        .env_remove("RUST_BACKTRACE")
        .timeout(Duration::from_secs(60));
    command
}

/// Runs it. Whatever happens, no panic reaches the user.
pub(crate) fn output(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let text = stderr(&output);
    for word in ["thread '", "RUST_BACKTRACE", "panicked at"] {
        assert!(!text.contains(word), "{text}");
    }
    output
}

/// Runs it and expects success; its standard output.
pub(crate) fn succeeds(args: &[&str]) -> String {
    let output = output(&mut phalanx(args));
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    stdout(&output)
}

/// Runs it and expects this exit code and nothing on standard output; its one line of error, without `error: `.
pub(crate) fn fails(code: i32, args: &[&str]) -> String {
    fails_with(code, &mut phalanx(args))
}

pub(crate) fn fails_with(code: i32, command: &mut Command) -> String {
    let output = output(command);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert_eq!(stdout(&output), "");
    let line = text
        .strip_suffix('\n')
        .unwrap_or_else(|| panic!("no line: {text:?}"));
    assert!(!line.contains('\n'), "more than one line: {text}");
    line.strip_prefix("error: ")
        .unwrap_or_else(|| panic!("no error: {line}"))
        .to_owned()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// One JSON object and nothing else.
pub(crate) fn object(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(value.is_object(), "{text}");
    value
}

/// A problem of this repository.
pub(crate) fn problem(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../problems")
        .join(name);
    path.to_str().unwrap().to_owned()
}

/// A folder for one test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The same as text, for arguments.
    pub(crate) fn arg(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.arg(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files in it, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().to_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    }

    /// A problem that takes minutes at least, and has rows within a moment.
    pub(crate) fn endless(&self) -> String {
        let path = self.arg("endless.json");
        let args = [
            "model",
            "kicked-ising",
            "--lattice",
            "line:40",
            "--steps",
            "100000",
            "--lower-atol",
            "1e-5",
        ];
        succeeds(&[&args[..], &["--out", &path]].concat());
        path
    }
}
