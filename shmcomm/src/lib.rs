//! phalanx-shmcomm
