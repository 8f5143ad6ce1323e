//! Sums of `f64` without rounding, so that neither order nor layout can change them.

use bytemuck::{Pod, Zeroable};

/// Words of the number itself: 67 digits of 32 bits above the smallest `f64`.
const DIGITS: usize = 67;
/// What the three words behind the digits count.
const POS_INF: usize = DIGITS;
const NEG_INF: usize = DIGITS + 1;
const NAN: usize = DIGITS + 2;
/// How many additions a digit takes before the carries must be passed on.
const MOST_PENDING: u64 = 1 << 29;

/// An exact sum of `f64`: a fixed-point number wide enough for all of them.
///
/// Digit `k` is worth `2^(32 k - 1074)`, so digit 0 begins at the smallest
/// subnormal and the last digit lies beyond the largest finite value. A digit
/// is kept in 64 bits and may be negative or overfull; carries are passed on
/// only now and then. Adding is therefore exact, and associative and
/// commutative in fact, not only on paper: whatever way the values are split
/// over participants, [`value`](Self::value) has the same bits. It rounds once,
/// to nearest, ties to even, as one infinitely precise addition would.
///
/// A sum that is zero is `+0.0`. Infinities and NaN behave as in a chain of
/// ordinary additions, except that a finite sum beyond the range of `f64` only
/// becomes infinite if it still is beyond it at the end.
///
/// ```
/// use phalanx_shmcomm::ExactSum;
///
/// let sum: ExactSum = [1e300, 1.0, -1e300].into_iter().collect();
/// assert_eq!(sum.value(), 1.0);
/// ```
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ExactSum {
    words: [i64; DIGITS + 3],
    /// Below digit 66 every word is within `(pending + 1) * 2^32` of zero.
    pending: u64,
}

impl ExactSum {
    /// How many words carry a sum from one process to another.
    pub const WORDS: usize = DIGITS + 3;

    /// The sum of nothing.
    pub fn new() -> Self {
        ExactSum::zeroed()
    }

    /// Adds one value.
    pub fn add(&mut self, value: f64) {
        let bits = value.to_bits();
        let exponent = ((bits >> 52) & 0x7ff) as usize;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, shift) = match exponent {
            0 => (fraction, 0),
            0x7ff => return self.add_non_finite(value),
            _ => (fraction | 1 << 52, exponent - 1),
        };
        // At most 53 + 31 bits, in three digits.
        let wide = u128::from(mantissa) << (shift % 32);
        let sign = if value.is_sign_negative() { -1 } else { 1 };
        let digits = &mut self.words[shift / 32..shift / 32 + 3];
        digits[0] += sign * (wide as u32 as i64);
        digits[1] += sign * ((wide >> 32) as u32 as i64);
        digits[2] += sign * ((wide >> 64) as u32 as i64);
        self.pending += 1;
        if self.pending > MOST_PENDING {
            self.carry();
        }
    }

    fn add_non_finite(&mut self, value: f64) {
        let counter = match value {
            f64::INFINITY => POS_INF,
            f64::NEG_INFINITY => NEG_INF,
            _ => NAN,
        };
        self.words[counter] += 1;
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &ExactSum) {
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine = mine.wrapping_add(*theirs);
        }
        self.pending = self.pending.saturating_add(other.pending).saturating_add(1);
        if self.pending > MOST_PENDING {
            self.carry();
        }
    }

    /// The sum, rounded once.
    pub fn value(&self) -> f64 {
        let [pos_inf, neg_inf, nan] = [POS_INF, NEG_INF, NAN].map(|k| self.words[k] != 0);
        if nan || (pos_inf && neg_inf) {
            return f64::NAN;
        }
        if pos_inf {
            return f64::INFINITY;
        }
        if neg_inf {
            return f64::NEG_INFINITY;
        }
        let mut magnitude = *self;
        magnitude.carry();
        let negative = magnitude.words[DIGITS - 1] < 0;
        if negative {
            magnitude.words[..DIGITS].iter_mut().for_each(|w| *w = -*w);
            magnitude.carry();
        }
        let value = f64::from_bits(round_to_bits(&magnitude.words[..DIGITS]));
        if negative { -value } else { value }
    }

    /// The words of the sum, carries passed on. Sums of fewer than 2^29 participants may be added
    /// word by word, in any order, and read back with [`from_words`](Self::from_words).
    pub fn to_words(&self) -> [i64; Self::WORDS] {
        let mut normal = *self;
        normal.carry();
        normal.words
    }

    /// The sum whose words, or whose participants' added words, these are.
    pub fn from_words(words: [i64; Self::WORDS]) -> Self {
        let mut sum = ExactSum { words, pending: 0 };
        sum.carry();
        sum
    }

    /// Brings every digit but the last into `0..2^32`; the last keeps the sign.
    fn carry(&mut self) {
        let mut carried = 0;
        for digit in &mut self.words[..DIGITS - 1] {
            let full = digit.wrapping_add(carried);
            *digit = full & 0xffff_ffff;
            carried = full >> 32;
        }
        self.words[DIGITS - 1] = self.words[DIGITS - 1].wrapping_add(carried);
        self.pending = 0;
    }
}

/// The bits of the `f64` nearest to a number that is not negative and has its carries passed on.
fn round_to_bits(digits: &[i64]) -> u64 {
    let Some(top) = digits.iter().rposition(|&digit| digit != 0) else {
        return 0.0_f64.to_bits();
    };
    if top == DIGITS - 1 {
        return f64::INFINITY.to_bits();
    }
    let digit = |below: usize| match top.checked_sub(below) {
        Some(k) => digits[k] as u128,
        None => 0,
    };
    // The top three digits hold at least 65 bits from the highest one set.
    let window = digit(0) << 64 | digit(1) << 32 | digit(2);
    let top_bit = 32 * top + digits[top].ilog2() as usize;
    if top_bit <= 52 {
        // The 53 lowest bits are the encoding itself, subnormals included.
        return (window >> (32 * (2 - top))) as u64;
    }
    let dropped = window.ilog2() - 52;
    let mantissa = (window >> dropped) as u64;
    let rest = window & ((1 << dropped) - 1);
    let half = 1 << (dropped - 1);
    let below = digits[..top.saturating_sub(2)].iter().any(|&d| d != 0);
    let up = rest > half || (rest == half && (below || mantissa % 2 == 1));
    // The leading bit of the mantissa counts as one in the exponent field, and
    // so does the carry of a mantissa that rounds up to the next power of two.
    let bits = (((top_bit - 52) as u64) << 52) + mantissa + u64::from(up);
    bits.min(f64::INFINITY.to_bits())
}

impl Default for ExactSum {
    fn default() -> Self {
        ExactSum::new()
    }
}

impl PartialEq for ExactSum {
    /// Whether both are the same number (two sums that hold a NaN are compared by what they hold).
    fn eq(&self, other: &Self) -> bool {
        self.to_words() == other.to_words()
    }
}

impl From<f64> for ExactSum {
    fn from(value: f64) -> Self {
        let mut sum = ExactSum::new();
        sum.add(value);
        sum
    }
}

impl Extend<f64> for ExactSum {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.add(value));
    }
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sum = ExactSum::new();
        sum.extend(values);
        sum
    }
}

#[cfg(all(test, not(phalanx_loom)))]
mod tests;
