//! What a walk has done, in numbers that no clock can blur.

/// Counts of one participant since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Windows that were run.
    pub windows: u64,
    /// Gates that were run in windows.
    pub window_gates: u64,
    /// (term, gate) pairs that anticommute and are within the length cap.
    pub events: u64,
    /// Partners that were looked up.
    pub lookups: u64,
    /// Exchanges of terms between participants.
    pub exchanges: u64,
    /// Bytes that this participant sent in them.
    pub exchanged_bytes: u64,
}
