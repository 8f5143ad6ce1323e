//! For the checkers of this crate and of those built on it; no part of the public API.

use std::sync::OnceLock;

/// Whether `PHALANX_MUTANT` names this rule as the one to break.
#[inline]
pub fn mutant(name: &str) -> bool {
    static ASKED: OnceLock<Option<String>> = OnceLock::new();
    let asked = ASKED.get_or_init(|| std::env::var("PHALANX_MUTANT").ok());
    asked.as_deref() == Some(name)
}
