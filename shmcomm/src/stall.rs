//! Who keeps the others waiting: an onlooker that names a participant which does not come.

use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::Verb;
use crate::shared::Shared;
use crate::tag::Tag;

/// The environment variable with the seconds after which a stall is reported.
pub const STALL_VARIABLE: &str = "PHALANX_STALL_S";

/// A participant that keeps others waiting, and what they wait in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StallReport {
    /// The participant that does not come.
    pub laggard: usize,
    /// The verb it was last in, and its how-manieth verb that was, modulo 2^32; `None` if it has
    /// not begun any.
    pub last: Option<(Verb, u32)>,
    /// For how long it has been seen to be behind.
    pub behind: Duration,
    /// The participants that are ahead of it, with the verb each of them waits in.
    pub waiting: Vec<(usize, Verb)>,
}

impl fmt::Display for StallReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.behind.as_secs_f64();
        write!(
            f,
            "participant {} keeps others waiting for {seconds:.1} s, ",
            self.laggard
        )?;
        match self.last {
            Some((verb, call)) => write!(f, "last seen in {verb} (call {call})")?,
            None => f.write_str("not seen in any verb yet")?,
        }
        for verb in Verb::ALL {
            let mut inside = self
                .waiting
                .iter()
                .filter(|(_, theirs)| *theirs == verb)
                .peekable();
            if inside.peek().is_some() {
                write!(f, "; waiting in {verb}:")?;
                inside.try_for_each(|(who, _)| write!(f, " {who}"))?;
            }
        }
        Ok(())
    }
}

/// How a team is watched: after how long a stall is reported, and to whom.
#[derive(Clone)]
pub struct StallWatch {
    after: Duration,
    report: Arc<dyn Fn(&StallReport) + Send + Sync>,
}

/// A value of `PHALANX_STALL_S` that is no number of seconds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "PHALANX_STALL_S is {value:?}: it takes a number of seconds above 0, or 0 or nothing for no reports"
)]
pub struct BadStallTime {
    /// What it was set to.
    pub value: String,
}

impl StallWatch {
    /// Reports a stall on standard error once it has lasted this long.
    pub fn after(after: Duration) -> StallWatch {
        let print = |report: &StallReport| eprintln!("phalanx-shmcomm: {report}");
        StallWatch {
            after: after.max(Duration::from_millis(1)),
            report: Arc::new(print),
        }
    }

    /// Reports to `report` instead. It runs on the watching thread.
    pub fn report_to(self, report: impl Fn(&StallReport) + Send + Sync + 'static) -> StallWatch {
        let report = Arc::new(report);
        StallWatch { report, ..self }
    }

    /// The watch that `PHALANX_STALL_S` asks for: none if it is unset, empty or 0.
    ///
    /// # Errors
    /// [`BadStallTime`] if it is anything but a number of seconds.
    pub fn from_environment() -> Result<Option<StallWatch>, BadStallTime> {
        match std::env::var_os(STALL_VARIABLE) {
            None => Ok(None),
            Some(value) => Self::from_setting(&value.to_string_lossy()),
        }
    }

    fn from_setting(value: &str) -> Result<Option<StallWatch>, BadStallTime> {
        let bad = || BadStallTime {
            value: value.to_owned(),
        };
        if value.trim().is_empty() {
            return Ok(None);
        }
        let seconds: f64 = value.trim().parse().map_err(|_| bad())?;
        let after = Duration::try_from_secs_f64(seconds).map_err(|_| bad())?;
        Ok((!after.is_zero()).then(|| StallWatch::after(after)))
    }

    /// Watches a team until it is gone or at its end. Only looks: the participants pay nothing.
    pub(crate) fn start(self, shared: &Arc<Shared>) {
        let (alive, gone) = mpsc::channel();
        let team = Arc::downgrade(shared);
        let watching = std::thread::Builder::new()
            .name("phalanx-stall".to_owned())
            .spawn(move || self.watch(&team, &gone));
        match watching {
            // The thread ends when the team drops its end of the channel.
            Ok(_) => drop(shared.watched.set(alive)),
            Err(error) => eprintln!("phalanx-shmcomm: no stall reports, their thread: {error}"),
        }
    }

    fn watch(&self, team: &Weak<Shared>, gone: &mpsc::Receiver<std::convert::Infallible>) {
        let begin = Instant::now();
        let pause = (self.after / 4).clamp(Duration::from_millis(1), Duration::from_secs(1));
        let mut stalls = Stalls::new(self.after);
        while let Err(RecvTimeoutError::Timeout) = gone.recv_timeout(pause) {
            let Some(team) = team.upgrade() else { return };
            if team.ended.is_up() {
                return;
            }
            let tags: Vec<Tag> = team.slots.iter().map(|slot| slot.latest()).collect();
            drop(team);
            for report in stalls.look(begin.elapsed(), &tags) {
                (self.report)(&report);
            }
        }
    }
}

impl fmt::Debug for StallWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StallWatch")
            .field("after", &self.after)
            .finish_non_exhaustive()
    }
}

/// What has been seen of each participant so far.
struct Stalls {
    after: Duration,
    behind: Vec<Option<Behind>>,
}

/// A participant seen behind others: since when, with which announcement, and whether that was told.
struct Behind {
    since: Duration,
    tag: Tag,
    told: bool,
}

impl Stalls {
    fn new(after: Duration) -> Stalls {
        Stalls {
            after,
            behind: Vec::new(),
        }
    }

    /// Looks at the latest announcement of everybody, and names those that have been behind for too
    /// long. Each is named once for as long as it stays where it is.
    fn look(&mut self, now: Duration, tags: &[Tag]) -> Vec<StallReport> {
        self.behind.resize_with(tags.len(), || None);
        let first = tags
            .iter()
            .copied()
            .reduce(|a, b| if b.is_later_than(a) { b } else { a });
        let mut reports = Vec::new();
        for (laggard, (&tag, behind)) in tags.iter().zip(&mut self.behind).enumerate() {
            if !first.is_some_and(|first| first.is_later_than(tag)) {
                *behind = None;
                continue;
            }
            let begin = Behind {
                since: now,
                tag,
                told: false,
            };
            let seen = behind.get_or_insert(begin);
            if seen.tag != tag {
                *seen = Behind {
                    since: now,
                    tag,
                    told: false,
                };
            }
            let lasted = now - seen.since;
            if lasted < self.after || seen.told {
                continue;
            }
            seen.told = true;
            let ahead = tags
                .iter()
                .enumerate()
                .filter(|(_, theirs)| theirs.is_later_than(tag));
            reports.push(StallReport {
                laggard,
                last: tag.verb().map(|verb| (verb, tag.call())),
                behind: lasted,
                waiting: ahead
                    .filter_map(|(who, theirs)| Some((who, theirs.verb()?)))
                    .collect(),
            });
        }
        reports
    }
}

#[cfg(test)]
mod tests;
