//! The algebra: how monomials commute, multiply and score, in the Majorana and in the Pauli basis.
//!
//! [`Majorana`] and [`Pauli`] are two small models of one trait, [`Algebra`]. Nothing else in the engine knows which basis it runs in.

mod generator;
mod majorana;
mod monomial;
mod pauli;
#[cfg(test)]
mod tests;

pub use generator::Generator;
pub use majorana::Majorana;
pub use monomial::{Monomial, Slots};
pub use pauli::Pauli;

pub(crate) use monomial::EVEN;

/// What the engine asks of a basis.
///
/// The sign sigma of an anticommuting pair is defined by i M_k M_G = sigma M_(k xor G); it is antisymmetric: the partner's sign is the
/// opposite one.
pub trait Algebra: Copy + Send + Sync + 'static {
    /// The slots whose overlap with a monomial decides, by its parity, whether it anticommutes with `generator`
    /// (xor the parity of its length where [`odd_length_matters`](Self::odd_length_matters)).
    fn touch<const W: usize>(generator: &Monomial<W>) -> Monomial<W>;

    /// Whether monomials of odd length commute the other way round with `generator`.
    fn odd_length_matters<const W: usize>(generator: &Monomial<W>) -> bool;

    /// A mask over the monomial from which [`is_negative`](Self::is_negative) takes a part of the sign.
    fn order_mask<const W: usize>(generator: &Monomial<W>) -> Monomial<W>;

    /// Whether sigma of the pair (`monomial`, `generator`) is -1. They must anticommute; `length` is that of `monomial`.
    fn is_negative<const W: usize>(
        generator: &Generator<W>,
        monomial: &Monomial<W>,
        length: u32,
    ) -> bool;

    /// The expectation value of a monomial in the product state: +1 or -1 if it is fully paired, else 0.
    ///
    /// `occupied` has slot 2q set for each occupied mode q (each qubit in |1>).
    fn score<const W: usize>(monomial: &Monomial<W>, occupied: &Monomial<W>) -> f64;
}
