//! Ranks whose masks differ and reach for the same cores: who may have which.

use super::candidates::{self, Candidate};
use super::matching;
use super::table::{self, Choice};
use super::{PlacementRequest, SmtPolicy};
use crate::Topology;

/// The candidates of all ranks of a node, in a case that dividing one list of cores does not foresee.
pub(super) struct Contest {
    /// By rank on the node.
    candidates_of: Vec<Vec<Candidate>>,
    smt_policy: SmtPolicy,
}

impl Contest {
    /// The contest of this node, if there is one: masks that are known and not all equal, and cores that more
    /// than one of them reaches, be it through different hardware threads.
    pub(super) fn find(topology: &Topology, request: &PlacementRequest) -> Option<Self> {
        let masks = request.share.masks()?;
        if masks.iter().all(|mask| *mask == masks[0]) {
            return None;
        }
        let whole = topology.unrestricted();
        let candidates_of: Vec<Vec<Candidate>> = masks
            .iter()
            .map(|mask| candidates::of_mask(&whole, mask, request.kind_policy, request.smt_policy))
            .collect();
        let mut cores: Vec<u32> = candidates_of
            .iter()
            .flatten()
            .map(|candidate| candidate.core)
            .collect();
        let n_mentions = cores.len();
        cores.sort_unstable();
        cores.dedup();
        (cores.len() < n_mentions).then_some(Self {
            candidates_of,
            smt_policy: request.smt_policy,
        })
    }

    /// `n` places for each rank, on cores that no other rank gets; nothing where that is impossible.
    pub(super) fn places(&self, n: usize) -> Option<Vec<Vec<Choice>>> {
        let fewest_pus = self
            .candidates_of
            .iter()
            .flatten()
            .map(|candidate| candidate.pus.len())
            .min()?;
        let n_cores = match self.smt_policy {
            SmtPolicy::OnePerCore => n,
            SmtPolicy::EveryPu => n.div_ceil(fewest_pus),
        };
        let assigned = matching::assign(&self.candidates_of, n_cores)?;
        Some(
            self.candidates_of
                .iter()
                .zip(assigned)
                .map(|(all, chosen)| table::fill(all, &chosen, n))
                .collect(),
        )
    }

    /// The largest `n` for which [`places`](Self::places) finds an answer; 0 where there is none.
    pub(super) fn most_places(&self) -> usize {
        let (mut feasible, mut beyond) = (
            0,
            1 + self
                .candidates_of
                .iter()
                .map(|all| candidates::n_places(all))
                .min()
                .unwrap_or(0),
        );
        while feasible + 1 < beyond {
            let middle = feasible.midpoint(beyond);
            if self.places(middle).is_some() {
                feasible = middle
            } else {
                beyond = middle
            }
        }
        feasible
    }
}
