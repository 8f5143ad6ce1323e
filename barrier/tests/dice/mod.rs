//! Numbers for tests that want disorder.

/// Numbers that look random and are the same in every run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: usize) -> Dice {
        Dice(seed as u64 * 2 + 1)
    }

    /// A number below `sides`.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        // Knuth's multiplier of a full-period generator; its high bits are the good ones.
        self.0 = (self.0.wrapping_mul(6_364_136_223_846_793_005))
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}
