//! Keys with random values.

use std::fmt;

use proptest::prelude::*;
use proptest::sample::select;
use ssdlab_policy::{Key, Kind, Names};

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

/// A key that a system declares, with values of its range, small ones of a number.
pub(super) fn drawn(key: &Key) -> BoxedStrategy<String> {
    match key.kind {
        Kind::Bool => setting(key.path, any::<bool>()),
        Kind::Int { min, max } => setting(key.path, min..=max.min(min + 6)),
        Kind::Float { min, max } => {
            let share = select(vec![0.0, 0.1, 0.25, 0.5, 0.77, 1.0]);
            setting(
                key.path,
                share.prop_map(move |share| min + share * (max - min)),
            )
        }
        Kind::Choice(Names::Fixed(names) | Names::Switched(names)) => {
            setting(key.path, select(names))
        }
        kind => panic!("{}: no values of {kind:?} are drawn", key.path),
    }
}

/// From one page to more than the device, rarely a whole number of pages.
pub(super) fn buffer_bytes() -> impl Strategy<Value = u64> {
    let pages = prop_oneof![2 => 1_u64..=2, 6 => 3_u64..=16, 1 => 17_u64..=120];
    (pages, 0..PAGE_SIZE).prop_map(|(pages, rest)| pages * PAGE_SIZE + rest)
}
