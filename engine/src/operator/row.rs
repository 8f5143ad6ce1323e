//! Rows: how a monomial is stored in a fixed number of bytes.

use crate::algebra::Monomial;

/// How all rows of an operator are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowFormat {
    /// The bits of the slot set, lowest first, in `bytes` bytes.
    Packed {
        /// ceil(slots / 8).
        bytes: usize,
    },
    /// One byte with the length, then the slots ascending in a byte each. A longer monomial has the length byte [`LONG`] and
    /// four bytes that say which entry of the operator's side list it is.
    Slots {
        /// The most slots in a row.
        capacity: usize,
    },
}

/// The length byte of a row whose monomial is kept in the side list.
const LONG: u8 = u8::MAX;
/// Bytes after the last row of a buffer, so that a packed row can be read in whole words.
pub(crate) const SLACK: usize = 8;

/// What a row holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Row<const W: usize> {
    /// The monomial itself.
    Here(Monomial<W>),
    /// The number of its entry in the side list.
    Long(u32),
}

impl RowFormat {
    /// The shorter layout for monomials over `n_slots` slots of which those that are kept have at most `longest`.
    ///
    /// Exceptions (initial terms, fully paired ones) may be longer, but must be rare: they cost a side entry each.
    pub(crate) fn choose(n_slots: usize, longest: usize) -> Self {
        let packed = RowFormat::Packed {
            bytes: n_slots.div_ceil(8).max(1),
        };
        // A length byte and four more hold the number of a side entry.
        let slots = RowFormat::Slots {
            capacity: longest.max(4),
        };
        if n_slots <= 256 && longest < usize::from(LONG) && slots.stride() < packed.stride() {
            slots
        } else {
            packed
        }
    }

    /// Bytes per row.
    #[inline]
    pub(crate) fn stride(self) -> usize {
        match self {
            RowFormat::Packed { bytes } => bytes,
            RowFormat::Slots { capacity } => 1 + capacity,
        }
    }

    /// Writes `monomial` into `row`, one row long; `false` if it is too long for one, and `row` is untouched.
    #[inline]
    pub(crate) fn encode<const W: usize>(
        self,
        monomial: &Monomial<W>,
        length: u32,
        row: &mut [u8],
    ) -> bool {
        match self {
            RowFormat::Packed { bytes } => {
                for (eight, word) in row[..bytes].chunks_mut(8).zip(monomial.words()) {
                    eight.copy_from_slice(&word.to_le_bytes()[..eight.len()]);
                }
            }
            RowFormat::Slots { capacity } => {
                if length as usize > capacity {
                    return false;
                }
                // At most capacity < 255, and slots are below 256.
                row[0] = length as u8;
                for (byte, slot) in row[1..].iter_mut().zip(monomial.slots()) {
                    *byte = slot as u8;
                }
            }
        }
        true
    }

    /// Writes a reference to entry `at` of the side list into `row`.
    pub(crate) fn encode_long(self, at: u32, row: &mut [u8]) {
        row[0] = LONG;
        row[1..5].copy_from_slice(&at.to_le_bytes());
    }

    /// The slots that a row lists; `None` if its monomial is in the side list, or its bits are packed.
    #[inline]
    pub(crate) fn listed(self, row: &[u8]) -> Option<&[u8]> {
        let listed = matches!(self, RowFormat::Slots { .. }) && row[0] != LONG;
        listed.then(|| &row[1..=usize::from(row[0])])
    }

    /// Whether a row's monomial is in the side list.
    #[inline]
    pub(crate) fn is_long(self, row: &[u8]) -> bool {
        matches!(self, RowFormat::Slots { .. }) && row[0] == LONG
    }

    /// Reads row number `index` of a buffer that ends with [`SLACK`] bytes.
    #[inline]
    pub(crate) fn decode<const W: usize>(self, buffer: &[u8], index: usize) -> Row<W> {
        let mut words = [0_u64; W];
        match self {
            RowFormat::Packed { bytes } => {
                let row = &buffer[index * bytes..index * bytes + bytes + SLACK];
                let mut left = bytes;
                for (word, at) in words.iter_mut().zip((0..bytes).step_by(8)) {
                    // Eight bytes from `at` < bytes stay within bytes + SLACK.
                    *word = row[at..]
                        .first_chunk()
                        .map_or(0, |eight| u64::from_le_bytes(*eight));
                    if left < 8 {
                        *word &= u64::MAX >> (64 - 8 * left);
                    }
                    left = left.saturating_sub(8);
                }
            }
            RowFormat::Slots { capacity } => {
                let row = &buffer[index * (capacity + 1)..(index + 1) * (capacity + 1)];
                if row[0] == LONG {
                    return Row::Long(u32::from_le_bytes([row[1], row[2], row[3], row[4]]));
                }
                for &slot in &row[1..=usize::from(row[0])] {
                    words[usize::from(slot) / 64 % W] |= 1 << (slot % 64);
                }
            }
        }
        Row::Here(Monomial::from_words(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_shorter_layout_is_chosen() {
        assert_eq!(RowFormat::choose(240, 6), RowFormat::Slots { capacity: 6 });
        assert_eq!(
            RowFormat::choose(240, 20),
            RowFormat::Slots { capacity: 20 }
        );
        assert_eq!(RowFormat::choose(240, 40), RowFormat::Packed { bytes: 30 });
        assert_eq!(
            RowFormat::choose(72, usize::MAX >> 1),
            RowFormat::Packed { bytes: 9 }
        );
        assert_eq!(
            RowFormat::choose(8192, 6),
            RowFormat::Packed { bytes: 1024 }
        );
        assert_eq!(RowFormat::choose(240, 0), RowFormat::Slots { capacity: 4 });
    }

    #[test]
    fn a_side_entry_round_trips() {
        let format = RowFormat::Slots { capacity: 4 };
        let mut buffer = vec![0; 10 + SLACK];
        format.encode_long(70_000, &mut buffer[5..10]);
        assert_eq!(format.decode::<4>(&buffer, 1), Row::Long(70_000));
        let long = Monomial::<4>::from_slots(&[1, 2, 3, 4, 5]);
        assert!(!format.encode(&long, 5, &mut buffer[..5]));
    }

    proptest! {
        #[test]
        fn rows_round_trip(n_slots in 1_usize..257, longest in 0_usize..300,
                           raw in proptest::collection::vec(proptest::collection::vec(0_usize..256, 0..12), 1..6)) {
            let format = RowFormat::choose(n_slots, longest);
            let stride = format.stride();
            let mut buffer = vec![0xA5; raw.len() * stride + SLACK];
            let monomials: Vec<Monomial<4>> = raw.iter()
                .map(|slots| Monomial::from_slots(&slots.iter().map(|s| (s % n_slots) as u32).collect::<Vec<_>>())).collect();
            let written: Vec<bool> = monomials.iter().enumerate()
                .map(|(at, m)| format.encode(m, m.length(), &mut buffer[at * stride..(at + 1) * stride])).collect();
            for (at, monomial) in monomials.iter().enumerate() {
                if written[at] {
                    prop_assert_eq!(format.decode::<4>(&buffer, at), Row::Here(*monomial));
                } else {
                    prop_assert!(monomial.length() as usize > longest);
                }
            }
        }
    }
}
