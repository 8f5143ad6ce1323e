//! Which participants meet among themselves before they meet the rest.

use crate::SettingError;

/// Whether the domains that a team was given are used.
///
/// `PHALANX_BARRIER_GROUPING` says so for a job, so that both can be measured
/// on the same placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grouping {
    /// Everybody arrives at one counter.
    Flat,
    /// The participants of a domain arrive at a counter of their own first.
    Grouped,
}

impl Grouping {
    /// What `PHALANX_BARRIER_GROUPING` asks for, or `None` if it is not set.
    ///
    /// # Errors
    ///
    /// [`SettingError::Grouping`] if it is set to something else than `flat` or `grouped`.
    pub fn from_env() -> Result<Option<Grouping>, SettingError> {
        std::env::var_os("PHALANX_BARRIER_GROUPING")
            .map(|value| Grouping::parse(&value.to_string_lossy()))
            .transpose()
    }

    /// Reads `flat` or `grouped`.
    ///
    /// # Errors
    ///
    /// [`SettingError::Grouping`], which lists the two.
    pub fn parse(value: &str) -> Result<Grouping, SettingError> {
        match value {
            "flat" => Ok(Grouping::Flat),
            "grouped" => Ok(Grouping::Grouped),
            _ => Err(SettingError::Grouping {
                value: value.to_owned(),
            }),
        }
    }
}

/// The groups of a team: who shares one with whom, and who arrives at the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Group of each participant; `None` arrives at the root directly.
    pub(crate) group_of: Vec<Option<usize>>,
    /// Participants in each group, at least 2.
    pub(crate) group_sizes: Vec<u64>,
    /// Arrivals at the root in a round.
    pub(crate) root_size: u64,
}

impl Layout {
    /// Everybody at the root.
    pub(crate) fn flat(n: usize) -> Layout {
        Layout {
            group_of: vec![None; n],
            group_sizes: Vec::new(),
            root_size: n as u64,
        }
    }

    /// One group for each label that two or more participants share.
    ///
    /// A single group would only put a second counter in front of the root, so
    /// then there is none.
    pub(crate) fn grouped(domain_of: &[usize]) -> Layout {
        let mut labels = domain_of.to_vec();
        labels.sort_unstable();
        labels.dedup();
        if labels.len() < 2 {
            return Layout::flat(domain_of.len());
        }
        let mut group_sizes = Vec::new();
        let mut group_of = vec![None; domain_of.len()];
        for &label in &labels {
            let members = || (0..domain_of.len()).filter(|&i| domain_of[i] == label);
            let size = members().count();
            if size > 1 {
                members().for_each(|i| group_of[i] = Some(group_sizes.len()));
                group_sizes.push(size as u64);
            }
        }
        Layout {
            group_of,
            group_sizes,
            root_size: labels.len() as u64,
        }
    }
}

#[cfg(all(test, not(any(phalanx_loom, phalanx_shuttle))))]
mod tests {
    //! Layouts against a count of who shares a label with whom.

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn layout_is_what_the_labels_say(domain_of in prop::collection::vec(0..5_usize, 0..12)) {
            let layout = Layout::grouped(&domain_of);
            let n = domain_of.len();
            let is_one_domain = domain_of.iter().all(|label| *label == domain_of[0]);
            let mut n_alone = 0;
            for i in 0..n {
                let shares = |j: &usize| domain_of[*j] == domain_of[i];
                let n_sharing = (0..n).filter(shares).count();
                if is_one_domain || n_sharing == 1 {
                    n_alone += 1;
                    prop_assert_eq!(layout.group_of[i], None);
                    continue;
                }
                let group = layout.group_of[i].expect("shares its domain");
                prop_assert_eq!(layout.group_sizes[group], n_sharing as u64);
                let is_same = |j: &usize| layout.group_of[*j] == Some(group);
                prop_assert!((0..n).all(|j| is_same(&j) == shares(&j)));
            }
            prop_assert_eq!(layout.root_size, (n_alone + layout.group_sizes.len()) as u64);
            let n_grouped: u64 = layout.group_sizes.iter().sum();
            prop_assert_eq!(n_grouped as usize + n_alone, n);
        }
    }
}
