//! Hashing of monomials, for the index and for owners where routing is not linear.

use crate::algebra::Monomial;

/// Odd constants with no pattern: digits of pi and of the golden ratio.
const SEEDS: [u64; 4] = [
    0x243F_6A88_85A3_08D3,
    0x9E37_79B9_7F4A_7C15,
    0xA409_3822_299F_31D1,
    0xBE54_66CF_34E9_0C6D,
];

/// The finaliser of splitmix64: a bijection in which every bit of the result depends on every bit of `z`.
#[inline]
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// The next number of splitmix64: a fixed stream, so that what is drawn is the same on every machine and participant.
pub(crate) fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mix(*state)
}

/// A 64-bit hash of a monomial; every bit of it depends on every slot. The same on every machine.
#[inline]
pub(crate) fn hash<const W: usize>(monomial: &Monomial<W>) -> u64 {
    let mut state = SEEDS[3];
    for (at, word) in monomial.words().iter().enumerate() {
        // The low and the high half of a full product: position matters, since the state is carried along.
        let product = u128::from(state ^ word) * u128::from(SEEDS[at % 3] | 1);
        state = (product as u64) ^ ((product >> 64) as u64).rotate_left(23);
    }
    // A last mix, so that both halves may be used on their own.
    state ^= state >> 32;
    state = state.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    state ^ state >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Monomials of up to two slots, at two widths: no collisions among a few hundred thousand, and even loads in both halves.
    #[test]
    fn short_monomials_spread() {
        let mut all = Vec::new();
        for a in 0..256_u32 {
            for b in 0..256_u32 {
                for c in [a, b, 255 - a] {
                    all.push(Monomial::<4>::from_slots(&[a, b, c]));
                }
            }
        }
        all.sort_by_key(|m| *m.words());
        all.dedup();
        let mut hashes: Vec<u64> = all.iter().map(hash).collect();
        let (mut low, mut high) = ([0_usize; 64], [0_usize; 64]);
        for h in &hashes {
            low[(h % 64) as usize] += 1;
            high[(h >> 58) as usize] += 1;
        }
        let mean = all.len() / 64;
        assert!(
            low.iter()
                .chain(&high)
                .all(|&n| n > mean * 9 / 10 && n < mean * 11 / 10),
            "{low:?} {high:?}"
        );
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), all.len());
    }

    #[test]
    fn the_position_of_a_word_matters() {
        let words = |w| hash(&Monomial::<4>::from_words(w));
        assert_ne!(words([1, 0, 0, 0]), words([0, 1, 0, 0]));
        assert_ne!(words([2, 1, 0, 0]), words([1, 2, 0, 0]));
        assert_ne!(words([0; 4]), words([1, 1, 1, 1]));
    }
}
