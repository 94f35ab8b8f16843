//! Single: no clustering. Host writes go to one frontier, cleaning copies to another or to the same.
//!
//! `gc_frontier = "in-place"` is the log of analytic models and of the simulator of SSD-iq (Haas et al. 2025): when all
//! blocks are full, the victim keeps its valid pages at its head, and host writes go on behind them.

use ssdlab_flash::{Geometry, Lpn};

use super::{Decides, Inputs, Place, Placement, PlacementKind, Wants};
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
    /// Nowhere: they stay in their block, which becomes the frontier.
    InPlace,
}

/// `ftl.gc_frontier`.
pub const GC_FRONTIER: Choice<GcFrontier> = Choice::new(
    "ftl.gc_frontier",
    &["separate", "shared", "in-place"],
    &[
        GcFrontier::Separate,
        GcFrontier::Shared,
        GcFrontier::InPlace,
    ],
    "frontier of cleaning copies: their own, that of host writes, or the victim itself",
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
                "With `gc_frontier = \"in-place\"`, nothing is cleaned while a block is free; then the emptiest block \
                 keeps its valid pages at its head and becomes the open block.",
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

    fn wants(config: &SingleConfig) -> Wants {
        let in_place = config.gc_frontier == GcFrontier::InPlace;
        Wants {
            no_awareness: in_place,
            greedy: in_place,
            in_place,
            ..Wants::default()
        }
    }

    fn regions(config: &SingleConfig) -> u32 {
        match config.gc_frontier {
            GcFrontier::Separate => 2,
            GcFrontier::Shared | GcFrontier::InPlace => 1,
        }
    }

    fn new(_: &Geometry, config: &SingleConfig) -> Self {
        Self {
            copies: Self::regions(config) - 1,
        }
    }
}

impl Placement for Single {
    fn decides(&self) -> Decides {
        Decides::Nothing(HOST)
    }

    fn of_write(&mut self, _: Lpn, _: Option<u32>, _: u64, _: u16) -> Place {
        Place::Flash(HOST)
    }

    fn of_copies(&self, _: u32) -> Option<u32> {
        Some(self.copies)
    }
}
