//! Placement by property, over random machines, masks, rank counts and partition counts, against oracles that
//! are naive on purpose.

use std::collections::{BTreeMap, BTreeSet};

use phalanx_topology::placement::{Placement, PlacementRequest, SmtPolicy, auto_partitions, plan};
use phalanx_topology::{
    CpuMask, Machine, MachinePu, NodeMask, NodeShare, NumaId, PackageId, PuId, Topology,
};
use proptest::prelude::*;

/// A machine of up to 10 cores of one or two CPUs in up to 4 L3s, CPU numbers shuffled.
fn machines() -> impl Strategy<Value = Topology> {
    let core = (1usize..=2, 0u32..4, 0u32..2);
    (
        proptest::collection::vec(core, 1..=10),
        any::<u64>(),
        any::<bool>(),
    )
        .prop_map(|(cores, seed, has_caches)| {
            let n_pus: usize = cores.iter().map(|core| core.0).sum();
            let mut numbers: Vec<u32> = (0..n_pus as u32).collect();
            // A fixed shuffle by a multiplicative generator: enough to keep numbers and positions apart.
            let mut state = seed | 1;
            for idx in (1..n_pus).rev() {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                numbers.swap(idx, (state >> 33) as usize % (idx + 1));
            }
            let mut next = numbers.into_iter();
            let mut pus = Vec::new();
            for (core, &(n_threads, l3, node)) in cores.iter().enumerate() {
                for cpu in next.by_ref().take(n_threads) {
                    let mut pu = MachinePu::bare(PuId(cpu), core as u32);
                    pu.caches[2] = has_caches.then_some(l3);
                    pu.numa = Some(NumaId(node));
                    pu.package = Some(PackageId(node));
                    pus.push(pu);
                }
            }
            Topology::whole(Machine::from_pus("random", pus).unwrap()).unwrap()
        })
}

/// Between 1 and 4 masks on a machine, none empty; sometimes all alike.
fn machines_with_masks() -> impl Strategy<Value = (Topology, Vec<CpuMask>)> {
    (
        machines(),
        proptest::collection::vec(any::<u32>(), 1..=4),
        0..4u8,
    )
        .prop_map(|(topology, picks, alike)| {
            let n_pus = topology.n_pus() as u32;
            let mask = |pick: u32| {
                let chosen = (0..n_pus).filter(|cpu| pick >> cpu & 1 == 1).map(PuId);
                let mask = CpuMask::from_pus(chosen).unwrap();
                if mask.is_empty() {
                    CpuMask::from_pus([PuId(pick % n_pus)]).unwrap()
                } else {
                    mask
                }
            };
            let masks = picks
                .iter()
                .map(|&pick| mask(if alike == 0 { picks[0] } else { pick }))
                .collect();
            (topology, masks)
        })
}

/// The plans of all ranks of a node.
fn plans(topology: &Topology, masks: &[CpuMask], n_partitions: usize) -> Vec<Placement> {
    (0..masks.len())
        .map(|rank| {
            let mut request = PlacementRequest::new(n_partitions);
            request.share = NodeShare::from_masks(rank, masks.to_vec());
            plan(&topology.with_mask(&masks[rank]).unwrap(), &request)
        })
        .collect()
}

/// The number of the core of each CPU.
fn core_numbers(topology: &Topology) -> BTreeMap<PuId, u32> {
    topology
        .machine()
        .pus()
        .iter()
        .map(|pu| (pu.pu, pu.core))
        .collect()
}

/// The cores that each rank can reach.
fn reachable(topology: &Topology, masks: &[CpuMask]) -> Vec<BTreeSet<u32>> {
    let core_of = core_numbers(topology);
    masks
        .iter()
        .map(|mask| mask.iter().map(|pu| core_of[&pu]).collect())
        .collect()
}

/// Oracle: whether `n` cores for each rank can be found so that no two ranks share one, by trying everything.
fn enough_cores_exist(reachable: &[BTreeSet<u32>], n: usize) -> bool {
    fn seat(
        slot: usize,
        slots: &[usize],
        reachable: &[BTreeSet<u32>],
        holder: &mut BTreeMap<u32, usize>,
        tried: &mut BTreeSet<u32>,
    ) -> bool {
        for &core in &reachable[slots[slot]] {
            if !tried.insert(core) {
                continue;
            }
            let free = match holder.get(&core).copied() {
                None => true,
                Some(other) => seat(other, slots, reachable, holder, tried),
            };
            if free {
                holder.insert(core, slot);
                return true;
            }
        }
        false
    }
    let slots: Vec<usize> = (0..reachable.len())
        .flat_map(|rank| std::iter::repeat_n(rank, n))
        .collect();
    let mut holder = BTreeMap::new();
    (0..slots.len()).all(|slot| seat(slot, &slots, reachable, &mut holder, &mut BTreeSet::new()))
}

/// Oracle: the table, written as it is told. `None` where there are not enough cores.
fn naive_table(topology: &Topology, n: usize, rank: usize, n_ranks: usize) -> Option<Vec<PuId>> {
    if n * n_ranks > topology.cores().len() {
        return None;
    }
    let n_domains = topology.n_domains();
    let members = |domain: usize| -> Vec<PuId> {
        topology
            .cores()
            .iter()
            .filter(|core| core.domain().idx() == domain)
            .map(|core| core.pu())
            .collect()
    };
    let domains_of = |rank: usize| -> Vec<Vec<PuId>> {
        (0..n_domains)
            .filter(|domain| domain % n_ranks == rank)
            .map(members)
            .collect()
    };
    let suffices = |rank: usize| domains_of(rank).iter().map(Vec::len).sum::<usize>() >= n;
    if n_ranks <= n_domains && (0..n_ranks).all(suffices) {
        let mut order = Vec::new();
        for depth in 0..topology.cores().len() {
            for domain in domains_of(rank) {
                order.extend(domain.get(depth));
            }
        }
        order.truncate(n);
        return Some(order);
    }
    let order: Vec<PuId> = (0..n_domains).flat_map(members).collect();
    Some(order[rank * n..(rank + 1) * n].to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// No two co-located ranks ever share a core while enough exist, each partition has a CPU of its own within
    /// its rank's mask, and what is refused is refused to all.
    #[test]
    fn co_located_ranks_never_share_a_core_while_enough_exist(
        (topology, masks) in machines_with_masks(),
        n_partitions in 1usize..=4,
    ) {
        let placements = plans(&topology, &masks, n_partitions);
        let core_of = core_numbers(&topology);
        let cores = reachable(&topology, &masks);
        let mut holders: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for (rank, placement) in placements.iter().enumerate() {
            let seats: BTreeSet<PuId> = placement.seats().iter().map(|seat| seat.pu).collect();
            prop_assert_eq!(seats.len(), placement.seats().len());
            prop_assert!(seats.iter().all(|&pu| masks[rank].contains(pu)));
            let own_cores: BTreeSet<u32> = seats.iter().map(|pu| core_of[pu]).collect();
            prop_assert_eq!(own_cores.len(), seats.len(), "two partitions of a rank on one core");
            own_cores.into_iter().for_each(|core| { holders.entry(core).or_default().insert(rank); });
        }
        if enough_cores_exist(&cores, n_partitions) {
            prop_assert!(placements.iter().all(|placement| placement.seats().len() == n_partitions));
            prop_assert!(holders.values().all(|ranks| ranks.len() == 1), "{:?}", holders);
        } else if NodeMask::classify(&masks) == NodeMask::PerRank {
            for (rank, placement) in placements.iter().enumerate() {
                prop_assert_eq!(placement.refusal().is_none(), cores[rank].len() >= n_partitions);
            }
        } else {
            prop_assert!(placements.iter().all(|placement| placement.refusal().is_some()));
        }
    }

    /// A launcher's division is final: on whole cores, each rank is placed exactly as if it were alone.
    #[test]
    fn a_per_rank_mask_is_never_divided_again(topology in machines(), cut in 1usize..10, n_partitions in 1usize..=4) {
        let n_cores = topology.cores().len();
        prop_assume!(n_cores >= 2);
        let cut = 1 + cut % (n_cores - 1);
        let masks: Vec<CpuMask> = [&topology.cores()[..cut], &topology.cores()[cut..]]
            .map(|cores| CpuMask::from_pus(cores.iter().flat_map(|core| core.pus().to_vec())).unwrap())
            .to_vec();
        prop_assert_eq!(NodeMask::classify(&masks), NodeMask::PerRank);
        for (rank, placement) in plans(&topology, &masks, n_partitions).iter().enumerate() {
            let alone = plan(&topology.with_mask(&masks[rank]).unwrap(), &PlacementRequest::new(n_partitions));
            prop_assert_eq!(placement.seats(), alone.seats());
        }
    }

    #[test]
    fn ranks_that_see_the_same_follow_the_table(
        topology in machines(),
        n_partitions in 1usize..=5,
        n_ranks in 1usize..=5,
    ) {
        for rank in 0..n_ranks {
            let mut request = PlacementRequest::new(n_partitions);
            request.share = NodeShare::classified(rank, n_ranks, NodeMask::Shared);
            let placement = plan(&topology, &request);
            let expected = naive_table(&topology, n_partitions, rank, n_ranks);
            let pus: Vec<PuId> = placement.seats().iter().map(|seat| seat.pu).collect();
            prop_assert_eq!(placement.refusal().is_none(), expected.is_some());
            prop_assert_eq!(pus, expected.unwrap_or_default());
        }
    }

    /// The automatic number can be placed on all ranks, and one more cannot.
    #[test]
    fn auto_is_the_most_that_can_be_placed((topology, masks) in machines_with_masks()) {
        let autos: BTreeSet<usize> = (0..masks.len())
            .map(|rank| {
                let mut request = PlacementRequest::new(1);
                request.share = NodeShare::from_masks(rank, masks.clone());
                auto_partitions(&topology.with_mask(&masks[rank]).unwrap(), &request)
            })
            .collect();
        prop_assert_eq!(autos.len(), 1, "the ranks disagree: {:?}", autos);
        let auto = *autos.first().unwrap();
        let cores = reachable(&topology, &masks);
        prop_assert!(auto >= 1);
        prop_assert!(auto == 1 || enough_cores_exist(&cores, auto));
        prop_assert!(!enough_cores_exist(&cores, auto + 1));
    }

    /// Every hardware thread: CPUs are never given twice, and cores are not shared while one for each partition
    /// exists.
    #[test]
    fn every_pu_is_given_once(topology in machines(), n_partitions in 1usize..=6, n_ranks in 1usize..=3) {
        let core_of = core_numbers(&topology);
        let mut pus: Vec<PuId> = Vec::new();
        let mut holders: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for rank in 0..n_ranks {
            let mut request = PlacementRequest::new(n_partitions);
            request.share = NodeShare::classified(rank, n_ranks, NodeMask::Shared);
            request.smt_policy = SmtPolicy::EveryPu;
            let placement = plan(&topology, &request);
            prop_assert_eq!(placement.refusal().is_none(), n_partitions * n_ranks <= topology.n_pus());
            for seat in placement.seats() {
                pus.push(seat.pu);
                holders.entry(core_of[&seat.pu]).or_default().insert(rank);
            }
        }
        prop_assert_eq!(pus.iter().collect::<BTreeSet<_>>().len(), pus.len());
        if n_partitions * n_ranks <= topology.cores().len() {
            prop_assert!(holders.values().all(|ranks| ranks.len() == 1));
        }
    }
}

/// The negative control of the first property: the oracle sees a machine that is too small, and one that is not.
#[test]
fn the_oracle_tells_enough_from_too_few() {
    let sets = |lists: &[&[u32]]| {
        lists
            .iter()
            .map(|list| list.iter().copied().collect())
            .collect::<Vec<BTreeSet<u32>>>()
    };
    assert!(enough_cores_exist(&sets(&[&[0, 1, 2], &[0, 1]]), 1));
    assert!(!enough_cores_exist(&sets(&[&[0, 1, 2], &[0, 1]]), 2));
    assert!(enough_cores_exist(&sets(&[&[0, 1, 2, 3], &[0, 1]]), 2));
    assert!(!enough_cores_exist(&sets(&[&[0], &[0]]), 1));
}
