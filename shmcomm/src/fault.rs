//! Faults on purpose: in this crate's own tests a participant can be made to panic inside a verb.
//!
//! Outside of them the points below are compiled to nothing.

use crate::Verb;

/// A moment of a verb, in the order in which a participant comes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    /// The verb has been called.
    Entry,
    /// About to arrive at the first barrier.
    Commit,
    /// Behind the first barrier.
    Committed,
    /// About to read what this participant lent.
    Copy(usize),
    /// About to arrive at the second barrier.
    Settle,
    /// Behind the second barrier.
    Settled,
}

/// The fault that a participant is to meet, if any.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    #[cfg(test)]
    pub(crate) armed: Option<(Verb, Point)>,
}

impl Faults {
    /// Panics, quietly, if a fault is armed for this moment.
    #[cfg(test)]
    pub(crate) fn at(&self, verb: Verb, point: Point) {
        if self.armed == Some((verb, point)) {
            std::panic::resume_unwind(Box::new("a fault on purpose"));
        }
    }

    #[cfg(not(test))]
    #[inline]
    pub(crate) fn at(&self, _: Verb, _: Point) {}
}
