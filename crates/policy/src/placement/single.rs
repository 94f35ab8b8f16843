//! Single: no clustering. What the host writes goes to one region, what cleaning copies to another or to the same.

use ssdlab_flash::Lpn;

use super::{GcFrontier, Impossible, Params, Place, Placement};
use crate::{About, Entry};

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
        about: About {
            file: file!(),
            lines: [
                "What the host writes goes to one open block.",
                "What cleaning copies goes to another one, or to the same (`ftl.gc_frontier`).",
                "Neither looks at the page.",
            ],
            cost: "O(1); nothing for a page.",
            wins: "Uniform writes, where there is nothing to part; and very few spare blocks, of which it keeps only \
                   two open.",
            loses: "Hot and cold data in the same block: when the hot ones are gone, the cold ones are copied.",
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
