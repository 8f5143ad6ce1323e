//! Monomials: sets of slots, as words of bits.

/// The bits of the even slots of a word: one for each mode.
pub(crate) const EVEN: u64 = 0x5555_5555_5555_5555;

/// A monomial over at most 64 W slots: bit j of the whole is slot j, lowest word first.
///
/// Words beyond the problem's slots are zero. Modes own the slots 2q and 2q+1, which never straddle two words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Monomial<const W: usize>([u64; W]);

impl<const W: usize> Monomial<W> {
    /// The identity: no slot set.
    pub const IDENTITY: Self = Monomial([0; W]);

    /// A monomial from its words, lowest first.
    #[inline]
    pub const fn from_words(words: [u64; W]) -> Self {
        Monomial(words)
    }

    /// The monomial of these slots; one named twice counts once.
    ///
    /// # Panics
    /// If a slot is at or beyond 64 W.
    pub fn from_slots(slots: &[u32]) -> Self {
        let mut words = [0; W];
        for &slot in slots {
            words[slot as usize / 64] |= 1 << (slot % 64);
        }
        Monomial(words)
    }

    /// The words, lowest first.
    #[inline]
    pub const fn words(&self) -> &[u64; W] {
        &self.0
    }

    /// Whether no slot is set.
    pub fn is_identity(&self) -> bool {
        self.0 == [0; W]
    }

    /// The symmetric difference: the monomial of the product, up to a phase.
    #[inline(always)]
    pub fn xor(&self, other: &Self) -> Self {
        let mut words = self.0;
        for (word, theirs) in words.iter_mut().zip(&other.0) {
            *word ^= theirs;
        }
        Monomial(words)
    }

    /// The slots that are set in both.
    #[inline(always)]
    pub fn and(&self, other: &Self) -> Self {
        let mut words = self.0;
        for (word, theirs) in words.iter_mut().zip(&other.0) {
            *word &= theirs;
        }
        Monomial(words)
    }

    /// The slots that are set in either.
    pub fn or(&self, other: &Self) -> Self {
        let mut words = self.0;
        for (word, theirs) in words.iter_mut().zip(&other.0) {
            *word |= theirs;
        }
        Monomial(words)
    }

    /// Whether an odd number of slots is set in both.
    #[inline(always)]
    pub fn overlaps_oddly(&self, other: &Self) -> bool {
        let common = self.0.iter().zip(&other.0);
        common
            .fold(0, |all, (mine, theirs)| all ^ (mine & theirs))
            .count_ones()
            & 1
            == 1
    }

    /// How many slots are set in both.
    #[inline(always)]
    pub fn overlap(&self, other: &Self) -> u32 {
        let common = self.0.iter().zip(&other.0);
        common
            .map(|(mine, theirs)| (mine & theirs).count_ones())
            .sum()
    }

    /// The length: how many slots are set.
    #[inline(always)]
    pub fn length(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The support: how many modes have a slot set. In the Pauli basis this is the Pauli weight.
    #[inline(always)]
    pub fn support(&self) -> u32 {
        let touched = self.0.iter().map(|word| (word | word >> 1) & EVEN);
        touched.map(u64::count_ones).sum()
    }

    /// Whether each mode has both of its slots set or none (in the Pauli basis: only Z and I).
    #[inline(always)]
    pub fn is_fully_paired(&self) -> bool {
        self.0
            .iter()
            .fold(0, |all, word| all | ((word ^ word >> 1) & EVEN))
            == 0
    }

    /// The monomial with the two slots of each mode exchanged.
    pub fn with_pairs_swapped(&self) -> Self {
        Monomial(self.0.map(|word| (word & EVEN) << 1 | (word >> 1) & EVEN))
    }

    /// The slots that are set, ascending.
    #[inline(always)]
    pub fn slots(&self) -> Slots<'_, W> {
        Slots {
            words: &self.0,
            at: 0,
            rest: self.0.first().copied().unwrap_or(0),
        }
    }
}

/// The slots of a monomial, ascending. Made by [`Monomial::slots`].
#[derive(Clone, Debug)]
pub struct Slots<'a, const W: usize> {
    words: &'a [u64; W],
    at: usize,
    /// What is left of word `at`.
    rest: u64,
}

impl<const W: usize> Iterator for Slots<'_, W> {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        while self.rest == 0 {
            self.at += 1;
            self.rest = *self.words.get(self.at)?;
        }
        let slot = 64 * self.at as u32 + self.rest.trailing_zeros();
        self.rest &= self.rest - 1;
        Some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_lowest_first_and_pairs_never_straddle() {
        let monomial = Monomial::<2>::from_slots(&[0, 63, 64, 127]);
        assert_eq!(monomial.words(), &[1 | 1 << 63, 1 | 1 << 63]);
        assert_eq!(monomial.support(), 4);
        assert!(Monomial::<2>::from_slots(&[62, 63, 64, 65]).is_fully_paired());
        assert!(!Monomial::<2>::from_slots(&[63, 64]).is_fully_paired());
        assert!(Monomial::<2>::IDENTITY.is_fully_paired());
    }

    proptest! {
        #[test]
        fn measures_agree_with_slot_lists(a in proptest::collection::btree_set(0_u32..192, 0..40),
                                          b in proptest::collection::btree_set(0_u32..192, 0..40)) {
            let list = |set: &std::collections::BTreeSet<u32>| set.iter().copied().collect::<Vec<_>>();
            let (x, y) = (Monomial::<3>::from_slots(&list(&a)), Monomial::<3>::from_slots(&list(&b)));
            prop_assert_eq!(x.slots().collect::<Vec<_>>(), list(&a));
            prop_assert_eq!(x.length() as usize, a.len());
            let modes = a.iter().map(|slot| slot / 2).collect::<std::collections::BTreeSet<_>>();
            prop_assert_eq!(x.support() as usize, modes.len());
            prop_assert_eq!(x.is_fully_paired(), a.len() == 2 * modes.len());
            let common = a.intersection(&b).count();
            prop_assert_eq!(x.overlap(&y) as usize, common);
            prop_assert_eq!(x.overlaps_oddly(&y), common % 2 == 1);
            prop_assert_eq!(x.xor(&y).slots().collect::<Vec<_>>(), a.symmetric_difference(&b).copied().collect::<Vec<_>>());
            let swapped = x.with_pairs_swapped().slots().collect::<std::collections::BTreeSet<_>>();
            prop_assert_eq!(swapped, a.iter().map(|slot| slot ^ 1).collect());
        }
    }
}
