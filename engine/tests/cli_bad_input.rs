//! Malformed problem files: each gets one line that names the file, the field and the fault, exit code 2, and no panic.
#![cfg(feature = "cli")]

mod cli_common;

use cli_common::{Folder, fails, output, phalanx, problem, stderr, stdout, succeeds};

/// Parts of a valid problem that a case replaces.
struct Parts {
    format: &'static str,
    basis: &'static str,
    num_modes: &'static str,
    state: &'static str,
    observable: &'static str,
    gates: &'static str,
    parameters: &'static str,
    repeat: &'static str,
    truncation: &'static str,
    more: &'static str,
}

const VALID: Parts = Parts {
    format: r#""phalanx-problem/1""#,
    basis: r#""majorana""#,
    num_modes: "2",
    state: "[0]",
    observable: "[[[0,1],0.5]]",
    gates: r#"[{"generator":[[[0,3],-0.5],[[1,2],0.5]],"parameter":0}]"#,
    parameters: "[0.1]",
    repeat: "2",
    truncation: r#"{"measure":"support","cutoff":2}"#,
    more: "",
};

impl Parts {
    fn json(&self) -> String {
        format!(
            r#"{{"format":{},"basis":{},"num_modes":{},"initial_state":{},"observable":{},
"circuit":{{"gates":{},"parameters":{},"repeat":{}}},"truncation":{}{}}}"#,
            self.format,
            self.basis,
            self.num_modes,
            self.state,
            self.observable,
            self.gates,
            self.parameters,
            self.repeat,
            self.truncation,
            self.more
        )
    }
}

/// The valid problem with a part of it replaced.
fn with(replace: impl FnOnce(&mut Parts)) -> String {
    let mut parts = VALID;
    replace(&mut parts);
    parts.json()
}

/// Runs and checks a faulty file: both say the same, and it names file, field and fault.
fn refused(json: &str, field: &str, fault: &str) {
    let folder = Folder::new();
    let path = folder.write("bad.json", json);
    let message = fails(2, &["run", &path]);
    assert_eq!(message, fails(2, &["check", &path]));
    assert!(
        message.starts_with(&format!("{path}: {field}")),
        "{message}"
    );
    assert!(message.contains(fault), "{message}");
    // With every output asked for, there is none.
    let args = [
        "--json",
        "--out",
        &folder.arg("out"),
        "--plot",
        &folder.arg("p.svg"),
        "--dump-operator",
        &folder.arg("d"),
    ];
    assert_eq!(message, fails(2, &[&["run", &path], &args[..]].concat()));
    assert_eq!(folder.files(), ["bad.json"]);
}

#[test]
fn what_is_replaced_here_is_valid_otherwise() {
    let folder = Folder::new();
    let path = folder.write("good.json", &VALID.json());
    succeeds(&["run", &path]);
    succeeds(&["check", &path]);
}

#[test]
fn files_that_are_no_json() {
    refused("", "", "JSON");
    refused("{", "", "JSON");
    refused("hello", "", "JSON");
    refused(&VALID.json().replace("0.5", "NaN"), "", "JSON");
    refused("\u{0}\u{1}", "", "JSON");
    refused("[]", "", "object");
}

#[test]
fn keys_and_tags_that_the_format_does_not_have() {
    refused(&with(|p| p.more = r#","colour":1"#), "", "colour");
    refused(
        &with(|p| p.format = r#""phalanx-problem/2""#),
        "format",
        "phalanx-problem/1",
    );
    refused(&with(|p| p.basis = r#""bosons""#), "basis", "pauli");
    refused(
        &with(|p| p.truncation = r#"{"measure":"support","cutof":2}"#),
        "truncation",
        "cutof",
    );
    refused(
        &VALID.json().replace(r#""num_modes":2,"#, ""),
        "",
        "num_modes",
    );
}

#[test]
fn slots_and_modes_that_are_not_there_or_named_twice() {
    refused(
        &with(|p| p.observable = "[[[0,4],1]]"),
        "observable[0]",
        "slot 4 is out of range",
    );
    refused(
        &with(|p| p.observable = "[[[1,1],1]]"),
        "observable[0]",
        "slot 1 is named twice",
    );
    refused(
        &with(|p| p.gates = r#"[{"generator":[[[9],1]],"parameter":0}]"#),
        "circuit.gates[0].generator[0]",
        "slot 9",
    );
    refused(
        &with(|p| p.state = "[0,0]"),
        "initial_state",
        "mode 0 is named twice",
    );
    refused(
        &with(|p| p.state = "[2]"),
        "initial_state",
        "mode 2 is out of range",
    );
    refused(&with(|p| p.num_modes = "0"), "num_modes", "0 modes");
    refused(&with(|p| p.num_modes = "5000"), "num_modes", "5000 modes");
}

#[test]
fn numbers_that_are_none() {
    refused(
        &with(|p| p.observable = "[[[0,1],1e999]]"),
        "observable[0]",
        "range of a double",
    );
    refused(
        &with(|p| p.observable = "[[[0,1],[1,2]]]"),
        "observable[0]",
        "",
    );
    refused(
        &with(|p| p.observable = r#"[[[0,1],"1"]]"#),
        "observable[0]",
        "",
    );
    refused(
        &with(|p| p.parameters = "[null]"),
        "circuit.parameters[0]",
        "",
    );
    refused(&with(|p| p.repeat = "-1"), "circuit.repeat", "-1");
    refused(&with(|p| p.repeat = "1.5"), "circuit.repeat", "1.5");
}

#[test]
fn gates_that_cannot_be() {
    let gates = r#"[{"generator":[[[0,1],1]],"parameter":7}]"#;
    refused(
        &with(|p| p.gates = gates),
        "circuit.gates[0].parameter",
        "index 7 is out of range",
    );
    let gates = r#"[{"generator":[[[0,1],1],[[1,2],1]],"parameter":0}]"#;
    refused(
        &with(|p| p.gates = gates),
        "circuit.gates[0].generator",
        "do not commute",
    );
}

#[test]
fn truncations_that_contradict_themselves() {
    let truncation = r#"{"measure":"support","cutoff":2,"lower_atol":0.5,"upper_atol":0.25}"#;
    refused(
        &with(|p| p.truncation = truncation),
        "truncation",
        "upper_atol 0.25 is below lower_atol 0.5",
    );
    let truncation = r#"{"measure":"support","cutoff":2,"lower_atol":-1}"#;
    refused(
        &with(|p| p.truncation = truncation),
        "truncation.lower_atol",
        "-1",
    );
    let truncation = r#"{"measure":"length","cutoff":2}"#;
    let pauli = Parts {
        basis: r#""pauli""#,
        gates: "[]",
        truncation,
        ..VALID
    };
    refused(&pauli.json(), "truncation", "support");
}

#[test]
fn a_picture_without_its_cutoff() {
    refused(
        &with(|p| p.more = r#","picture":"schrodinger""#),
        "",
        "schrodinger_cutoff",
    );
    refused(
        &with(|p| p.more = r#","schrodinger_cutoff":2"#),
        "",
        "heisenberg",
    );
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    let missing = folder.arg("missing.json");
    let message = fails(2, &["run", &missing]);
    assert!(
        message.starts_with(&format!("{missing}: cannot be read")),
        "{message}"
    );
    let message = fails(2, &["run", &folder.arg("")]);
    assert!(message.contains("is a directory"), "{message}");
    std::fs::write(folder.path("latin.json"), b"{\"name\":\"Schr\xf6dinger\"}").unwrap();
    let message = fails(2, &["run", &folder.arg("latin.json")]);
    assert!(message.contains("UTF-8"), "{message}");
}

#[test]
fn what_looks_odd_and_is_fine() {
    let folder = Folder::new();
    let cases = [
        // The identity alone is its own value.
        (
            Parts {
                observable: "[[[],0.75]]",
                ..VALID
            },
            "0.75",
        ),
        // An empty circuit changes nothing.
        (
            Parts {
                gates: "[]",
                parameters: "[]",
                repeat: "1",
                ..VALID
            },
            "0.5",
        ),
        // Terms that are listed twice are summed.
        (
            Parts {
                observable: "[[[0,1],0.25],[[0,1],0.5]]",
                gates: "[]",
                parameters: "[]",
                ..VALID
            },
            "0.75",
        ),
    ];
    for (parts, expectation) in cases {
        let path = folder.write("odd.json", &parts.json());
        let report = cli_common::object(&succeeds(&["run", "--json", &path]));
        // Mode 0 is occupied, and the Hermitian monomial of its two slots is -Z: worth +1.
        assert_eq!(
            report["expectation"]
                .as_array()
                .unwrap()
                .last()
                .unwrap()
                .to_string(),
            expectation
        );
    }
    let path = folder.write("none.json", &with(|p| p.repeat = "0"));
    let report = cli_common::object(&succeeds(&["run", "--json", &path]));
    assert_eq!(report["num_terms"], serde_json::json!([]));
    assert_eq!(
        report["terms_per_partition"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_u64().unwrap())
            .sum::<u64>(),
        1
    );
}

#[test]
fn check_goes_on_after_a_fault_and_tells_all_of_them() {
    let folder = Folder::new();
    let bad = folder.write("bad.json", "{");
    let good = problem("hubbard_4.json");
    let worse = folder.arg("missing.json");
    let output = output(&mut phalanx(&["check", &bad, &good, &worse]));
    assert_eq!(output.status.code(), Some(2));
    let (out, err) = (stdout(&output), stderr(&output));
    assert!(out.starts_with(&format!("{good}: valid\n")), "{out}");
    let lines: Vec<_> = err.lines().collect();
    assert_eq!(lines.len(), 2, "{err}");
    assert!(
        lines[0].contains("bad.json") && lines[1].contains("missing.json"),
        "{err}"
    );
}
