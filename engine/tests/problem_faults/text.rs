//! Faults of files, of JSON, and of the shape of what is in it.

use std::fs;

use phalanx_engine::problem::{Fault, Problem};
use serde_json::json;

use crate::{adding, refused, text_refused, valid, with, without};

#[test]
fn text_that_is_not_json() {
    text_refused("", "", "not valid JSON: EOF while parsing a value");
    text_refused("gates", "", "not valid JSON: expected value");
    text_refused(
        valid().to_string().trim_end_matches('}'),
        "truncation",
        "not valid JSON: EOF while parsing an object",
    );
    text_refused(
        &format!("{} x", valid()),
        "",
        "not valid JSON: trailing characters",
    );
    text_refused(
        &valid().to_string().replace("0.2]", "NaN]"),
        "circuit.parameters[1]",
        "not valid JSON: expected value",
    );
    text_refused(
        &valid().to_string().replace("0.2]", "0.2,]"),
        "circuit.parameters[2]",
        "not valid JSON: trailing comma",
    );

    let error = Problem::from_json(b"{\n  \"format\": 'x'\n}").unwrap_err();
    assert_eq!(error.position(), Some((2, 13)));
    assert_eq!(
        error.to_string(),
        "format: not valid JSON: expected value (line 2, column 13)"
    );
}

#[test]
fn json_that_is_no_problem() {
    for (text, found) in [("[]", "sequence"), ("3", "integer `3`"), ("null", "null")] {
        let error = Problem::from_json(text.as_bytes()).unwrap_err();
        let start = format!(
            "invalid type: {found}, expected a problem, which is one JSON object with the keys format, name"
        );
        assert!(error.to_string().starts_with(&start), "{error}");
    }
    let deep = "[".repeat(1_000_000);
    assert!(matches!(
        Problem::from_json(deep.as_bytes()).unwrap_err().fault(),
        Fault::WrongType { .. }
    ));
    let deep = valid().to_string().replace("[0,3]", &deep);
    assert_eq!(
        Problem::from_json(deep.as_bytes()).unwrap_err().field(),
        "initial_state[0]"
    );
}

#[test]
fn keys() {
    let top = "format, name, basis, num_modes, initial_state, observable, circuit, truncation, picture, schrodinger_cutoff";
    refused(
        &adding("", "num_mode", json!(4)),
        "",
        &format!("unknown key \"num_mode\"; the keys here are {top}"),
    );
    refused(
        &adding("/circuit", "repeats", json!(4)),
        "circuit",
        "unknown key \"repeats\"; the keys here are gates, parameters, repeat",
    );
    refused(
        &adding("/circuit/gates/1", "angle", json!(4)),
        "circuit.gates[1]",
        "unknown key \"angle\"; the keys here are generator, parameter",
    );
    refused(
        &adding("/truncation", "atol", json!(4)),
        "truncation",
        "unknown key \"atol\"; the keys here are measure, cutoff, lower_atol, upper_atol, max_rotated_length",
    );
    for (pointer, field, keys) in [
        (
            "",
            "",
            ["format", "basis", "num_modes", "observable", "circuit"].as_slice(),
        ),
        ("/circuit", "circuit", &["gates", "parameters"]),
        (
            "/circuit/gates/1",
            "circuit.gates[1]",
            &["generator", "parameter"],
        ),
        ("/truncation", "truncation", &["measure", "cutoff"]),
    ] {
        for key in keys {
            refused(
                &without(pointer, key),
                field,
                &format!("the key {key:?} is missing"),
            );
        }
    }
    text_refused(
        &valid()
            .to_string()
            .replace("\"repeat\":3", "\"repeat\":3,\"repeat\":4"),
        "circuit",
        "the key \"repeat\" is given twice; give it once",
    );
}

#[test]
fn words() {
    refused(
        &with("/format", json!("phalanx-problem/2")),
        "format",
        "\"phalanx-problem/2\" is not known here; it is one of phalanx-problem/1",
    );
    refused(
        &with("/basis", json!("fermion")),
        "basis",
        "\"fermion\" is not known here; it is one of majorana, pauli",
    );
    refused(
        &with("/truncation/measure", json!("weight")),
        "truncation.measure",
        "\"weight\" is not known here; it is one of length, support",
    );
    refused(
        &adding("", "picture", json!("Heisenberg")),
        "picture",
        "\"Heisenberg\" is not known here; it is one of heisenberg, schrodinger",
    );
    refused(
        &with("/basis", json!(1)),
        "basis",
        "invalid type: integer `1`, expected one of the strings majorana, pauli",
    );
    let name = "a name has at most 200 characters and no control characters";
    refused(&with("/name", json!("a\u{1b}[2J")), "name", name);
    refused(&with("/name", json!("a".repeat(201))), "name", name);
}

#[test]
fn numbers_that_are_not_real_and_finite() {
    let real =
        "expected one real, finite number (monomials are Hermitian, so coefficients are real)";
    refused(
        &with("/observable/1/1", json!([0.0, 1.0])),
        "observable[1][1]",
        &format!("invalid type: sequence, {real}"),
    );
    refused(
        &with("/observable/1/1", json!({"re": 0, "im": 1})),
        "observable[1][1]",
        &format!("invalid type: map, {real}"),
    );
    refused(
        &with("/observable/1/1", json!("0.5j")),
        "observable[1][1]",
        &format!("invalid type: string \"0.5j\", {real}"),
    );
    refused(
        &with("/circuit/parameters/0", json!(null)),
        "circuit.parameters[0]",
        &format!("invalid type: null, {real}"),
    );
    let beyond = "the number is beyond the range of a double; numbers are finite";
    text_refused(
        &valid().to_string().replace("0.2]", "1e999]"),
        "circuit.parameters[1]",
        beyond,
    );
    text_refused(
        &valid().to_string().replace("[[0,1],0.5]", "[[0,1],-1e400]"),
        "observable[1][1]",
        beyond,
    );
    refused(
        &with("/observable", json!([[[1], 1.7e308], [[1], 1.7e308]])),
        "observable[1]",
        "the coefficients of monomial [1] add up to no finite number",
    );
    refused(
        &with("/circuit/parameters/1", json!(1e308)),
        "circuit.gates[1].parameter",
        "twice the angle 1e308 * 1.0 is not a finite number",
    );
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.json");
    let error = Problem::load(&missing).unwrap_err();
    assert_eq!(error.file(), Some(missing.as_path()));
    assert!(
        error
            .to_string()
            .starts_with(&format!("{}: cannot be read: ", missing.display())),
        "{error}"
    );

    let error = Problem::load(folder.path()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{}: is a directory; name a problem file",
            folder.path().display()
        )
    );

    let path = folder.path().join("bytes.json");
    fs::write(&path, b"{\"name\":\"\xff\"}").unwrap();
    let error = Problem::load(&path).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{}: is not UTF-8 text: byte 9 does not belong there",
            path.display()
        )
    );

    fs::write(&path, with("/observable", json!([[[9], 1]])).to_string()).unwrap();
    let error = Problem::load(&path).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{}: observable[0]: slot 9 is out of range; slots go from 0 to 7",
            path.display()
        )
    );

    // Sparse, so that it takes no room; refused by its length, before it is read.
    fs::File::create(&path)
        .unwrap()
        .set_len((1 << 30) + 1)
        .unwrap();
    let error = Problem::load(&path).unwrap_err();
    assert!(matches!(error.fault(), Fault::FileTooLarge), "{error}");
}
