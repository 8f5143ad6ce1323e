//! The flags of `phalanx model`. What is not given is as in the published run of the model.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Subcommand;
use phalanx_engine::models::{HubbardOrder, Lattice, Neel};
use phalanx_engine::problem::{Basis, Measure};

use super::word;

/// `phalanx model`
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without flags it is the circuit of a published run. The same flags give the same file, byte for
byte.

Examples:
  phalanx model hubbard --sites 60 --out hubbard.json
  phalanx model kicked-ising --lattice ring:12 --steps 5 --no-truncation
  phalanx model tilted-ising --lattice grid:4x4 --steps 5 --lower-atol 1e-5 | phalanx run /dev/stdin
  phalanx model random --modes 16 --gates 40 --seed 7

`phalanx model MODEL --help` lists the parameters of each.")]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    pub(crate) model: Model,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Model {
    /// The 1D Fermi-Hubbard chain in Trotter steps, observing the density of one site with spin up
    Hubbard(HubbardArgs),
    /// Kicks of X and ZZ on a lattice of qubits, observing Z of one
    KickedIsing(KickedIsingArgs),
    /// The Ising model in a tilted field in Trotter steps, observing ZZ of a pair
    TiltedIsing(TiltedIsingArgs),
    /// Random monomials as generators and as observable
    Random(RandomArgs),
}

/// What all models have.
#[derive(Debug, clap::Args)]
pub(crate) struct CommonArgs {
    /// How often the circuit is applied [default: as in the published run; of a random one, once]
    #[arg(long)]
    pub(crate) steps: Option<u64>,
    /// What --cutoff counts: length (slots; Majorana only) or support (modes or qubits)
    #[arg(long, value_parser = word_of(Measure::from_name, Measure::NAMES), help_heading = "Truncation")]
    pub(crate) measure: Option<Measure>,
    /// The largest new terms that are kept
    #[arg(long, help_heading = "Truncation")]
    pub(crate) cutoff: Option<u64>,
    /// A term that would emit no more than this emits nothing
    #[arg(long, value_name = "X", help_heading = "Truncation")]
    pub(crate) lower_atol: Option<f64>,
    /// A new term that starts with at least this is kept whatever its size
    #[arg(long, value_name = "X", help_heading = "Truncation")]
    pub(crate) upper_atol: Option<f64>,
    /// Terms with more slots than this are left alone
    #[arg(long, value_name = "SLOTS", help_heading = "Truncation")]
    pub(crate) max_rotated_length: Option<u32>,
    /// Keep everything
    #[arg(
        long,
        conflicts_with_all = ["measure", "cutoff", "lower_atol", "upper_atol", "max_rotated_length"],
        help_heading = "Truncation"
    )]
    pub(crate) no_truncation: bool,
    /// Propagate the state forwards instead, starting with its monomials of up to this size
    #[arg(long, value_name = "CUTOFF")]
    pub(crate) schrodinger: Option<u64>,
    /// What the problem is called
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    /// Write to this file instead of standard output; it appears whole or not at all
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct HubbardArgs {
    /// Sites of the chain; each has two modes
    #[arg(long, default_value_t = 60)]
    pub(crate) sites: u32,
    /// t
    #[arg(
        long,
        value_name = "X",
        allow_negative_numbers = true,
        default_value_t = 1.0
    )]
    pub(crate) hopping: f64,
    /// U
    #[arg(long, value_name = "X", allow_negative_numbers = true, default_value_t = -2.0)]
    pub(crate) interaction: f64,
    /// The angle of every gate
    #[arg(
        long,
        value_name = "X",
        allow_negative_numbers = true,
        default_value_t = 0.2
    )]
    pub(crate) dt: f64,
    /// The order of the hopping gates: bonds (from left to right) or bricklayer (even bonds, then odd ones)
    #[arg(long, value_name = "bonds|bricklayer", value_parser = order, default_value = "bonds")]
    pub(crate) order: HubbardOrder,
    /// The spin of even sites at the start; odd ones have the other
    #[arg(long, value_name = "up|down", value_parser = neel, default_value = "down")]
    pub(crate) even_spin: Neel,
    /// The site whose spin-up density is observed [default: as far along as 46 of 60]
    #[arg(long, value_name = "SITE")]
    pub(crate) observe: Option<u32>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct KickedIsingArgs {
    /// Where the qubits are: line:N, ring:N, grid:CxR (columns and rows), heavy-hex:CxR or heavy-hex-cell (12 qubits) [default: heavy-hex:15x7, the 127-qubit device]
    #[arg(long, value_parser = lattice)]
    pub(crate) lattice: Option<Lattice>,
    /// The angle of the X kicks, exp(-i angle X) [default: pi/8]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) x_angle: Option<f64>,
    /// The angle of the ZZ kicks, exp(-i angle ZZ) [default: pi/4]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) zz_angle: Option<f64>,
    /// The qubit whose Z is observed [default: the one in the middle of the list]
    #[arg(long, value_name = "QUBIT")]
    pub(crate) observe: Option<u32>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TiltedIsingArgs {
    /// Where the qubits are: grid:CxR (columns and rows), line:N, ring:N, heavy-hex:CxR or heavy-hex-cell
    #[arg(long, value_parser = lattice, default_value = "grid:6x6")]
    pub(crate) lattice: Lattice,
    /// J
    #[arg(
        long,
        value_name = "X",
        allow_negative_numbers = true,
        default_value_t = 1.5
    )]
    pub(crate) coupling: f64,
    /// h_z
    #[arg(
        long,
        value_name = "X",
        allow_negative_numbers = true,
        default_value_t = 1.0
    )]
    pub(crate) z_field: f64,
    /// h_x
    #[arg(
        long,
        value_name = "X",
        allow_negative_numbers = true,
        default_value_t = 1.0
    )]
    pub(crate) x_field: f64,
    /// The time step
    #[arg(
        long,
        value_name = "X",
        allow_negative_numbers = true,
        default_value_t = 0.05
    )]
    pub(crate) dt: f64,
    /// The two qubits whose ZZ is observed, the lower one first [default: in the middle]
    #[arg(long, value_name = "A,B", value_parser = pair)]
    pub(crate) observe: Option<(u32, u32)>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RandomArgs {
    /// The algebra: majorana or pauli
    #[arg(long, value_parser = word_of(Basis::from_name, Basis::NAMES), default_value = "majorana")]
    pub(crate) basis: Basis,
    /// Modes or qubits
    #[arg(long, default_value_t = 16)]
    pub(crate) modes: u32,
    /// Monomials of the observable
    #[arg(long, default_value_t = 10_000)]
    pub(crate) terms: u32,
    /// Gates
    #[arg(long, default_value_t = 100)]
    pub(crate) gates: u32,
    /// Factors of each monomial
    #[arg(long, default_value_t = 4)]
    pub(crate) body: u32,
    /// The standard deviation of the parameters
    #[arg(long, value_name = "X", default_value_t = 0.1)]
    pub(crate) spread: f64,
    /// Another seed, another problem
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Reads one of the names that a type of problems has.
fn word_of<T>(
    from_name: fn(&str) -> Option<T>,
    names: &'static [&'static str],
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| from_name(text).ok_or_else(|| format!("known values: {}", names.join(", ")))
}

fn order(text: &str) -> Result<HubbardOrder, String> {
    match text {
        "bonds" => Ok(HubbardOrder::BondByBond),
        "bricklayer" => Ok(HubbardOrder::Bricklayer),
        _ => Err("known values: bonds, bricklayer".to_owned()),
    }
}

fn neel(text: &str) -> Result<Neel, String> {
    match text {
        "up" => Ok(Neel::UpOnEven),
        "down" => Ok(Neel::DownOnEven),
        _ => Err("known values: up, down".to_owned()),
    }
}

fn lattice(text: &str) -> Result<Lattice, String> {
    let unknown =
        || "known values: line:N, ring:N, grid:CxR, heavy-hex:CxR, heavy-hex-cell".to_owned();
    let number = |text: &str| word::<u32>("a whole number")(text).map_err(|_| unknown());
    let sizes = |text: &str| -> Result<(u32, u32), String> {
        let (columns, rows) = text.split_once('x').ok_or_else(unknown)?;
        Ok((number(columns)?, number(rows)?))
    };
    match text.split_once(':') {
        None if text == "heavy-hex-cell" => Ok(Lattice::HeavyHexCell),
        Some(("line", n)) => Ok(Lattice::Line { sites: number(n)? }),
        Some(("ring", n)) => Ok(Lattice::Ring { sites: number(n)? }),
        Some(("grid", n)) => sizes(n).map(|(columns, rows)| Lattice::Grid { columns, rows }),
        Some(("heavy-hex", n)) => {
            sizes(n).map(|(columns, rows)| Lattice::HeavyHex { columns, rows })
        }
        _ => Err(unknown()),
    }
}

fn pair(text: &str) -> Result<(u32, u32), String> {
    let read = |text: &str| u32::from_str(text.trim()).ok();
    text.split_once(',')
        .and_then(|(a, b)| Some((read(a)?, read(b)?)))
        .ok_or_else(|| "two qubits are named as A,B".to_owned())
}
