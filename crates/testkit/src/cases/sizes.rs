//! The sizes of the pages and the buffers of a case.

use proptest::prelude::*;

/// Bytes.
pub(super) const PAGE_SIZE: u64 = 512;

/// From one page to more than the device, rarely a whole number of pages.
pub(super) fn buffer_bytes() -> impl Strategy<Value = u64> {
    let pages = prop_oneof![2 => 1_u64..=2, 6 => 3_u64..=16, 1 => 17_u64..=120];
    (pages, 0..PAGE_SIZE).prop_map(|(pages, rest)| pages * PAGE_SIZE + rest)
}
