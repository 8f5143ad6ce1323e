//! phalanx-barrier
