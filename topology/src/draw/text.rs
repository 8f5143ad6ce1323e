//! A machine as lines of text.

use std::fmt::{self, Display, Write as _};

use super::Layout;
use crate::placement::Placement;
use crate::words::count;
use crate::{Core, Limits, NumaId, Topology, cpu_list};

/// Draws the machine, and the placement if there is one: a line of totals, then a line for each domain.
///
/// # Examples
/// ```
/// use phalanx_topology::placement::{self, PlacementRequest};
/// use phalanx_topology::{Machine, MachinePu, PuId, Topology, draw};
///
/// let pus = (0..3).map(|cpu| MachinePu::bare(PuId(cpu), cpu)).collect();
/// let topology = Topology::whole(Machine::from_pus("three cores", pus)?)?;
/// let placement = placement::plan(&topology, &PlacementRequest::new(2));
/// assert_eq!(
///     draw::text(&topology, Some(&placement)),
///     "three cores (not this system): 3 cores, 3 CPUs (0-2), 1 domain, no NUMA node known\n\
///      d0 (machine): cores 0=p0 1=p1 2\n\
///      2 partitions placed\n"
/// );
/// # Ok::<(), phalanx_topology::DiscoverError>(())
/// ```
#[must_use]
pub fn text(topology: &Topology, placement: Option<&Placement>) -> String {
    Picture {
        topology,
        placement,
    }
    .to_string()
}

struct Picture<'a> {
    topology: &'a Topology,
    placement: Option<&'a Placement>,
}

impl Display for Picture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.topology)?;
        let layout = Layout::new(self.topology, self.placement);
        for (domain, cores) in &layout.domains {
            write!(f, "{domain}")?;
            if let Some(level) = self.topology.domain_level(*domain) {
                write!(f, " ({level})")?;
            }
            write_nodes(f, cores)?;
            f.write_str(": cores")?;
            for core in cores {
                f.write_char(' ')?;
                self.write_core(f, &layout, core)?;
            }
            writeln!(f)?;
        }
        match self.placement {
            Some(Placement::Placed { seats }) => {
                writeln!(f, "{} placed", count(seats.len(), "partition"))
            }
            Some(Placement::Refused { reason }) => writeln!(f, "not placed: {reason}"),
            None => Ok(()),
        }
    }
}

impl Picture<'_> {
    /// `0/4=p2,p6`: the core's processing units and its partitions; a slow kind of core has a mark.
    fn write_core(
        &self,
        f: &mut fmt::Formatter<'_>,
        layout: &Layout<'_>,
        core: &Core,
    ) -> fmt::Result {
        let pus: Vec<String> = core.pus().iter().map(|pu| pu.0.to_string()).collect();
        f.write_str(&pus.join("/"))?;
        if core.kind().idx() + 1 < self.topology.n_kinds() {
            write!(f, "({})", core.kind())?;
        }
        let partitions = layout.partitions_on(core);
        if !partitions.is_empty() {
            write!(f, "={partitions}")?;
        }
        Ok(())
    }
}

/// The NUMA nodes of a domain's cores, where they are known.
fn write_nodes(f: &mut fmt::Formatter<'_>, cores: &[&Core]) -> fmt::Result {
    let mut nodes: Vec<NumaId> = cores.iter().filter_map(|core| core.numa()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    if nodes.is_empty() {
        return Ok(());
    }
    write!(
        f,
        " on NUMA {}",
        cpu_list::format(nodes.into_iter().map(|node| node.0))
    )
}

impl Display for Topology {
    /// One line: the source, and how many cores, CPUs, domains and NUMA nodes this process has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let foreign = if self.is_this_system() {
            ""
        } else {
            " (not this system)"
        };
        let cpus = cpu_list::format(self.sorted_pus().into_iter().map(|pu| pu.0));
        write!(
            f,
            "{}{foreign}: {}, {} ({cpus}), {}",
            self.machine().source_name(),
            count(self.cores().len(), "core"),
            count(self.n_pus(), "CPU"),
            count(self.n_domains(), "domain"),
        )?;
        if self.n_kinds() > 1 {
            write!(f, ", {}", count(self.n_kinds(), "kind"))?;
        }
        match self.machine().numa_nodes().len() {
            0 => f.write_str(", no NUMA node known"),
            n => write!(f, ", {}", count(n, "NUMA node")),
        }
    }
}

impl Display for Limits {
    /// One line for each limit that was found.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(quota), Some(file)) = (self.cpu_quota(), self.cpu_quota_file()) {
            writeln!(f, "CPU time: {:.2} CPUs ({})", quota.cpus(), file.display())?;
        } else {
            writeln!(f, "CPU time: no quota")?;
        }
        for limit in self.thread_limits() {
            writeln!(f, "threads: {limit}")?;
        }
        match self.max_threads() {
            Some(budget) => writeln!(
                f,
                "{} more threads can start, by {}",
                budget.n_threads, budget.limit.kind
            ),
            None => writeln!(f, "no limit on threads was found"),
        }
    }
}
