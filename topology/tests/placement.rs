//! Placement by example: the tables that say who gets which core. Machines are made by hand, so nothing here
//! depends on a library or on this machine. Tests named `t..` are public cases of faults met elsewhere.

use phalanx_topology::placement::{
    KindPolicy, Placement, PlacementRequest, RefusalReason, SmtPolicy, auto_partitions, plan,
};
use phalanx_topology::{
    CpuMask, CpuQuota, Machine, MachinePu, NodeMask, NodeShare, PuId, Topology,
};

/// Cores of one CPU each, given as (CPU, L3).
fn cores(list: &[(u32, u32)]) -> Topology {
    let pus = list
        .iter()
        .enumerate()
        .map(|(core, &(cpu, l3))| {
            let mut pu = MachinePu::bare(PuId(cpu), core as u32);
            pu.caches[2] = Some(l3);
            pu
        })
        .collect();
    let machine = Machine::from_pus("by hand", pus).unwrap();
    Topology::whole(machine)
        .unwrap()
        .with_domain_policy("l3".parse().unwrap())
}

/// `n` cores of one CPU each without anything else.
fn plain(n: u32) -> Topology {
    let pus = (0..n).map(|cpu| MachinePu::bare(PuId(cpu), cpu)).collect();
    Topology::whole(Machine::from_pus("by hand", pus).unwrap()).unwrap()
}

/// `n` cores of two CPUs each: core `k` has CPUs `k` and `n + k`.
fn smt(n: u32) -> Topology {
    let pus = (0..n)
        .flat_map(|core| [core, n + core].map(|cpu| MachinePu::bare(PuId(cpu), core)))
        .collect();
    Topology::whole(Machine::from_pus("by hand", pus).unwrap()).unwrap()
}

fn masks(lists: &[&str]) -> Vec<CpuMask> {
    lists.iter().map(|list| list.parse().unwrap()).collect()
}

fn cpus(placement: &Placement) -> Vec<u32> {
    placement.seats().iter().map(|seat| seat.pu.0).collect()
}

/// The CPUs of rank `rank` of `n_ranks` that all see the whole topology.
fn shared(topology: &Topology, n_partitions: usize, rank: usize, n_ranks: usize) -> Vec<u32> {
    let mut request = PlacementRequest::new(n_partitions);
    request.share = NodeShare::classified(rank, n_ranks, NodeMask::Shared);
    cpus(&plan(topology, &request))
}

/// The placement of a rank whose node's masks are these.
fn on_node(machine: &Topology, n_partitions: usize, rank: usize, lists: &[&str]) -> Placement {
    let mine = machine.with_mask(&lists[rank].parse().unwrap()).unwrap();
    let mut request = PlacementRequest::new(n_partitions);
    request.share = NodeShare::from_masks(rank, masks(lists));
    plan(&mine, &request)
}

#[test]
fn ranks_take_domains_or_runs_of_cores() {
    let alternating = cores(&[(0, 0), (2, 1), (4, 0), (6, 1)]);
    assert_eq!(shared(&alternating, 4, 0, 1), [0, 2, 4, 6]);
    assert_eq!(shared(&alternating, 2, 0, 1), [0, 2]);
    assert_eq!(shared(&alternating, 2, 1, 2), [2, 6]);
    let one_domain = cores(&[(0, 0), (2, 0), (4, 0), (6, 0)]);
    assert_eq!(shared(&one_domain, 2, 0, 2), [0, 2]);
    assert_eq!(shared(&one_domain, 2, 1, 2), [4, 6]);
    let uneven = cores(&[(0, 0), (2, 1), (4, 0)]);
    assert_eq!(shared(&uneven, 3, 0, 1), [0, 2, 4]);
    assert_eq!(shared(&cores(&[(0, 0), (2, 1)]), 2, 0, 2), [0u32; 0]);
    // More ranks than domains: cores domain by domain, in runs.
    assert_eq!(shared(&alternating, 1, 1, 3), [4]);
    assert_eq!(shared(&alternating, 1, 2, 3), [2]);
}

/// A domain that is too small for its rank: all ranks take runs instead, and nobody goes without.
#[test]
fn uneven_domains_do_not_starve_a_rank() {
    let topology = cores(&[(0, 0), (1, 1), (2, 1), (3, 1)]);
    assert_eq!(shared(&topology, 2, 0, 2), [0, 1]);
    assert_eq!(shared(&topology, 2, 1, 2), [2, 3]);
}

/// Case T01, and the regression that has happened twice elsewhere: the launcher has divided the node among the
/// ranks, and placement divides each rank's part by the number of ranks again, finds too few cores, and leaves
/// every thread unpinned without a word.
#[test]
fn t01_a_mask_that_is_already_per_rank_is_never_divided_a_second_time() {
    let machine = plain(4);
    for rank in 0..2 {
        let placement = on_node(&machine, 2, rank, &["0-1", "2-3"]);
        assert_eq!(cpus(&placement), [2 * rank as u32, 2 * rank as u32 + 1]);
    }
    // Without the masks themselves the classification is enough.
    let mine = machine.with_mask(&"2-3".parse().unwrap()).unwrap();
    let mut request = PlacementRequest::new(2);
    request.share = NodeShare::classified(1, 2, NodeMask::PerRank);
    assert_eq!(cpus(&plan(&mine, &request)), [2, 3]);
    assert_eq!(auto_partitions(&mine, &request), 2);
    // The control: divided a second time, as a shared node would be, nothing is left.
    request.share = NodeShare::classified(1, 2, NodeMask::Shared);
    assert!(plan(&mine, &request).refusal().is_some());
}

/// Case T02: the opposite error. Ranks that see the same CPUs must not stack on them.
#[test]
fn t02_a_shared_mask_is_divided() {
    let machine = plain(6);
    assert_eq!(cpus(&on_node(&machine, 2, 0, &["0-3", "0-3"])), [0, 1]);
    assert_eq!(cpus(&on_node(&machine, 2, 1, &["0-3", "0-3"])), [2, 3]);
    // Partial overlap is shared, and still nobody meets anybody.
    let (first, second) = (
        on_node(&machine, 3, 0, &["0-3", "2-5"]),
        on_node(&machine, 3, 1, &["0-3", "2-5"]),
    );
    let mut all = [cpus(&first), cpus(&second)].concat();
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2, 3, 4, 5]);
    assert!(cpus(&first).iter().all(|&cpu| cpu < 4) && cpus(&second).iter().all(|&cpu| cpu >= 2));
    // A rank alone has its own mask, whatever it is called.
    assert_eq!(cpus(&on_node(&machine, 2, 0, &["4-5"])), [4, 5]);
}

/// Masks that overlap so that no division by runs would do: the small mask has to win its CPUs.
#[test]
fn t02_overlapping_masks_are_matched() {
    let machine = plain(4);
    assert_eq!(cpus(&on_node(&machine, 2, 0, &["0-3", "0-1"])), [2, 3]);
    assert_eq!(cpus(&on_node(&machine, 2, 1, &["0-3", "0-1"])), [0, 1]);
    let refused = on_node(&machine, 3, 0, &["0-3", "0-2"]);
    assert_eq!(
        refused.refusal(),
        Some(&RefusalReason::Contested {
            n_partitions: 3,
            n_ranks: 2
        })
    );
}

/// A rank that has a choice gives way to one that has none, also where it was asked first.
#[test]
fn a_rank_with_a_choice_gives_way() {
    let machine = plain(3);
    let lists = ["0-1", "0", "1-2"];
    let taken: Vec<Vec<u32>> = (0..3)
        .map(|rank| cpus(&on_node(&machine, 1, rank, &lists)))
        .collect();
    assert_eq!(taken, [[1], [0], [2]]);
}

/// CPUs that the description does not show (as with the affinity source of another rank) still count.
#[test]
fn cpus_of_neighbours_that_nobody_sees_are_counted() {
    let mine = plain(2);
    let mut request = PlacementRequest::new(2);
    request.share = NodeShare::from_masks(0, masks(&["0-1", "1-4"]));
    assert_eq!(cpus(&plan(&mine, &request)), [0, 1]);
    request.share = NodeShare::from_masks(0, masks(&["0-1", "1-2"]));
    assert!(plan(&mine, &request).refusal().is_some());
}

/// Hardware threads dealt out as if they were cores: the masks are disjoint, the cores are not.
#[test]
fn siblings_in_two_masks_get_different_cores_while_there_are_any() {
    let machine = smt(4);
    let lists = ["0-3", "4-7"];
    assert_eq!(cpus(&on_node(&machine, 2, 0, &lists)), [0, 1]);
    assert_eq!(cpus(&on_node(&machine, 2, 1, &lists)), [6, 7]);
    // There are not enough cores for four each, but the launcher has decided: each stays in its own mask.
    assert_eq!(cpus(&on_node(&machine, 4, 0, &lists)), [0, 1, 2, 3]);
    assert_eq!(cpus(&on_node(&machine, 4, 1, &lists)), [4, 5, 6, 7]);
    let mine = machine.with_mask(&"4-7".parse().unwrap()).unwrap();
    let mut request = PlacementRequest::new(1);
    request.share = NodeShare::from_masks(1, masks(&lists));
    assert_eq!(auto_partitions(&mine, &request), 2);
}

/// Case T03: a refusal is a value that can be asked for, and says what was too much.
#[test]
fn t03_more_partitions_than_cores() {
    let placement = plan(&plain(4), &PlacementRequest::new(5));
    assert!(placement.seats().is_empty());
    assert_eq!(
        placement.refusal().unwrap().to_string(),
        "oversubscribed (5 partitions of 1 rank > 4 cores)"
    );
    assert_eq!(placement.groups(5), [0; 5]);
}

/// Case T16: the launcher bound the rank to one core. The refusal names what to tell the launcher.
#[test]
fn t16_a_mask_of_one_core_names_the_launchers_options() {
    let placement = on_node(&plain(4), 4, 0, &["0", "1"]);
    let refusal = placement.refusal().unwrap().to_string();
    assert!(
        refusal.contains("--bind-to none") && refusal.contains("--map-by slot:PE=4"),
        "{refusal}"
    );
    // Where this process has the whole machine, a launcher could not give more.
    let refusal = plan(&plain(1), &PlacementRequest::new(4))
        .refusal()
        .unwrap()
        .to_string();
    assert!(!refusal.contains("--bind-to"), "{refusal}");
}

/// Cases T17 and T23: the k-th partition goes to the k-th allowed core, by its index and not by its position.
#[test]
fn t17_t23_masks_with_holes() {
    assert_eq!(cpus(&on_node(&plain(4), 2, 0, &["2-3"])), [2, 3]);
    let holes = plain(4).with_mask(&"0,1,3".parse().unwrap()).unwrap();
    assert_eq!(cpus(&plan(&holes, &PlacementRequest::new(3))), [0, 1, 3]);
    assert!(holes.core_of(PuId(3)).is_some());
    assert!(holes.core_of(PuId(2)).is_none());
}

/// Case T15: a quota limits the number of partitions, and below the mask it means company on the same CPUs.
#[test]
fn t15_a_cpu_quota_counts_and_forbids_pinning() {
    let topology = plain(64);
    let mut request = PlacementRequest::new(8);
    request.cpu_quota = Some(CpuQuota {
        quota_us: 800_000,
        period_us: 100_000,
    });
    assert_eq!(auto_partitions(&topology, &request), 8);
    let refusal = plan(&topology, &request).refusal().unwrap().to_string();
    assert_eq!(
        refusal,
        "the cgroup allows the time of 8.00 CPUs on 64 CPUs that are shared with others"
    );
    // Two ranks in the container share its time.
    request.share = NodeShare::classified(0, 2, NodeMask::Shared);
    assert_eq!(auto_partitions(&topology, &request), 4);
    // A fraction of a CPU is still a partition, and a quota beyond the mask is none.
    request.cpu_quota = Some(CpuQuota {
        quota_us: 50_000,
        period_us: 100_000,
    });
    assert_eq!(auto_partitions(&topology, &request), 1);
    request.cpu_quota = Some(CpuQuota {
        quota_us: 6_400_000,
        period_us: 100_000,
    });
    assert_eq!(auto_partitions(&topology, &request), 32);
    assert_eq!(plan(&topology, &request).refusal(), None);
}

/// Case T14: kinds that are ranked equal are one kind.
#[test]
fn t14_kinds_of_equal_rank_are_one() {
    let ranked = |ranks: [Option<u32>; 3]| {
        let pus = (0..3).map(|cpu| MachinePu {
            efficiency: ranks[cpu as usize],
            ..MachinePu::bare(PuId(cpu), cpu)
        });
        Topology::whole(Machine::from_pus("by hand", pus.collect()).unwrap()).unwrap()
    };
    for (ranks, expected) in [
        ([Some(7), Some(7), Some(7)], &[0, 1, 2][..]),
        ([Some(7), Some(9), Some(9)], &[1, 2]),
        ([None, None, None], &[0, 1, 2]),
        // Half a ranking ranks nothing.
        ([None, Some(9), Some(9)], &[0, 1, 2]),
    ] {
        let topology = ranked(ranks);
        let n_partitions = auto_partitions(&topology, &PlacementRequest::new(1));
        assert_eq!(
            cpus(&plan(&topology, &PlacementRequest::new(n_partitions))),
            expected,
            "{ranks:?}"
        );
    }
    let mut all = PlacementRequest::new(3);
    all.kind_policy = KindPolicy::All;
    assert_eq!(
        cpus(&plan(&ranked([Some(7), Some(9), Some(9)]), &all)),
        [0, 1, 2]
    );
}

/// Case T22: cores and hardware threads are counted apart.
#[test]
fn t22_every_hardware_thread_on_request() {
    let mut request = PlacementRequest::new(8);
    assert!(plan(&smt(4), &request).refusal().is_some());
    request.smt_policy = SmtPolicy::EveryPu;
    assert_eq!(cpus(&plan(&smt(4), &request)), [0, 1, 2, 3, 4, 5, 6, 7]);
    // Ranks meet on a core only where there is no other way.
    request.n_partitions = 3;
    request.share = NodeShare::classified(0, 2, NodeMask::Shared);
    assert_eq!(cpus(&plan(&smt(4), &request)), [0, 1, 4]);
    request.share = NodeShare::classified(1, 2, NodeMask::Shared);
    assert_eq!(cpus(&plan(&smt(4), &request)), [2, 3, 6]);
    request.share = NodeShare::classified(1, 2, NodeMask::Shared);
    assert_eq!(cpus(&plan(&smt(3), &request)), [4, 2, 5]);
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let topology = plain(4);
    let reason = |request: &PlacementRequest| plan(&topology, request).refusal().cloned();
    assert_eq!(
        reason(&PlacementRequest::new(0)),
        Some(RefusalReason::NoPartitions)
    );
    let mut request = PlacementRequest::new(1);
    request.share = NodeShare::classified(2, 2, NodeMask::Shared);
    assert_eq!(
        reason(&request),
        Some(RefusalReason::NoSuchRank {
            rank: 2,
            n_ranks: 2
        })
    );
    request.share = NodeShare::from_masks(0, masks(&["0-2", "3"]));
    assert!(matches!(
        reason(&request),
        Some(RefusalReason::MaskMismatch { .. })
    ));
    request.share = NodeShare::classified(0, usize::MAX, NodeMask::Shared);
    request.n_partitions = usize::MAX;
    assert!(matches!(
        reason(&request),
        Some(RefusalReason::Oversubscribed { .. })
    ));
}

#[test]
fn groups_are_dense_by_first_appearance() {
    let topology = cores(&[(0, 0), (1, 1), (2, 2), (3, 1)]);
    let mut request = PlacementRequest::new(2);
    request.share = NodeShare::classified(1, 2, NodeMask::Shared);
    let placement = plan(&topology, &request);
    assert_eq!(placement.groups(2), [0, 0]);
    assert_eq!(
        plan(&topology, &PlacementRequest::new(4)).groups(4),
        [0, 1, 2, 1]
    );
}
