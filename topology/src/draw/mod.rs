//! Pictures of a machine and of what is placed on it: as text for a terminal, as SVG for a document.

mod svg;
mod text;

pub use svg::svg;
pub use text::text;

use crate::placement::Placement;
use crate::{Core, DomainId, Topology};

/// The cores of each domain, and the partition that sits on each processing unit.
struct Layout<'a> {
    /// By domain; never empty lists.
    domains: Vec<(DomainId, Vec<&'a Core>)>,
    placement: Option<&'a Placement>,
}

impl<'a> Layout<'a> {
    fn new(topology: &'a Topology, placement: Option<&'a Placement>) -> Self {
        let mut domains: Vec<(DomainId, Vec<&Core>)> = (0..topology.n_domains() as u32)
            .map(|id| (DomainId(id), Vec::new()))
            .collect();
        for core in topology.cores() {
            domains[core.domain().idx()].1.push(core);
        }
        Self { domains, placement }
    }

    /// The partitions that sit on a core, ascending.
    fn partitions_on(&self, core: &Core) -> Vec<usize> {
        let seats = self.placement.map_or(&[][..], Placement::seats);
        let on_core = |(partition, seat): (usize, &crate::placement::Seat)| {
            core.pus().contains(&seat.pu).then_some(partition)
        };
        seats.iter().enumerate().filter_map(on_core).collect()
    }
}

/// `n` of a thing, with the plural where it is due.
fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}
