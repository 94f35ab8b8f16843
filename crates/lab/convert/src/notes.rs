//! What a conversion left out or changed, counted.

use std::collections::BTreeMap;

use serde::Serialize;

/// Requests that the output does not have, and those that it has otherwise, by the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Notes {
    /// Requests left out.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Requests changed.
    pub changed: BTreeMap<&'static str, u64>,
}

impl Notes {
    /// Counts a request that is left out.
    pub(crate) fn leave_out(&mut self, reason: &'static str) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    /// Counts a request that is changed.
    pub(crate) fn change(&mut self, reason: &'static str) {
        *self.changed.entry(reason).or_default() += 1;
    }

    /// Adds the counts of another part.
    pub(crate) fn add(&mut self, other: &Notes) {
        for (to, from) in [
            (&mut self.left_out, &other.left_out),
            (&mut self.changed, &other.changed),
        ] {
            for (reason, count) in from {
                *to.entry(reason).or_default() += count;
            }
        }
    }
}
