//! The place for the first cause, and for no other.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Cause;

/// Empty until a cause is put there, and the same ever after.
///
/// A mutex and not a `OnceLock`: whoever has seen the poison bit must find the
/// cause. A lock taken after the bit was seen comes after the lock under which the cause
/// was stored, since it cannot come before it (PROTOCOL.md, I5). A mere load
/// could still miss the store, because the bit is relaxed.
#[derive(Default)]
pub(crate) struct FirstCause(Mutex<Option<Arc<Cause>>>);

impl FirstCause {
    /// Stores `cause` if there is none.
    #[cold]
    pub(crate) fn offer(&self, cause: Cause) {
        self.lock().get_or_insert_with(|| Arc::new(cause));
    }

    /// The cause, if one was offered.
    #[cold]
    pub(crate) fn get(&self) -> Option<Arc<Cause>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Cause>>> {
        // Only an allocation could panic under the lock; and the option is whole all the same.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
