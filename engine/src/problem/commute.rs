//! Do the terms of a generator commute pairwise?
//!
//! "M and K anticommute" is a bilinear form over GF(2) in both bases, so a set commutes pairwise exactly if each of its elements commutes with
//! a basis of the span of the earlier ones. Such a basis has at most N + 1 elements, which keeps the check linear in the number of terms: a generator of
//! twenty thousand terms is usual (all pairs of qubits), and comparing all its pairs would take seconds.

use super::{Basis, Term};

/// The first pair of terms, by index, that does not commute; the later index is the smallest possible.
pub(super) fn first_clash(basis: Basis, num_modes: u32, terms: &[Term]) -> Option<(usize, usize)> {
    let mut span = Span::new(basis, num_modes);
    for (later, term) in terms.iter().enumerate() {
        if !span.commutes_with_all(&term.slots) {
            let earlier = terms[..later]
                .iter()
                .position(|other| anticommute(basis, &other.slots, &term.slots))
                .unwrap_or(later);
            return Some((earlier, later));
        }
        span.insert(&term.slots);
    }
    None
}

/// Whether two monomials anticommute. Both slot lists are strictly ascending.
///
/// Majorana: |a| |b| + |a and b| is odd. Pauli: the number of qubits on which both act with different letters is odd.
pub(super) fn anticommute(basis: Basis, a: &[u32], b: &[u32]) -> bool {
    match basis {
        Basis::Majorana => {
            let overlap = b
                .iter()
                .filter(|slot| a.binary_search(slot).is_ok())
                .count();
            (a.len() * b.len() + overlap) % 2 == 1
        }
        Basis::Pauli => {
            let swapped = b
                .iter()
                .filter(|&&slot| a.binary_search(&(slot ^ 1)).is_ok());
            swapped.count() % 2 == 1
        }
    }
}

/// A basis, in echelon form, of the span of the monomials seen so far.
struct Span {
    basis: Basis,
    words: usize,
    rows: Vec<Row>,
}

struct Row {
    pivot: u32,
    bits: Vec<u64>,
}

impl Span {
    fn new(basis: Basis, num_modes: u32) -> Self {
        Span {
            basis,
            words: (2 * num_modes as usize).div_ceil(64),
            rows: Vec::new(),
        }
    }

    fn commutes_with_all(&self, slots: &[u32]) -> bool {
        // The bits that a row must overlap in to anticommute: in the Pauli basis the other letter of the qubit.
        let flip = u32::from(self.basis == Basis::Pauli);
        self.rows.iter().all(|row| {
            let overlap = slots.iter().filter(|&&slot| row.has(slot ^ flip)).count();
            let lengths = match self.basis {
                Basis::Majorana => slots.len() * row.len(),
                Basis::Pauli => 0,
            };
            (lengths + overlap) % 2 == 0
        })
    }

    fn insert(&mut self, slots: &[u32]) {
        let mut bits = vec![0_u64; self.words];
        for &slot in slots {
            bits[slot as usize / 64] |= 1 << (slot % 64);
        }
        let mut rest = Row { pivot: 0, bits };
        for row in &self.rows {
            if rest.has(row.pivot) {
                for (word, other) in rest.bits.iter_mut().zip(&row.bits) {
                    *word ^= other;
                }
            }
        }
        let pivot = (0..).zip(&rest.bits).find(|(_, word)| **word != 0);
        if let Some((word, bits)) = pivot {
            rest.pivot = 64 * word + bits.trailing_zeros();
            self.rows.push(rest);
        }
    }
}

impl Row {
    fn has(&self, slot: u32) -> bool {
        self.bits[slot as usize / 64] >> (slot % 64) & 1 == 1
    }

    fn len(&self) -> usize {
        self.bits
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slots(num_modes: u32) -> impl Strategy<Value = Vec<u32>> {
        proptest::collection::btree_set(0..2 * num_modes, 0..6)
            .prop_map(|set| set.into_iter().collect())
    }

    proptest! {
        /// Comparing every pair is the oracle. Few modes, so that both outcomes are common.
        #[test]
        fn the_span_finds_what_all_pairs_find(
            pauli in any::<bool>(),
            lists in proptest::collection::vec(slots(4), 0..7),
        ) {
            let basis = if pauli { Basis::Pauli } else { Basis::Majorana };
            let terms: Vec<Term> = lists.into_iter().map(|slots| Term::new(slots, 1.0)).collect();
            let mut expected = None;
            'pairs: for later in 0..terms.len() {
                for earlier in 0..later {
                    if anticommute(basis, &terms[earlier].slots, &terms[later].slots) {
                        expected = Some((earlier, later));
                        break 'pairs;
                    }
                }
            }
            prop_assert_eq!(first_clash(basis, 4, &terms), expected);
        }
    }

    #[test]
    fn letters_on_one_qubit_clash_and_on_two_do_not() {
        let clash = |basis, a: &[u32], b: &[u32]| {
            first_clash(basis, 2, &[Term::new(a, 1.0), Term::new(b, 1.0)])
        };
        assert_eq!(clash(Basis::Pauli, &[0], &[0, 1]), Some((0, 1)));
        assert_eq!(clash(Basis::Pauli, &[0, 2], &[0, 1, 2, 3]), None);
        assert_eq!(clash(Basis::Majorana, &[0], &[1]), Some((0, 1)));
        assert_eq!(clash(Basis::Majorana, &[0, 1], &[2, 3]), None);
    }
}
