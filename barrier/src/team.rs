//! Building a team, and rebuilding one.

use std::fmt;
use std::sync::Arc;

use crate::clock::SystemClock;
use crate::grouping::{Grouping, Layout};
use crate::shared::{Counter, Shared};
use crate::{Clock, Pace, Participant};

/// Builder of a team: how many participants, who is near whom, and how they wait.
///
/// # Examples
///
/// ```
/// use std::thread;
/// use phalanx_barrier::{Grouping, Pace, Team};
///
/// # fn main() -> Result<(), phalanx_barrier::SettingError> {
/// // Five threads on three domains, with what the environment says about both settings.
/// let mut team = Team::grouped(&[0, 0, 1, 2, 1]).pace(Pace::from_env(5, Pace::usable_cpus())?);
/// if let Some(grouping) = Grouping::from_env()? {
///     team = team.grouping(grouping);
/// }
/// thread::scope(|scope| {
///     for mut me in team.build() {
///         scope.spawn(move || me.wait().expect("nobody fails"));
///     }
/// });
/// # Ok(())
/// # }
/// ```
#[must_use = "a team does nothing until it is built"]
pub struct Team {
    layout: Layout,
    pace: Option<Pace>,
    clock: Option<Arc<dyn Clock>>,
}

impl Team {
    /// A team of `n` that all arrive at one counter.
    pub fn flat(n: usize) -> Team {
        Team::new(Layout::flat(n))
    }

    /// A team of `domain_of.len()` participants, of whom participant `i` is in domain `domain_of[i]`.
    ///
    /// The participants of a domain meet at a counter of their own, and only the
    /// last of them goes on to the others', so a round moves one line per
    /// domain between domains instead of one per participant. Domains may have
    /// any labels and sizes, and their members any place in the order. A
    /// participant alone in its domain goes straight to the common counter. If
    /// there is one domain only, or nobody shares one, the team is flat.
    pub fn grouped(domain_of: &[usize]) -> Team {
        Team::new(Layout::grouped(domain_of))
    }

    /// [`Grouping::Flat`] forgets the domains; [`Grouping::Grouped`] keeps what there are.
    pub fn grouping(mut self, grouping: Grouping) -> Team {
        if grouping == Grouping::Flat {
            self.layout = Layout::flat(self.size());
        }
        self
    }

    /// How to wait. Without it: [`Pace::for_team`] of this team on [`Pace::usable_cpus`].
    pub fn pace(mut self, pace: Pace) -> Team {
        self.pace = Some(pace);
        self
    }

    /// Where waiters read the time. Without it: the monotonic clock of the system.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Team {
        self.clock = Some(clock);
        self
    }

    /// How many participants the team will have.
    pub fn size(&self) -> usize {
        self.layout.group_of.len()
    }

    /// The participants, in the order of their indices. A team of none is an empty `Vec`.
    pub fn build(self) -> Vec<Participant> {
        let pace = self
            .pace
            .unwrap_or_else(|| Pace::for_team(self.size(), Pace::usable_cpus()));
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock::new()));
        seat(self.layout, pace, clock, 0)
    }

    /// A new team from all participants of an old one, in good health whatever the old one was.
    ///
    /// Taking them by value proves that nobody is in a round. The new team has
    /// the old one's domains, pace and clock, and shares no state with it, so a
    /// [`PoisonHandle`](crate::PoisonHandle) of the old team cannot reach it.
    ///
    /// # Errors
    ///
    /// Hands the participants back, untouched, if they are not exactly those of one team.
    ///
    /// # Examples
    ///
    /// ```
    /// use phalanx_barrier::Team;
    ///
    /// let mut team = Team::flat(2).build();
    /// team[0].poison("a number was not finite");
    /// assert!(team.iter_mut().all(|me| me.wait().is_err()));
    ///
    /// let team = Team::reassemble(team).expect("both are here");
    /// assert!(team.iter().all(|me| me.cause().is_none()));
    /// ```
    pub fn reassemble(all: Vec<Participant>) -> Result<Vec<Participant>, Vec<Participant>> {
        let Some(first) = all.first() else {
            return Ok(all);
        };
        // A participant cannot be had twice, so as many of one team as it has are all of them.
        if all.len() != first.team_size() || !all.iter().all(|other| first.is_teammate_of(other)) {
            return Err(all);
        }
        let cold = first.shared.cold();
        Ok(seat(cold.layout.clone(), cold.pace, cold.clock.clone(), 0))
    }

    fn new(layout: Layout) -> Team {
        Team {
            layout,
            pace: None,
            clock: None,
        }
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team")
            .field("layout", &self.layout)
            .field("pace", &self.pace)
            .finish_non_exhaustive()
    }
}

/// The participants of a new team that has `rounds` rounds behind it.
fn seat(layout: Layout, pace: Pace, clock: Arc<dyn Clock>, rounds: u64) -> Vec<Participant> {
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
            Participant::new(index, group, shared.clone(), rounds)
        })
        .collect()
}

#[cfg(all(test, not(any(phalanx_loom, phalanx_shuttle))))]
mod tests {
    //! What would take years to reach from round 0.

    use super::*;

    fn late_team(layout: Layout, rounds: u64) -> Vec<Participant> {
        let pace = Pace::for_team(layout.group_of.len(), Pace::usable_cpus());
        seat(layout, pace, Arc::new(SystemClock::new()), rounds)
    }

    /// Ten rounds from `rounds` on, and then a failure.
    fn run(layout: Layout, rounds: u64) {
        let team = late_team(layout, rounds);
        std::thread::scope(|scope| {
            for mut me in team {
                scope.spawn(move || {
                    for _ in 0..10 {
                        assert_eq!(me.cause(), None);
                        me.wait().expect("the count does not reach the poison bit");
                    }
                    if me.index() == 0 {
                        return me.fail("the end");
                    }
                    let cause = me.wait().expect_err("participant 0 has failed").0;
                    assert_eq!(cause.message, "the end");
                });
            }
        });
    }

    #[test]
    fn b08_generations_beyond_32_bits() {
        for rounds in [(1 << 32) - 5, (1 << 31) - 5] {
            run(Layout::flat(1), rounds);
            run(Layout::flat(2), rounds);
            run(Layout::grouped(&[0, 0, 1, 1, 2]), rounds);
        }
    }

    /// It takes 2^63 arrivals to get there: at five nanoseconds each, some 1,460 years.
    #[test]
    fn b08_generations_up_to_the_poison_bit() {
        run(Layout::flat(1), (1 << 63) - 12);
        run(Layout::flat(2), (1 << 62) - 12);
        run(Layout::grouped(&[0, 0, 1, 1, 2]), (1 << 63) / 3 - 12);
    }
}
