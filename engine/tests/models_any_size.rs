//! Models of any size: the lattices are what they say, bad parameters are refused, random problems never change, and the files that come along are theirs.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::PathBuf;

use phalanx_engine::models::{
    Hubbard, KickedIsing, Lattice, ModelError, RandomGenerators, TiltedIsing, standard_problems,
};
use phalanx_engine::problem::{Basis, Measure, Problem, Truncation};
use proptest::prelude::*;

/// Whether every site can be reached from site 0.
fn is_connected(lattice: &Lattice) -> bool {
    let edges = lattice.edges().unwrap();
    let mut reached = BTreeSet::from([0]);
    loop {
        let more: Vec<u32> = edges
            .iter()
            .flat_map(|&(a, b)| [(a, b), (b, a)])
            .filter(|(from, to)| reached.contains(from) && !reached.contains(to))
            .map(|(_, to)| to)
            .collect();
        if more.is_empty() {
            return reached.len() == lattice.n_sites().unwrap() as usize;
        }
        reached.extend(more);
    }
}

fn degrees(lattice: &Lattice) -> Vec<usize> {
    let mut degrees = vec![0; lattice.n_sites().unwrap() as usize];
    for (a, b) in lattice.edges().unwrap() {
        assert!(a < b);
        degrees[a as usize] += 1;
        degrees[b as usize] += 1;
    }
    degrees
}

proptest! {
    #[test]
    fn lattices_are_simple_connected_graphs(which in 0..4, columns in 1_u32..9, rows in 1_u32..9) {
        let (lattice, most) = match which {
            0 => (Lattice::Line { sites: columns }, 2),
            1 => (Lattice::Ring { sites: columns + 2 }, 2),
            2 => (Lattice::Grid { columns, rows }, 4),
            _ => (Lattice::HeavyHex { columns: 4 * columns - 1, rows: rows + 1 }, 3),
        };
        let edges = lattice.edges().unwrap();
        prop_assert_eq!(edges.iter().collect::<HashSet<_>>().len(), edges.len());
        prop_assert!(is_connected(&lattice));
        prop_assert!(degrees(&lattice).into_iter().max() <= Some(most));
    }

    /// In a heavy-hexagon lattice a bridge has two neighbours, and hexagons have twelve sites: E - V + 1 of them, by Euler.
    #[test]
    fn heavy_hexagons_are_counted(k in 0_u32..6, rows in 2_u32..9) {
        let lattice = Lattice::HeavyHex { columns: 4 * k + 3, rows };
        let (sites, edges) = (lattice.n_sites().unwrap(), lattice.edges().unwrap());
        prop_assert_eq!(edges.len() as u32 + 1 - sites, k * (rows - 1));
    }

    #[test]
    fn models_of_any_size_are_valid_or_refused(sites in 0_u32..40, rows in 0_u32..6, steps in 0_u64..5) {
        let hubbard = Hubbard { steps, ..Hubbard::chain(sites) }.problem();
        prop_assert_eq!(hubbard.is_ok(), sites > 0);
        if let Ok(problem) = hubbard {
            prop_assert_eq!(problem.gates().len() as u32, 2 * (sites - 1) + sites);
            prop_assert_eq!(problem.initial_state().len() as u32, sites);
        }
        prop_assert_eq!(Hubbard::bricklayer_chain(sites).problem().is_ok(), sites > 0);
        prop_assert_eq!(TiltedIsing::grid(sites, rows).problem().is_ok(), sites * rows > 1);
        prop_assert_eq!(KickedIsing::on(Lattice::Line { sites }, 0).problem().is_ok(), sites > 0);
    }
}

#[test]
fn processors_have_the_qubits_they_have() {
    let n_sites = |columns, rows| Lattice::HeavyHex { columns, rows }.n_sites().unwrap();
    assert_eq!(
        [n_sites(15, 7), n_sites(27, 13), n_sites(43, 21)],
        [127, 433, 1121]
    );
}

/// A cell is a lattice of one hexagon but for the numbering, and two dangling ends.
#[test]
fn a_cell_is_a_ring() {
    assert_eq!(degrees(&Lattice::HeavyHexCell), [2; 12]);
    assert!(is_connected(&Lattice::HeavyHexCell));
}

#[track_caller]
fn refused(result: Result<Problem, ModelError>, message: &str) {
    assert_eq!(result.unwrap_err().to_string(), message);
}

#[test]
fn bad_parameters_are_named() {
    refused(
        Hubbard::chain(0).problem(),
        "sites is 0; it goes from 1 to 2048",
    );
    refused(
        Hubbard::chain(2049).problem(),
        "sites is 2049; it goes from 1 to 2048",
    );
    let chain = Hubbard::chain(4);
    refused(
        Hubbard {
            observed_site: 4,
            ..chain.clone()
        }
        .problem(),
        "observed_site is 4; it goes from 0 to 3",
    );
    refused(
        Hubbard {
            dt: f64::NAN,
            ..chain.clone()
        }
        .problem(),
        "dt is NaN; it must be a finite number",
    );
    let truncation = Some(Truncation::new(Measure::Length, 6).with_lower_atol(-1.0));
    refused(
        Hubbard {
            truncation,
            ..chain.clone()
        }
        .problem(),
        "truncation.lower_atol: -1.0 is not a threshold; thresholds are finite and at least 0",
    );
    refused(
        Hubbard {
            steps: 2_000_000,
            ..chain
        }
        .problem(),
        "circuit.repeat: the circuit is repeated 2000000 times; at most 1000000 are supported",
    );

    let on = |lattice| KickedIsing::on(lattice, 0).problem();
    refused(
        on(Lattice::Line { sites: 0 }),
        "the number of sites is 0; it goes from 1 to 4096",
    );
    refused(
        on(Lattice::Ring { sites: 2 }),
        "sites is 2; it goes from 3 to 4096",
    );
    refused(
        on(Lattice::Grid {
            columns: 65,
            rows: 64,
        }),
        "the number of sites is 4160; it goes from 1 to 4096",
    );
    refused(
        on(Lattice::Grid {
            columns: u32::MAX,
            rows: u32::MAX,
        }),
        "columns is 4294967295; it goes from 1 to 4096",
    );
    refused(
        on(Lattice::HeavyHex {
            columns: 13,
            rows: 7,
        }),
        "columns is 13; a heavy-hexagon lattice has 4k + 3 columns: 3, 7, 11, 15, ...",
    );
    refused(
        on(Lattice::Graph {
            sites: 3,
            edges: vec![(0, 1), (2, 1)],
        }),
        "edge (2, 1) is none; an edge joins two of the 3 sites, counted from 0, the lower one first",
    );
    refused(
        KickedIsing::on(Lattice::HeavyHexCell, 12).problem(),
        "observed_qubit is 12; it goes from 0 to 11",
    );
    refused(
        TiltedIsing {
            observed_pair: (3, 3),
            ..TiltedIsing::grid(2, 2)
        }
        .problem(),
        "edge (3, 3) is none; an edge joins two of the 4 sites, counted from 0, the lower one first",
    );
    refused(
        RandomGenerators {
            body: 17,
            ..RandomGenerators::majorana(8, 0)
        }
        .problem(),
        "body is 17; it goes from 1 to 16",
    );
    refused(
        RandomGenerators {
            body: 9,
            ..RandomGenerators::pauli(8, 0)
        }
        .problem(),
        "body is 9; it goes from 1 to 8",
    );
    refused(
        RandomGenerators {
            spread: f64::INFINITY,
            ..RandomGenerators::pauli(8, 0)
        }
        .problem(),
        "spread is inf; it must be a finite number",
    );
}

#[test]
fn random_problems_are_random_and_never_change() {
    let majorana = RandomGenerators::majorana(64, 7).problem().unwrap();
    assert_eq!(
        (majorana.gates().len(), majorana.parameters().len()),
        (100, 100)
    );
    let coefficients: Vec<f64> = majorana
        .observable()
        .iter()
        .map(|term| term.coefficient)
        .collect();
    assert!(
        majorana
            .observable()
            .iter()
            .all(|term| term.slots.len() == 4)
    );
    let n = coefficients.len() as f64;
    let mean = coefficients.iter().sum::<f64>() / n;
    let variance = coefficients.iter().map(|c| c * c).sum::<f64>() / n - mean * mean;
    // Five standard deviations of each for 10,000 draws.
    assert!(
        n > 9_900.0 && mean.abs() < 0.05 && (variance - 1.0).abs() < 0.07,
        "{n} {mean} {variance}"
    );
    let mut uses = [0_u32; 128];
    for slot in majorana.observable().iter().flat_map(|term| &term.slots) {
        uses[*slot as usize] += 1;
    }
    assert!(uses.iter().all(|n| (220..410).contains(n)), "{uses:?}");

    let pauli = RandomGenerators::pauli(64, 7).problem().unwrap();
    assert_eq!(pauli.basis(), Basis::Pauli);
    let qubits = |slots: &[u32]| {
        slots
            .iter()
            .map(|slot| slot / 2)
            .collect::<BTreeSet<_>>()
            .len()
    };
    assert!(
        pauli
            .observable()
            .iter()
            .all(|term| qubits(&term.slots) == 4)
    );

    // The first term, from an independent implementation of the generator.
    assert_eq!(
        majorana.observable()[0],
        ([29, 67, 73, 110], -0.5224926432815256).into()
    );

    let other = RandomGenerators::majorana(64, 8).problem().unwrap();
    assert_ne!(other.observable()[0], majorana.observable()[0]);
    // Same seed, same problem, in every version: these may never change.
    let fingerprints =
        [majorana, pauli, other].map(|problem| format!("{:016x}", problem.fingerprint()));
    assert_eq!(
        fingerprints,
        ["814215fe7ceb9a25", "2e63d5055145b823", "1ab4efae87159458"]
    );
}

#[test]
fn the_files_that_come_along_are_what_the_models_make() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../problems");
    let mut names = BTreeSet::new();
    for problem in standard_problems().unwrap() {
        let name = format!("{}.json", problem.name().unwrap());
        let text = fs::read_to_string(folder.join(&name)).unwrap();
        assert_eq!(
            problem.to_json(),
            text,
            "{name}; examples/write_problems.rs writes it anew"
        );
        assert_eq!(Problem::load(folder.join(&name)).unwrap(), problem);
        names.insert(name);
    }
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = files.filter(|name| name.ends_with(".json")).collect();
    assert_eq!(files, names);
}
