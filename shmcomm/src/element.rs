//! What may travel: plain-data elements, and the numbers that can be summed.

use bytemuck::Pod;

/// Plain data that a verb may copy between threads and processes.
///
/// Implemented for every [`bytemuck::Pod`] type that is `Send + Sync`; derive
/// `Pod` and `Zeroable` for records of your own. `Pod` is what lets a rank in
/// another process read the bytes, and what rules out a `Clone` or `Drop` of
/// yours running while a peer's memory is on loan.
pub trait Element: Pod + Send + Sync {}

impl<T: Pod + Send + Sync> Element for T {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u64 {}
    impl Sealed for f64 {}
}

/// A number that [`allreduce_sum`](crate::Communicator::allreduce_sum) adds up: `u64` or `f64`.
pub trait Summable: Element + sealed::Sealed {
    /// The sum of nothing.
    const ZERO: Self;

    /// The number in 64 bits, as it travels.
    fn to_bits(self) -> u64;

    /// The number that travelled as these bits.
    fn from_bits(bits: u64) -> Self;

    /// `self + other`, or `None` where the sum of integers does not fit.
    fn checked_sum(self, other: Self) -> Option<Self>;
}

impl Summable for u64 {
    const ZERO: Self = 0;

    fn to_bits(self) -> u64 {
        self
    }

    fn from_bits(bits: u64) -> Self {
        bits
    }

    fn checked_sum(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }
}

impl Summable for f64 {
    const ZERO: Self = 0.0;

    fn to_bits(self) -> u64 {
        f64::to_bits(self)
    }

    fn from_bits(bits: u64) -> Self {
        f64::from_bits(bits)
    }

    fn checked_sum(self, other: Self) -> Option<Self> {
        Some(self + other)
    }
}
