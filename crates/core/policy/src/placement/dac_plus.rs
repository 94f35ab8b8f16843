//! DAC+ (LFSS, section 3.1): DAC with its hottest region in RAM.
//!
//! - Pages move between regions as under `dac`. A page that reaches the hottest region is in RAM and is updated there
//!   in place.
//! - If RAM is full, its least recently updated page moves to the hottest region in flash before another page enters.
//! - At the end of the trace, each page moves to the region of its stable time, as under `deb` (our reading).

use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lpn};

use super::dac::next_region;
use super::stable::{StableTimes, colder};
use super::{Inputs, LastUpdate, Place, Placement, PlacementKind, RAM, REGIONS, STABLE_S};
use crate::{About, CLOCK, Entry, Impossible, Source, papers};

/// The parameters of DAC+.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DacPlusConfig {
    /// `ftl.regions`: 2 to 255, one of them in RAM.
    pub regions: u32,
    /// `ftl.stable_s` as pages written, or ns: the upper ends of the regions' intervals, hottest first, one for each
    /// region.
    pub stable: Vec<u64>,
    /// The size of `ftl.ram` in whole pages, at least 1.
    pub ram_pages: u32,
}

/// All regions but the hottest are in flash.
pub struct DacPlus {
    times: StableTimes,
    /// The hottest region in flash.
    hottest: u32,
    ram_pages: u32,
}

impl PlacementKind for DacPlus {
    const ENTRY: Entry = Entry {
        name: "dac+",
        rule: "dac with the hottest region in RAM; when RAM is full, its least recently updated page leaves",
        source: Source::of("{}, section 3.1", &[&papers::LFSS]),
        keys: &[CLOCK.key, REGIONS.key, STABLE_S.key, RAM.key],
        about: About {
            file: file!(),
            lines: [
                "Pages move between regions as under `dac`. The hottest region is in RAM, and its pages are updated in \
                 place.",
                "When RAM is full, its least recently updated page moves to the hottest region in flash before another \
                 page enters.",
                "At the end of the trace, each page moves to the region of its stable time.",
            ],
            cost: "O(1) for each page; 12 bytes for each logical page, 12 for each page in RAM.",
            wins: "Hot pages that are updated again within the stable time of the hottest region: they cost no flash \
                   writes, even with flushes, because the RAM has a battery.",
            loses: "Low locality: a page must pass all regions before it reaches RAM. Each page that leaves RAM costs \
                    a barrier.",
        },
    };

    /// A time.
    const UPDATE_BITS: u64 = 32;

    type Config = DacPlusConfig;

    fn configure(inputs: &Inputs) -> DacPlusConfig {
        DacPlusConfig {
            regions: inputs.regions(&Self::ENTRY),
            stable: inputs.stable_times(),
            ram_pages: inputs.ram_pages(),
        }
    }

    fn check(config: &DacPlusConfig) -> Result<(), Impossible> {
        if config.regions < 2 {
            let why = "must be at least 2 with ftl.placement \"dac+\": one in RAM and one in flash";
            return Err(Impossible {
                key: REGIONS.key.path,
                why: why.into(),
            });
        }
        if config.ram_pages == 0 {
            let why = "must hold at least 1 page with ftl.placement \"dac+\"";
            return Err(Impossible {
                key: RAM.key.path,
                why: why.into(),
            });
        }
        StableTimes::check(config.regions, &config.stable)
    }

    fn regions(config: &DacPlusConfig) -> u32 {
        // 1 is refused, but the default of ftl.gc_low is computed before the refusal
        config.regions.max(2) - 1
    }

    fn ram_pages(config: &DacPlusConfig) -> u32 {
        config.ram_pages
    }

    fn new(geometry: &Geometry, config: &DacPlusConfig) -> Self {
        Self {
            times: StableTimes::new(&config.stable, geometry.logical_pages()),
            hottest: Self::regions(config) - 1,
            ram_pages: config.ram_pages,
        }
    }
}

impl Placement for DacPlus {
    fn of_write(&mut self, lpn: Lpn, from: Option<u32>, now: u64, _: u16) -> Place {
        match next_region(&mut self.times, lpn, from, now) {
            region if region > self.hottest => Place::Ram,
            region => Place::Flash(region),
        }
    }

    fn of_copies(&self, region: u32) -> Option<u32> {
        Some(colder(region))
    }

    fn updated_in_ram(&mut self, lpn: Lpn, now: u64) {
        self.times.touch(lpn, now);
    }

    fn before_entry(&self, held: u32) -> u32 {
        held.min(self.ram_pages - 1)
    }

    fn of_write_back(&self, _: Lpn, _: u64) -> u32 {
        self.hottest
    }

    fn of_drain(&self, lpn: Lpn, now: u64) -> u32 {
        self.times.region_of(lpn, now).min(self.hottest)
    }

    fn last_update(&self, lpn: Lpn) -> LastUpdate {
        LastUpdate {
            at: self.times.last(lpn),
            fast: false,
        }
    }

    fn mounted(&mut self, now: u64) {
        self.times.mounted(now);
    }

    fn remember(&mut self, lpn: Lpn, update: LastUpdate) {
        self.times.touch(lpn, update.at);
    }
}
