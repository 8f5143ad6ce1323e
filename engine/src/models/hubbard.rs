//! The 1D Fermi-Hubbard chain.

use super::ModelError;
use super::error::{finite, in_range};
use crate::problem::{Basis, MAX_MODES, Measure, Problem, ProblemBuilder, Truncation};

/// Trotter steps of the 1D Fermi-Hubbard chain with open ends, from a Neel state, observing the density of one site with spin up.
///
/// H = -t sum (c^+_l c_r + h.c.) + U sum n_up n_down. Site s with spin up is mode 2s, with spin down mode 2s + 1. One step is exp(+i dt h) for each piece h of H in
/// turn: the bonds of each spin, then the sites. Each piece has a parameter of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Hubbard {
    /// The number of sites, 1 to 2048.
    pub sites: u32,
    /// t
    pub hopping: f64,
    /// U
    pub interaction: f64,
    /// The angle of every gate.
    pub dt: f64,
    /// The number of steps.
    pub steps: u64,
    /// The order of the bonds in a step.
    pub order: HubbardOrder,
    /// Which sites start with which spin.
    pub neel: Neel,
    /// The site whose spin-up density is observed.
    pub observed_site: u32,
    /// What a run may drop.
    pub truncation: Option<Truncation>,
}

/// The order of the hopping gates in one step of [`Hubbard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HubbardOrder {
    /// From left to right, both spins of a bond one after the other.
    BondByBond,
    /// First spin up, then spin down; of each the bonds that start at even sites, then the others.
    Bricklayer,
}

/// The two Neel states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neel {
    /// Spin up on even sites, down on odd ones.
    UpOnEven,
    /// Spin down on even sites, up on odd ones.
    DownOnEven,
}

impl Hubbard {
    /// The attractive chain of a published run at 60 sites: t = 1, U = -2, dt = 0.2, 29 steps bond by bond, monomials of up to 6 slots, lower threshold 1e-4.
    /// Observes site 46 of 60, and of other lengths the one as far along.
    pub fn chain(sites: u32) -> Self {
        Hubbard {
            sites,
            hopping: 1.0,
            interaction: -2.0,
            dt: 0.2,
            steps: 29,
            order: HubbardOrder::BondByBond,
            neel: Neel::DownOnEven,
            observed_site: (u64::from(sites) * 46 / 60) as u32,
            truncation: Some(Truncation::new(Measure::Length, 6).with_lower_atol(1e-4)),
        }
    }

    /// A repulsive chain in fine steps: t = 1, U = 1.5, dt = 0.07, 12 steps in bricklayer order, support of up to 10 modes, lower threshold 1e-8.
    /// Observes the site left of the middle.
    pub fn bricklayer_chain(sites: u32) -> Self {
        Hubbard {
            sites,
            hopping: 1.0,
            interaction: 1.5,
            dt: 0.07,
            steps: 12,
            order: HubbardOrder::Bricklayer,
            neel: Neel::UpOnEven,
            observed_site: (sites / 2).saturating_sub(1),
            truncation: Some(Truncation::new(Measure::Support, 10).with_lower_atol(1e-8)),
        }
    }

    /// The problem, named `hubbard_SITES`.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a number of sites or an observed site that is not there, [`ModelError::NotFinite`], and whatever is wrong with the truncation.
    pub fn problem(&self) -> Result<Problem, ModelError> {
        in_range("sites", self.sites.into(), 1, u64::from(MAX_MODES) / 2)?;
        in_range(
            "observed_site",
            self.observed_site.into(),
            0,
            u64::from(self.sites) - 1,
        )?;
        finite("hopping", self.hopping)?;
        finite("interaction", self.interaction)?;
        finite("dt", self.dt)?;

        let mode = 2 * self.observed_site;
        let mut builder = Problem::builder(Basis::Majorana, 2 * self.sites)
            .name(format!("hubbard_{}", self.sites))
            .initial_state(self.occupied_modes())
            .observe([], 0.5)
            .observe([2 * mode, 2 * mode + 1], 0.5)
            .repeat(self.steps);
        if let Some(truncation) = &self.truncation {
            builder = builder.truncation(truncation.clone());
        }
        for (left, right) in self.bonds() {
            builder = self.hop(builder, left, right);
        }
        for site in 0..self.sites {
            builder = self.interact(builder, site);
        }
        Ok(builder.build()?)
    }

    fn occupied_modes(&self) -> Vec<u32> {
        let first = u32::from(self.neel == Neel::DownOnEven);
        (0..self.sites)
            .map(|site| 2 * site + (first + site) % 2)
            .collect()
    }

    /// Pairs of modes in the order in which they hop.
    fn bonds(&self) -> Vec<(u32, u32)> {
        let bond = |site: u32, spin: u32| (2 * site + spin, 2 * site + 2 + spin);
        let last = self.sites - 1;
        match self.order {
            HubbardOrder::BondByBond => (0..last)
                .flat_map(|site| [bond(site, 0), bond(site, 1)])
                .collect(),
            HubbardOrder::Bricklayer => {
                let layers = [(0, 0), (0, 1), (1, 0), (1, 1)];
                let layer =
                    |(spin, start)| (start..last).step_by(2).map(move |site| bond(site, spin));
                layers.into_iter().flat_map(layer).collect()
            }
        }
    }

    /// -t (c^+_l c_r + h.c.) = -t/2 (i m_2l m_2r+1 - i m_2l+1 m_2r)
    fn hop(&self, builder: ProblemBuilder, left: u32, right: u32) -> ProblemBuilder {
        let h = -0.5 * self.hopping;
        let (l, r) = (2 * left, 2 * right);
        builder.gate(self.dt, [([l, r + 1], h), ([l + 1, r], -h)])
    }

    /// U n_up n_down = U/4 (1 + M_up) (1 + M_down), where n = (1 + M)/2 and M is the Hermitian monomial of both slots of the mode.
    fn interact(&self, builder: ProblemBuilder, site: u32) -> ProblemBuilder {
        let h = 0.25 * self.interaction;
        let s = 4 * site;
        let monomials = [
            vec![],
            vec![s + 2, s + 3],
            vec![s, s + 1],
            vec![s, s + 1, s + 2, s + 3],
        ];
        builder.gate(self.dt, monomials.map(|slots| (slots, h)))
    }
}
