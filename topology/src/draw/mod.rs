//! Pictures of a machine and of what is placed on it: as text for a terminal, as SVG for a document.

mod svg;
mod text;

pub use svg::svg;
pub use text::text;

use std::collections::HashMap;

use crate::placement::Placement;
use crate::{Core, DomainId, PuId, Topology};

/// The cores of each domain, and the partitions that sit on each processing unit.
struct Layout<'a> {
    /// By domain; never empty lists.
    domains: Vec<(DomainId, Vec<&'a Core>)>,
    partitions_of: HashMap<PuId, Vec<usize>>,
}

impl<'a> Layout<'a> {
    fn new(topology: &'a Topology, placement: Option<&Placement>) -> Self {
        let mut domains: Vec<(DomainId, Vec<&Core>)> = (0..topology.n_domains() as u32)
            .map(|id| (DomainId(id), Vec::new()))
            .collect();
        for core in topology.cores() {
            domains[core.domain().idx()].1.push(core);
        }
        let mut partitions_of: HashMap<PuId, Vec<usize>> = HashMap::new();
        for (partition, seat) in placement
            .map_or(&[][..], Placement::seats)
            .iter()
            .enumerate()
        {
            partitions_of.entry(seat.pu).or_default().push(partition);
        }
        Self {
            domains,
            partitions_of,
        }
    }

    /// The partitions that sit on a core, as `p0,p4`; empty on a free core.
    fn partitions_on(&self, core: &Core) -> String {
        let on_core = core
            .pus()
            .iter()
            .filter_map(|pu| self.partitions_of.get(pu))
            .flatten();
        on_core
            .map(|partition| format!("p{partition}"))
            .collect::<Vec<_>>()
            .join(",")
    }
}
