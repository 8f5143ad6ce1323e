//! Why nothing is pinned, in words that say what to do about it.

use std::fmt;

use super::SmtPolicy;
use crate::words::count;

/// Why a placement was refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RefusalReason {
    /// More partitions than there are cores (or processing units, by the policy) for them.
    Oversubscribed {
        /// Partitions of all the ranks that divide these places.
        n_wanted: usize,
        /// Places that there are.
        n_places: usize,
        /// Ranks that divide them.
        n_ranks: usize,
        /// Places on slower kinds of cores, which the policy leaves out.
        n_slower_places: usize,
        /// What counts as a place.
        smt_policy: SmtPolicy,
        /// Whether this process may use only a part of the machine, so that whoever launched it can give more.
        machine_has_more: bool,
    },
    /// The ranks' masks differ and overlap, and there is no way to give each rank cores of its own.
    Contested {
        /// Partitions of each rank.
        n_partitions: usize,
        /// Ranks on the node.
        n_ranks: usize,
    },
    /// The cgroup allows less CPU time than the CPUs in the mask would give.
    CpuQuota {
        /// What it allows, in CPUs.
        quota_cpus: f64,
        /// CPUs in the mask.
        n_pus: usize,
    },
    /// The request names a rank that is not on the node.
    NoSuchRank {
        /// The rank on the node.
        rank: usize,
        /// How many there are.
        n_ranks: usize,
    },
    /// The masks that the ranks exchanged do not fit the topology: this rank's own is another one.
    MaskMismatch {
        /// What the topology has, as a list.
        topology: String,
        /// What was exchanged, as a list.
        exchanged: String,
    },
    /// There was nothing to place.
    NoPartitions,
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Oversubscribed {
                n_wanted,
                n_places,
                n_ranks,
                n_slower_places,
                smt_policy,
                machine_has_more,
            } => {
                let place = match smt_policy {
                    SmtPolicy::OnePerCore => "core",
                    SmtPolicy::EveryPu => "hardware thread",
                };
                let kind = if *n_slower_places > 0 {
                    " of the fastest kind"
                } else {
                    ""
                };
                let (wanted, ranks) = (count(*n_wanted, "partition"), count(*n_ranks, "rank"));
                write!(
                    f,
                    "oversubscribed ({wanted} of {ranks} > {}{kind})",
                    count(*n_places, place)
                )?;
                if *n_slower_places > 0 {
                    write!(
                        f,
                        "; left out: {} of slower kinds",
                        count(*n_slower_places, place)
                    )?;
                }
                if *machine_has_more {
                    let each = n_wanted / n_ranks.max(&1);
                    write!(
                        f,
                        "; the machine has more CPUs than this process may use: launch with \
                         `--bind-to none` or `--map-by slot:PE={each}`, or with a wider mask"
                    )?;
                }
                Ok(())
            }
            Self::Contested {
                n_partitions,
                n_ranks,
            } => write!(
                f,
                "the masks of the {n_ranks} ranks on this node overlap and leave no {n_partitions} cores for each of \
                 them; let the launcher give each rank cores of its own, or all ranks the same mask"
            ),
            Self::CpuQuota { quota_cpus, n_pus } => write!(
                f,
                "the cgroup allows the time of {quota_cpus:.2} CPUs on {n_pus} CPUs that are shared with others"
            ),
            Self::NoSuchRank { rank, n_ranks } => {
                write!(f, "rank {rank} is not one of the {n_ranks} on this node")
            }
            Self::MaskMismatch {
                topology,
                exchanged,
            } => {
                write!(
                    f,
                    "this rank's exchanged mask is {exchanged}, but its topology has the CPUs {topology}"
                )
            }
            Self::NoPartitions => f.write_str("there are no partitions to place"),
        }
    }
}
