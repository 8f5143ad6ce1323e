//! `CpuMask`: a set of CPUs as 512 bytes of plain data, which ranks can exchange as they are.

use std::fmt;
use std::str::FromStr;

use crate::{MaskError, PuId, cpu_list};

/// How many CPUs a [`CpuMask`] can name: indices 0 to 4095.
pub const MASK_CPUS: u32 = 4096;

/// The size of a [`CpuMask`] as bytes.
pub const MASK_BYTES: usize = MASK_CPUS as usize / 8;

/// A set of CPUs by operating-system index, fixed at 4,096 bits.
///
/// It is plain data of a fixed size, so that the ranks of a node can gather each other's masks with one
/// all-gather of bytes ([`as_bytes`](Self::as_bytes), [`from_bytes`](Self::from_bytes)). CPU `k` is bit `k % 8`
/// of byte `k / 8`. A CPU beyond the last bit is refused, never dropped: a mask that lost CPUs on the way would
/// make two ranks look as if they did not overlap. Who cannot represent its mask sends the empty one, which
/// [`NodeMask`](crate::NodeMask) takes as unknown.
///
/// # Examples
/// ```
/// use phalanx_topology::{CpuMask, PuId};
///
/// let mask: CpuMask = "0-2,8".parse()?;
/// assert_eq!(mask.n_cpus(), 4);
/// assert!(mask.contains(PuId(8)));
/// assert_eq!(mask.to_string(), "0-2,8");
/// assert_eq!(CpuMask::from_bytes(mask.as_bytes())?, mask);
/// assert!("4096".parse::<CpuMask>().is_err());
/// # Ok::<(), phalanx_topology::MaskError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CpuMask {
    bytes: [u8; MASK_BYTES],
}

impl CpuMask {
    /// The mask without any CPU.
    pub const EMPTY: Self = Self {
        bytes: [0; MASK_BYTES],
    };

    /// The mask of these CPUs.
    ///
    /// # Errors
    /// [`MaskError::CpuOutOfRange`] names the first CPU that does not fit.
    pub fn from_pus(pus: impl IntoIterator<Item = PuId>) -> Result<Self, MaskError> {
        let mut mask = Self::EMPTY;
        for pu in pus {
            mask.insert(pu)?;
        }
        Ok(mask)
    }

    /// Adds a CPU.
    ///
    /// # Errors
    /// [`MaskError::CpuOutOfRange`] where the CPU does not fit; the mask is unchanged.
    pub fn insert(&mut self, pu: PuId) -> Result<(), MaskError> {
        let byte = self
            .bytes
            .get_mut(pu.idx() / 8)
            .ok_or(MaskError::CpuOutOfRange {
                cpu: pu.0,
                limit: MASK_CPUS,
            })?;
        *byte |= 1 << (pu.0 % 8);
        Ok(())
    }

    /// Whether the CPU is in the mask. CPUs beyond the last bit are in no mask.
    #[must_use]
    pub fn contains(&self, pu: PuId) -> bool {
        self.bytes
            .get(pu.idx() / 8)
            .is_some_and(|byte| byte & (1 << (pu.0 % 8)) != 0)
    }

    /// How many CPUs the mask holds.
    #[must_use]
    pub fn n_cpus(&self) -> usize {
        self.bytes
            .iter()
            .map(|byte| byte.count_ones() as usize)
            .sum()
    }

    /// Whether the mask holds no CPU.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.iter().all(|&byte| byte == 0)
    }

    /// Whether some CPU is in both masks.
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        self.bytes
            .iter()
            .zip(&other.bytes)
            .any(|(mine, theirs)| mine & theirs != 0)
    }

    /// The CPUs, ascending.
    pub fn iter(&self) -> impl Iterator<Item = PuId> + '_ {
        (0..MASK_CPUS).map(PuId).filter(|&pu| self.contains(pu))
    }

    /// The mask as bytes, to be sent to another process.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; MASK_BYTES] {
        &self.bytes
    }

    /// The mask back from the bytes of [`as_bytes`](Self::as_bytes). Any content is a valid mask.
    ///
    /// # Errors
    /// [`MaskError::WrongLength`] where there are not exactly [`MASK_BYTES`] of them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MaskError> {
        let bytes: [u8; MASK_BYTES] = bytes.try_into().map_err(|_| MaskError::WrongLength {
            n_bytes: bytes.len(),
            expected_bytes: MASK_BYTES,
        })?;
        Ok(Self { bytes })
    }
}

impl FromStr for CpuMask {
    type Err = MaskError;

    fn from_str(text: &str) -> Result<Self, MaskError> {
        Self::from_pus(cpu_list::parse(text)?.into_iter().map(PuId))
    }
}

impl fmt::Display for CpuMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&cpu_list::format(self.iter().map(|pu| pu.0)))
    }
}

impl fmt::Debug for CpuMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuMask({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::{CpuMask, MASK_BYTES};
    use crate::{MaskError, PuId};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_cpu_beyond_the_mask_is_refused_not_dropped() {
        let mut mask = CpuMask::EMPTY;
        mask.insert(PuId(4095)).unwrap();
        let before = mask;
        assert_eq!(
            mask.insert(PuId(4096)),
            Err(MaskError::CpuOutOfRange {
                cpu: 4096,
                limit: 4096
            })
        );
        assert_eq!(mask, before);
        assert!(!mask.contains(PuId(4096)) && !mask.contains(PuId(u32::MAX)));
        assert!(CpuMask::from_pus([PuId(0), PuId(5000)]).is_err());
    }

    #[test]
    fn bytes_of_another_length_are_refused() {
        for n_bytes in [0, 511, 513] {
            let error = CpuMask::from_bytes(&vec![0; n_bytes]).unwrap_err();
            assert_eq!(
                error,
                MaskError::WrongLength {
                    n_bytes,
                    expected_bytes: MASK_BYTES
                }
            );
        }
    }

    proptest! {
        #[test]
        fn behaves_as_a_set(
            left in proptest::collection::btree_set(0u32..4096, 0..40),
            right in proptest::collection::btree_set(0u32..4096, 0..40),
        ) {
            let of = |set: &BTreeSet<u32>| CpuMask::from_pus(set.iter().map(|&cpu| PuId(cpu))).unwrap();
            let (mask, other) = (of(&left), of(&right));
            prop_assert_eq!(mask.n_cpus(), left.len());
            prop_assert_eq!(mask.is_empty(), left.is_empty());
            prop_assert_eq!(mask.intersects(&other), !left.is_disjoint(&right));
            prop_assert_eq!(mask.iter().map(|pu| pu.0).collect::<BTreeSet<_>>(), left);
            prop_assert_eq!(mask.to_string().parse::<CpuMask>().unwrap(), mask);
            prop_assert_eq!(CpuMask::from_bytes(mask.as_bytes()).unwrap(), mask);
        }
    }
}
