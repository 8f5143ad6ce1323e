//! The kernels in plain Rust: the reference for the others, and what runs where they cannot.

/// See [`super::keep_emitting`].
pub(super) fn keep_emitting(rows: &mut [u64], coefficients: &[f64], sin: f64, lower: f64) {
    for (rows, coefficients) in rows.iter_mut().zip(coefficients.chunks(64)) {
        let mut rest = *rows;
        while rest != 0 {
            let at = rest.trailing_zeros();
            let emits = coefficients
                .get(at as usize)
                .is_some_and(|c| sin * c.abs() > lower);
            *rows &= !(u64::from(!emits) << at);
            rest &= rest - 1;
        }
    }
}

/// See [`super::scale`].
pub(super) fn scale(rows: &[u64], coefficients: &mut [f64], factor: f64) {
    for (&rows, coefficients) in rows.iter().zip(coefficients.chunks_mut(64)) {
        let mut rest = rows;
        while rest != 0 {
            if let Some(coefficient) = coefficients.get_mut(rest.trailing_zeros() as usize) {
                *coefficient *= factor;
            }
            rest &= rest - 1;
        }
    }
}
