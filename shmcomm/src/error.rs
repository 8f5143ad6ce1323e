//! What can go wrong in a collective, with the verb in which it did.

use std::sync::Arc;

use crate::{Cause, Partition, Rank, Verb};

/// Why a verb did not happen.
///
/// Which participants get it, and what is left afterwards:
///
/// | variant | who gets it | the team afterwards |
/// |---|---|---|
/// | `Poisoned`, `PeerFailed`, `Transport` | everybody, in the same verb | dead |
/// | `Unfinished` | everybody but the one that panicked, in the same verb | dead once that one's communicator is dropped |
/// | `Mismatch`, `RecordSize` | everybody but those in a bare `barrier`, who get it as the cause of their next verb | dead |
/// | `Count`, `ElementType`, `Answers`, `Narrowing` | the one that found it; the others get it as the cause of their next verb | dead |
/// | `Agreed`, `Overflow` | everybody, in the same verb | usable |
/// | `Argument`, `ForeignLane` | the caller alone, before anybody else took notice | usable, if the caller comes to the verb after all |
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommError {
    /// Somebody failed, left or was told to stop before this verb was complete.
    #[error("{verb}: the team was stopped: {cause}")]
    Poisoned {
        /// The verb the caller was in.
        verb: Verb,
        /// The first cause; what came later is not kept.
        cause: Arc<Cause>,
    },

    /// Participants called different verbs, or a different number of them.
    #[error(
        "participants are in different verbs: this one in {mine} (its call {call}), participant {peer} in {theirs}"
    )]
    Mismatch {
        /// How many verbs the caller had begun, this one included.
        call: u64,
        /// The verb the caller was in.
        mine: Verb,
        /// The lowest participant that differs.
        peer: usize,
        /// What that participant was in.
        theirs: String,
    },

    /// The arguments contradict themselves or the layout.
    #[error("{verb}: {what}")]
    Argument {
        /// The verb that was called.
        verb: Verb,
        /// What is wrong with them.
        what: String,
    },

    /// Sender and receiver disagree on the size of a block.
    #[error(
        "{verb}: participant {peer} sends {sent} elements where this participant expects {expected}"
    )]
    Count {
        /// The verb that was called.
        verb: Verb,
        /// The sender.
        peer: usize,
        /// What it sends to the caller.
        sent: u64,
        /// What the caller was told to expect.
        expected: u64,
    },

    /// Sender and receiver disagree on the element type.
    #[error("{verb}: participant {peer} brings another type than this participant's {mine}")]
    ElementType {
        /// The verb that was called.
        verb: Verb,
        /// The participant whose type differs.
        peer: usize,
        /// The caller's type.
        mine: &'static str,
    },

    /// Participants disagree on how many elements make a record, or answer one.
    #[error("{verb}: participant {peer} has {theirs} elements to a record, this one has {mine}")]
    RecordSize {
        /// The verb that was called.
        verb: Verb,
        /// A participant that differs.
        peer: usize,
        /// The caller's number.
        mine: u64,
        /// Its number.
        theirs: u64,
    },

    /// The answers do not fit the records that were received.
    #[error("{verb}: {given} answers for {records} records of {per_record} elements each")]
    Answers {
        /// The verb that was called.
        verb: Verb,
        /// How many elements the caller brought.
        given: u64,
        /// How many records it had received.
        records: u64,
        /// How many elements answer one record.
        per_record: u64,
    },

    /// A lane was used with a communicator of another team, or of another place in it.
    #[error("{verb}: this lane end belongs to another communicator")]
    ForeignLane {
        /// The verb that was called.
        verb: Verb,
    },

    /// A quantity does not fit the type that has to carry it.
    #[error("{verb}: {quantity} is {value}, the most that can be carried is {limit}")]
    Narrowing {
        /// The verb that was called.
        verb: Verb,
        /// What does not fit.
        quantity: &'static str,
        /// Its value.
        value: u64,
        /// The most that fits.
        limit: u64,
    },

    /// A sum of integers does not fit its type. Every participant gets this.
    #[error("{verb}: the sum does not fit 64 bits")]
    Overflow {
        /// The verb that was called.
        verb: Verb,
    },

    /// A participant panicked before it had added up its part of the result. Everybody else gets
    /// this, and the panic as the cause of the next verb.
    #[error("{verb}: participant {peer} panicked before it had done its part")]
    Unfinished {
        /// The verb that was under way.
        verb: Verb,
        /// A participant that panicked.
        peer: usize,
    },

    /// A participant brought an error to [`agree`](crate::Communicator::agree).
    #[error("{rank}, {partition}: {cause}")]
    Agreed {
        /// Its rank.
        rank: Rank,
        /// Its partition.
        partition: Partition,
        /// What it said.
        cause: String,
    },

    /// A participant of another rank failed.
    #[error("{verb}: {rank}, {partition} failed: {cause}")]
    PeerFailed {
        /// The verb in which the failure reached the caller.
        verb: Verb,
        /// The lowest rank that failed.
        rank: Rank,
        /// Which of its partitions.
        partition: Partition,
        /// What it said.
        cause: String,
    },

    /// What carries the bytes between ranks reported an error.
    #[error("{verb}: the transport between ranks failed: {message}")]
    Transport {
        /// The verb that was under way.
        verb: Verb,
        /// What it said.
        message: String,
    },
}

impl CommError {
    /// An [`Argument`](CommError::Argument) error.
    pub fn argument(verb: Verb, what: impl Into<String>) -> CommError {
        CommError::Argument {
            verb,
            what: what.into(),
        }
    }

    /// Whether this repeats what somebody else reported first.
    ///
    /// A facade that joins many threads reports the first error that is not an
    /// echo, and an echo (which carries the first cause) only if all are.
    pub fn is_echo(&self) -> bool {
        matches!(
            self,
            CommError::Poisoned { .. }
                | CommError::PeerFailed { .. }
                | CommError::Unfinished { .. }
        )
    }
}
