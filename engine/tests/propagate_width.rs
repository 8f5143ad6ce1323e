//! The number of modes chooses the width of monomials and the layout of rows; neither may change a number.

mod world;

use std::fs;

use phalanx_engine::problem::Problem;
use serde_json::{Value, json};

/// Modes just below, at and above each border of a compiled width, of byte-sized slots, and the most there may be.
const MODES: [u32; 11] = [8, 31, 32, 33, 64, 65, 128, 129, 257, 1025, 4096];

fn reference(name: &str) -> Value {
    let path = format!(
        "{}/tests/data/{name}.problem.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The same problem among `modes` modes, its own ones moved up by `shift`.
fn among(problem: &Value, modes: u32, shift: u32) -> Problem {
    let mut wide = problem.clone();
    wide["num_modes"] = json!(modes);
    let slots = |list: &mut Value| {
        for slot in list.as_array_mut().unwrap() {
            *slot = json!(slot.as_u64().unwrap() + 2 * u64::from(shift));
        }
    };
    for term in wide["observable"].as_array_mut().unwrap() {
        slots(&mut term[0]);
    }
    for gate in wide["circuit"]["gates"].as_array_mut().unwrap() {
        for term in gate["generator"].as_array_mut().unwrap() {
            slots(&mut term[0]);
        }
    }
    for mode in wide["initial_state"].as_array_mut().unwrap() {
        *mode = json!(mode.as_u64().unwrap() + u64::from(shift));
    }
    Problem::from_json(wide.to_string().as_bytes()).unwrap()
}

/// Runs one problem at every width, at both ends of the modes.
fn check(name: &str) {
    let problem = reference(name);
    let own = problem["num_modes"].as_u64().unwrap() as u32;
    for mode in world::MODES {
        let first = world::run(&among(&problem, own, 0), mode, 1);
        for modes in MODES.into_iter().filter(|modes| *modes >= own) {
            for shift in [0, modes - own] {
                let run = world::run(&among(&problem, modes, shift), mode, 2);
                let at = format!("{name}, {mode:?}, among {modes} modes, moved by {shift}");
                assert_eq!(run.outcome.num_terms, first.outcome.num_terms, "{at}");
                assert_eq!(run.outcome.expectation, first.outcome.expectation, "{at}");
                let moved = first.operator.iter().map(|(slots, coefficient)| {
                    (
                        slots.iter().map(|slot| slot + 2 * shift).collect(),
                        *coefficient,
                    )
                });
                assert_eq!(run.operator, moved.collect(), "{at}");
            }
        }
    }
}

#[test]
fn majorana_terms_with_a_support_cutoff() {
    check("a_small_s8_l4");
}

#[test]
fn majorana_terms_with_a_rescue() {
    check("x_a_len_upper");
}

#[test]
fn pauli_terms_with_a_threshold() {
    check("c_exact_3x2_l2");
}

#[test]
fn pauli_terms_with_a_weight_cutoff() {
    check("b_exact_cell12_l4");
}
