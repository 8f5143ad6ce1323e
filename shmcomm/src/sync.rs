//! The only file that names atomics and cells: the standard ones, or loom's under the model.

#[cfg(not(phalanx_loom))]
pub(crate) use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(phalanx_loom)]
pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};

/// A cell that several participants reach, one of them to write, at times that the barriers keep
/// apart. It hands out raw pointers; whoever follows one argues why.
#[cfg(not(phalanx_loom))]
pub(crate) struct SharedCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(phalanx_loom))]
impl<T> SharedCell<T> {
    pub(crate) fn new(value: T) -> Self {
        SharedCell(std::cell::UnsafeCell::new(value))
    }

    #[inline]
    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    #[inline]
    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}

/// The model's cell, which reports two accesses that no edge keeps apart.
#[cfg(phalanx_loom)]
pub(crate) struct SharedCell<T>(loom::cell::UnsafeCell<T>);

#[cfg(phalanx_loom)]
impl<T> SharedCell<T> {
    pub(crate) fn new(value: T) -> Self {
        SharedCell(loom::cell::UnsafeCell::new(value))
    }

    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        self.0.with(read)
    }

    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        self.0.with_mut(write)
    }
}

/// Stands for the memory that a participant lends, which the model cannot see.
///
/// The owner writes it when a verb begins and on every way out of the verb, as
/// if it freed the memory there; peers read it where they copy. Outside the
/// model it is nothing.
#[cfg(phalanx_loom)]
pub(crate) struct Lease(SharedCell<()>);

#[cfg(phalanx_loom)]
impl Lease {
    pub(crate) fn new() -> Self {
        Lease(SharedCell::new(()))
    }

    /// The owner takes the memory into its own hands.
    pub(crate) fn write(&self) {
        self.0.with_mut(|_| ());
    }

    /// A peer looks at the memory.
    pub(crate) fn read(&self) {
        self.0.with(|_| ());
    }
}

#[cfg(not(phalanx_loom))]
pub(crate) struct Lease;

#[cfg(not(phalanx_loom))]
impl Lease {
    pub(crate) fn new() -> Self {
        Lease
    }

    #[inline]
    pub(crate) fn write(&self) {}

    #[inline]
    pub(crate) fn read(&self) {}
}

/// A flag for onlookers, without a part in the protocol: no model needs to see it.
#[derive(Default)]
pub(crate) struct Flag(std::sync::atomic::AtomicBool);

impl Flag {
    pub(crate) fn raise(&self) {
        // Relaxed (read in `is_up`): the flag is the whole message.
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }

    #[cfg(not(phalanx_loom))]
    pub(crate) fn is_up(&self) -> bool {
        // Relaxed (stored in `raise`): the flag is the whole message.
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }
}

/// Whether a checker runs with this rule broken, to show that it notices.
#[cfg(any(phalanx_loom, phalanx_mutants))]
pub(crate) use phalanx_barrier::mutant;

/// Whether this rule is to be broken. Never, outside of the checkers.
#[cfg(not(any(phalanx_loom, phalanx_mutants)))]
#[inline(always)]
pub(crate) fn mutant(_name: &str) -> bool {
    false
}
