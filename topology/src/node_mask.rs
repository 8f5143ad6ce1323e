//! What the masks of the ranks of one node say about each other: did the launcher split the node, or not?

use crate::CpuMask;

/// How the CPUs of a node are handed out among the ranks that run on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeMask {
    /// Each rank was given CPUs of its own by whoever launched it. Such a mask must not be divided again.
    PerRank,
    /// The ranks see the same CPUs, or overlapping ones, or nobody can tell: they have to divide them.
    Shared,
}

impl NodeMask {
    /// Classifies gathered masks: [`PerRank`](Self::PerRank) only if there are at least two, none is empty, and
    /// no two of them overlap.
    ///
    /// Everything else counts as shared, since the two errors are not alike. Taking a shared node for divided
    /// stacks the ranks on the same cores; taking a divided node for shared costs pinning, and says so. An empty
    /// mask stands for one that its owner could not represent, and is therefore never a private one.
    ///
    /// # Examples
    /// ```
    /// use phalanx_topology::{CpuMask, NodeMask};
    ///
    /// let masks = |lists: &[&str]| lists.iter().map(|list| list.parse().unwrap()).collect::<Vec<CpuMask>>();
    /// assert_eq!(NodeMask::classify(&masks(&["0-1", "2-3"])), NodeMask::PerRank);
    /// assert_eq!(NodeMask::classify(&masks(&["0-3", "2-5"])), NodeMask::Shared);
    /// assert_eq!(NodeMask::classify(&masks(&["", "0-3"])), NodeMask::Shared);
    /// assert_eq!(NodeMask::classify(&masks(&["0-3"])), NodeMask::Shared);
    /// ```
    #[must_use]
    pub fn classify(masks: &[CpuMask]) -> Self {
        let overlap = |(idx, mask): (usize, &CpuMask)| {
            masks[..idx].iter().any(|earlier| earlier.intersects(mask))
        };
        if masks.len() < 2
            || masks.iter().any(CpuMask::is_empty)
            || masks.iter().enumerate().any(overlap)
        {
            Self::Shared
        } else {
            Self::PerRank
        }
    }
}

/// One rank's place among the ranks of its node: what placement needs to know about the neighbours.
///
/// # Examples
/// ```
/// use phalanx_topology::{CpuMask, NodeMask, NodeShare};
///
/// // Each rank sends its own mask (see `Topology::cpu_mask`) to all the others of the node.
/// let gathered: Vec<CpuMask> = vec!["0-1".parse()?, "2-3".parse()?];
/// let share = NodeShare::from_masks(1, gathered);
/// assert_eq!(share.node_mask(), NodeMask::PerRank);
/// assert_eq!((share.rank(), share.n_ranks()), (1, 2));
/// # Ok::<(), phalanx_topology::MaskError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeShare {
    rank: usize,
    n_ranks: usize,
    node_mask: NodeMask,
    /// By rank on the node; empty where nobody gathered them.
    masks: Vec<CpuMask>,
}

impl NodeShare {
    /// The only rank of its node.
    #[must_use]
    pub fn alone() -> Self {
        Self {
            rank: 0,
            n_ranks: 1,
            node_mask: NodeMask::Shared,
            masks: Vec::new(),
        }
    }

    /// Rank number `rank` of the node, whose ranks have these masks in order of their numbers.
    /// A rank that could not represent its mask is there with the empty one.
    #[must_use]
    pub fn from_masks(rank: usize, masks: Vec<CpuMask>) -> Self {
        Self {
            rank,
            n_ranks: masks.len(),
            node_mask: NodeMask::classify(&masks),
            masks,
        }
    }

    /// Rank number `rank` of `n_ranks` on the node, with the classification but without the masks: every rank
    /// of a shared node is then taken to see the same CPUs as this one.
    #[must_use]
    pub fn classified(rank: usize, n_ranks: usize, node_mask: NodeMask) -> Self {
        Self {
            rank,
            n_ranks,
            node_mask,
            masks: Vec::new(),
        }
    }

    /// This rank's number among the ranks of its node, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks run on the node.
    #[must_use]
    pub fn n_ranks(&self) -> usize {
        self.n_ranks
    }

    /// How the node's CPUs are handed out.
    #[must_use]
    pub fn node_mask(&self) -> NodeMask {
        self.node_mask
    }

    /// The gathered masks by rank, where all of them are known.
    #[must_use]
    pub fn masks(&self) -> Option<&[CpuMask]> {
        let known = !self.masks.is_empty() && !self.masks.iter().any(CpuMask::is_empty);
        known.then_some(&self.masks)
    }
}

#[cfg(test)]
mod tests {
    use super::{NodeMask, NodeShare};
    use crate::CpuMask;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn masks(lists: &[&str]) -> Vec<CpuMask> {
        lists.iter().map(|list| list.parse().unwrap()).collect()
    }

    /// Case T02: overlapping or unknown masks count as shared; an all-zero mask is never private.
    #[test]
    fn t02_classification_table() {
        for (lists, expected) in [
            (&["0-3", "0-3"][..], NodeMask::Shared),
            (&["0-3", "2-5"], NodeMask::Shared),
            (&["", "0-3"], NodeMask::Shared),
            (&["0-3", ""], NodeMask::Shared),
            (&["0-3"], NodeMask::Shared),
            (&[], NodeMask::Shared),
            (&["0-1", "2-3"], NodeMask::PerRank),
            (&["0,4", "1,5", "2,6", "3,7"], NodeMask::PerRank),
            (&["63", "64"], NodeMask::PerRank),
            (&["0-63", "63-64"], NodeMask::Shared),
            (&["0", "3000", "4095"], NodeMask::PerRank),
            (&["0,3000", "1,3000"], NodeMask::Shared),
        ] {
            assert_eq!(NodeMask::classify(&masks(lists)), expected, "{lists:?}");
        }
    }

    #[test]
    fn unknown_masks_are_not_handed_on() {
        assert!(
            NodeShare::from_masks(0, masks(&["", "0-3"]))
                .masks()
                .is_none()
        );
        assert!(
            NodeShare::from_masks(0, masks(&["0", "1"]))
                .masks()
                .is_some()
        );
        assert!(NodeShare::alone().masks().is_none());
    }

    proptest! {
        #[test]
        fn per_rank_means_pairwise_disjoint_and_inhabited(
            sets in proptest::collection::vec(proptest::collection::btree_set(0u32..24, 0..5), 0..5)
        ) {
            let lists: Vec<CpuMask> =
                sets.iter().map(|set| CpuMask::from_pus(set.iter().map(|&cpu| crate::PuId(cpu))).unwrap()).collect();
            let total: usize = sets.iter().map(BTreeSet::len).sum();
            let union: BTreeSet<u32> = sets.iter().flatten().copied().collect();
            let private = sets.len() >= 2 && sets.iter().all(|set| !set.is_empty()) && union.len() == total;
            prop_assert_eq!(NodeMask::classify(&lists) == NodeMask::PerRank, private);
        }
    }
}
