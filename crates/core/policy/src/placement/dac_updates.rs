//! DAC counted by updates, as the simulator of SepBIT (Wang et al. 2022) has it: without times.
//!
//! Each page has a level, which is its region: 0 when it is new, one higher with each host write, one lower with each copy.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lpn, Ppn};

use super::{Inputs, Place, Placement, PlacementKind, REGIONS, Wants};
use crate::{About, Entry, Impossible, Source, papers, prefetch};

/// The parameters of DAC counted by updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DacUpdatesConfig {
    /// `ftl.regions`: 2 to 64.
    pub regions: u32,
}

/// The levels of all pages.
pub struct DacUpdates {
    /// For each valid PPN, the level of its page.
    levels: Vec<u8>,
    top: u8,
}

impl PlacementKind for DacUpdates {
    const ENTRY: Entry = Entry {
        name: "dac-updates",
        rule: "clusters pages by their updates: each host write moves a page one region up, each copy one down",
        source: Source::of("{}, its simulator ({})", &[&papers::SEPBIT, &papers::DAC]),
        keys: &[REGIONS.key],
        about: About {
            file: file!(),
            lines: [
                "A new page is in region 0. Each host write moves it to the next higher region, up to the last one.",
                "Each copy by cleaning moves it to the next lower region.",
                "Times do not matter.",
            ],
            cost: "O(1) for each page; 1 byte for each physical page.",
            wins: "Skewed writes of which nobody knows the times: nothing has to be tuned.",
            loses: "Uniform writes, where the regions only take open blocks, and pages that change between hot and cold.",
        },
    };

    const PAGE_BYTES: u64 = 1;

    /// A level of at most 64.
    const UPDATE_BITS: u64 = 6;

    type Config = DacUpdatesConfig;

    fn configure(inputs: &Inputs) -> DacUpdatesConfig {
        DacUpdatesConfig {
            regions: inputs.regions(&Self::ENTRY),
        }
    }

    fn check(config: &DacUpdatesConfig) -> Result<(), Impossible> {
        super::check_regions(Self::ENTRY.name, config.regions)
    }

    fn wants(_: &DacUpdatesConfig) -> Wants {
        Wants {
            no_awareness: true,
            ..Wants::default()
        }
    }

    fn regions(config: &DacUpdatesConfig) -> u32 {
        config.regions
    }

    fn new(geometry: &Geometry, config: &DacUpdatesConfig) -> Self {
        Self {
            levels: vec![0; geometry.physical_pages() as usize],
            top: (config.regions - 1).min(u8::MAX.into()) as u8,
        }
    }
}

impl Placement for DacUpdates {
    fn of_write(&mut self, _: Lpn, _: Option<u32>, _: u64, _: u16) -> Place {
        Place::Flash(0)
    }

    fn of_rewrite(&mut self, _: Lpn, (at, _): (Ppn, u32), _: u64, _: u16) -> Place {
        let level = &mut self.levels[at.index()];
        *level = (*level + 1).min(self.top);
        Place::Flash((*level).into())
    }

    fn of_copies(&self, _: u32) -> Option<u32> {
        None
    }

    fn of_copy(&mut self, _: Lpn, at: Ppn, _: u32, _: u64) -> u32 {
        let level = &mut self.levels[at.index()];
        *level = level.saturating_sub(1);
        (*level).into()
    }

    fn copied(&mut self, pages: &[(Ppn, Lpn)], to: Ppn) {
        for (&(at, _), to) in pages.iter().zip(to.index()..) {
            self.levels[to] = self.levels[at.index()];
        }
    }

    fn foresee(&self, versions: &[Ppn]) {
        for at in versions {
            prefetch(&self.levels, at.index());
        }
    }

    fn written(&mut self, _: Lpn, older: Option<Ppn>, at: Ppn, _: u64) {
        self.levels[at.index()] = older.map_or(0, |older| self.levels[older.index()]);
    }

    fn found(&mut self, _: Lpn, at: Ppn, region: u32) {
        self.levels[at.index()] = region as u8;
    }
}
