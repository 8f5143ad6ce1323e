//! Faults of well-formed files that describe no problem, and oddities that are none.

use phalanx_engine::problem::{MAX_MODES, Problem};
use serde_json::json;

use crate::{adding, read, refused, valid, with, without};

#[test]
fn the_valid_one_is_valid() {
    assert_eq!(read(&valid()).unwrap().rotations().count(), 3);
}

#[test]
fn modes_and_occupations() {
    for found in [0, u64::from(MAX_MODES) + 1, u64::MAX] {
        refused(
            &with("/num_modes", json!(found)),
            "num_modes",
            &format!("{found} modes; a problem has 1 to 4096"),
        );
    }
    refused(
        &with("/num_modes", json!(2.5)),
        "num_modes",
        "invalid type: floating point `2.5`, expected the number of modes, a whole number of at least 0",
    );
    refused(
        &with("/num_modes", json!("4")),
        "num_modes",
        "invalid type: string \"4\", expected the number of modes, a whole number of at least 0",
    );
    refused(
        &with("/initial_state", json!([0, 4])),
        "initial_state[1]",
        "mode 4 is out of range; modes go from 0 to 3",
    );
    refused(
        &with("/initial_state", json!([1, 0, 1])),
        "initial_state[2]",
        "mode 1 is named twice; each occupied mode is named once",
    );
    refused(
        &with("/initial_state", json!([-1])),
        "initial_state[0]",
        "invalid value: integer `-1`, expected a mode, a whole number of at least 0",
    );
    refused(
        &with("/initial_state", json!([1_u64 << 40])),
        "initial_state[0]",
        "mode 1099511627776 is out of range; modes go from 0 to 4095",
    );
}

#[test]
fn monomials() {
    let generator = "/circuit/gates/1/generator";
    let field = "circuit.gates[1].generator[0]";
    refused(
        &with(generator, json!([[[2, 8], 1]])),
        field,
        "slot 8 is out of range; slots go from 0 to 7",
    );
    refused(
        &with(generator, json!([[[3, 2], 1]])),
        field,
        "slot 2 follows slot 3; slots are listed in strictly ascending order",
    );
    refused(
        &with(generator, json!([[[2, 2], 1]])),
        field,
        "slot 2 is named twice; a monomial names each of its slots once",
    );
    refused(
        &with("/observable", json!([[[1], 1], [[9], 1]])),
        "observable[1]",
        "slot 9 is out of range; slots go from 0 to 7",
    );
    refused(
        &with("/observable", json!([[[1.5], 1]])),
        "observable[0][0][0]",
        "invalid type: floating point `1.5`, expected a slot, a whole number of at least 0",
    );
    refused(
        &with("/observable", json!([[[-1], 1]])),
        "observable[0][0][0]",
        "invalid value: integer `-1`, expected a slot, a whole number of at least 0",
    );
    refused(
        &with("/observable", json!([[[1_u64 << 50], 1]])),
        "observable[0][0][0]",
        "slot 1125899906842624 is out of range; slots go from 0 to 8191",
    );
    refused(
        &with("/observable", json!([[1, 2]])),
        "observable[0][0]",
        "invalid type: integer `1`, expected a list of slots",
    );
    refused(
        &with("/observable", json!([[[1]]])),
        "observable[0]",
        "invalid length 1, expected a term [[slots], coefficient]",
    );
    refused(
        &with("/observable", json!([[]])),
        "observable[0]",
        "invalid length 0, expected a term [[slots], coefficient]",
    );
    refused(
        &with("/observable", json!([[[1], 1, 0.0]])),
        "observable[0]",
        "invalid length 3, expected a term [[slots], coefficient]",
    );
    refused(
        &with("/observable", json!({"Z": 1})),
        "observable",
        "invalid type: map, expected a list of terms [[slots], coefficient]",
    );
}

#[test]
fn the_circuit() {
    let index = "circuit.gates[1].parameter";
    refused(
        &with("/circuit/gates/1/parameter", json!(2)),
        index,
        "parameter index 2 is out of range; the circuit has 2 parameters, counted from 0",
    );
    refused(
        &with("/circuit/gates/1/parameter", json!(-1)),
        index,
        "invalid value: integer `-1`, expected the index of a parameter, a whole number of at least 0",
    );
    let clash =
        "terms 0 and 1 do not commute; the terms of one gate must, so split them into two gates";
    refused(
        &with("/circuit/gates/0/generator", json!([[[0], 1], [[1], 1]])),
        "circuit.gates[0].generator",
        clash,
    );
    let mut pauli = with("/circuit/gates/0/generator", json!([[[0], 1], [[0, 1], 1]]));
    pauli["basis"] = json!("pauli");
    refused(&pauli, "circuit.gates[0].generator", clash);
    let repeat = "expected the number of repeats, a whole number of at least 0";
    refused(
        &with("/circuit/repeat", json!(-1)),
        "circuit.repeat",
        &format!("invalid value: integer `-1`, {repeat}"),
    );
    refused(
        &with("/circuit/repeat", json!(1.5)),
        "circuit.repeat",
        &format!("invalid type: floating point `1.5`, {repeat}"),
    );
    refused(
        &with("/circuit/repeat", json!(2_000_000)),
        "circuit.repeat",
        "the circuit is repeated 2000000 times; at most 1000000 are supported",
    );
}

#[test]
fn truncation_and_picture() {
    refused(
        &with("/truncation/cutoff", json!(-1)),
        "truncation.cutoff",
        "invalid value: integer `-1`, expected a cutoff, a whole number of at least 0",
    );
    refused(
        &with("/truncation/lower_atol", json!(-1e-6)),
        "truncation.lower_atol",
        "-1e-6 is not a threshold; thresholds are finite and at least 0",
    );
    refused(
        &with("/truncation/upper_atol", json!(-1)),
        "truncation.upper_atol",
        "-1.0 is not a threshold; thresholds are finite and at least 0",
    );
    refused(
        &with("/truncation/upper_atol", json!(1e-7)),
        "truncation.upper_atol",
        "upper_atol 1e-7 is below lower_atol 1e-6; it must be at least that",
    );
    for cap in [0, 9, 1_u64 << 40] {
        let limit = if cap == 1 << 40 { 8192 } else { 8 };
        let message = format!("{cap} slots; the cap goes from 1 to {limit}, the number of slots");
        refused(
            &adding("/truncation", "max_rotated_length", json!(cap)),
            "truncation.max_rotated_length",
            &message,
        );
    }
    refused(
        &{
            let mut pauli = with("/circuit/gates/0/generator", json!([]));
            pauli["basis"] = json!("pauli");
            pauli
        },
        "truncation.measure",
        "the length measure is for Majorana problems; with the Pauli basis use \"support\"",
    );
    refused(
        &adding("", "picture", json!("schrodinger")),
        "picture",
        "the schrodinger picture needs the key \"schrodinger_cutoff\", in slots (majorana) or qubits (pauli)",
    );
    let contradiction = "\"schrodinger_cutoff\" is given but \"picture\" is \"heisenberg\"; drop the one or set the other to \"schrodinger\"";
    refused(
        &adding("", "schrodinger_cutoff", json!(4)),
        "schrodinger_cutoff",
        contradiction,
    );
    let mut huge = adding("", "schrodinger_cutoff", json!(40));
    huge["picture"] = json!("schrodinger");
    huge["num_modes"] = json!(400);
    refused(
        &huge,
        "schrodinger_cutoff",
        "the initial state has 18446744073709551615 rows or more; at most 4294967295 are supported, so lower the cutoff",
    );
}

#[test]
fn what_looks_odd_but_is_fine() {
    let identity = read(&with("/observable", json!([[[], 0.5], [[], 0.25]]))).unwrap();
    assert_eq!((identity.core(), identity.observable().len()), (0.75, 0));
    let nothing = read(&with("/observable", json!([]))).unwrap();
    assert_eq!((nothing.core(), nothing.observable().len()), (0.0, 0));
    let empty = read(&with("/circuit", json!({"gates": [], "parameters": []}))).unwrap();
    assert_eq!((empty.rotations().count(), empty.repeat()), (0, 1));
    let twice = read(&with(
        "/observable",
        json!([[[0, 1], 0.5], [[2], 1], [[0, 1], -0.5]]),
    ))
    .unwrap();
    assert_eq!(
        twice.observable(),
        [([0, 1], 0.0).into(), ([2], 1.0).into()]
    );
    let identities = read(&with("/circuit/gates/1/generator", json!([[[], 1]]))).unwrap();
    assert_eq!(
        identities.rotations().map(|r| r.gate).collect::<Vec<_>>(),
        [0, 0]
    );
    assert_eq!(identities.gates().len(), 2);
    assert!(read(&with("/circuit/repeat", json!(0))).is_ok());
    assert!(read(&with("/truncation/upper_atol", json!(1e-6))).is_ok());
    assert!(read(&adding("", "picture", json!("heisenberg"))).is_ok());
    assert!(
        read(&without("", "truncation"))
            .unwrap()
            .truncation()
            .is_none()
    );
    let marked = format!("\u{feff}{}", valid());
    assert_eq!(
        Problem::from_json(marked.as_bytes()).unwrap(),
        read(&valid()).unwrap()
    );
}
