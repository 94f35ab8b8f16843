//! Single: no clustering. Host writes go to one frontier, cleaning copies to another or to the same.

use ssdlab_flash::Lpn;

use super::{GcFrontier, Impossible, Params, Place, Placement};
use crate::{About, Entry};

/// The region of all host writes.
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
        about: About {
            file: file!(),
            lines: [
                "Host writes go to one open block.",
                "Cleaning copies go to another open block, or to the same (`ftl.gc_frontier`).",
                "The choice does not depend on the page.",
            ],
            cost: "O(1); no memory.",
            wins: "Uniform writes, where there is no hot and cold data to separate; and very few spare blocks, of \
                   which it keeps at most two open.",
            loses: "Hot and cold data share blocks: when the hot pages are invalid, the cold ones must be copied.",
        },
    };

    pub(super) fn check(_: &Params) -> Result<(), Impossible> {
        Ok(())
    }

    pub(super) fn regions(params: &Params) -> u32 {
        match params.gc_frontier {
            GcFrontier::Separate => 2,
            GcFrontier::Shared => 1,
        }
    }

    pub(super) fn new(params: &Params, _: u32) -> Self {
        Self {
            copies: Self::regions(params) - 1,
        }
    }
}

impl Placement for Single {
    fn only_region(&self) -> Option<u32> {
        Some(HOST)
    }

    fn of_write(&mut self, _: Lpn, _: Option<u32>, _: u64) -> Place {
        Place::Flash(HOST)
    }

    fn of_copies(&self, _: u32) -> u32 {
        self.copies
    }
}
