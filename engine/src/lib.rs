//! phalanx-engine
