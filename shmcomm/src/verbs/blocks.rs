//! `alltoall_counts` and `alltoallv`: blocks of sizes that both sides know.

use super::{block, check_blocks, check_length};
use crate::loan::Loan;
use crate::{CommError, Element, ShmComm, Verb};

impl ShmComm {
    pub(crate) fn transpose_counts(
        &mut self,
        send: &[u64],
        receive: &mut [u64],
    ) -> Result<(), CommError> {
        let (verb, n) = (Verb::AlltoallCounts, self.member.n());
        check_length(verb, "the list of counts to send", send, n)?;
        check_length(verb, "the list of counts to receive", receive, n)?;
        self.member.collective(verb, 0, Loan::of(send), |reading| {
            for source in reading.in_turn() {
                receive[source] = reading.peer(source).slice::<u64>()?[reading.me];
            }
            Ok(())
        })
    }

    pub(crate) fn exchange_blocks<T: Element>(
        &mut self,
        send: &[T],
        send_counts: &[u64],
        receive: &mut [T],
        receive_counts: &[u64],
    ) -> Result<(), CommError> {
        let (verb, n) = (Verb::Alltoallv, self.member.n());
        let (send_at, receive_at) = (&mut self.tables.send_at, &mut self.tables.receive_at);
        check_blocks(
            verb,
            "the list of counts to send",
            send_counts,
            send_at,
            n,
            send.len(),
        )?;
        let what = "the list of counts to receive";
        check_blocks(verb, what, receive_counts, receive_at, n, receive.len())?;
        let loan = Loan::blocks(send, send_counts, send_at);
        self.member.collective(verb, 0, loan, |reading| {
            let me = reading.me;
            for source in reading.in_turn() {
                let peer = reading.peer(source);
                let theirs = peer.slice::<T>()?;
                let (sent, expected) = (peer.count(me), receive_counts[source]);
                if sent != expected {
                    return Err(CommError::Count {
                        verb,
                        peer: source,
                        sent,
                        expected,
                    });
                }
                receive[receive_at[source] as usize..][..expected as usize].copy_from_slice(block(
                    theirs,
                    peer.offset(me),
                    sent,
                ));
            }
            Ok(())
        })
    }
}
