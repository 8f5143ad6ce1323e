//! The only file that chooses atomics: the standard ones, or those of a model checker.
//!
//! It is also where a rule of the protocol can be broken on purpose, to show
//! that the models and ThreadSanitizer notice.

#[cfg(phalanx_loom)]
pub(crate) use loomed::*;
#[cfg(not(any(phalanx_loom, phalanx_shuttle)))]
pub(crate) use plain::*;
#[cfg(phalanx_shuttle)]
pub(crate) use shuttled::*;

#[cfg(any(phalanx_loom, phalanx_shuttle, phalanx_mutants))]
pub(crate) use crate::model::mutant;

/// Whether the rule `name` is to be broken: never, outside the checkers.
#[cfg(not(any(phalanx_loom, phalanx_shuttle, phalanx_mutants)))]
#[inline(always)]
pub(crate) fn mutant(_name: &str) -> bool {
    false
}

#[cfg(not(any(phalanx_loom, phalanx_shuttle)))]
mod plain {
    pub(crate) use std::hint::spin_loop;
    pub(crate) use std::sync::atomic::AtomicU64;
    pub(crate) use std::thread::yield_now;

    /// Polls between two looks at the clock, which costs more than they do.
    pub(crate) const POLLS: u32 = 64;

    /// Nothing: outside a model there is no bound on how often a waiter looks.
    pub(crate) struct Patience;

    impl Patience {
        #[inline(always)]
        pub(crate) fn new() -> Patience {
            Patience
        }

        #[inline(always)]
        pub(crate) fn spend(&mut self) {}
    }
}

#[cfg(phalanx_shuttle)]
mod shuttled {
    pub(crate) use shuttle::sync::atomic::AtomicU64;
    pub(crate) use shuttle::thread::yield_now;
    pub(crate) use shuttle::thread::yield_now as spin_loop;

    pub(crate) const POLLS: u32 = 1;

    pub(crate) struct Patience;

    impl Patience {
        #[inline(always)]
        pub(crate) fn new() -> Patience {
            Patience
        }

        pub(crate) fn spend(&mut self) {}
    }
}

#[cfg(phalanx_loom)]
mod loomed {
    pub(crate) use loom::sync::atomic::AtomicU64;
    pub(crate) use loom::thread::yield_now;
    pub(crate) use loom::thread::yield_now as spin_loop;

    pub(crate) const POLLS: u32 = 1;

    /// Ends the search in an execution in which a waiter has looked in vain twice.
    ///
    /// There are endlessly many like it that differ in the number of looks
    /// only. The execution itself runs on to its end, so a hang still shows, as
    /// too many branches.
    pub(crate) struct Patience(u32);

    impl Patience {
        pub(crate) fn new() -> Patience {
            Patience(0)
        }

        pub(crate) fn spend(&mut self) {
            self.0 += 1;
            if self.0 > 2 {
                loom::skip_branch();
            }
        }
    }
}
