//! When a request was issued and completed.

use ssdlab_host::Op;

/// A request with its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What it asked for.
    pub op: Op,
    /// The time when it was issued, ns.
    pub issued_ns: u64,
    /// The time when its last page was done, ns.
    pub completed_ns: u64,
}

/// A request with these times, for tests.
#[cfg(test)]
pub(crate) fn done(op: Op, issued_ns: u64, completed_ns: u64) -> Completion {
    Completion {
        op,
        issued_ns,
        completed_ns,
    }
}
