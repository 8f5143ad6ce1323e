//! What an observer is told, in what order, and that one which panics harms nobody's memory.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};

use common::run;
use phalanx_shmcomm::{
    CommError, Communicator, Observer, Outbox, PairLane, RankShift, ShmComm, Verb,
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Event {
    Begins(Verb),
    WaitBegins,
    WaitEnds,
    Ends(Verb, u64),
}

/// Notes what it is told, and panics at the k-th event if asked to.
struct Notes {
    events: Arc<Mutex<Vec<Event>>>,
    panic_at: Option<usize>,
}

impl Notes {
    fn note(&mut self, event: Event) {
        let mut events = self.events.lock().unwrap();
        events.push(event);
        let reached = self.panic_at == Some(events.len());
        drop(events);
        if reached {
            resume_unwind(Box::new("the observer panics"));
        }
    }
}

impl Observer for Notes {
    fn verb_begins(&mut self, verb: Verb) {
        self.note(Event::Begins(verb));
    }
    fn wait_begins(&mut self) {
        self.note(Event::WaitBegins);
    }
    fn wait_ends(&mut self) {
        self.note(Event::WaitEnds);
    }
    fn verb_ends(&mut self, verb: Verb, bytes: u64) {
        self.note(Event::Ends(verb, bytes));
    }
}

fn watch(comm: &mut ShmComm, panic_at: Option<usize>) -> Arc<Mutex<Vec<Event>>> {
    let events = Arc::new(Mutex::new(Vec::new()));
    comm.observe(Some(Box::new(Notes {
        events: events.clone(),
        panic_at,
    })));
    events
}

#[test]
fn verbs_and_their_barriers_are_told_in_order() {
    run(2, |mut comm| {
        let mut lane = comm.pair_lane::<u64>().unwrap();
        let events = watch(&mut comm, None);
        comm.barrier().unwrap();
        // Little enough to be copied, so that there is nothing to settle; and so much that it is lent.
        comm.alltoall_counts(&[1, 2], &mut [0; 2]).unwrap();
        let much = vec![1_u8; 100_000];
        comm.allgather(&much, &mut Vec::new(), &mut Vec::new())
            .unwrap();
        let mut outbox = Outbox::new(2);
        outbox
            .block_mut(phalanx_shmcomm::Partition(1))
            .extend([1, 2, 3]);
        lane.exchange(&mut comm, RankShift::HERE, outbox).unwrap();
        comm.observe(None);
        comm.barrier().unwrap();
        use Event::{Begins, Ends, WaitBegins, WaitEnds};
        let verb = |verb, n_barriers, bytes| {
            let barriers = [WaitBegins, WaitEnds].repeat(n_barriers);
            [vec![Begins(verb)], barriers, vec![Ends(verb, bytes)]].concat()
        };
        let expected = [
            verb(Verb::Barrier, 1, 0),
            verb(Verb::AlltoallCounts, 1, 16),
            verb(Verb::Allgather, 2, 100_000),
            verb(Verb::PairExchange, 1, 24),
        ];
        assert_eq!(*events.lock().unwrap(), expected.concat());
    });
}

/// An observer is the one piece of a caller's code that runs inside a verb. Wherever it panics, the
/// participant settles before it unwinds, so peers never read what it frees, and nobody hangs.
#[test]
fn an_observer_that_panics_fails_its_participant_alone() {
    for panic_at in 1..=6 {
        for culprit in 0..3 {
            let outcomes = run(3, |mut comm| {
                comm.barrier().unwrap();
                if comm.index() == culprit {
                    watch(&mut comm, Some(panic_at));
                }
                let mut all = Vec::new();
                let during = catch_unwind(AssertUnwindSafe(|| {
                    let lent = vec![comm.index() as u64; 1_000].into_boxed_slice();
                    comm.allgather(&lent, &mut all, &mut Vec::new())
                }));
                if let Ok(Ok(())) = during {
                    assert!(
                        all.chunks(1_000)
                            .zip(0..)
                            .all(|(block, who)| block == [who; 1_000])
                    );
                }
                let after = during.as_ref().ok().map(|_| comm.barrier());
                (during.map_err(drop), after)
            });
            for (who, (during, after)) in outcomes.into_iter().enumerate() {
                if who == culprit {
                    assert_eq!(during, Err(()), "event {panic_at}");
                    continue;
                }
                // The first two events come before the participant arrives.
                let during = during.expect("only the culprit panics");
                assert_eq!(during.is_ok(), panic_at > 2, "event {panic_at}");
                assert!(matches!(after, Some(Err(CommError::Poisoned { .. }))));
            }
        }
    }
}
