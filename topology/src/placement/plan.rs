//! `plan`: the placement of one rank's partitions.

use super::candidates::{self, Candidate, n_places};
use super::contest::Contest;
use super::table::{self, Choice};
use super::{KindPolicy, Placement, PlacementRequest, RefusalReason, Seat};
use crate::{NodeMask, Topology, cpu_list};

/// Plans where the partitions of one rank go.
///
/// Where the ranks of the node see the same CPUs, they divide them: with at least as many domains as ranks, rank
/// `i` of `c` takes the domains `i, i + c, ...` and spreads over them; otherwise the cores, laid out domain by
/// domain, are cut into runs. Where each rank was given CPUs of its own, it takes its places from those and
/// divides nothing. Where masks differ and overlap, and all of them are known, cores are assigned so that no two
/// ranks meet on one. **No two ranks of a node share a core while there are enough cores.**
///
/// The plan is a function of its arguments alone. All ranks have to ask with the same number of partitions,
/// the same policies and the same masks.
///
/// # Examples
/// ```
/// use phalanx_topology::placement::{self, PlacementRequest};
/// use phalanx_topology::Topology;
///
/// let topology = Topology::discover()?;
/// let placement = placement::plan(&topology, &PlacementRequest::new(1));
/// assert_eq!(placement.seats()[0].pu, topology.cores()[0].pu());
///
/// let placement = placement::plan(&topology, &PlacementRequest::new(1_000_000));
/// assert!(placement.refusal().unwrap().to_string().starts_with("oversubscribed"));
/// # Ok::<(), phalanx_topology::DiscoverError>(())
/// ```
#[must_use]
pub fn plan(topology: &Topology, request: &PlacementRequest) -> Placement {
    match choose(topology, request) {
        Ok((candidates, choices)) => Placement::Placed {
            seats: seats(&candidates, &choices),
        },
        Err(reason) => Placement::Refused { reason },
    }
}

/// The candidates of this rank and the places chosen from them, one for each partition.
fn choose(
    topology: &Topology,
    request: &PlacementRequest,
) -> Result<(Vec<Candidate>, Vec<Choice>), RefusalReason> {
    let PlacementRequest {
        n_partitions,
        share,
        kind_policy,
        smt_policy,
        cpu_quota,
    } = request;
    let (n, rank, n_ranks) = (*n_partitions, share.rank(), share.n_ranks());
    if n == 0 {
        return Err(RefusalReason::NoPartitions);
    }
    if rank >= n_ranks {
        return Err(RefusalReason::NoSuchRank { rank, n_ranks });
    }
    if let Some(quota) = cpu_quota
        .as_ref()
        .filter(|quota| quota.cpus() < topology.n_pus() as f64)
    {
        return Err(RefusalReason::CpuQuota {
            quota_cpus: quota.cpus(),
            n_pus: topology.n_pus(),
        });
    }
    check_own_mask(topology, request)?;
    let own = candidates::own(topology, *kind_policy, *smt_policy);
    let contest = Contest::find(topology, request);
    if let Some(choices) = contest
        .as_ref()
        .and_then(|contest| contest.places(n)?.into_iter().nth(rank))
    {
        return Ok((own, choices));
    }
    let (n_dividing, my_number) = match share.node_mask() {
        // The launcher has divided the node. To divide once more would leave nothing.
        NodeMask::PerRank => (1, 0),
        NodeMask::Shared if contest.is_some() => {
            return Err(RefusalReason::Contested {
                n_partitions: n,
                n_ranks,
            });
        }
        NodeMask::Shared => (n_ranks, rank),
    };
    table::divide(&own, n, my_number, n_dividing)
        .map(|choices| (own.clone(), choices))
        .ok_or_else(|| RefusalReason::Oversubscribed {
            n_wanted: n.saturating_mul(n_dividing),
            n_places: n_places(&own),
            n_ranks: n_dividing,
            n_slower_places: n_places(&candidates::own(topology, KindPolicy::All, *smt_policy))
                - n_places(&own),
            smt_policy: *smt_policy,
            machine_has_more: topology.n_pus() < topology.machine().pus().len(),
        })
}

/// The mask that this rank sent to the others has to be the one that it plans with.
fn check_own_mask(topology: &Topology, request: &PlacementRequest) -> Result<(), RefusalReason> {
    let Some(masks) = request.share.masks() else {
        return Ok(());
    };
    let sent = masks[request.share.rank()];
    if topology.cpu_mask().ok() == Some(sent) {
        return Ok(());
    }
    let topology = cpu_list::format(topology.sorted_pus().iter().map(|pu| pu.0));
    Err(RefusalReason::MaskMismatch {
        topology,
        exchanged: sent.to_string(),
    })
}

fn seats(candidates: &[Candidate], choices: &[Choice]) -> Vec<Seat> {
    let seat = |&(idx, pu): &Choice| Seat {
        pu,
        domain: candidates[idx].domain,
        numa: candidates[idx].numa,
    };
    choices.iter().map(seat).collect()
}
