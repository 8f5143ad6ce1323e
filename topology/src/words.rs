//! Small help with wording messages.

/// `n` of a thing, with the plural where it is due.
pub(crate) fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}
