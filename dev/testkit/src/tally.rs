//! Counts events over all cases of a test, so that a test fails if its cases never reach its subject.

use std::collections::BTreeMap;

/// Counts by name.
#[derive(Debug, Default)]
pub struct Tally(BTreeMap<String, u64>);

impl Tally {
    /// Counts an event in a case.
    pub fn note(&mut self, what: impl Into<String>, happened: bool) {
        *self.0.entry(what.into()).or_default() += u64::from(happened);
    }

    /// Checks that each expected event occurred often, not only by chance.
    ///
    /// # Panics
    /// If an event occurred less than `least` times.
    pub fn require(&self, least: u64) {
        let rare = self.0.iter().filter(|&(_, &times)| times < least);
        let rare: Vec<_> = rare.collect();
        assert!(rare.is_empty(), "hardly tested: {rare:?}");
    }
}
