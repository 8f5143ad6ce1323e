//! The in-process team: `ShmComm`, how a team is made, and its `Communicator`.

use std::any::Any;
use std::fmt::Display;
use std::sync::Arc;

use phalanx_barrier::{Participant, PoisonHandle, Team};

use crate::lane::ShmPairLane;
use crate::loan::Loan;
use crate::member::Member;
use crate::shared::Shared;
use crate::tag::Tag;
use crate::verbs::query::ShmLeg;
use crate::{
    CommError, Communicator, Element, ExactSum, Layout, Observer, Partition, Rank, Summable, Verb,
};

/// A participant of a team of threads: the in-process [`Communicator`].
///
/// Made by [`team`], one for each thread, to be moved there. It is not `Clone`, and every verb
/// takes it by `&mut`, so no two threads can be the same participant. Dropping it stops the team,
/// which is harmless once nobody has a verb left to call.
///
/// ```compile_fail,E0599
/// # use phalanx_shmcomm::ShmComm;
/// fn two_of_them(comm: ShmComm) -> [ShmComm; 2] {
///     [comm.clone(), comm]
/// }
/// ```
pub struct ShmComm {
    pub(crate) member: Member,
    /// How many lanes this participant has made.
    pub(crate) n_lanes: usize,
    pub(crate) tables: Tables,
}

/// Tables of one number for each participant, kept for their capacity and, those of a `resolve`,
/// until it is answered.
#[derive(Default)]
pub(crate) struct Tables {
    /// Where the blocks of what this participant sends begin.
    pub(crate) send_at: Vec<u64>,
    /// How many elements come from each participant, and where they begin.
    pub(crate) receive_counts: Vec<u64>,
    pub(crate) receive_at: Vec<u64>,
    /// Records sent to each participant by the last `resolve`.
    pub(crate) asked: Vec<u64>,
    /// Records received from each participant by the last `resolve`.
    pub(crate) received: Vec<u64>,
}

/// Makes a team of threads that move in lock-step: one communicator for each, in order.
///
/// The builder decides size, grouping and waiting. Stalls are reported as `PHALANX_STALL_S` asks;
/// a value of it that makes no sense is reported and means no reports (ask
/// [`StallWatch::from_environment`](crate::StallWatch::from_environment) first if it should be an
/// error).
///
/// # Panics
/// If the team has 2^24 participants or more.
///
/// # Examples
/// ```
/// use phalanx_shmcomm::{Communicator, Team, team};
///
/// let sums: Vec<u64> = std::thread::scope(|scope| {
///     let threads: Vec<_> = team(Team::flat(3))
///         .into_iter()
///         .map(|mut comm| {
///             scope.spawn(move || {
///                 let mine = comm.index() as u64 + 1;
///                 comm.allreduce_sum(mine)
///             })
///         })
///         .collect();
///     threads.into_iter().map(|thread| thread.join().unwrap().unwrap()).collect()
/// });
/// assert_eq!(sums, [6, 6, 6]);
/// ```
pub fn team(builder: Team) -> Vec<ShmComm> {
    seat(builder.build(), environment_watch())
}

/// [`team`], with stalls reported as `watch` says, whatever the environment asks for.
///
/// # Panics
/// If the team has 2^24 participants or more.
#[cfg(not(phalanx_loom))]
pub fn watched_team(builder: Team, watch: crate::StallWatch) -> Vec<ShmComm> {
    seat(builder.build(), Some(watch))
}

/// Makes a new team of all participants of an old one, whatever has become of that.
///
/// By value: nobody can be inside a verb. Lanes, legs and poison handles of the old team do not
/// reach the new one.
///
/// # Errors
/// Gives everything back unless these are all participants of one team.
pub fn reassemble(all: Vec<ShmComm>) -> Result<Vec<ShmComm>, Vec<ShmComm>> {
    let one_team = all
        .windows(2)
        .all(|two| Arc::ptr_eq(&two[0].member.shared, &two[1].member.shared));
    if !one_team
        || all
            .first()
            .is_none_or(|first| first.member.n() != all.len())
    {
        return Err(all);
    }
    let old: Vec<_> = all
        .into_iter()
        .map(|comm| comm.member.participant)
        .collect();
    match Team::reassemble(old) {
        Ok(participants) => Ok(seat(participants, environment_watch())),
        Err(_) => unreachable!("all participants of one team make up a team"),
    }
}

#[cfg(not(phalanx_loom))]
type Watch = crate::StallWatch;
#[cfg(phalanx_loom)]
type Watch = std::convert::Infallible;

#[cfg(not(phalanx_loom))]
fn environment_watch() -> Option<Watch> {
    Watch::from_environment().unwrap_or_else(|bad| {
        eprintln!("phalanx-shmcomm: {bad}");
        None
    })
}

#[cfg(phalanx_loom)]
fn environment_watch() -> Option<Watch> {
    None
}

fn seat(participants: Vec<Participant>, watch: Option<Watch>) -> Vec<ShmComm> {
    assert!(
        participants.len() < Tag::DETAIL_LIMIT,
        "a team has fewer than 2^24 participants"
    );
    let shared = Arc::new(Shared::new(participants.len()));
    #[cfg(not(phalanx_loom))]
    if let Some(watch) = watch {
        watch.start(&shared);
    }
    #[cfg(phalanx_loom)]
    let _: Option<Watch> = watch;
    participants
        .into_iter()
        .map(|participant| ShmComm {
            member: Member::new(participant, shared.clone()),
            n_lanes: 0,
            tables: Tables::default(),
        })
        .collect()
}

impl ShmComm {
    /// Has `observer` told of every verb and every barrier of this participant, or nobody any more.
    ///
    /// Without an observer a verb pays one test for it, and its barriers nothing.
    pub fn observe(&mut self, observer: Option<Box<dyn Observer>>) {
        self.member.observer = observer;
    }
}

impl std::fmt::Debug for ShmComm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShmComm")
            .field("index", &self.member.me)
            .field("n", &self.member.n())
            .field("calls", &self.member.call)
            .finish_non_exhaustive()
    }
}

impl Communicator for ShmComm {
    type Leg<'c> = ShmLeg<'c>;
    type PairLane<T: Element> = ShmPairLane<T>;

    fn layout(&self) -> Layout {
        Layout {
            rank: Rank(0),
            n_ranks: 1,
            partition: Partition(self.member.me),
            n_partitions: self.member.n(),
        }
    }

    fn poison(&self, message: impl Into<String>) {
        self.member.participant.poison(message);
    }

    fn poison_panicked(&self, payload: &(dyn Any + Send)) {
        self.member.participant.poison_panicked(payload);
    }

    fn poison_handle(&self) -> PoisonHandle {
        self.member.participant.poison_handle()
    }

    fn barrier(&mut self) -> Result<(), CommError> {
        let nothing = Loan::nothing::<()>();
        self.member
            .round(Verb::Barrier, 0, 0, nothing, |passed| passed.map(drop))
    }

    fn alltoall_counts(&mut self, send: &[u64], receive: &mut [u64]) -> Result<(), CommError> {
        self.transpose_counts(send, receive)
    }

    fn alltoallv<T: Element>(
        &mut self,
        send: &[T],
        send_counts: &[u64],
        receive: &mut [T],
        receive_counts: &[u64],
    ) -> Result<(), CommError> {
        self.exchange_blocks(send, send_counts, receive, receive_counts)
    }

    fn resolve<T: Element>(
        &mut self,
        send: &[T],
        send_counts: &[u64],
        record: usize,
        inbox: &mut Vec<T>,
    ) -> Result<ShmLeg<'_>, CommError> {
        self.ask(send, send_counts, record, inbox)
    }

    fn allreduce_sum<N: Summable>(&mut self, value: N) -> Result<N, CommError> {
        self.sum(value)
    }

    fn allreduce_sum_inplace(&mut self, values: &mut [f64]) -> Result<(), CommError> {
        self.sum_inplace(values)
    }

    fn allreduce_exact_inplace(&mut self, sums: &mut [ExactSum]) -> Result<(), CommError> {
        self.sum_exact_inplace(sums)
    }

    fn allgather<T: Element>(
        &mut self,
        mine: &[T],
        all: &mut Vec<T>,
        counts: &mut Vec<u64>,
    ) -> Result<(), CommError> {
        self.gather_all(mine, all, counts)
    }

    fn broadcast<T: Element>(&mut self, root: usize, data: &mut Vec<T>) -> Result<(), CommError> {
        self.spread(root, data)
    }

    fn share<X: Any + Send + Sync>(
        &mut self,
        make: impl FnOnce() -> X,
    ) -> Result<Arc<X>, CommError> {
        self.share_one(Verb::Share, 0, make)
    }

    fn agree<E: Display>(&mut self, mine: Result<(), E>) -> Result<(), CommError> {
        self.agree_on(mine)
    }

    fn pair_lane<T: Element>(&mut self) -> Result<ShmPairLane<T>, CommError> {
        self.lane()
    }
}
