//! Instruction sets of x86-64, and code compiled for each.

#![allow(
    unsafe_code,
    reason = "calls into code for processor features that were just detected"
)]

/// See [`super::with_best`].
#[inline]
pub(super) fn with_best<R>(f: impl FnOnce() -> R) -> R {
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vpopcntdq")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
    {
        // SAFETY:
        // - all features of `with_avx512` are there: the line above asked.
        unsafe { with_avx512(f) }
    } else if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
    {
        // SAFETY:
        // - all features of `with_avx2` are there: the line above asked.
        unsafe { with_avx2(f) }
    } else {
        f()
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,popcnt,bmi1,bmi2")]
fn with_avx512<R>(f: impl FnOnce() -> R) -> R {
    f()
}

#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
fn with_avx2<R>(f: impl FnOnce() -> R) -> R {
    f()
}
