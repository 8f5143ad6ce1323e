//! Watching the verbs of one participant from inside: for profiles and for tests.

use crate::Verb;

/// Is told where a participant is; see [`ShmComm::observe`](crate::ShmComm::observe).
///
/// All methods run on the participant's own thread, and its peers may be
/// waiting for it: an observer must not block. One that panics fails its
/// participant as any other panic does; the participant settles first.
pub trait Observer: Send {
    /// A verb begins.
    fn verb_begins(&mut self, verb: Verb);

    /// The participant is about to arrive at a barrier of the verb.
    fn wait_begins(&mut self);

    /// The barrier is passed, or has failed.
    fn wait_ends(&mut self);

    /// The verb is over, well or not. The participant had `bytes` to lend or to send in it.
    fn verb_ends(&mut self, verb: Verb, bytes: u64);
}

/// Whether a participant has an observer: decided once for each verb, then compiled in.
pub(crate) trait Watch {
    /// Tells the observer, if this is the case in which there is one.
    fn tell(observer: &mut Option<Box<dyn Observer>>, what: impl FnOnce(&mut dyn Observer));
}

/// There is no observer.
pub(crate) struct Unwatched;

impl Watch for Unwatched {
    #[inline]
    fn tell(_: &mut Option<Box<dyn Observer>>, _: impl FnOnce(&mut dyn Observer)) {}
}

/// There is one.
pub(crate) struct Watched;

impl Watch for Watched {
    fn tell(observer: &mut Option<Box<dyn Observer>>, what: impl FnOnce(&mut dyn Observer)) {
        if let Some(observer) = observer {
            what(observer.as_mut());
        }
    }
}
