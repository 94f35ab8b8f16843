//! The check that all policies share.

use alloc::format;
use alloc::string::String;
use core::fmt::Debug;

/// Compares the state of a policy with the true state.
pub(super) fn same<T: PartialEq + Debug>(kept: &[T], truth: &[T]) -> Result<(), String> {
    if kept != truth {
        return Err(format!(
            "full blocks: {kept:?} in the order of cleaning, {truth:?} expected"
        ));
    }
    Ok(())
}
