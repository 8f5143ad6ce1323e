//! The same by matrices: build U out of exponentials, conjugate, and read the coefficients off. For a handful of modes and no truncation.

use std::collections::BTreeMap;
use std::ops::{Add, AddAssign, Mul};

use phalanx_engine::problem::{Basis, Picture, Problem};

#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex {
    re: f64,
    im: f64,
}

const ZERO: Complex = Complex { re: 0.0, im: 0.0 };
const ONE: Complex = Complex { re: 1.0, im: 0.0 };
const I: Complex = Complex { re: 0.0, im: 1.0 };

impl Complex {
    fn conj(self) -> Self {
        Complex {
            re: self.re,
            im: -self.im,
        }
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl AddAssign for Complex {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

/// A square matrix, row by row. Qubit 0 is the leftmost factor of the Kronecker product.
#[derive(Clone, Debug)]
struct Matrix {
    dim: usize,
    entries: Vec<Complex>,
}

impl Matrix {
    fn new(dim: usize, entry: impl Fn(usize, usize) -> Complex) -> Self {
        let entries = (0..dim * dim).map(|at| entry(at / dim, at % dim)).collect();
        Matrix { dim, entries }
    }

    fn identity(dim: usize) -> Self {
        Matrix::new(dim, |row, column| if row == column { ONE } else { ZERO })
    }

    fn at(&self, row: usize, column: usize) -> Complex {
        self.entries[row * self.dim + column]
    }

    fn kron(&self, other: &Matrix) -> Matrix {
        let d = other.dim;
        Matrix::new(self.dim * d, |row, column| {
            self.at(row / d, column / d) * other.at(row % d, column % d)
        })
    }

    fn times(&self, other: &Matrix) -> Matrix {
        let mut product = Matrix::new(self.dim, |_, _| ZERO);
        for row in 0..self.dim {
            for middle in 0..self.dim {
                let left = self.at(row, middle);
                if left == ZERO {
                    continue;
                }
                for column in 0..self.dim {
                    product.entries[row * self.dim + column] += left * other.at(middle, column);
                }
            }
        }
        product
    }

    fn plus(&self, factor: Complex, other: &Matrix) -> Matrix {
        Matrix::new(self.dim, |row, column| {
            self.at(row, column) + factor * other.at(row, column)
        })
    }

    fn adjoint(&self) -> Matrix {
        Matrix::new(self.dim, |row, column| self.at(column, row).conj())
    }

    fn trace(&self) -> Complex {
        (0..self.dim).map(|k| self.at(k, k)).fold(ZERO, Add::add)
    }
}

/// The 2 x 2 matrix of a letter: 0 is the identity, then X, Y, Z.
fn letter(which: u32) -> Matrix {
    let entries = match which {
        0 => [ONE, ZERO, ZERO, ONE],
        1 => [ZERO, ONE, ONE, ZERO],
        2 => [ZERO, I.conj(), I, ZERO],
        _ => [ONE, ZERO, ZERO, Complex { re: -1.0, im: 0.0 }],
    };
    Matrix {
        dim: 2,
        entries: entries.to_vec(),
    }
}

fn string(letters: impl Iterator<Item = u32>) -> Matrix {
    letters.fold(Matrix::identity(1), |left, which| left.kron(&letter(which)))
}

/// The Hermitian matrix that a slot list stands for. Majoranas by Jordan and Wigner: m_2q = Z..Z X_q, m_2q+1 = Z..Z Y_q.
fn monomial(basis: Basis, num_modes: u32, slots: &[u32]) -> Matrix {
    match basis {
        Basis::Pauli => string((0..num_modes).map(|q| {
            let has = |slot| u32::from(slots.contains(&slot));
            has(2 * q) + 2 * has(2 * q + 1)
        })),
        Basis::Majorana => {
            let mut product = Matrix::identity(1 << num_modes);
            for &slot in slots {
                let factor = string((0..num_modes).map(|q| match q.cmp(&(slot / 2)) {
                    std::cmp::Ordering::Less => 3,
                    std::cmp::Ordering::Equal => 1 + slot % 2,
                    std::cmp::Ordering::Greater => 0,
                }));
                product = product.times(&factor);
            }
            let w = slots.len();
            let phase = (0..w * w.saturating_sub(1) / 2).fold(ONE, |phase, _| phase * I);
            Matrix::new(product.dim, |row, column| phase * product.at(row, column))
        }
    }
}

/// The expectation value and the coefficients of all 4^N monomials at the end, the identity included; whatever the problem says about truncation is ignored.
///
/// Heisenberg: U^+ O U. Schroedinger: U rho U^+, where a coefficient is the expectation value of its monomial.
pub(crate) fn run(problem: &Problem) -> (f64, BTreeMap<Vec<u32>, f64>) {
    let (basis, modes) = (problem.basis(), problem.num_modes());
    let dim = 1_usize << modes;
    let matrix = |slots: &[u32]| monomial(basis, modes, slots);

    let mut step = Matrix::identity(dim);
    for gate in problem.gates() {
        for term in &gate.generator {
            let angle = problem.parameters()[gate.parameter] * term.coefficient;
            let cos = Complex {
                re: angle.cos(),
                im: 0.0,
            };
            let sin = Complex {
                re: 0.0,
                im: angle.sin(),
            };
            let none = Matrix::new(dim, |_, _| ZERO);
            let exponential = none
                .plus(cos, &Matrix::identity(dim))
                .plus(sin, &matrix(&term.slots));
            step = exponential.times(&step);
        }
    }
    let unitary = (0..problem.repeat()).fold(Matrix::identity(dim), |whole, _| step.times(&whole));

    let mut observable = Matrix::new(dim, |_, _| ZERO);
    observable = observable.plus(
        Complex {
            re: problem.core(),
            im: 0.0,
        },
        &Matrix::identity(dim),
    );
    for term in problem.observable() {
        observable = observable.plus(
            Complex {
                re: term.coefficient,
                im: 0.0,
            },
            &matrix(&term.slots),
        );
    }
    let occupied = |q| problem.initial_state().contains(&q);
    let index = (0..modes).fold(0, |index, q| 2 * index + usize::from(occupied(q)));
    let state = Matrix::new(dim, |row, column| {
        if (row, column) == (index, index) {
            ONE
        } else {
            ZERO
        }
    });

    let evolved_observable = unitary.adjoint().times(&observable).times(&unitary);
    let expectation = state.times(&evolved_observable).trace().re;
    let (evolved, scale) = match problem.picture() {
        Picture::Heisenberg => (evolved_observable, dim as f64),
        Picture::Schrodinger { .. } => (unitary.times(&state).times(&unitary.adjoint()), 1.0),
    };
    let coefficients = (0_u32..1 << (2 * modes)).map(|set| {
        let slots: Vec<u32> = (0..2 * modes).filter(|slot| set >> slot & 1 == 1).collect();
        let value = matrix(&slots).times(&evolved).trace();
        assert!(
            value.im.abs() < 1e-9,
            "coefficients of Hermitian monomials are real"
        );
        (slots, value.re / scale)
    });
    (expectation, coefficients.collect())
}
