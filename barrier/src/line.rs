//! A cache line of one's own.

/// Keeps `T` away from its neighbours' cache lines.
///
/// A word that one thread writes while others poll its neighbour costs every
/// poller a miss per write. 128 bytes and not 64, because the adjacent-line
/// prefetcher of x86 moves lines in pairs, and several aarch64 cores have
/// lines of 128.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Line<T>(pub(crate) T);

impl<T> std::ops::Deref for Line<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}
