//! Single: no clustering. What the host writes goes to one region, what cleaning copies to another or to the same.

use super::{GcFrontier, Params, Placement};
use crate::Entry;

/// The region of all that the host writes.
const HOST: u32 = 0;

/// No clustering.
pub(super) struct Single {
    copies: u32,
}

impl Single {
    pub(super) const ENTRY: Entry = Entry {
        name: "single",
        rule: "no clustering: one frontier for host writes and one for cleaning copies, or one for both",
        paper: "the baseline",
        keys: &["ftl.gc_frontier"],
    };

    pub(super) fn regions(params: &Params) -> u32 {
        match params.gc_frontier {
            GcFrontier::Separate => 2,
            GcFrontier::Shared => 1,
        }
    }

    pub(super) fn new(params: &Params) -> Self {
        Self {
            copies: Self::regions(params) - 1,
        }
    }
}

impl Placement for Single {
    fn of_write(&mut self) -> u32 {
        HOST
    }

    fn of_copies(&self) -> u32 {
        self.copies
    }
}
