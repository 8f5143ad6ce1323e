//! How many partitions a rank should have when nobody says.

use super::PlacementRequest;
use super::candidates::{self, n_places};
use super::contest::Contest;
use crate::{NodeMask, Topology};

/// The number of partitions that a rank should have: one for each physical core of its share of the node (or
/// each hardware thread, by the policy), and no more than its share of the CPU time that the cgroup allows.
///
/// `request.n_partitions` is not looked at. The answer is at least 1, and, as far as the masks of the other
/// ranks are known, the same on all ranks of the node; across nodes the ranks still have to agree on the least.
/// The quota is divided among the ranks of the node, since ranks that see each other live in one container.
///
/// # Examples
/// ```
/// use phalanx_topology::placement::{PlacementRequest, auto_partitions};
/// use phalanx_topology::{CpuQuota, Machine, MachinePu, PuId, Topology};
///
/// let pus = (0..8).map(|cpu| MachinePu::bare(PuId(cpu), cpu)).collect();
/// let topology = Topology::whole(Machine::from_pus("eight cores", pus)?)?;
/// let mut request = PlacementRequest::new(1);
/// assert_eq!(auto_partitions(&topology, &request), 8);
/// request.cpu_quota = Some(CpuQuota { quota_us: 250_000, period_us: 100_000 });
/// assert_eq!(auto_partitions(&topology, &request), 2);
/// # Ok::<(), phalanx_topology::DiscoverError>(())
/// ```
#[must_use]
pub fn auto_partitions(topology: &Topology, request: &PlacementRequest) -> usize {
    let n_ranks = request.share.n_ranks().max(1);
    let of_quota = request
        .cpu_quota
        .map_or(usize::MAX, |quota| quota.cpus() as usize / n_ranks);
    share_of_cores(topology, request, n_ranks)
        .min(of_quota)
        .max(1)
}

/// How many places each rank has to itself.
fn share_of_cores(topology: &Topology, request: &PlacementRequest, n_ranks: usize) -> usize {
    if let Some(contest) = Contest::find(topology, request) {
        return contest.most_places();
    }
    let places_of = |topology: &Topology| {
        n_places(&candidates::own(
            topology,
            request.kind_policy,
            request.smt_policy,
        ))
    };
    match (request.share.node_mask(), request.share.masks()) {
        (NodeMask::Shared, _) => places_of(topology) / n_ranks,
        (NodeMask::PerRank, None) => places_of(topology),
        (NodeMask::PerRank, Some(masks)) => {
            let whole = topology.unrestricted();
            let places_of_mask = |mask| {
                n_places(&candidates::of_mask(
                    &whole,
                    mask,
                    request.kind_policy,
                    request.smt_policy,
                ))
            };
            masks
                .iter()
                .map(places_of_mask)
                .min()
                .unwrap_or_else(|| places_of(topology))
        }
    }
}
