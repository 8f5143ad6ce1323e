//! Building a team, and rebuilding one.

use std::sync::Arc;

use crate::clock::SystemClock;
use crate::grouping::{Grouping, Layout};
use crate::shared::{Counter, Seat, Shared};
use crate::{Clock, Pace, Participant};

/// Builder of a team: how many participants, who is near whom, and how they wait.
#[must_use = "a team does nothing until it is built"]
pub struct Team {
    layout: Layout,
    pace: Option<Pace>,
    clock: Option<Arc<dyn Clock>>,
}

impl Team {
    /// A team of `n` that all arrive at one counter.
    pub fn flat(n: usize) -> Team {
        Team {
            layout: Layout::flat(n),
            pace: None,
            clock: None,
        }
    }

    /// A team of `domain_of.len()`, in which those of one domain meet before they meet the rest.
    pub fn grouped(domain_of: &[usize]) -> Team {
        Team {
            layout: Layout::grouped(domain_of),
            pace: None,
            clock: None,
        }
    }

    /// Uses the domains that the team has, or not.
    pub fn grouping(mut self, grouping: Grouping) -> Team {
        if grouping == Grouping::Flat {
            self.layout = Layout::flat(self.layout.group_of.len());
        }
        self
    }

    /// How to wait. Without it, [`Pace::for_team`] of this team on [`Pace::usable_cpus`].
    pub fn pace(mut self, pace: Pace) -> Team {
        self.pace = Some(pace);
        self
    }

    /// Where waiters read the time. Without it, the monotonic clock of the system.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Team {
        self.clock = Some(clock);
        self
    }

    /// How many participants it will have.
    pub fn size(&self) -> usize {
        self.layout.group_of.len()
    }

    /// The participants, in order of their index. A team of 0 has none.
    pub fn build(self) -> Vec<Participant> {
        let pace = self
            .pace
            .unwrap_or_else(|| Pace::for_team(self.size(), Pace::usable_cpus()));
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock::new()));
        seat(self.layout, pace, clock, 0)
    }

    /// A fresh team from all participants of an old one, poisoned or not.
    ///
    /// # Errors
    ///
    /// Hands the participants back if they are not all of one team.
    pub fn reassemble(all: Vec<Participant>) -> Result<Vec<Participant>, Vec<Participant>> {
        let Some(first) = all.first() else {
            return Ok(all);
        };
        let size = first.team_size();
        if all.len() != size || !all.iter().all(|other| first.is_teammate_of(other)) {
            return Err(all);
        }
        let cold = first.shared.cold();
        Ok(seat(cold.layout.clone(), cold.pace, cold.clock.clone(), 0))
    }
}

/// The participants of a new team that has `rounds` rounds behind it.
pub(crate) fn seat(
    layout: Layout,
    pace: Pace,
    clock: Arc<dyn Clock>,
    rounds: u64,
) -> Vec<Participant> {
    let group_of = layout.group_of.clone();
    let groups: Vec<_> = layout
        .group_sizes
        .iter()
        .map(|&size| Arc::new(Counter::new(size, rounds)))
        .collect();
    let shared = Arc::new(Shared::new(layout, pace, clock, rounds));
    (group_of.into_iter().enumerate())
        .map(|(index, group)| {
            let group = group.map(|g| groups[g].clone());
            Participant::new(Seat { index, group }, shared.clone(), rounds)
        })
        .collect()
}
