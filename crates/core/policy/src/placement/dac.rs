//! DAC, dynamic data clustering (LFSS, section 3.1, after Chiang, Lee and Chang 1999): pages move between regions
//! according to the time between their updates.
//!
//! - A fast update moves the page to the next hotter region, a slow one to the next colder region.
//! - Cleaning moves pages to the next colder region.
//! - A new page starts in the coldest region (our reading: the paper does not say).

use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lpn};

use super::stable::{Pace, StableTimes, colder};
use super::{Inputs, Place, Placement, PlacementKind, REGIONS, STABLE_S};
use crate::{About, CLOCK, Entry, Impossible, Source, papers};

/// The parameters of DAC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DacConfig {
    /// `ftl.regions`: 1 to 255.
    pub regions: u32,
    /// `ftl.stable_s` as pages written, or ns: the upper ends of the regions' intervals, hottest first, one for each
    /// region.
    pub stable: Vec<u64>,
}

/// All regions are in flash.
pub struct Dac(StableTimes);

impl PlacementKind for Dac {
    const ENTRY: Entry = Entry {
        name: "dac",
        rule: "clusters pages by the time between their updates; cleaning moves pages to the next colder region",
        source: Source::of("{}, section 3.1 ({})", &[&papers::LFSS, &papers::DAC]),
        keys: &[CLOCK.key, REGIONS.key, STABLE_S.key],
        about: About {
            file: file!(),
            lines: [
                "Each region has an interval of stable times, set in `ftl.stable_s`, hottest first. A page updated \
                 sooner than its interval moves to the next hotter region, a page updated later to the next colder.",
                "Cleaning moves pages to the next colder region.",
                "A new page starts in the coldest region.",
            ],
            cost: "O(1) for each page; 8 bytes for each logical page, for the time of its last update.",
            wins: "Pages that are updated at different rates, on a device with enough spare blocks for one open block \
                   in each region.",
            loses: "Few spare blocks, and stable times that do not fit the workload: the regions then occupy open \
                    blocks and separate nothing.",
        },
    };

    /// A time.
    const UPDATE_BITS: u64 = 32;

    type Config = DacConfig;

    fn configure(inputs: &Inputs) -> DacConfig {
        DacConfig {
            regions: inputs.regions(&Self::ENTRY),
            stable: inputs.stable_times(),
        }
    }

    fn check(config: &DacConfig) -> Result<(), Impossible> {
        StableTimes::check(config.regions, &config.stable)
    }

    fn regions(config: &DacConfig) -> u32 {
        config.regions
    }

    fn new(geometry: &Geometry, config: &DacConfig) -> Self {
        Self(StableTimes::new(&config.stable, geometry.logical_pages()))
    }
}

/// The next region of a page that the host writes now; the regions include those in RAM.
pub(super) fn next_region(times: &mut StableTimes, lpn: Lpn, from: Option<u32>, now: u64) -> u32 {
    let Some(region) = from else {
        times.touch(lpn, now);
        return 0;
    };
    match times.update(lpn, region, now) {
        Pace::Fast => region + 1,
        Pace::Fits => region,
        Pace::Slow => colder(region),
    }
}

impl Placement for Dac {
    fn of_write(&mut self, lpn: Lpn, from: Option<u32>, now: u64, _: u16) -> Place {
        Place::Flash(next_region(&mut self.0, lpn, from, now))
    }

    fn of_copies(&self, region: u32) -> Option<u32> {
        Some(colder(region))
    }
}
