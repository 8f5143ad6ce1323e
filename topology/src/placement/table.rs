//! Division of one list of cores among ranks that all see the same list.
//!
//! With at least as many domains as ranks, rank `i` of `c` takes the domains `i, i + c, i + 2c, ...` and fills
//! them evenly: the first core of each, then the second of each. With fewer, or where some rank's domains would
//! not suffice, the cores are laid out domain by domain and each rank takes its run of them. Which of the two
//! applies depends on nothing but what all ranks know, so they never mix.

use super::candidates::{Candidate, n_places};
use crate::PuId;

/// A processing unit and the candidate that it belongs to.
pub(super) type Choice = (usize, PuId);

/// The `n` places of rank `rank` of `n_ranks`, or nothing where there are fewer than `n * n_ranks` in all.
pub(super) fn divide(
    candidates: &[Candidate],
    n: usize,
    rank: usize,
    n_ranks: usize,
) -> Option<Vec<Choice>> {
    let n_wanted = n.checked_mul(n_ranks)?;
    if rank >= n_ranks || n_wanted > n_places(candidates) {
        return None;
    }
    let domains = by_domain(candidates);
    let by_whole_domains = n_ranks <= domains.len() && {
        let room = |j: usize| {
            domains
                .iter()
                .skip(j)
                .step_by(n_ranks)
                .flatten()
                .map(|&idx| candidates[idx].pus.len())
        };
        (0..n_ranks).all(|j| room(j).sum::<usize>() >= n)
    };
    let chosen = if by_whole_domains {
        let mine: Vec<&[usize]> = domains
            .iter()
            .skip(rank)
            .step_by(n_ranks)
            .map(Vec::as_slice)
            .collect();
        fill(candidates, &interleave(&mine), n)
    } else {
        let in_order: Vec<usize> = domains.concat();
        slice(candidates, &in_order, n, rank, n_ranks)
    };
    Some(chosen)
}

/// The candidates of each domain, domains by first appearance.
fn by_domain(candidates: &[Candidate]) -> Vec<Vec<usize>> {
    let mut domains: Vec<Vec<usize>> = Vec::new();
    let mut place_of = std::collections::HashMap::new();
    for (idx, candidate) in candidates.iter().enumerate() {
        let place = *place_of.entry(candidate.domain).or_insert_with(|| {
            domains.push(Vec::new());
            domains.len() - 1
        });
        domains[place].push(idx);
    }
    domains
}

/// The first of each list, then the second of each, and so on.
fn interleave(lists: &[&[usize]]) -> Vec<usize> {
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
    (0..longest)
        .flat_map(|depth| {
            lists
                .iter()
                .filter_map(move |list| list.get(depth).copied())
        })
        .collect()
}

/// The first `n` places of the cores in this order: a place on each core first, then the second on each.
pub(super) fn fill(candidates: &[Candidate], order: &[usize], n: usize) -> Vec<Choice> {
    let deepest = order
        .iter()
        .map(|&idx| candidates[idx].pus.len())
        .max()
        .unwrap_or(0);
    let layer = |depth: usize| {
        order
            .iter()
            .filter_map(move |&idx| Some((idx, *candidates[idx].pus.get(depth)?)))
    };
    (0..deepest).flat_map(layer).take(n).collect()
}

/// The places of one rank's run. Runs end at cores as long as that leaves `n` places for everybody; only where
/// it does not do ranks meet on a core, each on hardware threads of its own.
fn slice(
    candidates: &[Candidate],
    order: &[usize],
    n: usize,
    rank: usize,
    n_ranks: usize,
) -> Vec<Choice> {
    let mut runs: Vec<&[usize]> = Vec::with_capacity(n_ranks);
    let mut rest = order;
    for _ in 0..n_ranks {
        let mut room = 0;
        let end = rest.iter().position(|&idx| {
            room += candidates[idx].pus.len();
            room >= n
        });
        let Some(last) = end else { break };
        runs.push(&rest[..=last]);
        rest = &rest[last + 1..];
    }
    if let Some(run) = runs.get(rank).filter(|_| runs.len() == n_ranks) {
        return fill(candidates, run, n);
    }
    let places = order
        .iter()
        .flat_map(|&idx| candidates[idx].pus.iter().map(move |&pu| (idx, pu)));
    places.skip(rank * n).take(n).collect()
}
