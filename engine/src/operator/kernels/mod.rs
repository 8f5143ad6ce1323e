//! The kernels that walk a chunk: adding columns, testing for emission, scaling.
//!
//! Each has a portable form and one in AVX-512 that gives the same bits: every lane is one product, one comparison, and nothing is
//! fused. Which one runs is decided at run time. This is the only room of the engine with unsafe code.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod levels;
mod portable;

/// Runs `f` compiled for the best instruction set that this processor has: what is inlined into it counts bits and walks words in fewer
/// instructions. No floating-point operation is fused in any of them, so the bits are the same.
#[inline]
pub(crate) fn with_best<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        levels::with_best(f)
    }
    #[cfg(not(target_arch = "x86_64"))]
    f()
}

/// Adds (mod 2) a column to a running sum.
#[inline]
pub(crate) fn xor_into(sum: &mut [u64], column: &[u64]) {
    for (word, other) in sum.iter_mut().zip(column) {
        *word ^= other;
    }
}

/// Keeps those `rows` that have `sin * |coefficient| > lower`, with the product rounded once.
///
/// Bits at or beyond the end of `coefficients` must be zero.
#[inline]
pub(crate) fn keep_emitting(rows: &mut [u64], coefficients: &[f64], sin: f64, lower: f64) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        #[allow(
            unsafe_code,
            reason = "a call into code for a processor feature that was just detected"
        )]
        // SAFETY:
        // - AVX-512F is there: the line above asked.
        return unsafe { avx512::keep_emitting(rows, coefficients, sin, lower) };
    }
    portable::keep_emitting(rows, coefficients, sin, lower);
}

/// Transposes a square of bits: bit j of word i becomes bit i of word j.
#[inline(always)]
pub(crate) fn transpose(square: &mut [u64; 64]) {
    let (mut step, mut mask) = (32, u64::MAX >> 32);
    while step > 0 {
        // Exchange the two off-diagonal quarters of each square of 2 step rows.
        for begin in (0..64).step_by(2 * step) {
            for row in begin..begin + step {
                let swap = ((square[row] >> step) ^ square[row + step]) & mask;
                square[row] ^= swap << step;
                square[row + step] ^= swap;
            }
        }
        step /= 2;
        mask ^= mask << step;
    }
}

/// Multiplies the coefficients of `rows` by `factor`.
///
/// Bits at or beyond the end of `coefficients` must be zero.
#[inline]
pub(crate) fn scale(rows: &[u64], coefficients: &mut [f64], factor: f64) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        #[allow(
            unsafe_code,
            reason = "a call into code for a processor feature that was just detected"
        )]
        // SAFETY:
        // - AVX-512F is there: the line above asked.
        return unsafe { avx512::scale(rows, coefficients, factor) };
    }
    portable::scale(rows, coefficients, factor);
}

/// Asks for the cache line of `value`, without waiting for it.
#[inline]
pub(crate) fn prefetch<T: ?Sized>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[allow(unsafe_code, reason = "a prefetch has no safe form")]
        // SAFETY:
        // - a prefetch reads nothing and faults on nothing, and the address is that of a reference;
        // - SSE is part of x86-64.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(test)]
mod tests {
    use super::super::chunk::{Bits, CHUNK};
    use super::*;
    use proptest::prelude::*;

    fn trimmed(mut bits: Bits, len: usize) -> Bits {
        for (at, word) in bits.iter_mut().enumerate() {
            *word &= match len.saturating_sub(64 * at) {
                0 => 0,
                rest if rest >= 64 => u64::MAX,
                rest => (1 << rest) - 1,
            };
        }
        bits
    }

    #[test]
    fn transposing_moves_each_bit() {
        let words: [u64; 64] =
            std::array::from_fn(|i| (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut square = words;
        transpose(&mut square);
        for (i, word) in words.iter().enumerate() {
            for (j, column) in square.iter().enumerate() {
                assert_eq!(word >> j & 1, column >> i & 1, "{i} {j}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_form_gives_the_bits_of_one_row_at_a_time(words in proptest::collection::vec(any::<u64>(), 64), len in 0..=CHUNK,
                                                          seed in any::<u64>(), sin in 0.0..1.0_f64, cos in -1.0..1.0_f64, dense in any::<bool>()) {
            let words: Bits = words.try_into().unwrap();
            let bits = trimmed(if dense { words } else { std::array::from_fn(|at| if at.is_multiple_of(3) { words[at] & 0x11 } else { 0 }) }, len);
            let mut state = seed | 1;
            let coefficients: Vec<f64> = (0..len).map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
            }).collect();
            // A threshold that one row meets exactly: it must not emit.
            let lower = coefficients.first().map_or(0.1, |c| sin * c.abs());
            let slow: Bits = std::array::from_fn(|at| (0..64).filter(|b| bits[at] >> b & 1 == 1 && sin * coefficients[64 * at + b].abs() > lower)
                .fold(0, |word, b| word | 1 << b));
            for form in [keep_emitting, portable::keep_emitting] {
                let mut kept = bits;
                form(&mut kept, &coefficients, sin, lower);
                prop_assert_eq!(kept, slow);
            }
            let expected: Vec<u64> = coefficients.iter().enumerate()
                .map(|(at, c)| if bits[at / 64] >> (at % 64) & 1 == 1 { (c * cos).to_bits() } else { c.to_bits() }).collect();
            for form in [scale, portable::scale] {
                let mut scaled = coefficients.clone();
                form(&bits, &mut scaled, cos);
                prop_assert_eq!(scaled.iter().map(|c| c.to_bits()).collect::<Vec<_>>(), expected.clone());
            }
        }
    }
}
