//! Large tables that are used soon come into the CPU cache meanwhile.

/// Brings an element of a table into the CPU cache. Changes nothing.
#[inline(always)]
pub fn prefetch<T>(table: &[T], at: usize) {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    prefetch_index::prefetch_index(table, at);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = (table, at);
}
