//! `phalanx model`: writes the problem file of a well-known circuit.

use phalanx_engine::models::{
    Hubbard, KickedIsing, Lattice, ModelError, RandomGenerators, TiltedIsing,
};
use phalanx_engine::problem::{Basis, Picture, Problem, Truncation};

use crate::args::{
    CommonArgs, HubbardArgs, KickedIsingArgs, Model, ModelArgs, RandomArgs, TiltedIsingArgs,
};
use crate::failure::Failure;
use crate::files::Draft;
use crate::stdout;

pub(crate) fn model(args: ModelArgs) -> Result<(), Failure> {
    let (problem, common) = match args.model {
        Model::Hubbard(args) => (hubbard(&args), args.common),
        Model::KickedIsing(args) => (kicked_ising(&args), args.common),
        Model::TiltedIsing(args) => (tilted_ising(&args), args.common),
        Model::Random(args) => (random(&args), args.common),
    };
    let mut problem = problem.map_err(Failure::input)?;
    if let Some(name) = common.name {
        problem = problem.with_name(name)?;
    }
    if let Some(cutoff) = common.schrodinger {
        problem = problem.with_picture(Picture::Schrodinger { cutoff })?;
    }
    match common.out {
        None => stdout::print(&problem.to_json()),
        Some(path) => Draft::create(&path)?.finish(&problem.to_json()),
    }
}

fn hubbard(args: &HubbardArgs) -> Result<Problem, ModelError> {
    let mut model = Hubbard::chain(args.sites);
    model.hopping = args.hopping;
    model.interaction = args.interaction;
    model.dt = args.dt;
    model.order = args.order;
    model.neel = args.even_spin;
    set(&mut model.observed_site, args.observe);
    set(&mut model.steps, args.common.steps);
    truncate(&mut model.truncation, &args.common);
    model.problem()
}

fn kicked_ising(args: &KickedIsingArgs) -> Result<Problem, ModelError> {
    let mut model = KickedIsing::eagle();
    if let Some(lattice) = &args.lattice {
        model.lattice = lattice.clone();
        model.observed_qubit = lattice.n_sites()? / 2;
    }
    set(&mut model.x_angle, args.x_angle);
    set(&mut model.zz_angle, args.zz_angle);
    set(&mut model.observed_qubit, args.observe);
    set(&mut model.steps, args.common.steps);
    truncate(&mut model.truncation, &args.common);
    model.problem()
}

fn tilted_ising(args: &TiltedIsingArgs) -> Result<Problem, ModelError> {
    let mut model = match args.lattice {
        Lattice::Grid { columns, rows } => TiltedIsing::grid(columns, rows),
        // A line through the same parameters; the pair in its middle is one on any lattice here whose edges follow the numbers.
        ref lattice => TiltedIsing {
            lattice: lattice.clone(),
            ..TiltedIsing::grid(lattice.n_sites()?, 1)
        },
    };
    model.coupling = args.coupling;
    model.z_field = args.z_field;
    model.x_field = args.x_field;
    model.dt = args.dt;
    set(&mut model.observed_pair, args.observe);
    set(&mut model.steps, args.common.steps);
    truncate(&mut model.truncation, &args.common);
    model.problem()
}

fn random(args: &RandomArgs) -> Result<Problem, ModelError> {
    let mut model = match args.basis {
        Basis::Majorana => RandomGenerators::majorana(args.modes, args.seed),
        Basis::Pauli => RandomGenerators::pauli(args.modes, args.seed),
    };
    model.n_terms = args.terms;
    model.n_gates = args.gates;
    model.body = args.body;
    model.spread = args.spread;
    truncate(&mut model.truncation, &args.common);
    let problem = model.problem()?;
    match args.common.steps {
        Some(steps) => Ok(problem.with_repeat(steps)?),
        None => Ok(problem),
    }
}

fn set<T: Copy>(parameter: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *parameter = given;
    }
}

/// Changes what is given, and leaves the rest as the model has it.
fn truncate(truncation: &mut Option<Truncation>, args: &CommonArgs) {
    if args.no_truncation {
        *truncation = None;
    }
    let Some(truncation) = truncation else { return };
    set(&mut truncation.measure, args.measure);
    set(&mut truncation.cutoff, args.cutoff);
    truncation.lower_atol = args.lower_atol.or(truncation.lower_atol);
    truncation.upper_atol = args.upper_atol.or(truncation.upper_atol);
    truncation.max_rotated_length = args.max_rotated_length.or(truncation.max_rotated_length);
}
