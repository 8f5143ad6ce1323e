//! The problems that come with the project as files.

use super::{Hubbard, KickedIsing, Lattice, ModelError, RandomGenerators, TiltedIsing};
use crate::problem::{Measure, Picture, Problem, Truncation};

/// The problems that come with the project, large and small; each is named like its file.
///
/// # Errors
/// None in practice: all parameters are constants.
pub fn standard_problems() -> Result<Vec<Problem>, ModelError> {
    let mut hubbard_4 = Hubbard::chain(4);
    hubbard_4.steps = 3;
    hubbard_4.observed_site = 2;
    hubbard_4.truncation = Some(Truncation::new(Measure::Length, 6));
    let forwards = hubbard_4
        .problem()?
        .with_picture(Picture::Schrodinger { cutoff: 8 })?;

    let mut cell = KickedIsing::on(Lattice::HeavyHexCell, 6);
    cell.steps = 4;

    let mut grid_2x2 = TiltedIsing::grid(2, 2);
    grid_2x2.steps = 3;
    grid_2x2.truncation = None;
    let mut grid_4x4 = TiltedIsing::grid(4, 4);
    grid_4x4.steps = 5;

    let mut random_16 = RandomGenerators::majorana(16, 1);
    (random_16.n_terms, random_16.n_gates) = (300, 40);

    Ok(vec![
        Hubbard::chain(60).problem()?,
        hubbard_4.problem()?,
        forwards.with_name("hubbard_4_schrodinger")?,
        KickedIsing::eagle().problem()?,
        cell.problem()?,
        TiltedIsing::grid(6, 6).problem()?,
        grid_4x4.problem()?,
        grid_2x2.problem()?,
        random_16.problem()?,
    ])
}
