//! Every malformed problem gets one message that names the file, the field and the fault, and says what would be right.

mod content;
mod text;

use phalanx_engine::problem::{Problem, ProblemError};
use serde_json::{Value, json};

pub(crate) fn valid() -> Value {
    json!({
        "format": "phalanx-problem/1",
        "name": "small",
        "basis": "majorana",
        "num_modes": 4,
        "initial_state": [0, 3],
        "observable": [[[], 0.5], [[0, 1], 0.5]],
        "circuit": {
            "gates": [
                {"generator": [[[0, 5], -0.5], [[1, 4], 0.5]], "parameter": 0},
                {"generator": [[[2, 3], 1]], "parameter": 1}
            ],
            "parameters": [0.1, 0.2],
            "repeat": 3
        },
        "truncation": {"measure": "length", "cutoff": 4, "lower_atol": 1e-6, "upper_atol": 1e-3}
    })
}

pub(crate) fn read(value: &Value) -> Result<Problem, ProblemError> {
    Problem::from_json(value.to_string().as_bytes())
}

/// The valid problem with the value at `pointer` replaced.
pub(crate) fn with(pointer: &str, value: Value) -> Value {
    let mut problem = valid();
    *problem.pointer_mut(pointer).unwrap() = value;
    problem
}

/// The valid problem with a key added to the object at `pointer`.
pub(crate) fn adding(pointer: &str, key: &str, value: Value) -> Value {
    let mut problem = valid();
    problem.pointer_mut(pointer).unwrap()[key] = value;
    problem
}

pub(crate) fn without(pointer: &str, key: &str) -> Value {
    let mut problem = valid();
    problem
        .pointer_mut(pointer)
        .unwrap()
        .as_object_mut()
        .unwrap()
        .remove(key)
        .unwrap();
    problem
}

/// Asserts where the fault is and what is said about it.
#[track_caller]
pub(crate) fn refused(problem: &Value, field: &str, message: &str) {
    let error = read(problem).unwrap_err();
    assert_eq!(error.field(), field, "{error}");
    assert_eq!(error.fault().to_string(), message);
}

/// The same for JSON text that `Value` cannot hold.
#[track_caller]
pub(crate) fn text_refused(text: &str, field: &str, message: &str) {
    let error = Problem::from_json(text.as_bytes()).unwrap_err();
    assert_eq!(error.field(), field, "{error}");
    assert_eq!(error.fault().to_string(), message);
}
