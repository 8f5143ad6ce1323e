//! How much memory this process has, as the operating system counts it.

/// Bytes that are resident now; `None` where the system does not tell.
pub(super) fn resident_bytes() -> Option<u64> {
    status("VmRSS:")
}

/// The most bytes that were ever resident; `None` where the system does not tell.
pub(super) fn peak_bytes() -> Option<u64> {
    status("VmHWM:")
}

/// A figure of `/proc/self/status`, which is in KiB.
fn status(label: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(label))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_touched_is_resident() {
        let before = resident_bytes().unwrap();
        let touched = vec![1_u8; 64 << 20];
        let with = resident_bytes().unwrap();
        assert!(std::hint::black_box(&touched).iter().all(|&byte| byte == 1));
        assert!(with >= before + (32 << 20), "{before} {with}");
        // The system's two figures are not of one moment, while other tests start and end threads.
        assert!(peak_bytes().unwrap() >= before + (32 << 20));
    }
}
