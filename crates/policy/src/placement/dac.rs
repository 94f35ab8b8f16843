//! DAC, dynamic data clustering (LFSS, section 3.1, after Chiang, Lee and Chang 1999): pages move between regions by how
//! long they stay as they are.
//!
//! - An update that is fast for the page's region moves it to the next hotter one, a slow one to the next colder.
//! - Cleaning moves pages to the next colder region.
//! - A new page starts in the coldest region (our reading: the paper does not say).

use ssdlab_flash::Lpn;

use super::stable::{Pace, StableTimes, colder};
use super::{Impossible, Params, Place, Placement};
use crate::{About, Entry};

/// All regions lie in flash.
pub(super) struct Dac(StableTimes);

impl Dac {
    pub(super) const ENTRY: Entry = Entry {
        name: "dac",
        rule: "clusters pages by the time between their updates; cleaning copies go to the next colder region",
        paper: "LFSS, section 3.1 (Chiang 1999)",
        keys: &["clock", "ftl.regions", "ftl.stable_s"],
        about: About {
            file: file!(),
            lines: [
                "Each region has stable times, hottest first in `ftl.stable_s`. A page that is written again sooner \
                 moves to the next hotter region, one that is later to the next colder.",
                "Cleaning moves pages to the next colder region.",
                "A new page starts in the coldest.",
            ],
            cost: "O(1) for each page; 8 bytes for each logical page, the time of its last update.",
            wins: "Pages that differ in how often they are written, with spare blocks enough for an open block in \
                   each region.",
            loses: "Few spare blocks, and stable times that do not fit the workload: regions then take open blocks \
                    and part nothing.",
        },
    };

    pub(super) fn check(params: &Params) -> Result<(), Impossible> {
        StableTimes::check(params)
    }

    pub(super) fn regions(params: &Params) -> u32 {
        params.regions
    }

    pub(super) fn new(params: &Params, logical_pages: u32) -> Self {
        Self(StableTimes::new(params, logical_pages))
    }
}

/// The next region of a page that the host writes now, regions in RAM included.
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
    fn of_write(&mut self, lpn: Lpn, from: Option<u32>, now: u64) -> Place {
        Place::Flash(next_region(&mut self.0, lpn, from, now))
    }

    fn of_copies(&self, region: u32) -> u32 {
        colder(region)
    }
}
