//! Monomials of the oracle and their algebra: who anticommutes, and with which sign they multiply.

use phalanx_engine::problem::Basis;

/// A monomial: bit j % 64 of word j / 64 is slot j.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(pub(super) Vec<u64>);

impl Key {
    pub(crate) fn new(num_modes: u32, slots: &[u32]) -> Self {
        let mut words = vec![0; (2 * num_modes as usize).div_ceil(64)];
        for &slot in slots {
            words[slot as usize / 64] |= 1 << (slot % 64);
        }
        Key(words)
    }

    pub(crate) fn slots(&self) -> Vec<u32> {
        (0..64 * self.0.len() as u32)
            .filter(|&slot| self.has(slot))
            .collect()
    }

    fn has(&self, slot: u32) -> bool {
        self.0[slot as usize / 64] >> (slot % 64) & 1 == 1
    }

    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(super) fn overlap(&self, other: &Key) -> u32 {
        self.0
            .iter()
            .zip(&other.0)
            .map(|(a, b)| (a & b).count_ones())
            .sum()
    }

    pub(super) fn product(&self, other: &Key) -> Key {
        Key(self.0.iter().zip(&other.0).map(|(a, b)| a ^ b).collect())
    }

    /// The letter on each qubit or mode, as two bits: the even slot is the low one.
    fn letters(&self) -> impl Iterator<Item = u32> {
        (0..32 * self.0.len() as u32)
            .map(|q| u32::from(self.has(2 * q)) | u32::from(self.has(2 * q + 1)) << 1)
    }

    /// Each word as its even slots and its odd slots, both at even bits.
    fn halves(&self) -> impl Iterator<Item = (u64, u64)> {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        self.0.iter().map(|word| (word & EVEN, word >> 1 & EVEN))
    }

    pub(super) fn is_paired(&self) -> bool {
        self.halves().all(|(even, odd)| even == odd)
    }

    pub(super) fn support(&self) -> u32 {
        self.halves()
            .map(|(even, odd)| (even | odd).count_ones())
            .sum()
    }
}

/// Whether two monomials anticommute.
pub(crate) fn anticommute(basis: Basis, a: &Key, b: &Key) -> bool {
    match basis {
        Basis::Majorana => (a.len() * b.len() + a.overlap(b)) % 2 == 1,
        // Letters clash where both act and differ: where the even slot of one meets the odd slot of the other, but not both ways at once.
        Basis::Pauli => {
            let clashes = a
                .halves()
                .zip(b.halves())
                .map(|((x, y), (u, v))| (x & v ^ y & u).count_ones());
            clashes.sum::<u32>() % 2 == 1
        }
    }
}

/// The exponent e of M_a M_b = i^e M_(a xor b).
fn product_exponent(basis: Basis, a: &Key, b: &Key) -> u32 {
    match basis {
        Basis::Majorana => {
            // Bring m_b's factors past the larger ones of a; equal ones square to 1. Then the powers of i that make monomials Hermitian.
            let b_slots = b.slots();
            let swaps: usize = a
                .slots()
                .iter()
                .map(|x| b_slots.iter().filter(|y| *y < x).count())
                .sum();
            let hermitian = |len: u32| len * len.saturating_sub(1) / 2;
            let product = hermitian(a.product(b).len()) % 4;
            (2 * swaps as u32 + hermitian(a.len()) + hermitian(b.len()) + 4 - product) % 4
        }
        Basis::Pauli => {
            // XY = iZ, YZ = iX, ZX = iY with X = 1, Y = 2, Z = 3; the other order gives -i.
            let exponent = |(x, y)| match (x, y) {
                (1, 2) | (2, 3) | (3, 1) => 1,
                (2, 1) | (3, 2) | (1, 3) => 3,
                _ => 0,
            };
            a.letters().zip(b.letters()).map(exponent).sum::<u32>() % 4
        }
    }
}

/// The sign sigma of i M_a M_b = sigma M_(a xor b), for an anticommuting pair.
pub(super) fn sigma(basis: Basis, a: &Key, b: &Key) -> f64 {
    match (1 + product_exponent(basis, a, b)) % 4 {
        0 => 1.0,
        2 => -1.0,
        odd => panic!("an anticommuting pair with i^{odd}"),
    }
}
