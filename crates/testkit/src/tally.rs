//! What happened over all cases of a test, so that it cannot pass without having seen what it is about.

use std::collections::BTreeMap;

/// Counts by name.
#[derive(Debug, Default)]
pub struct Tally(BTreeMap<String, u64>);

impl Tally {
    /// Counts something that happened in a case.
    pub fn note(&mut self, what: impl Into<String>, happened: bool) {
        *self.0.entry(what.into()).or_default() += u64::from(happened);
    }

    /// All that was looked for must have happened, and more than by luck.
    ///
    /// # Panics
    /// If anything happened less than `least` times.
    pub fn require(&self, least: u64) {
        let rare = self.0.iter().filter(|&(_, &times)| times < least);
        let rare: Vec<_> = rare.collect();
        assert!(rare.is_empty(), "hardly tested: {rare:?}");
    }
}
