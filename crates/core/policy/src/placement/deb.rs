//! DEB, dynamic data clustering with an extra buffer region (LFSS, section 3.1): the regions of DAC and an extra region
//! in RAM, which hot pages reach without passing all regions.
//!
//! - A new page enters RAM. So does a page in flash after two fast updates in a row, but not from the hottest region: its
//!   interval begins at 0 (Figure 2), so no update there is fast. Pages in RAM are updated in place.
//! - Any other fast update moves a page to the next hotter region, a slow one to the next colder. Cleaning moves pages
//!   to the next colder region.
//! - When RAM holds more than the threshold, by default its size, the least recently updated pages leave until it holds
//!   half of the threshold. Each moves to the region whose interval holds the time since its last update.
//!
//! Our readings: first writes and updates in RAM are not fast; a page older than all intervals moves to the coldest
//! region.

use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lpn};

use super::stable::{Pace, StableTimes, colder};
use super::{
    Inputs, LastUpdate, Place, Placement, PlacementKind, RAM, RAM_THRESHOLD, REGIONS, STABLE_S,
};
use crate::{About, BitSet, CLOCK, Entry, Impossible, Source, papers};

/// The parameters of DEB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebConfig {
    /// `ftl.regions`: 1 to 255, beside the one in RAM.
    pub regions: u32,
    /// `ftl.stable_s` as pages written, or ns: the upper ends of the regions' intervals, hottest first, one for each
    /// region.
    pub stable: Vec<u64>,
    /// The size of `ftl.ram` in whole pages.
    pub ram_pages: u32,
    /// `ftl.ram_threshold` in whole pages: 1 to `ram_pages`, or `ram_pages` if that is 0. When RAM holds more, pages leave
    /// until it holds half of that.
    pub threshold_pages: u32,
}

/// All regions are in flash; the extra region is in RAM.
pub struct Deb {
    times: StableTimes,
    /// The pages whose last update was fast.
    fast: BitSet,
    threshold_pages: u32,
}

impl PlacementKind for Deb {
    const ENTRY: Entry = Entry {
        name: "deb",
        rule: "dac with an extra region in RAM for new pages and for pages with two fast updates in a row",
        source: Source::of("{}, section 3.1", &[&papers::LFSS]),
        keys: &[
            CLOCK.key,
            REGIONS.key,
            STABLE_S.key,
            RAM.key,
            RAM_THRESHOLD.key,
        ],
        about: About {
            file: file!(),
            lines: [
                "A new page enters the region in RAM; so does a page in flash after two fast updates in a row, but not \
                 from the hottest region, where no update is fast. Pages in RAM are updated in place.",
                "Any other fast update moves a page to the next hotter region; a slow update, and cleaning, to the \
                 next colder.",
                "When RAM holds more than a threshold, by default its size, the least recently updated pages leave \
                 until half of the threshold is left. Each moves to the region that fits the time since its last \
                 update.",
            ],
            cost: "O(1) for each page; 12 bytes and a bit for each logical page, 12 for each page in RAM.",
            wins: "Postmark, and random writes: two fast updates bring a page from any region but the hottest \
                   into RAM, and a page that leaves RAM moves to its region at once. In the paper, its lead over `dac+` is largest at low \
                   locality.",
            loses: "Hot data as large as RAM: half of the pages are written back at once and soon return.",
        },
    };

    /// A time, and whether the update was fast.
    const UPDATE_BITS: u64 = 33;

    type Config = DebConfig;

    fn configure(inputs: &Inputs) -> DebConfig {
        DebConfig {
            regions: inputs.regions(&Self::ENTRY),
            stable: inputs.stable_times(),
            ram_pages: inputs.ram_pages(),
            threshold_pages: inputs.ram_threshold_pages(),
        }
    }

    fn check(config: &DebConfig) -> Result<(), Impossible> {
        let (ram, threshold) = (config.ram_pages, config.threshold_pages);
        if threshold > ram || threshold == 0 && ram > 0 {
            let why = "must be at least a page and at most ftl.ram; without it, it is ftl.ram";
            return Err(Impossible {
                key: RAM_THRESHOLD.key.path,
                why: why.into(),
            });
        }
        StableTimes::check(config.regions, &config.stable)
    }

    fn regions(config: &DebConfig) -> u32 {
        config.regions
    }

    fn ram_pages(config: &DebConfig) -> u32 {
        // other pages leave after the page that exceeds the threshold has entered
        config
            .ram_pages
            .max(config.threshold_pages.saturating_add(1))
    }

    fn new(geometry: &Geometry, config: &DebConfig) -> Self {
        Self {
            times: StableTimes::new(&config.stable, geometry.logical_pages()),
            fast: BitSet::new(geometry.logical_pages(), false),
            threshold_pages: config.threshold_pages,
        }
    }
}

impl Placement for Deb {
    fn of_write(&mut self, lpn: Lpn, from: Option<u32>, now: u64, _: u16) -> Place {
        let Some(region) = from else {
            self.updated_in_ram(lpn, now);
            return Place::Ram;
        };
        let was_fast = self.fast.contains(lpn.0);
        self.fast.remove(lpn.0);
        match self.times.update(lpn, region, now) {
            Pace::Fast => {
                self.fast.insert(lpn.0);
                if was_fast {
                    Place::Ram
                } else {
                    Place::Flash(region + 1)
                }
            }
            Pace::Fits => Place::Flash(region),
            Pace::Slow => Place::Flash(colder(region)),
        }
    }

    fn of_copies(&self, region: u32) -> Option<u32> {
        Some(colder(region))
    }

    fn updated_in_ram(&mut self, lpn: Lpn, now: u64) {
        self.times.touch(lpn, now);
        self.fast.remove(lpn.0);
    }

    fn before_entry(&self, held: u32) -> u32 {
        // more pages are in RAM if the power was cut while pages were leaving
        held.min(self.threshold_pages)
    }

    fn after_entry(&self, held: u32) -> u32 {
        if held > self.threshold_pages {
            self.threshold_pages / 2
        } else {
            held
        }
    }

    fn of_write_back(&self, lpn: Lpn, now: u64) -> u32 {
        self.times.region_of(lpn, now)
    }

    fn last_update(&self, lpn: Lpn) -> LastUpdate {
        LastUpdate {
            at: self.times.last(lpn),
            fast: self.fast.contains(lpn.0),
        }
    }

    fn mounted(&mut self, now: u64) {
        self.times.mounted(now);
    }

    fn remember(&mut self, lpn: Lpn, update: LastUpdate) {
        self.times.touch(lpn, update.at);
        if update.fast {
            self.fast.insert(lpn.0);
        }
    }
}
