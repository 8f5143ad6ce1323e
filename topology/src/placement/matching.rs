//! Division of cores among ranks whose masks differ: an assignment in which no core serves two ranks.
//!
//! Cores that the same set of ranks may use are interchangeable, so the search is a flow from ranks to such
//! classes of cores, by augmenting paths. It finds an assignment whenever one exists.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::candidates::Candidate;

/// For each rank, `n` positions in its list of candidates, so that no core is given out twice; nothing where
/// that is impossible.
///
/// The answer depends on the lists alone: each rank of the node finds the same one.
pub(super) fn assign(candidates_of: &[Vec<Candidate>], n: usize) -> Option<Vec<Vec<usize>>> {
    if candidates_of.iter().any(|candidates| candidates.len() < n) {
        return None;
    }
    let mut classes = Classes::new(candidates_of);
    for rank in 0..candidates_of.len() {
        for _ in 0..n {
            if !classes.give_one(rank) {
                return None;
            }
        }
    }
    Some(classes.hand_out(candidates_of))
}

/// Cores that the same ranks may use.
struct Class {
    ranks: Vec<usize>,
    cores: Vec<u32>,
    n_free: usize,
}

struct Classes {
    classes: Vec<Class>,
    /// `given[rank][class]`: how many of the class's cores the rank holds.
    given: Vec<Vec<usize>>,
}

impl Classes {
    fn new(candidates_of: &[Vec<Candidate>]) -> Self {
        let mut ranks_of_core: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (rank, candidates) in candidates_of.iter().enumerate() {
            for candidate in candidates {
                ranks_of_core.entry(candidate.core).or_default().push(rank);
            }
        }
        let mut cores_of_ranks: BTreeMap<Vec<usize>, Vec<u32>> = BTreeMap::new();
        for (core, ranks) in ranks_of_core {
            cores_of_ranks.entry(ranks).or_default().push(core);
        }
        let mut classes: Vec<Class> = cores_of_ranks
            .into_iter()
            .map(|(ranks, cores)| Class {
                n_free: cores.len(),
                ranks,
                cores,
            })
            .collect();
        // Cores that few ranks want are given out first.
        classes.sort_by_key(|class| class.ranks.len());
        let given = vec![vec![0; classes.len()]; candidates_of.len()];
        Self { classes, given }
    }

    /// Gives one more core to a rank, if need be by moving others to other cores; says whether it could.
    fn give_one(&mut self, rank: usize) -> bool {
        // Breadth first over ranks; `came_from[r] = (class, other)`: r would give up one core of the class to other.
        let mut came_from: Vec<Option<(usize, usize)>> = vec![None; self.given.len()];
        let mut class_seen = vec![false; self.classes.len()];
        let mut queue = VecDeque::from([rank]);
        while let Some(taker) = queue.pop_front() {
            for (class_idx, seen) in class_seen.iter_mut().enumerate() {
                let class = &self.classes[class_idx];
                if *seen || !class.ranks.contains(&taker) {
                    continue;
                }
                *seen = true;
                if class.n_free > 0 {
                    self.classes[class_idx].n_free -= 1;
                    self.shift(taker, class_idx, rank, &came_from);
                    return true;
                }
                for &holder in &class.ranks {
                    if holder != rank
                        && came_from[holder].is_none()
                        && self.given[holder][class_idx] > 0
                    {
                        came_from[holder] = Some((class_idx, taker));
                        queue.push_back(holder);
                    }
                }
            }
        }
        false
    }

    /// Follows a path back to the rank that asked: each rank on it takes from the next class and gives the one
    /// before.
    fn shift(
        &mut self,
        last: usize,
        class_idx: usize,
        asked: usize,
        came_from: &[Option<(usize, usize)>],
    ) {
        let (mut rank, mut gains) = (last, class_idx);
        loop {
            self.given[rank][gains] += 1;
            match came_from[rank] {
                Some((loses, taker)) if rank != asked => {
                    self.given[rank][loses] -= 1;
                    (rank, gains) = (taker, loses);
                }
                _ => return,
            }
        }
    }

    /// Turns numbers of cores per class into positions in the ranks' lists, in the lists' order.
    fn hand_out(&self, candidates_of: &[Vec<Candidate>]) -> Vec<Vec<usize>> {
        let mut next_core: Vec<usize> = vec![0; self.classes.len()];
        self.given
            .iter()
            .zip(candidates_of)
            .map(|(given, candidates)| {
                let mut mine: HashSet<u32> = HashSet::new();
                for ((class, next), &n) in self.classes.iter().zip(&mut next_core).zip(given) {
                    mine.extend(&class.cores[*next..*next + n]);
                    *next += n;
                }
                (0..candidates.len())
                    .filter(|&idx| mine.contains(&candidates[idx].core))
                    .collect()
            })
            .collect()
    }
}
