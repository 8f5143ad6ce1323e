//! The kernels in AVX-512: eight rows at a time, under a mask taken straight from the bit words.

#![allow(unsafe_code, reason = "masked loads and stores through pointers")]

use std::arch::x86_64::{
    _CMP_GT_OQ, _mm512_abs_pd, _mm512_mask_cmp_pd_mask, _mm512_mask_storeu_pd,
    _mm512_maskz_loadu_pd, _mm512_mul_pd, _mm512_set1_pd,
};

/// See [`super::keep_emitting`].
#[target_feature(enable = "avx512f")]
pub(super) fn keep_emitting(rows: &mut [u64], coefficients: &[f64], sin: f64, lower: f64) {
    let (sin, lower) = (_mm512_set1_pd(sin), _mm512_set1_pd(lower));
    for (rows, coefficients) in rows.iter_mut().zip(coefficients.chunks(64)) {
        if *rows == 0 {
            continue;
        }
        let candidates = std::mem::take(rows);
        for (at, eight) in coefficients.chunks(8).enumerate() {
            let mask = (candidates >> (8 * at)) as u8 & (u8::MAX >> (8 - eight.len()));
            // SAFETY:
            // - a masked-out lane is not read, and the mask has no bit beyond `eight`.
            let values = unsafe { _mm512_maskz_loadu_pd(mask, eight.as_ptr()) };
            let emission = _mm512_mul_pd(sin, _mm512_abs_pd(values));
            let emits = _mm512_mask_cmp_pd_mask::<_CMP_GT_OQ>(mask, emission, lower);
            *rows |= u64::from(emits) << (8 * at);
        }
    }
}

/// See [`super::scale`].
#[target_feature(enable = "avx512f")]
pub(super) fn scale(rows: &[u64], coefficients: &mut [f64], factor: f64) {
    let factor = _mm512_set1_pd(factor);
    for (&rows, coefficients) in rows.iter().zip(coefficients.chunks_mut(64)) {
        if rows == 0 {
            continue;
        }
        for (at, eight) in coefficients.chunks_mut(8).enumerate() {
            let mask = (rows >> (8 * at)) as u8 & (u8::MAX >> (8 - eight.len()));
            // SAFETY:
            // - a masked-out lane is neither read nor written, and the mask has no bit beyond `eight`.
            unsafe {
                let values = _mm512_maskz_loadu_pd(mask, eight.as_ptr());
                _mm512_mask_storeu_pd(eight.as_mut_ptr(), mask, _mm512_mul_pd(values, factor));
            }
        }
    }
}
