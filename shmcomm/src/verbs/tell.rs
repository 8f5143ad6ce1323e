//! `share` and `agree`: an object for all, an error for all.

use std::any::{Any, type_name};
use std::fmt::Display;
use std::sync::Arc;

use crate::loan::Loan;
use crate::{CommError, Partition, Rank, ShmComm, Verb};

type Shareable = Arc<dyn Any + Send + Sync>;

impl ShmComm {
    pub(crate) fn share_one<X: Any + Send + Sync>(
        &mut self,
        verb: Verb,
        detail: u32,
        make: impl FnOnce() -> X,
    ) -> Result<Arc<X>, CommError> {
        // What `make` holds is dropped by those who do not call it before anybody waits: its
        // destructors are a user's code.
        let made: Option<Shareable> = if self.member.me == 0 {
            Some(Arc::new(make()))
        } else {
            drop(make);
            None
        };
        let loan = match &made {
            Some(made) => Loan::itself(made),
            None => Loan::nothing::<()>(),
        };
        let shared = self.member.collective(verb, detail, loan, |reading| {
            Ok(reading.peer(0).slice::<Shareable>()?.first().cloned())
        })?;
        let typed = shared.and_then(|shared| shared.downcast::<X>().ok());
        typed.ok_or_else(|| {
            let error = CommError::ElementType {
                verb,
                peer: 0,
                mine: type_name::<X>(),
            };
            self.member.participant.poison(error.to_string());
            error
        })
    }

    pub(crate) fn agree_on<E: Display>(&mut self, mine: Result<(), E>) -> Result<(), CommError> {
        // The error's text and its end are a user's code: both before anybody waits.
        let text = mine.err().map(|error| error.to_string());
        let failed = u64::from(text.is_some());
        let text = text.unwrap_or_default();
        let loan = Loan::of(text.as_bytes()).scale(failed);
        let first = self.member.collective(Verb::Agree, 0, loan, |reading| {
            for source in 0..reading.n() {
                let peer = reading.peer(source);
                if peer.scale() != 0 {
                    return Ok(Some((source, peer.slice::<u8>()?.to_vec())));
                }
            }
            Ok(None)
        })?;
        match first {
            None => Ok(()),
            Some((source, text)) => Err(CommError::Agreed {
                rank: Rank(0),
                partition: Partition(source),
                cause: String::from_utf8_lossy(&text).into_owned(),
            }),
        }
    }
}
