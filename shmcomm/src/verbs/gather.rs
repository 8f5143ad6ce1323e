//! `allgather` and `broadcast`: one block to everybody.

use super::fill_from_all;
use crate::loan::Loan;
use crate::{CommError, Element, ShmComm, Verb};

impl ShmComm {
    pub(crate) fn gather_all<T: Element>(
        &mut self,
        mine: &[T],
        all: &mut Vec<T>,
        counts: &mut Vec<u64>,
    ) -> Result<(), CommError> {
        let (verb, n) = (Verb::Allgather, self.member.n());
        counts.clear();
        counts.resize(n, 0);
        let offsets = &mut self.tables.receive_at;
        self.member.collective(verb, 0, Loan::of(mine), |reading| {
            for source in reading.in_turn() {
                counts[source] = reading.peer(source).len() as u64;
            }
            fill_from_all(reading, verb, all, counts, offsets, |peer| peer.slice())
        })
    }

    pub(crate) fn spread<T: Element>(
        &mut self,
        root: usize,
        data: &mut Vec<T>,
    ) -> Result<(), CommError> {
        let (verb, n, me) = (Verb::Broadcast, self.member.n(), self.member.me);
        if root >= n {
            let message = format!("there is no participant {root} among {n}");
            return Err(CommError::argument(verb, message));
        }
        if root == me {
            let loan = Loan::of(data.as_slice());
            return self.member.collective(verb, root as u32, loan, |_| Ok(()));
        }
        let loan = Loan::nothing::<T>();
        self.member.collective(verb, root as u32, loan, |reading| {
            let source = reading.peer(root).slice::<T>()?;
            data.clear();
            data.reserve(source.len());
            data.extend(source.iter().copied());
            Ok(())
        })
    }
}
