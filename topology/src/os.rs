//! The system calls: reading and setting affinity masks. One arm for Linux, one for everything else.

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) use linux::{process_cpus, set_thread_cpus, thread_cpus};
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) use other::{process_cpus, set_thread_cpus, thread_cpus};

#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(
    unsafe_code,
    reason = "affinity is only reachable through system calls"
)]
mod linux {
    use std::io;

    use crate::PuId;
    use crate::pin::main_thread;

    /// Words of 64 CPUs that the first attempt offers to the kernel: 8,192 CPUs, the most that Linux is built for.
    const FIRST_WORDS: usize = 128;
    /// Where growing ends.
    const MOST_WORDS: usize = 1 << 14;

    /// The CPUs that this process may use, ascending: the mask of its main thread, as it was before this crate
    /// pinned that thread. What the calling thread is pinned to does not matter.
    pub(crate) fn process_cpus() -> io::Result<Vec<PuId>> {
        if let Some(before) = main_thread::mask_before_pinning() {
            return Ok(before);
        }
        cpus_of(std::process::id().cast_signed())
    }

    /// The CPUs that the calling thread may run on, ascending.
    pub(crate) fn thread_cpus() -> io::Result<Vec<PuId>> {
        cpus_of(0)
    }

    /// Lets the calling thread run on these CPUs only.
    pub(crate) fn set_thread_cpus(cpus: &[PuId]) -> io::Result<()> {
        let n_words = cpus.iter().map(|cpu| cpu.idx() / 64 + 1).max().unwrap_or(1);
        let mut words = vec![0u64; n_words];
        for cpu in cpus {
            words[cpu.idx() / 64] |= 1 << (cpu.0 % 64);
        }
        // SAFETY:
        // - The pointer and the size are those of `words`, a live allocation aligned to 8 bytes as `cpu_set_t` is.
        // - The call only reads it, and the kernel accepts any length.
        let status = unsafe {
            libc::sched_setaffinity(0, size_of_val(words.as_slice()), words.as_ptr().cast())
        };
        if status == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// The mask of one thread; 0 is the calling one. The buffer grows until the kernel's mask fits.
    fn cpus_of(thread: libc::pid_t) -> io::Result<Vec<PuId>> {
        let mut n_words = FIRST_WORDS;
        loop {
            let mut words = vec![0u64; n_words];
            // SAFETY:
            // - The pointer and the size are those of `words`, a live and exclusively borrowed allocation aligned
            //   to 8 bytes as `cpu_set_t` is.
            // - The call writes at most that many bytes, and any bytes are valid `u64`s.
            let status = unsafe {
                libc::sched_getaffinity(
                    thread,
                    size_of_val(words.as_slice()),
                    words.as_mut_ptr().cast(),
                )
            };
            if status == 0 {
                return Ok(members(&words));
            }
            let error = io::Error::last_os_error();
            if error.raw_os_error() != Some(libc::EINVAL) || n_words >= MOST_WORDS {
                return Err(error);
            }
            n_words *= 2;
        }
    }

    fn members(words: &[u64]) -> Vec<PuId> {
        (0u32..)
            .zip(words)
            .flat_map(|(idx, &word)| {
                (0..64)
                    .filter(move |bit| word >> bit & 1 == 1)
                    .map(move |bit| PuId(idx * 64 + bit))
            })
            .collect()
    }

    #[cfg(test)]
    mod tests {
        use super::members;
        use crate::PuId;

        #[test]
        fn bits_become_indices() {
            assert_eq!(members(&[0b101, 0, 1 << 63]), [0, 2, 191].map(PuId));
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod other {
    use std::io;

    use crate::PuId;

    /// As many CPUs as the standard library counts, numbered from 0.
    pub(crate) fn process_cpus() -> io::Result<Vec<PuId>> {
        let n_cpus = std::thread::available_parallelism()?.get();
        Ok((0..n_cpus as u32).map(PuId).collect())
    }

    /// Always an error: there is nothing to read.
    pub(crate) fn thread_cpus() -> io::Result<Vec<PuId>> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    /// Always an error: there is nothing to set.
    pub(crate) fn set_thread_cpus(_cpus: &[PuId]) -> io::Result<()> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}
