//! The kernels in AVX-512: eight rows at a time, under a mask taken straight from the bit words.

#![allow(unsafe_code, reason = "masked loads and stores through pointers")]

use std::arch::x86_64::{
    _CMP_GT_OQ, _mm512_abs_pd, _mm512_mask_cmp_pd_mask, _mm512_mask_storeu_pd,
    _mm512_maskz_loadu_pd, _mm512_mul_pd, _mm512_set1_pd,
};

use crate::operator::chunk::Bits;

/// See [`super::emitting`].
#[target_feature(enable = "avx512f")]
pub(super) fn emitting(candidates: &Bits, coefficients: &[f64], sin: f64, lower: f64) -> Bits {
    let (sin, lower) = (_mm512_set1_pd(sin), _mm512_set1_pd(lower));
    let mut emitting = *candidates;
    for ((word, &rows), coefficients) in emitting
        .iter_mut()
        .zip(candidates)
        .zip(coefficients.chunks(64))
    {
        if rows == 0 {
            continue;
        }
        *word = 0;
        for (at, eight) in coefficients.chunks(8).enumerate() {
            let mask = (rows >> (8 * at)) as u8 & (u8::MAX >> (8 - eight.len()));
            // SAFETY:
            // - a masked-out lane is not read, and the mask has no bit beyond `eight`.
            let values = unsafe { _mm512_maskz_loadu_pd(mask, eight.as_ptr()) };
            let emission = _mm512_mul_pd(sin, _mm512_abs_pd(values));
            *word |=
                u64::from(_mm512_mask_cmp_pd_mask::<_CMP_GT_OQ>(mask, emission, lower)) << (8 * at);
        }
    }
    emitting
}

/// See [`super::scale`].
#[target_feature(enable = "avx512f")]
pub(super) fn scale(rows: &Bits, coefficients: &mut [f64], factor: f64) {
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
