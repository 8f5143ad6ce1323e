//! Pinning the calling thread to one processing unit, checked, with a guard that undoes it.

use std::marker::PhantomData;

use crate::{PinError, PuId, Topology, cpu_list, os};

impl Topology {
    /// Pins the calling thread to one processing unit, and reads its mask back to see that it took.
    ///
    /// The answer is a guard: dropped, it gives the thread its earlier mask back; [`PinGuard::keep`] leaves the
    /// thread pinned for the rest of its life. Threads that it starts meanwhile inherit the mask.
    ///
    /// # Errors
    /// The thread's mask is unchanged in each case.
    /// - [`PinError::NotThisSystem`]: the topology describes another machine.
    /// - [`PinError::NotAllowed`]: the topology does not hold this processing unit.
    /// - [`PinError::Refused`]: the operating system said no.
    /// - [`PinError::NotTaken`]: it said yes and did something else.
    /// - [`PinError::Unsupported`]: it has no affinity.
    ///
    /// # Examples
    /// ```
    /// use phalanx_topology::Topology;
    ///
    /// let topology = Topology::discover()?;
    /// let pu = topology.cores()[0].pu();
    /// match topology.pin_current_thread(pu) {
    ///     Ok(guard) => println!("running on {}", guard.pu()), // restored when `guard` is dropped
    ///     Err(error) => println!("not pinned: {error}"),
    /// }
    /// # Ok::<(), phalanx_topology::DiscoverError>(())
    /// ```
    pub fn pin_current_thread(&self, pu: PuId) -> Result<PinGuard, PinError> {
        if !self.is_this_system() {
            return Err(PinError::NotThisSystem {
                pu,
                source_name: self.machine().source_name().to_owned(),
            });
        }
        if self.core_of(pu).is_none() {
            return Err(PinError::NotAllowed {
                pu,
                allowed: list(&self.sorted_pus()),
            });
        }
        let before = os::thread_cpus().map_err(|cause| refused(pu, &cause))?;
        let noted = main_thread::note(&before);
        let unpin = |error| {
            main_thread::forget(noted);
            Err(error)
        };
        if let Err(cause) = os::set_thread_cpus(&[pu]) {
            return unpin(refused(pu, &cause));
        }
        match os::thread_cpus() {
            Ok(now) if now == [pu] => Ok(PinGuard {
                pu,
                before,
                noted,
                restores: true,
                this_thread_only: PhantomData,
            }),
            outcome => {
                let got = outcome.map_or_else(|cause| cause.to_string(), |now| list(&now));
                restore(&before);
                unpin(PinError::NotTaken { pu, got })
            }
        }
    }
}

/// The calling thread is pinned. Dropping the guard gives the thread its earlier mask back.
///
/// It cannot leave its thread: whoever dropped it elsewhere would restore another thread's mask.
/// ```compile_fail
/// fn needs_send<T: Send>() {}
/// needs_send::<phalanx_topology::PinGuard>();
/// ```
#[derive(Debug)]
#[must_use = "dropping the guard at once unpins the thread at once; `keep` leaves it pinned"]
pub struct PinGuard {
    pu: PuId,
    before: Vec<PuId>,
    noted: main_thread::Noted,
    restores: bool,
    this_thread_only: PhantomData<*const ()>,
}

impl PinGuard {
    /// Where the thread is pinned.
    #[must_use]
    pub fn pu(&self) -> PuId {
        self.pu
    }

    /// Leaves the thread pinned for the rest of its life.
    pub fn keep(mut self) {
        self.restores = false;
    }
}

impl Drop for PinGuard {
    fn drop(&mut self) {
        if self.restores {
            restore(&self.before);
            main_thread::forget(self.noted);
        }
    }
}

/// Gives the thread its mask back. It can fail only where the CPUs were taken away meanwhile; the kernel has
/// then moved the thread itself, and a log line is all that is left to do.
fn restore(before: &[PuId]) {
    if let Err(cause) = os::set_thread_cpus(before) {
        tracing::warn!(mask = list(before), %cause, "the thread's affinity mask could not be restored");
    }
}

fn refused(pu: PuId, cause: &std::io::Error) -> PinError {
    if cause.kind() == std::io::ErrorKind::Unsupported {
        PinError::Unsupported { pu }
    } else {
        PinError::Refused {
            pu,
            cause: cause.to_string(),
        }
    }
}

fn list(pus: &[PuId]) -> String {
    cpu_list::format(pus.iter().map(|pu| pu.0))
}

/// The mask that the main thread had before this crate pinned it: the process's mask is read from that thread,
/// and must not shrink to one CPU because a partition happens to run there.
pub(crate) mod main_thread {
    use std::sync::{Mutex, PoisonError};

    use crate::PuId;

    static BEFORE: Mutex<Option<Vec<PuId>>> = Mutex::new(None);

    /// Whether a pin was the one that noted the mask, and so the one that has to forget it.
    pub(crate) type Noted = bool;

    /// Called before pinning: notes the mask if the calling thread is the main one and nothing is noted yet.
    pub(super) fn note(before: &[PuId]) -> Noted {
        if !is_current() {
            return false;
        }
        let mut noted = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.is_some() {
            return false;
        }
        *noted = Some(before.to_vec());
        true
    }

    /// Called after restoring.
    pub(super) fn forget(noted: Noted) {
        if noted {
            *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn mask_before_pinning() -> Option<Vec<PuId>> {
        BEFORE
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[allow(
        unsafe_code,
        reason = "the thread's number is only reachable through a system call"
    )]
    fn is_current() -> bool {
        // SAFETY: the call takes nothing and cannot fail.
        let thread = unsafe { libc::gettid() };
        thread == std::process::id().cast_signed()
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn is_current() -> bool {
        false
    }
}
