//! A bucket: the terms of some cosets of a window's span, worked on in cache.
//!
//! Terms are held as whole monomials beside bit columns of the slots that the window touches. No gate of the window leads out of the
//! bucket, so all of them run here, in circuit order, with truncation after each.

use super::table::Table;
use crate::algebra::{Algebra, Monomial};
use crate::operator::kernels::{keep_emitting, scale, transpose, xor_into};
use crate::propagate::counts::Counts;
use crate::propagate::rule::Gate;

/// A gate of the window, with the numbers of the columns that it adds up.
pub(super) struct Step<'a, const W: usize> {
    pub(super) gate: Gate<'a, W>,
    pub(super) columns: Vec<u16>,
    /// The fingerprint of its generator.
    pub(super) print: u32,
}

/// What the columns of a window are: one for each touched slot, and one for odd lengths if a generator is odd.
#[derive(Clone, Debug)]
pub(super) struct Layout<const W: usize> {
    /// The slots that have a column.
    touched: Monomial<W>,
    /// Their column numbers.
    of_slot: Vec<u16>,
    /// The column of odd lengths.
    odd: Option<u16>,
    n_columns: usize,
}

impl<const W: usize> Layout<W> {
    /// The columns for terms over `n_slots` slots that gates touch at `touched`.
    pub(super) fn new(n_slots: u32, touched: Monomial<W>, odd: bool) -> Self {
        let mut of_slot = vec![0; n_slots as usize];
        let mut n_columns = 0;
        for slot in touched.slots() {
            of_slot[slot as usize] = n_columns;
            n_columns += 1;
        }
        Layout {
            touched,
            of_slot,
            odd: odd.then_some(n_columns),
            n_columns: usize::from(n_columns) + usize::from(odd),
        }
    }

    /// The columns that a gate adds up.
    pub(super) fn columns(&self, touched: &[u32], odd_rows: bool) -> Vec<u16> {
        let columns = touched.iter().map(|&slot| self.of_slot[slot as usize]);
        columns.chain(self.odd.filter(|_| odd_rows)).collect()
    }
}

/// The working set. It is used for one bucket after the other and keeps its room.
#[derive(Debug)]
pub(super) struct Bucket<const W: usize> {
    monomials: Vec<Monomial<W>>,
    coefficients: Vec<f64>,
    /// The fingerprint of each monomial.
    prints: Vec<u32>,
    /// Column after column, each of `height` words.
    columns: Vec<u64>,
    height: usize,
    table: Table,
    events: Vec<u64>,
    emitting: Vec<u64>,
}

impl<const W: usize> Bucket<W> {
    pub(super) fn new() -> Self {
        Bucket {
            monomials: Vec::new(),
            coefficients: Vec::new(),
            prints: Vec::new(),
            columns: Vec::new(),
            height: 0,
            table: Table::new(),
            events: Vec::new(),
            emitting: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.monomials.len()
    }

    /// Empties the bucket for `n` terms under a layout.
    pub(super) fn reset(&mut self, layout: &Layout<W>, n: usize) {
        self.monomials.clear();
        self.coefficients.clear();
        self.prints.clear();
        self.table.clear();
        self.height = (n + n / 4).div_ceil(64).next_multiple_of(8);
        self.columns.clear();
        self.columns.resize(layout.n_columns * self.height, 0);
    }

    /// Appends a term to a bucket that is being filled; [`fill_columns`](Self::fill_columns) ends that.
    #[inline(always)]
    pub(super) fn load(&mut self, monomial: Monomial<W>, print: u32, coefficient: f64) {
        self.monomials.push(monomial);
        self.prints.push(print);
        self.coefficients.push(coefficient);
    }

    /// Makes the columns of all that was loaded.
    #[inline(always)]
    pub(super) fn fill_columns(&mut self, layout: &Layout<W>) {
        for (at, rows) in self.monomials.chunks(64).enumerate() {
            for word in 0..W {
                let touched = layout.touched.words()[word];
                if touched == 0 {
                    continue;
                }
                let mut square = [0; 64];
                for (row, monomial) in square.iter_mut().zip(rows) {
                    *row = monomial.words()[word];
                }
                transpose(&mut square);
                // The columns of a word's touched slots follow one another.
                let first =
                    usize::from(layout.of_slot[64 * word + touched.trailing_zeros() as usize]);
                let mut rest = touched;
                for column in first.. {
                    if rest == 0 {
                        break;
                    }
                    self.columns[column * self.height + at] =
                        square[rest.trailing_zeros() as usize];
                    rest &= rest - 1;
                }
            }
            if let Some(column) = layout.odd {
                let odd = rows.iter().zip(0..).fold(0, |odd, (monomial, row)| {
                    odd | u64::from(monomial.length() % 2) << row
                });
                self.columns[usize::from(column) * self.height + at] = odd;
            }
        }
    }

    /// Appends a term that a gate made.
    #[inline(always)]
    fn push(&mut self, layout: &Layout<W>, monomial: &Monomial<W>, print: u32, coefficient: f64) {
        let row = self.monomials.len();
        if row == 64 * self.height {
            self.grow(layout);
        }
        self.load(*monomial, print, coefficient);
        let (word, bit) = (row / 64, 1 << (row % 64));
        for slot in monomial.and(&layout.touched).slots() {
            let column = usize::from(layout.of_slot[slot as usize]);
            self.columns[column * self.height + word] |= bit;
        }
        if let Some(column) = layout.odd
            && monomial.length() % 2 == 1
        {
            self.columns[usize::from(column) * self.height + word] |= bit;
        }
    }

    #[cold]
    fn grow(&mut self, layout: &Layout<W>) {
        let height = (self.height + self.height / 2 + 1).next_multiple_of(8);
        let mut columns = vec![0; layout.n_columns * height];
        if self.height > 0 {
            let old = self.columns.chunks_exact(self.height);
            for (new, old) in columns.chunks_exact_mut(height).zip(old) {
                new[..self.height].copy_from_slice(old);
            }
        }
        (self.columns, self.height) = (columns, height);
    }

    /// The terms, in the order of rows.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&Monomial<W>, f64)> {
        self.monomials.iter().zip(self.coefficients.iter().copied())
    }

    /// Applies one gate. `begin` gives the coefficient with which a term that was never there begins.
    #[inline(always)]
    pub(super) fn apply<A: Algebra>(
        &mut self,
        step: &Step<'_, W>,
        layout: &Layout<W>,
        begin: impl Fn(&Monomial<W>) -> f64,
        counts: &mut Counts,
    ) {
        let gate = &step.gate;
        if !self.find_events(step) {
            return;
        }
        let n_words = self.events.len();
        self.emitting.clear();
        self.emitting.extend_from_slice(&self.events);
        if let Some(lower) = gate.predicate.lower() {
            let sin = gate.rotation.sin.abs();
            keep_emitting(&mut self.emitting, &self.coefficients, sin, lower);
        }
        counts.events += self
            .events
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum::<u64>();
        for at in 0..n_words {
            while self.emitting[at] != 0 {
                let row = 64 * at + self.emitting[at].trailing_zeros() as usize;
                self.emitting[at] &= self.emitting[at] - 1;
                self.emit::<A>(step, layout, &begin, row, counts);
            }
        }
        let n = self.coefficients.len().min(64 * n_words);
        scale(&self.events, &mut self.coefficients[..n], gate.rotation.cos);
    }

    /// Finds the rows that the gate scales; `false` if there is none.
    #[inline(always)]
    fn find_events(&mut self, step: &Step<'_, W>) -> bool {
        let n_words = self.monomials.len().div_ceil(64);
        self.events.clear();
        self.events.resize(n_words, 0);
        for &column in &step.columns {
            let begin = usize::from(column) * self.height;
            xor_into(&mut self.events, &self.columns[begin..begin + n_words]);
        }
        if let Some(cap) = step.gate.predicate.cap() {
            for (at, word) in self.events.iter_mut().enumerate() {
                let mut rest = *word;
                while rest != 0 {
                    let bit = rest.trailing_zeros();
                    if self.monomials[64 * at + bit as usize].length() > cap {
                        *word &= !(1 << bit);
                    }
                    rest &= rest - 1;
                }
            }
        }
        self.events.iter().any(|word| *word != 0)
    }

    /// Turns a source and its partner, or makes the partner.
    #[inline(always)]
    fn emit<A: Algebra>(
        &mut self,
        step: &Step<'_, W>,
        layout: &Layout<W>,
        begin: &impl Fn(&Monomial<W>) -> f64,
        row: usize,
        counts: &mut Counts,
    ) {
        let gate = &step.gate;
        let (monomial, coefficient) = (self.monomials[row], self.coefficients[row]);
        let Some(emission) = gate.emission::<A>(&monomial, coefficient) else {
            return;
        };
        counts.lookups += 1;
        let (cos, gain) = (gate.rotation.cos, gate.turn(coefficient, emission.negative));
        self.events[row / 64] &= !(1 << (row % 64));
        let print = self.prints[row] ^ step.print;
        let found = self
            .table
            .find(&self.monomials, &self.prints, &emission.partner, print);
        let before = match found {
            Some(partner) => {
                let (word, bit) = (partner / 64, 1 << (partner % 64));
                let before = self.coefficients[partner];
                // A partner beyond the length cap is no event: it is turned without being scaled.
                let kept = if self.events[word] & bit != 0 {
                    cos * before
                } else {
                    before
                };
                self.coefficients[partner] = kept + gain;
                self.events[word] &= !bit;
                self.emitting[word] &= !bit;
                before
            }
            None => {
                let before = begin(&emission.partner);
                self.push(layout, &emission.partner, print, cos * before + gain);
                self.table.insert(&self.prints);
                before
            }
        };
        self.coefficients[row] = cos * coefficient - gate.turn(before, emission.negative);
    }
}
