//! `resolve` and `reply`: queries whose number the receiver does not know, and their answers.

use super::{block, check_blocks, fill_from_all, offsets_into};
use crate::loan::Loan;
use crate::{CommError, Communicator, Element, Leg, ShmComm, Summable, Verb};

impl ShmComm {
    pub(crate) fn ask<T: Element>(
        &mut self,
        send: &[T],
        send_counts: &[u64],
        record: usize,
        inbox: &mut Vec<T>,
    ) -> Result<ShmLeg<'_>, CommError> {
        let (verb, n) = (Verb::Resolve, self.member.n());
        let record = record as u64;
        let tables = &mut self.tables;
        let what = "the list of counts";
        check_blocks(verb, what, send_counts, &mut tables.send_at, n, send.len())?;
        if record == 0 {
            return Err(CommError::argument(verb, "a record has no elements"));
        }
        if let Some(to) = send_counts.iter().position(|count| count % record != 0) {
            let message = format!(
                "the {} elements for participant {to} are no whole number of records of {record}",
                send_counts[to]
            );
            return Err(CommError::argument(verb, message));
        }
        let (receive_counts, receive_at) = (&mut tables.receive_counts, &mut tables.receive_at);
        receive_counts.clear();
        receive_counts.resize(n, 0);
        let loan = Loan::blocks(send, send_counts, &tables.send_at).scale(record);
        self.member.collective(verb, 0, loan, |reading| {
            let me = reading.me;
            for source in reading.in_turn() {
                let peer = reading.peer(source);
                peer.check_type::<T>()?;
                if peer.scale() != record {
                    return Err(CommError::RecordSize {
                        verb,
                        peer: source,
                        mine: record,
                        theirs: peer.scale(),
                    });
                }
                receive_counts[source] = peer.count(me);
            }
            fill_from_all(reading, verb, inbox, receive_counts, receive_at, |peer| {
                Ok(block(peer.slice()?, peer.offset(me), peer.count(me)))
            })
        })?;
        tables.asked.clear();
        tables
            .asked
            .extend(send_counts.iter().map(|count| count / record));
        tables.received.clear();
        tables
            .received
            .extend(receive_counts.iter().map(|count| count / record));
        Ok(ShmLeg { comm: self })
    }
}

/// The way back of a [`resolve`](Communicator::resolve) among the threads of one process.
///
/// It borrows the communicator, whose tables hold the geometry of the queries; nothing can come
/// between that would change them. Used twice it does not compile:
///
/// ```compile_fail,E0382
/// # use phalanx_shmcomm::{Communicator, Leg, ShmComm, CommError};
/// fn twice(comm: &mut ShmComm, queries: &[u64], counts: &[u64]) -> Result<(), CommError> {
///     let (mut inbox, mut answers) = (Vec::new(), Vec::new());
///     let leg = comm.resolve(queries, counts, 1, &mut inbox)?;
///     leg.reply(&inbox, 1, &mut answers)?;
///     leg.reply(&inbox, 1, &mut answers)
/// }
/// ```
///
/// Nor does another exchange between query and answer:
///
/// ```compile_fail,E0499
/// # use phalanx_shmcomm::{Communicator, Leg, ShmComm, CommError};
/// fn between(comm: &mut ShmComm, queries: &[u64], counts: &[u64]) -> Result<(), CommError> {
///     let (mut inbox, mut answers) = (Vec::new(), Vec::new());
///     let leg = comm.resolve(queries, counts, 1, &mut inbox)?;
///     comm.alltoall_counts(counts, &mut answers)?;
///     leg.reply(&inbox, 1, &mut answers)
/// }
/// ```
#[must_use = "the queries are not answered yet; drop the leg if they need no answer"]
#[derive(Debug)]
pub struct ShmLeg<'c> {
    comm: &'c mut ShmComm,
}

impl Leg for ShmLeg<'_> {
    fn received(&self) -> &[u64] {
        &self.comm.tables.received
    }

    fn allreduce_sum<N: Summable>(&mut self, value: N) -> Result<N, CommError> {
        Communicator::allreduce_sum(self.comm, value)
    }

    fn reply<U: Element>(
        self,
        send: &[U],
        per_record: usize,
        answers: &mut Vec<U>,
    ) -> Result<(), CommError> {
        let verb = Verb::Reply;
        let per_record = per_record as u64;
        let ShmComm { member, tables, .. } = self.comm;
        let records = offsets_into(&tables.received, &mut tables.receive_at);
        let wanted = records.and_then(|records| records.checked_mul(per_record));
        if wanted != Some(send.len() as u64) {
            let error = CommError::Answers {
                verb,
                given: send.len() as u64,
                records: tables.received.iter().sum(),
                per_record,
            };
            // The peers are on their way into the reply: they must not wait for this one.
            member.participant.poison(error.to_string());
            return Err(error);
        }
        let expected = &mut tables.receive_counts;
        expected.clear();
        expected.extend(
            tables
                .asked
                .iter()
                .map(|records| records.saturating_mul(per_record)),
        );
        let loan = Loan::blocks(send, &tables.received, &tables.receive_at).scale(per_record);
        member.collective(verb, 0, loan, |reading| {
            let me = reading.me;
            for source in reading.in_turn() {
                let peer = reading.peer(source);
                peer.check_type::<U>()?;
                if peer.scale() != per_record {
                    return Err(CommError::RecordSize {
                        verb,
                        peer: source,
                        mine: per_record,
                        theirs: peer.scale(),
                    });
                }
            }
            fill_from_all(
                reading,
                verb,
                answers,
                expected,
                &mut tables.send_at,
                |peer| {
                    let (offset, count) = (peer.offset(me), peer.count(me));
                    Ok(block(
                        peer.slice()?,
                        offset * per_record,
                        count * per_record,
                    ))
                },
            )
        })
    }
}
