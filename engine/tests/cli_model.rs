//! Problems that the program writes: valid, the same as those of this repository, and refused where they cannot be.
#![cfg(feature = "cli")]

mod cli_common;

use cli_common::{Folder, fails, object, output, phalanx, problem, stderr, succeeds};

#[test]
fn models_are_the_files_of_this_repository() {
    let cases: [(&[&str], &str); 4] = [
        (&["hubbard"], "hubbard_60.json"),
        (&["kicked-ising"], "kicked_ising_127.json"),
        (&["tilted-ising"], "tilted_ising_6x6.json"),
        (
            &["tilted-ising", "--lattice", "grid:4x4", "--steps", "5"],
            "tilted_ising_4x4.json",
        ),
    ];
    for (args, file) in cases {
        let written = object(&succeeds(&[&["model"], args].concat()));
        let known = object(&std::fs::read_to_string(problem(file)).unwrap());
        assert_eq!(written, known, "{args:?}");
    }
}

#[test]
fn whatever_is_written_is_valid_and_runs() {
    let cases: [&[&str]; 9] = [
        &[
            "hubbard",
            "--sites",
            "3",
            "--steps",
            "2",
            "--order",
            "bricklayer",
            "--even-spin",
            "up",
            "--observe",
            "0",
        ],
        &[
            "hubbard",
            "--sites",
            "3",
            "--steps",
            "1",
            "--hopping=-1",
            "--interaction",
            "-2.5",
            "--dt",
            "0.1",
        ],
        &[
            "hubbard",
            "--sites",
            "2",
            "--steps",
            "1",
            "--schrodinger",
            "4",
            "--name",
            "backwards and forwards",
        ],
        &[
            "kicked-ising",
            "--lattice",
            "ring:6",
            "--steps",
            "2",
            "--x-angle",
            "-0.5",
            "--observe",
            "5",
        ],
        &[
            "kicked-ising",
            "--lattice",
            "heavy-hex-cell",
            "--steps",
            "2",
            "--cutoff",
            "3",
            "--upper-atol",
            "0.1",
        ],
        &[
            "kicked-ising",
            "--lattice",
            "heavy-hex:7x3",
            "--steps",
            "1",
            "--max-rotated-length",
            "4",
        ],
        &[
            "tilted-ising",
            "--lattice",
            "line:5",
            "--steps",
            "2",
            "--observe",
            "0,1",
            "--lower-atol",
            "1e-3",
        ],
        &[
            "random", "--modes", "6", "--terms", "10", "--gates", "5", "--body", "3", "--seed",
            "9", "--steps", "2",
        ],
        &[
            "random", "--basis", "pauli", "--modes", "6", "--terms", "10", "--gates", "5",
            "--body", "2", "--spread", "0.5",
        ],
    ];
    let folder = Folder::new();
    let path = folder.arg("model.json");
    for args in cases {
        assert_eq!(
            succeeds(&[&["model"], args, &["--out", &path]].concat()),
            ""
        );
        assert!(
            succeeds(&["check", &path]).starts_with(&format!("{path}: valid\n")),
            "{args:?}"
        );
        let report = object(&succeeds(&["run", &path, "--json", "--quiet"]));
        assert!(report["num_terms"][0].as_u64().unwrap() > 0, "{args:?}");
        // The same flags, the same bytes.
        assert_eq!(
            succeeds(&[&["model"], args].concat()),
            folder.read("model.json")
        );
    }
    assert_eq!(folder.files(), ["model.json"]);
}

#[test]
fn flags_reach_the_problem() {
    let args = [
        "model",
        "hubbard",
        "--sites",
        "5",
        "--steps",
        "7",
        "--measure",
        "support",
        "--cutoff",
        "4",
        "--lower-atol",
        "0.001",
    ];
    let written = object(&succeeds(&args));
    assert_eq!(written["num_modes"], 10);
    assert_eq!(written["circuit"]["repeat"], 7);
    assert_eq!(
        written["truncation"],
        serde_json::json!({"measure": "support", "cutoff": 4, "lower_atol": 0.001})
    );
    let named = object(&succeeds(&[
        "model", "random", "--modes", "4", "--terms", "1", "--name", "dice",
    ]));
    assert_eq!(named["name"], "dice");
    let seeded = |seed| {
        succeeds(&[
            "model", "random", "--modes", "8", "--terms", "3", "--gates", "2", "--seed", seed,
        ])
    };
    assert_ne!(seeded("1"), seeded("2"));
}

#[test]
fn parameters_that_make_no_model_are_refused() {
    let cases: [(&[&str], &str); 6] = [
        (
            &["hubbard", "--sites", "0"],
            "sites is 0; it goes from 1 to 2048",
        ),
        (
            &["hubbard", "--sites", "4", "--observe", "4"],
            "observed_site is 4",
        ),
        (&["hubbard", "--dt", "inf"], "finite"),
        (&["kicked-ising", "--measure", "length"], "support"),
        (
            &["kicked-ising", "--lattice", "heavy-hex:8x3"],
            "columns is 8",
        ),
        (
            &["hubbard", "--lower-atol=-1"],
            "thresholds are finite and at least 0",
        ),
    ];
    for (args, fault) in cases {
        let message = fails(2, &[&["model"], args].concat());
        assert!(message.contains(fault), "{message}");
    }
}

#[test]
fn words_that_mean_nothing_are_refused_with_the_known_ones() {
    let cases: [(&[&str], &str); 6] = [
        (
            &["kicked-ising", "--lattice", "cube:3"],
            "line:N, ring:N, grid:CxR",
        ),
        (
            &["kicked-ising", "--lattice", "grid:3"],
            "line:N, ring:N, grid:CxR",
        ),
        (&["hubbard", "--order", "random"], "bonds, bricklayer"),
        (&["hubbard", "--measure", "weight"], "length, support"),
        (&["random", "--basis", "spin"], "majorana, pauli"),
        (&["tilted-ising", "--observe", "3"], "A,B"),
    ];
    for (args, known) in cases {
        let output = output(&mut phalanx(&[&["model"], args].concat()));
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(known), "{}", stderr(&output));
    }
}
