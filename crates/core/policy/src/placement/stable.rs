//! Stable times: the times between the updates of pages. They divide pages into regions (LFSS, section 3.1).

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::Lpn;

use super::STABLE_S;
use crate::Impossible;

/// The stable time of an update, compared with the interval of the page's region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// Below the interval.
    Fast,
    /// In the interval.
    Fits,
    /// At or above the end of the interval.
    Slow,
}

/// The intervals of the regions, and the time of each page's last update.
pub(super) struct StableTimes {
    /// The end of each region's interval, where the interval of the next colder region begins; hottest first.
    ends: Vec<u64>,
    /// For each LPN, the time of its last update.
    last: Vec<u64>,
}

impl StableTimes {
    pub fn new(ends: &[u64], logical_pages: u32) -> Self {
        Self {
            ends: ends.to_vec(),
            last: vec![0; logical_pages as usize],
        }
    }

    /// Requires one end for each region, ascending.
    pub fn check(regions: u32, ends: &[u64]) -> Result<(), Impossible> {
        let why = match regions {
            regions if ends.len() == regions as usize => return Ok(()),
            1 => "must hold 1 value, because ftl.regions is 1".into(),
            regions => {
                format!("must hold {regions} ascending values, one for each of ftl.regions")
            }
        };
        Err(Impossible {
            key: STABLE_S.key.path,
            why,
        })
    }

    /// The number of regions, the one in RAM included.
    pub fn regions(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Records an update of a page, and compares its stable time with the interval of the region. Time that runs
    /// backwards counts as 0.
    pub fn update(&mut self, lpn: Lpn, region: u32, now: u64) -> Pace {
        let time = self.since_update(lpn, now);
        self.last[lpn.index()] = now;
        // rank 0 is the hottest region, whose interval begins at 0
        let rank = (self.regions() - 1 - region) as usize;
        match rank {
            1.. if time < self.ends[rank - 1] => Pace::Fast,
            _ if time < self.ends[rank] => Pace::Fits,
            _ => Pace::Slow,
        }
    }

    /// Records an update of a page without a comparison.
    pub fn touch(&mut self, lpn: Lpn, now: u64) {
        self.last[lpn.index()] = now;
    }

    /// The region whose interval holds the time since the last update of a page; the coldest one if there is none.
    pub fn region_of(&self, lpn: Lpn, now: u64) -> u32 {
        let time = self.since_update(lpn, now);
        let rank = self.ends.iter().position(|&end| time < end);
        rank.map_or(0, |rank| self.regions() - 1 - rank as u32)
    }

    fn since_update(&self, lpn: Lpn, now: u64) -> u64 {
        now.saturating_sub(self.last[lpn.index()])
    }

    /// The time of the last update of a page.
    pub fn last(&self, lpn: Lpn) -> u64 {
        self.last[lpn.index()]
    }

    /// Sets the last update of all pages to now.
    pub fn mounted(&mut self, now: u64) {
        self.last.fill(now);
    }
}

/// The next colder region; the coldest one has none and is returned itself.
pub(super) fn colder(region: u32) -> u32 {
    region.saturating_sub(1)
}
