//! Models make the reference problems, gate for gate, and reproduce published numbers.

mod oracle;

use std::fs;
use std::path::PathBuf;

use phalanx_engine::models::{Hubbard, KickedIsing, Lattice, TiltedIsing};
use phalanx_engine::problem::{Measure, Picture, Problem, Truncation};
use serde_json::Value;

fn reference(name: &str) -> Problem {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    Problem::load(data.join(format!("{name}.problem.json"))).unwrap()
}

/// Equal in everything, to the bit, but for the name.
#[track_caller]
fn same(model: &Problem, name: &str) {
    assert_eq!(
        model.clone().with_name(name).unwrap().to_json(),
        reference(name).to_json()
    );
}

fn support(cutoff: u64) -> Option<Truncation> {
    Some(Truncation::new(Measure::Support, cutoff))
}

fn bricklayer(sites: u32, steps: u64, truncation: Option<Truncation>) -> Hubbard {
    Hubbard {
        steps,
        truncation,
        ..Hubbard::bricklayer_chain(sites)
    }
}

#[test]
fn hubbard_chains_in_bricklayer_order() {
    same(
        &bricklayer(3, 4, support(12)).problem().unwrap(),
        "a_exact_s3_l4",
    );
    same(
        &bricklayer(4, 2, support(16)).problem().unwrap(),
        "a_exact_s4_l2",
    );
    let small = Truncation::new(Measure::Support, 4).with_lower_atol(1e-5);
    same(
        &bricklayer(8, 4, Some(small)).problem().unwrap(),
        "a_small_s8_l4",
    );
    same(
        &Hubbard::bricklayer_chain(60).problem().unwrap(),
        "a_large_s60_l12",
    );
    same(
        &Hubbard::bricklayer_chain(60)
            .problem()
            .unwrap()
            .with_repeat(8)
            .unwrap(),
        "a_mid_s60_l8",
    );
}

#[test]
fn hubbard_chains_bond_by_bond() {
    let chain = Hubbard::chain(60).problem().unwrap();
    same(&chain, "a2_full_l29");
    same(&chain.clone().with_repeat(2).unwrap(), "a2_small_l2");
    same(&chain.with_repeat(3).unwrap(), "a2_small_l3");
}

#[test]
fn options_on_hubbard_chains() {
    let capped = Truncation::new(Measure::Support, 6)
        .with_lower_atol(1e-5)
        .with_max_rotated_length(4);
    same(&bricklayer(8, 4, Some(capped)).problem().unwrap(), "x_a_k4");
    let rescued = Truncation::new(Measure::Length, 4)
        .with_lower_atol(1e-5)
        .with_upper_atol(1e-3);
    same(
        &bricklayer(8, 4, Some(rescued)).problem().unwrap(),
        "x_a_len_upper",
    );
    let picture = Picture::Schrodinger { cutoff: 6 };
    same(
        &bricklayer(3, 2, support(6))
            .problem()
            .unwrap()
            .with_picture(picture)
            .unwrap(),
        "x_a_schr",
    );
}

#[test]
fn kicked_ising_on_the_heavy_hexagon_lattice() {
    let eagle = KickedIsing::eagle();
    same(&eagle.problem().unwrap(), "b_full_l20");
    for (name, steps) in [("b_mid_l12", 12), ("b_small_l4", 4), ("b_small_l5", 5)] {
        same(&eagle.problem().unwrap().with_repeat(steps).unwrap(), name);
    }
    for (name, steps) in [("b_gen_l3", 3), ("b_gen_l8", 8)] {
        let general = KickedIsing {
            x_angle: 0.3,
            zz_angle: 0.35,
            steps,
            ..eagle.clone()
        };
        same(&general.problem().unwrap(), name);
    }
    let mut cell = KickedIsing::on(Lattice::HeavyHexCell, 6);
    cell.steps = 4;
    cell.truncation = support(12);
    same(&cell.problem().unwrap(), "b_exact_cell12_l4");
}

#[test]
fn tilted_ising_on_grids() {
    let grid = |columns, rows, steps, truncation: Option<Truncation>| {
        let mut model = TiltedIsing::grid(columns, rows);
        model.steps = steps;
        model.truncation = truncation.or(model.truncation);
        model.problem().unwrap()
    };
    same(&grid(2, 2, 3, support(4)), "c_exact_2x2_l3");
    same(&grid(3, 2, 2, support(6)), "c_exact_3x2_l2");
    same(
        &grid(4, 4, 5, support(16).map(|t| t.with_lower_atol(1e-5))),
        "c_small_4x4_l5",
    );
    for (name, steps) in [
        ("c_small_6x6_l4", 4),
        ("c_mid_6x6_l12", 12),
        ("c_large_6x6_l16", 16),
        ("c_large_6x6_l20", 20),
    ] {
        same(&grid(6, 6, steps, None), name);
    }
    let rescued = Truncation::new(Measure::Support, 2)
        .with_lower_atol(1e-6)
        .with_upper_atol(1e-3);
    same(&grid(4, 4, 5, Some(rescued)), "x_c_upper");
}

#[track_caller]
fn runs_to(problem: &Problem, num_terms: usize, expectation: f64) {
    let run = oracle::run(problem);
    assert_eq!(run.num_terms.last(), Some(&num_terms));
    let found = *run.expectation.last().unwrap();
    assert!(
        (found - expectation).abs() < 1e-12,
        "{found} is not {expectation}"
    );
}

/// Term counts and values that another program, monoprop 0.9.2, gives for these parameters.
#[test]
fn published_numbers_of_hubbard_chains() {
    let chain = |sites, steps, truncation| {
        let model = Hubbard {
            steps,
            observed_site: sites / 2,
            truncation: Some(truncation),
            ..Hubbard::chain(sites)
        };
        model.problem().unwrap()
    };
    let length = |cutoff| Truncation::new(Measure::Length, cutoff);
    runs_to(&chain(4, 3, length(4)), 840, 0.4877416637339492);
    runs_to(&chain(4, 3, length(6)), 4774, 0.4670939369149847);
    runs_to(
        &chain(4, 3, length(6).with_lower_atol(1e-4)),
        721,
        0.4667810667561729,
    );
    runs_to(
        &chain(4, 3, Truncation::new(Measure::Support, 4)),
        1467,
        0.4640672592301925,
    );
    runs_to(
        &chain(8, 4, length(6).with_lower_atol(1e-4)),
        5397,
        0.5867537714780904,
    );
}

#[test]
fn published_numbers_of_a_kicked_line() {
    let line = |truncation| {
        let model = KickedIsing {
            x_angle: 0.35,
            zz_angle: std::f64::consts::FRAC_PI_8,
            steps: 4,
            truncation,
            ..KickedIsing::on(Lattice::Line { sites: 8 }, 4)
        };
        model.problem().unwrap()
    };
    runs_to(&line(support(8)), 1430, 0.29311965126531825);
    runs_to(&line(support(4)), 204, 0.2491503623369706);
    runs_to(
        &line(support(8).map(|t| t.with_lower_atol(1e-3))),
        562,
        0.29258863249054634,
    );
}

/// What the table of problems says is what a run gives, and for those too large for the oracle what the reference run gave.
#[test]
fn the_table_of_problems_is_true() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let references = [
        ("hubbard_60", "a2_full_l29"),
        ("kicked_ising_127", "b_full_l20"),
        ("tilted_ising_6x6", "c_large_6x6_l16"),
    ];
    let table = fs::read_to_string(root.join("../problems/README.md")).unwrap();
    let rows = table.lines().filter(|line| line.contains(".json |"));
    let mut n_rows = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = cells[1].strip_suffix(".json").unwrap();
        let num_terms: usize = cells[3].parse().unwrap();
        let expectation: f64 = cells[4].parse().unwrap();
        if let Some((_, reference)) = references.iter().find(|(large, _)| *large == name) {
            let path = root.join(format!("tests/data/{reference}.expected.json"));
            let expected: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
            let last = |key: &str| expected[key].as_array().unwrap().last().cloned().unwrap();
            assert_eq!(
                (last("num_terms"), last("expectation")),
                (num_terms.into(), expectation.into()),
                "{name}"
            );
        } else {
            let problem = Problem::load(root.join(format!("../problems/{name}.json"))).unwrap();
            runs_to(&problem, num_terms, expectation);
        }
        n_rows += 1;
    }
    assert_eq!(n_rows, 9);
}
