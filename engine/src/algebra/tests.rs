//! The algebra against dense matrices of the Jordan-Wigner representation, exhaustively on three modes.

use super::*;

const MODES: u32 = 3;
const DIM: usize = 1 << MODES;

/// A phased permutation: column b goes to row `to[b]` with i^`power[b]`. Every monomial is one.
#[derive(Clone, PartialEq, Debug)]
struct Phased {
    to: [usize; DIM],
    power: [u32; DIM],
}

impl Phased {
    fn identity() -> Self {
        Phased {
            to: std::array::from_fn(|b| b),
            power: [0; DIM],
        }
    }

    fn x(q: u32) -> Self {
        Phased {
            to: std::array::from_fn(|b| b ^ 1 << q),
            power: [0; DIM],
        }
    }

    fn z(q: u32) -> Self {
        Phased {
            to: std::array::from_fn(|b| b),
            power: std::array::from_fn(|b| 2 * (b >> q & 1) as u32),
        }
    }

    /// `self` times `right`: right acts first.
    fn times(&self, right: &Self) -> Self {
        Phased {
            to: std::array::from_fn(|b| self.to[right.to[b]]),
            power: std::array::from_fn(|b| (right.power[b] + self.power[right.to[b]]) % 4),
        }
    }

    fn times_i(&self, n: u32) -> Self {
        Phased {
            to: self.to,
            power: self.power.map(|p| (p + n) % 4),
        }
    }

    /// Y = i X Z.
    fn y(q: u32) -> Self {
        Self::x(q).times(&Self::z(q)).times_i(1)
    }

    fn majorana(slot: u32) -> Self {
        let string = (0..slot / 2).fold(Self::identity(), |all, q| all.times(&Self::z(q)));
        string.times(&if slot.is_multiple_of(2) {
            Self::x(slot / 2)
        } else {
            Self::y(slot / 2)
        })
    }
}

trait Dense: Algebra {
    fn dense(monomial: &Monomial<1>) -> Phased;
}

impl Dense for Majorana {
    fn dense(monomial: &Monomial<1>) -> Phased {
        let w = monomial.length();
        let product = monomial.slots().fold(Phased::identity(), |all, slot| {
            all.times(&Phased::majorana(slot))
        });
        product.times_i(w * w.saturating_sub(1) / 2 % 4)
    }
}

impl Dense for Pauli {
    fn dense(monomial: &Monomial<1>) -> Phased {
        (0..MODES).fold(Phased::identity(), |all, q| {
            match monomial.words()[0] >> (2 * q) & 3 {
                0 => all,
                1 => all.times(&Phased::x(q)),
                2 => all.times(&Phased::y(q)),
                _ => all.times(&Phased::z(q)),
            }
        })
    }
}

fn all_monomials() -> impl Iterator<Item = Monomial<1>> + Clone {
    (0..1_u64 << (2 * MODES)).map(|word| Monomial::from_words([word]))
}

fn every_pair_multiplies_as_matrices_do<A: Dense>() {
    let mut negative = 0;
    for generator in all_monomials() {
        let prepared = Generator::new::<A>(generator);
        for monomial in all_monomials() {
            let (m, g) = (A::dense(&monomial), A::dense(&generator));
            let (forward, backward) = (m.times(&g), g.times(&m));
            let anticommutes = forward == backward.times_i(2);
            assert!(anticommutes || forward == backward);
            assert_eq!(
                prepared.anticommutes(&monomial),
                anticommutes,
                "{monomial:?} {generator:?}"
            );
            if anticommutes {
                let is_negative = A::is_negative(&prepared, &monomial, monomial.length());
                negative += u32::from(is_negative);
                let product =
                    A::dense(&monomial.xor(&generator)).times_i(if is_negative { 2 } else { 0 });
                assert_eq!(forward.times_i(1), product, "{monomial:?} {generator:?}");
            }
        }
    }
    assert!(negative > 0);
}

fn every_score_is_the_matrix_element<A: Dense>() {
    for monomial in all_monomials() {
        let dense = A::dense(&monomial);
        for state in 0..DIM {
            let slots: Vec<u32> = (0..MODES)
                .filter(|q| state >> q & 1 == 1)
                .map(|q| 2 * q)
                .collect();
            let value = match (dense.to[state] == state, dense.power[state]) {
                (true, 0) => 1.0,
                (true, 2) => -1.0,
                (true, _) => panic!("a Hermitian monomial with an imaginary diagonal"),
                (false, _) => 0.0,
            };
            assert_eq!(
                A::score(&monomial, &Monomial::from_slots(&slots)),
                value,
                "{monomial:?} in {state}"
            );
        }
    }
}

#[test]
fn majorana_products_and_scores() {
    every_pair_multiplies_as_matrices_do::<Majorana>();
    every_score_is_the_matrix_element::<Majorana>();
}

#[test]
fn pauli_products_and_scores() {
    every_pair_multiplies_as_matrices_do::<Pauli>();
    every_score_is_the_matrix_element::<Pauli>();
}

/// Signs do not depend on where in the words the slots are: shift a pair by whole words and across a border.
#[test]
fn signs_survive_word_borders() {
    fn check<A: Algebra>() {
        for (m, g) in [
            (0b1011_u64, 0b0110_u64),
            (0b111010, 0b010111),
            (0b110001, 0b100110),
        ] {
            let place = |bits: u64, at: u32| {
                Monomial::<3>::from_slots(
                    &(0..8)
                        .filter(|j| bits >> j & 1 == 1)
                        .map(|j| at + j)
                        .collect::<Vec<_>>(),
                )
            };
            let narrow = Generator::new::<A>(place(g, 0));
            for at in [2, 58, 60, 62, 64, 124, 126, 180] {
                let wide = Generator::new::<A>(place(g, at));
                let (here, there) = (place(m, 0), place(m, at));
                assert_eq!(narrow.anticommutes(&here), wide.anticommutes(&there));
                if narrow.anticommutes(&here) {
                    assert_eq!(
                        A::is_negative(&narrow, &here, here.length()),
                        A::is_negative(&wide, &there, there.length())
                    );
                }
            }
        }
    }
    check::<Majorana>();
    check::<Pauli>();
}
