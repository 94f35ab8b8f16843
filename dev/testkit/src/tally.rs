//! Counts events over all cases of a test, so that a test fails if its cases never reach its subject.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// Counts by name.
#[derive(Debug, Default)]
pub struct Tally(RefCell<BTreeMap<String, u64>>);

impl Tally {
    /// Counts an event in a case.
    pub fn note(&self, what: impl Into<String>, happened: bool) {
        *self.0.borrow_mut().entry(what.into()).or_default() += u64::from(happened);
    }

    /// Whether an event occurred less than `least` times.
    pub fn has_fewer(&self, least: u64) -> bool {
        self.0.borrow().values().any(|&times| times < least)
    }

    /// Checks that each expected event occurred often, not only by chance.
    ///
    /// # Panics
    /// If an event occurred less than `least` times.
    pub fn require(&self, least: u64) {
        let counts = self.0.borrow();
        let rare: Vec<_> = counts.iter().filter(|&(_, &times)| times < least).collect();
        assert!(rare.is_empty(), "hardly tested: {rare:?}");
    }
}
