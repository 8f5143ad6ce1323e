//! Reference problems with known answers, at several numbers of participants, the bits equal at each.

mod world;

use std::fs;
use std::path::PathBuf;

use phalanx_engine::problem::{Picture, Problem};
use serde_json::Value;

fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

/// Runs one problem at each of `worlds` and compares with what is known of it.
fn check(name: &str, worlds: &[usize]) {
    let problem = Problem::load(data().join(format!("{name}.problem.json"))).unwrap();
    let expected = fs::read_to_string(data().join(format!("{name}.expected.json"))).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let mut first: Option<world::Outcome> = None;
    for (mode, n) in world::MODES
        .into_iter()
        .flat_map(|mode| worlds.iter().map(move |n| (mode, *n)))
    {
        let run = world::run(&problem, mode, n);
        let num_terms: Vec<f64> = run.outcome.num_terms.iter().map(|&n| n as f64).collect();
        assert_eq!(
            num_terms,
            numbers(&expected["num_terms"]),
            "{name}, {mode:?} on {n}"
        );
        for (bits, theirs) in run
            .outcome
            .expectation
            .iter()
            .zip(numbers(&expected["expectation"]))
        {
            let ours = f64::from_bits(*bits);
            assert!(
                (ours - theirs).abs() <= 1e-12 * theirs.abs().max(1.0),
                "{name}, {mode:?} on {n}: {ours} is not {theirs}"
            );
        }
        let heisenberg = problem.picture() == Picture::Heisenberg;
        for (key, tolerance) in [("operator", 1e-13), ("operator_rounded_to_1e-12", 1e-12)] {
            let Some(listed) = expected.get(key) else {
                continue;
            };
            let mut rest = run.operator.clone();
            for entry in listed.as_array().unwrap() {
                let slots: Vec<u32> = numbers(&entry[0])
                    .into_iter()
                    .map(|slot| slot as u32)
                    .collect();
                if slots.is_empty() && heisenberg {
                    continue;
                }
                let ours = rest
                    .remove(&slots)
                    .unwrap_or_else(|| panic!("{name}, {mode:?} on {n}: no term {slots:?}"));
                let theirs = entry[1].as_f64().unwrap();
                assert!(
                    (ours - theirs).abs() <= tolerance,
                    "{name}, {mode:?} on {n}: {slots:?} is {ours}, not {theirs}"
                );
            }
            assert!(
                rest.is_empty(),
                "{name}, {mode:?} on {n}: terms that should not be there: {rest:?}"
            );
        }
        assert_eq!(
            first.get_or_insert_with(|| run.outcome.clone()),
            &run.outcome,
            "{name}: {mode:?} on {n} changes bits"
        );
    }
}

macro_rules! references {
    ($($name:ident on $worlds:expr;)*) => { $(
        #[test]
        fn $name() {
            check(stringify!($name), &$worlds);
        }
    )* };
}

references! {
    a_exact_s3_l4 on [1, 2, 3, 4, 7, 8];
    a_exact_s4_l2 on [1, 2, 3, 4, 7, 8];
    a_small_s8_l4 on [1, 2, 3, 4, 7, 8];
    a_mid_s60_l8 on [1, 2];
    a2_small_l2 on [1, 2, 3, 4, 7, 8];
    a2_small_l3 on [1, 2, 3, 4, 7, 8];
    b_exact_cell12_l4 on [1, 2, 3, 4, 7, 8];
    b_gen_l3 on [1, 2, 3, 4, 7, 8];
    b_gen_l8 on [1, 2];
    b_mid_l12 on [1, 2];
    b_small_l4 on [1, 2, 3, 4, 7, 8];
    b_small_l5 on [1, 2, 3, 4];
    c_exact_2x2_l3 on [1, 2, 3, 4, 7, 8];
    c_exact_3x2_l2 on [1, 2, 3, 4, 7, 8];
    c_mid_6x6_l12 on [1, 2];
    c_small_4x4_l5 on [1, 2, 3, 4, 7, 8];
    c_small_6x6_l4 on [1, 2, 3, 4, 7, 8];
    r_small on [1, 2, 3, 4];
    x_a_k4 on [1, 2, 3, 4, 7, 8];
    x_a_len_upper on [1, 2, 3, 4, 7, 8];
    x_a_schr on [1, 2, 3, 4, 7, 8];
    x_a_schr_atol on [1, 2, 3, 4, 7, 8];
    x_c_k3 on [1, 2, 3, 4, 7, 8];
    x_c_upper on [1, 2, 3, 4, 7, 8];
}
