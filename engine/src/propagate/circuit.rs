//! The circuit, prepared: each rotation with its masks, its sine and cosine, and where its partners live.

use crate::algebra::{Algebra, Generator, Monomial};
use crate::problem::{Picture, Problem};
use crate::route::Router;

/// One rotation, ready to be applied.
#[derive(Clone, Debug)]
pub(super) struct Prepared<const W: usize> {
    pub(super) generator: Generator<W>,
    /// The slots of the generator's touch mask.
    pub(super) touched: Vec<u32>,
    /// cos 2 phi.
    pub(super) cos: f64,
    /// sin 2 phi, negated in the Schroedinger picture.
    pub(super) sin: f64,
    /// What the owner of a term is xored with to give its partner's; `None` where routing is not linear.
    pub(super) shift: Option<usize>,
}

/// The rotations of one application of the circuit, in the order in which the picture walks them. Shared by the partitions of a rank.
#[derive(Clone, Debug)]
pub(super) struct Circuit<const W: usize> {
    pub(super) rotations: Vec<Prepared<W>>,
    pub(super) router: Router<W>,
}

impl<const W: usize> Circuit<W> {
    pub(super) fn new<A: Algebra>(problem: &Problem, n_owners: usize) -> Self {
        let heisenberg = problem.picture() == Picture::Heisenberg;
        let generators: Vec<Monomial<W>> = problem
            .rotations()
            .map(|r| Monomial::from_slots(r.slots))
            .collect();
        let router = Router::new(n_owners, problem.num_slots(), &generators);
        let mut rotations: Vec<Prepared<W>> = problem
            .rotations()
            .zip(&generators)
            .map(|(rotation, bits)| {
                let generator = Generator::new::<A>(*bits);
                let (sin, cos) = (2.0 * rotation.angle).sin_cos();
                Prepared {
                    touched: generator.touch().slots().collect(),
                    generator,
                    cos,
                    sin: if heisenberg { sin } else { -sin },
                    shift: router.shift(bits),
                }
            })
            .collect();
        if heisenberg {
            rotations.reverse();
        }
        Circuit { rotations, router }
    }

    /// Bytes that are allocated.
    pub(super) fn bytes(&self) -> usize {
        let touched = self
            .rotations
            .iter()
            .map(|rotation| rotation.touched.capacity());
        self.rotations.capacity() * size_of::<Prepared<W>>()
            + touched.sum::<usize>() * size_of::<u32>()
            + size_of::<Self>()
    }
}
