//! Pinning a thread of a benchmark to one of the CPUs that this process may use.

// The affinity calls of the system are C functions.
#![allow(unsafe_code)]

/// Pins the calling thread to the k-th CPU that it may use, where the system can; says nothing.
#[cfg(target_os = "linux")]
pub(crate) fn to_cpu(k: usize) {
    // SAFETY: `cpu_set_t` is plain bits, for which all zeros is a value; both calls get a pointer
    // to such a set and its size, and 0 names the calling thread.
    unsafe {
        let size = size_of::<libc::cpu_set_t>();
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size, &mut allowed) != 0 {
            return;
        }
        let mut cpus =
            (0..libc::CPU_SETSIZE as usize).filter(|&cpu| libc::CPU_ISSET(cpu, &allowed));
        if let Some(cpu) = cpus.nth(k) {
            let mut one: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(cpu, &mut one);
            libc::sched_setaffinity(0, size, &one);
        }
    }
}

/// Leaves the thread where it is.
#[cfg(not(target_os = "linux"))]
pub(crate) fn to_cpu(_: usize) {}
