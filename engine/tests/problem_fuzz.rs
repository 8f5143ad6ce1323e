//! Whatever the bytes, reading them gives a problem or one error, never a panic; and what is read keeps the promises of its accessors.

use phalanx_engine::problem::{MAX_MODES, MAX_REPEAT, Picture, Problem};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

mod oracle;

/// Valid files to start from, small and with every key.
fn seeds() -> Vec<String> {
    let hubbard = include_str!("data/x_a_schr_atol.problem.json");
    let ising = include_str!("data/x_c_upper.problem.json");
    let all_keys = json!({
        "format": "phalanx-problem/1", "name": "all keys", "basis": "majorana", "num_modes": 3, "initial_state": [1],
        "observable": [[[], 0.5], [[0, 1], 0.5], [[0, 1], 0.25]],
        "circuit": {"gates": [{"generator": [[[0, 5], -0.5], [[1, 4], 0.5]], "parameter": 0}], "parameters": [0.1], "repeat": 2},
        "truncation": {"measure": "length", "cutoff": 4, "lower_atol": 1e-6, "upper_atol": 1e-3, "max_rotated_length": 4},
        "picture": "schrodinger", "schrodinger_cutoff": 2
    });
    vec![hubbard.to_owned(), ising.to_owned(), all_keys.to_string()]
}

fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let problem = match Problem::from_json(bytes) {
        Ok(problem) => problem,
        Err(error) => {
            let message = error.to_string();
            prop_assert!(!message.contains('\n'), "more than one line: {message:?}");
            prop_assert!(message.len() < 2000, "too long: {message}");
            return Ok(());
        }
    };
    prop_assert!((1..=MAX_MODES).contains(&problem.num_modes()));
    prop_assert!(problem.repeat() <= MAX_REPEAT);
    for rotation in problem.rotations() {
        prop_assert!(!rotation.slots.is_empty() && rotation.slots.is_sorted_by(|a, b| a < b));
        prop_assert!(rotation.slots.last() < Some(&problem.num_slots()));
        prop_assert!((2.0 * rotation.angle).sin().is_finite());
        prop_assert!(
            rotation.gate < problem.gates().len()
                && rotation.parameter < problem.parameters().len()
        );
    }
    let written = problem.to_json();
    let again = Problem::from_json(written.as_bytes());
    prop_assert_eq!(again.as_ref().ok(), Some(&problem), "{:?}", again);
    prop_assert_eq!(
        again.map(|p| p.fingerprint()).ok(),
        Some(problem.fingerprint())
    );
    Ok(())
}

/// Values that programs, and people, put in the wrong place.
fn odd_values() -> Vec<Value> {
    let huge = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(3),
        json!(64),
        json!(0.5),
        json!(-0.0),
        json!(1e300),
        json!(1e-320),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("pauli"),
        json!("support"),
        json!("heisenberg"),
        json!([]),
        json!([0]),
        json!([1, 0]),
        json!([[0, 1], 1.0]),
        json!([[[0, 1], 1.0]]),
        json!({}),
        json!({"generator": [], "parameter": 0}),
        serde_json::from_str(&huge).unwrap(),
    ]
}

/// The pointers to all values of a tree.
fn pointers(value: &Value, here: &str, all: &mut Vec<String>) {
    all.push(here.to_owned());
    match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(k, item)| pointers(item, &format!("{here}/{k}"), all)),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, item)| pointers(item, &format!("{here}/{key}"), all)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn garbage(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes)?;
    }

    #[test]
    fn tokens(tokens in proptest::collection::vec(select(vec![
        "{", "}", "[", "]", ",", ":", "0", "-1", "1e999", "1.5", "\"format\"", "\"phalanx-problem/1\"", "\"circuit\"", "\"gates\"", "null", "\"\\ud800\"", " ",
    ]), 0..40)) {
        check(tokens.concat().as_bytes())?;
    }

    #[test]
    fn bytes_overwritten_cut_and_doubled(
        seed in select(seeds()),
        edits in proptest::collection::vec((any::<Index>(), any::<u8>()), 0..4),
        cut in any::<Index>(),
        doubled in proptest::option::of((any::<Index>(), any::<Index>())),
        cuts in any::<bool>(),
    ) {
        let mut bytes = seed.into_bytes();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some((from, to)) = doubled {
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            let piece = bytes[from.min(to)..from.max(to)].to_vec();
            bytes.splice(to..to, piece);
        }
        if cuts {
            bytes.truncate(cut.index(bytes.len()));
        }
        check(&bytes)?;
    }

    #[test]
    fn values_replaced(
        seed in select(seeds()),
        edits in proptest::collection::vec((any::<Index>(), select(odd_values())), 1..3),
    ) {
        let mut tree: Value = serde_json::from_str(&seed).unwrap();
        for (at, value) in edits {
            let mut all = Vec::new();
            pointers(&tree, "", &mut all);
            *tree.pointer_mut(&all[at.index(all.len())]).unwrap() = value;
        }
        check(tree.to_string().as_bytes())?;
    }

    /// Most of these are valid, so this is also the round trip of random problems with all options.
    #[test]
    fn random_problems_survive_the_round_trip(problem in oracle::random::problems(6)) {
        check(problem.to_json().as_bytes())?;
        prop_assert_eq!(Problem::from_json(problem.to_json().as_bytes()).unwrap(), problem);
    }

    /// The number of rows of the initial state is a sum of binomial coefficients.
    #[test]
    fn initial_rows_are_counted(modes in 1_u32..12, cutoff in 0_u64..30) {
        let picture = Picture::Schrodinger { cutoff };
        for basis in [phalanx_engine::problem::Basis::Majorana, phalanx_engine::problem::Basis::Pauli] {
            let problem = Problem::builder(basis, modes).picture(picture).repeat(1).build().unwrap();
            let rows = oracle::run(&problem).num_terms[0] as u64;
            prop_assert_eq!(picture.initial_rows(basis, modes), Some(rows));
        }
    }
}

#[test]
fn fingerprints_see_every_part_and_nothing_else() {
    let base = json!({
        "format": "phalanx-problem/1", "name": "one", "basis": "majorana", "num_modes": 3, "initial_state": [1, 2],
        "observable": [[[0, 1], 0.5], [[2], 0.0]],
        "circuit": {"gates": [{"generator": [[[0, 5], -0.5]], "parameter": 0}], "parameters": [0.1, 0.1], "repeat": 2},
        "truncation": {"measure": "length", "cutoff": 4, "lower_atol": 1e-6}
    });
    let fingerprint = |value: &Value| {
        Problem::from_json(value.to_string().as_bytes())
            .unwrap()
            .fingerprint()
    };
    let with = |pointer: &str, new: Value| {
        let mut changed = base.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match changed.pointer_mut(parent).unwrap() {
            Value::Array(items) => items[key.parse::<usize>().unwrap()] = new,
            object => object[key] = new,
        }
        fingerprint(&changed)
    };
    let own = fingerprint(&base);

    for (pointer, same) in [
        ("/name", json!("two")),
        ("/initial_state", json!([2, 1])),
        (
            "/observable",
            json!([[[2], -0.0], [[0, 1], 0.25], [[0, 1], 0.25]]),
        ),
        ("/picture", json!("heisenberg")),
    ] {
        assert_eq!(with(pointer, same), own, "{pointer}");
    }
    let mut seen = vec![own];
    for (pointer, other) in [
        ("/num_modes", json!(4)),
        ("/initial_state", json!([1])),
        ("/observable/0/1", json!(0.25)),
        ("/observable", json!([[[0, 1], 0.5]])),
        ("/observable", json!([[[0, 1], 0.5], [[2], 0.0], [[], 1]])),
        ("/circuit/gates/0/generator/0/0", json!([0, 4])),
        ("/circuit/gates/0/generator/0/1", json!(0.5)),
        ("/circuit/gates/0/parameter", json!(1)),
        ("/circuit/gates/0/generator", json!([])),
        ("/circuit/parameters/0", json!(0.2)),
        ("/circuit/parameters", json!([0.1])),
        ("/circuit/repeat", json!(3)),
        ("/truncation/measure", json!("support")),
        ("/truncation/cutoff", json!(5)),
        ("/truncation/lower_atol", json!(1e-7)),
        ("/truncation/upper_atol", json!(1e-6)),
        ("/truncation/max_rotated_length", json!(4)),
    ] {
        seen.push(with(pointer, other));
    }
    let distinct: std::collections::HashSet<u64> = seen.iter().copied().collect();
    assert_eq!(distinct.len(), seen.len());
    // The value is part of the format: it may not change from one version to the next.
    assert_eq!(format!("{own:016x}"), "733ab40aa321e57e");
}
