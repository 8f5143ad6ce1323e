//! What a rank can choose from: cores reduced to what placement looks at, for this rank and for its neighbours.

use std::collections::{HashMap, HashSet};

use super::{KindPolicy, SmtPolicy};
use crate::{CpuMask, DomainId, NumaId, PuId, Topology};

/// A core as one rank may use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The core's number on the machine, the same for all ranks.
    pub(super) core: u32,
    /// Its domain.
    pub(super) domain: DomainId,
    /// Its NUMA node.
    pub(super) numa: Option<NumaId>,
    /// The processing units to fill, in this order: one of them, or all, by the policy.
    pub(super) pus: Vec<PuId>,
}

/// The cores that the topology's owner may choose from.
pub(super) fn own(topology: &Topology, kinds: KindPolicy, smt: SmtPolicy) -> Vec<Candidate> {
    let fastest = topology.cores().iter().map(crate::Core::kind).max();
    let numbers: HashMap<PuId, u32> = topology
        .machine()
        .pus()
        .iter()
        .map(|pu| (pu.pu, pu.core))
        .collect();
    topology
        .cores()
        .iter()
        .filter(|core| kinds == KindPolicy::All || Some(core.kind()) == fastest)
        .map(|core| Candidate {
            core: numbers[&core.pu()],
            domain: core.domain(),
            numa: core.numa(),
            pus: match smt {
                SmtPolicy::OnePerCore => vec![core.pu()],
                SmtPolicy::EveryPu => core.pus().to_vec(),
            },
        })
        .collect()
}

/// The cores that a rank with this mask may choose from. CPUs that the machine's description does not show are
/// each taken for a core of their own.
pub(super) fn of_mask(
    whole: &Topology,
    mask: &CpuMask,
    kinds: KindPolicy,
    smt: SmtPolicy,
) -> Vec<Candidate> {
    let mut found = whole
        .with_mask(mask)
        .map(|theirs| own(&theirs, kinds, smt))
        .unwrap_or_default();
    let known: HashSet<PuId> = whole.pus().collect();
    let unseen = mask.iter().filter(|pu| !known.contains(pu));
    found.extend(unseen.map(|pu| Candidate {
        core: u32::MAX - pu.0,
        domain: DomainId(u32::MAX),
        numa: None,
        pus: vec![pu],
    }));
    found
}

/// How many partitions the candidates can take.
pub(super) fn n_places(candidates: &[Candidate]) -> usize {
    candidates.iter().map(|candidate| candidate.pus.len()).sum()
}
