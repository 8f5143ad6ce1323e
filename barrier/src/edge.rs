//! The orderings A to I of the protocol: what each access hands over, to whom, and what fails without it.
//!
//! `shared` tags each access with its letter. A to G have a mutant that weakens
//! it, named in `mutants.txt`; H and I are as weak as orderings come. Nothing
//! is `SeqCst` and there is no fence: an edge that hangs on an access is one
//! that ThreadSanitizer sees.

use std::sync::atomic::Ordering;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use crate::sync::mutant;

/// A, `group.arrived.fetch_add` in [`meet`](crate::shared::Shared::meet). AcqRel, pairs with
/// itself.
///
/// Release: what a member did before it arrived happens-before its group's last
/// arriver goes on to the root. Acquire: the last arriver has all of that in
/// hand before it arrives there in everybody's name. Only the last arriver needs
/// the acquire half, but it learns that it is the last from this very access.
#[inline(always)]
pub(crate) fn group_arrive() -> Ordering {
    both("group-arrive-rel", "group-arrive-acq")
}

/// B, `root.arrived.fetch_add` in [`meet`](crate::shared::Shared::meet). AcqRel, pairs with itself.
///
/// The same between groups: release what a group has gathered, acquire it for
/// whoever releases the round.
#[inline(always)]
pub(crate) fn root_arrive() -> Ordering {
    both("root-arrive-rel", "root-arrive-acq")
}

/// C, `root.released.store` in [`meet`](crate::shared::Shared::meet). Release, pairs with D and G.
///
/// All that the last arriver has gathered through A and B happens-before
/// anybody passes the round.
#[inline(always)]
pub(crate) fn root_release() -> Ordering {
    one("root-release", Release)
}

/// D, `root.released.load` in [`hold`](crate::shared::Shared::hold). Acquire, pairs with C.
#[inline(always)]
pub(crate) fn root_wait() -> Ordering {
    one("root-wait", Acquire)
}

/// E, `group.released.store` in [`meet`](crate::shared::Shared::meet). Release, pairs with F.
///
/// The leader passed through C or D; this hands the same on to its group.
#[inline(always)]
pub(crate) fn group_release() -> Ordering {
    one("group-release", Release)
}

/// F, `group.released.load` in [`hold`](crate::shared::Shared::hold). Acquire, pairs with E.
#[inline(always)]
pub(crate) fn group_wait() -> Ordering {
    one("group-wait", Acquire)
}

/// G, `root.released.load` in [`look`](crate::shared::Shared::look). Acquire, pairs with C.
///
/// A member that passes here has not seen E, so it needs an edge of its own.
#[inline(always)]
pub(crate) fn root_peek() -> Ordering {
    one("root-peek", Acquire)
}

/// H, `root.arrived.fetch_or` in [`strike`](crate::shared::Shared::strike).
///
/// Relaxed: only its place in the order of changes of that word matters, and
/// every read-modify-write has one. The cause travels by its mutex.
pub(crate) const POISON_STRIKE: Ordering = Relaxed;

/// I, the store of `verdict` in [`strike`](crate::shared::Shared::strike) and its load in
/// [`look`](crate::shared::Shared::look).
///
/// Relaxed: the number is the whole message. A waiter that it lets pass takes
/// its edge from C or E, one that it fails takes the cause through the mutex.
pub(crate) const VERDICT: Ordering = Relaxed;

/// AcqRel, unless a mutant drops one half.
#[inline(always)]
fn both(without_release: &str, without_acquire: &str) -> Ordering {
    if mutant(without_release) {
        Acquire
    } else if mutant(without_acquire) {
        Release
    } else {
        AcqRel
    }
}

/// `strong`, unless the mutant `name` drops it.
#[inline(always)]
fn one(name: &str, strong: Ordering) -> Ordering {
    if mutant(name) { Relaxed } else { strong }
}
