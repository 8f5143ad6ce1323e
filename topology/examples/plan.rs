//! Draws this machine, or one that is described, and where the partitions of a rank would go on it.
//!
//! ```text
//! cargo run -p phalanx-topology --example plan -- --partitions 8
//! cargo run -p phalanx-topology --example plan -- --synthetic "pack:2 [numa] l3:8 core:8 pu:2" --svg plan.svg
//! cargo run -p phalanx-topology --example plan -- --masks "0-1;2-3" --rank 1
//! ```

use std::io::Write as _;
use std::process::ExitCode;

use phalanx_topology::placement::{self, PlacementRequest};
use phalanx_topology::{CpuMask, DomainPolicy, Limits, NodeShare, Topology, draw};

const USAGE: &str = "usage: plan [--partitions N] [--synthetic TEXT | --xml FILE] [--mask LIST] [--masks LIST;LIST;..] \
                     [--rank I] [--level LEVEL] [--kinds performance|all] [--places core|pu] [--svg FILE]";

/// What the command line asks for.
struct Options {
    topology: Topology,
    request: PlacementRequest,
    svg: Option<String>,
}

fn main() -> ExitCode {
    match options(std::env::args().skip(1)).and_then(|options| draw(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("plan: {fault}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn draw(options: &Options) -> Result<(), String> {
    let placement = placement::plan(&options.topology, &options.request);
    let text = draw::text(&options.topology, Some(&placement)) + &Limits::read().to_string();
    std::io::stdout().write_all(text.as_bytes()).map_err(say)?;
    match &options.svg {
        Some(file) => std::fs::write(file, draw::svg(&options.topology, Some(&placement)))
            .map_err(|error| format!("cannot write {file}: {error}")),
        None => Ok(()),
    }
}

fn options(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let (mut synthetic, mut xml, mut mask, mut masks) = (None, None, None, None);
    let (mut partitions, mut rank, mut level, mut svg) = (None, None, None, None);
    let mut request = PlacementRequest::new(1);
    while let Some(flag) = words.next() {
        let value = words
            .next()
            .ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--partitions" => partitions = Some(number(&value)?),
            "--rank" => rank = Some(number(&value)?),
            "--synthetic" => synthetic = Some(value),
            "--xml" => xml = Some(value),
            "--mask" => mask = Some(value),
            "--masks" => masks = Some(value),
            "--level" => {
                level = Some(
                    value
                        .parse::<DomainPolicy>()
                        .map_err(|error| error.to_string())?,
                )
            }
            "--kinds" => request.kind_policy = value.parse().map_err(say)?,
            "--places" => request.smt_policy = value.parse().map_err(say)?,
            "--svg" => svg = Some(value),
            _ => return Err(format!("{flag} is unknown")),
        }
    }
    let mut topology = match (synthetic, xml) {
        (Some(description), _) => Topology::from_synthetic(&description),
        (None, Some(file)) => Topology::from_xml_file(file),
        (None, None) => Topology::discover(),
    }
    .map_err(say)?;
    if let Some(mask) = mask {
        topology = topology
            .with_mask(&mask.parse().map_err(say)?)
            .map_err(say)?;
    }
    if let Some(level) = level {
        topology = topology.with_domain_policy(level);
    }
    if let Some(masks) = masks {
        let masks = masks
            .split(';')
            .map(str::parse)
            .collect::<Result<Vec<CpuMask>, _>>()
            .map_err(say)?;
        let rank = rank.unwrap_or(0);
        let mine = masks
            .get(rank)
            .ok_or_else(|| format!("there is no mask for rank {rank}"))?;
        topology = topology.with_mask(mine).map_err(say)?;
        request.share = NodeShare::from_masks(rank, masks);
    }
    if topology.is_this_system() {
        request.cpu_quota = Limits::read().cpu_quota();
    }
    request.n_partitions =
        partitions.unwrap_or_else(|| placement::auto_partitions(&topology, &request));
    Ok(Options {
        topology,
        request,
        svg,
    })
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("{text} is not a number"))
}

fn say(error: impl std::fmt::Display) -> String {
    error.to_string()
}
