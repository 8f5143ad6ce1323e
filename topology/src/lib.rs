//! phalanx-topology
