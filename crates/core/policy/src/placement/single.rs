//! Single: no clustering. Host writes go to one frontier, cleaning copies to another or to the same.

use ssdlab_flash::Lpn;

use super::{Inputs, Place, Placement, PlacementKind};
use crate::{About, Choice, Entry, Impossible, Source};

/// The region of all host writes.
const HOST: u32 = 0;

/// `ftl.gc_frontier`: where `single` writes the pages that cleaning copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GcFrontier {
    /// To a frontier of their own.
    #[default]
    Separate,
    /// To the frontier of the host writes.
    Shared,
}

/// `ftl.gc_frontier`.
pub const GC_FRONTIER: Choice<GcFrontier> = Choice::new(
    "ftl.gc_frontier",
    &["separate", "shared"],
    &[GcFrontier::Separate, GcFrontier::Shared],
    "frontier of cleaning copies: their own, or that of host writes",
);

/// The parameters of the placement without clustering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SingleConfig {
    /// See [`GcFrontier`].
    pub gc_frontier: GcFrontier,
}

/// No clustering.
pub struct Single {
    copies: u32,
}

impl PlacementKind for Single {
    const ENTRY: Entry = Entry {
        name: "single",
        rule: "no clustering: one frontier for host writes and one for cleaning copies, or one for both",
        source: Source::none("the baseline"),
        keys: &[GC_FRONTIER.key],
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

    const PAGE_BYTES: u64 = 0;

    type Config = SingleConfig;

    fn configure(inputs: &Inputs) -> SingleConfig {
        SingleConfig {
            gc_frontier: GC_FRONTIER.of(inputs.settings),
        }
    }

    fn check(_: &SingleConfig) -> Result<(), Impossible> {
        Ok(())
    }

    fn regions(config: &SingleConfig) -> u32 {
        match config.gc_frontier {
            GcFrontier::Separate => 2,
            GcFrontier::Shared => 1,
        }
    }

    fn new(_: u32, config: &SingleConfig) -> Self {
        Self {
            copies: Self::regions(config) - 1,
        }
    }
}

impl Placement for Single {
    fn only_region(&self) -> Option<u32> {
        Some(HOST)
    }

    fn of_write(&mut self, _: Lpn, _: Option<u32>, _: u64, _: u16) -> Place {
        Place::Flash(HOST)
    }

    fn of_copies(&self, _: u32) -> u32 {
        self.copies
    }
}
