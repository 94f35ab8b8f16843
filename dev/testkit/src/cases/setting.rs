//! Keys with random values.

use std::fmt;

use proptest::prelude::*;

use super::shape::PAGE_SIZE;

/// A key with a random value.
pub(super) fn setting<V: fmt::Display + fmt::Debug>(
    key: &'static str,
    value: impl Strategy<Value = V> + 'static,
) -> BoxedStrategy<String> {
    value
        .prop_map(move |value| format!("{key}={value}"))
        .boxed()
}

/// From one page to more than the device, rarely a whole number of pages.
pub(super) fn buffer_bytes() -> impl Strategy<Value = u64> {
    let pages = prop_oneof![2 => 1_u64..=2, 6 => 3_u64..=16, 1 => 17_u64..=120];
    (pages, 0..PAGE_SIZE).prop_map(|(pages, rest)| pages * PAGE_SIZE + rest)
}
