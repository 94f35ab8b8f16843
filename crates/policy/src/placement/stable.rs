//! Stable times: how long pages stay as they are, which the regions are cut by (LFSS, section 3.1).

use ssdlab_flash::Lpn;

use super::{Impossible, Params};

/// How the stable time of an update compares with the interval of the page's region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// Below its shortest.
    Fast,
    /// Within it.
    Fits,
    /// At or above its longest.
    Slow,
}

/// The intervals of the regions, and when each page was updated last.
pub(super) struct StableTimes {
    /// Where the interval of each region ends and that of the next colder one begins, the hottest first.
    ends: Vec<u64>,
    /// Per LPN, when it was updated last.
    last: Vec<u64>,
}

impl StableTimes {
    pub fn new(params: &Params, logical_pages: u32) -> Self {
        Self {
            ends: params.stable.clone(),
            last: vec![0; logical_pages as usize],
        }
    }

    /// As many ends as regions, ascending.
    pub fn check(params: &Params) -> Result<(), Impossible> {
        match params.regions {
            regions if params.stable.len() == regions as usize => Ok(()),
            1 => Err((
                "ftl.stable_s",
                "must hold 1 value, as ftl.regions is 1".into(),
            )),
            regions => Err((
                "ftl.stable_s",
                format!("must hold {regions} ascending values, one for each of ftl.regions"),
            )),
        }
    }

    /// Regions, the one in RAM included.
    pub fn regions(&self) -> u32 {
        self.ends.len() as u32
    }

    /// The page is updated now; how that compares with the interval of this region. A time that goes back counts as 0.
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

    /// The page is updated now, whatever its stable time.
    pub fn touch(&mut self, lpn: Lpn, now: u64) {
        self.last[lpn.index()] = now;
    }

    /// The region whose interval holds the time since the last update of a page, else the coldest.
    pub fn region_of(&self, lpn: Lpn, now: u64) -> u32 {
        let time = self.since_update(lpn, now);
        let rank = self.ends.iter().position(|&end| time < end);
        rank.map_or(0, |rank| self.regions() - 1 - rank as u32)
    }

    fn since_update(&self, lpn: Lpn, now: u64) -> u64 {
        now.saturating_sub(self.last[lpn.index()])
    }

    /// When a page was updated last.
    pub fn last(&self, lpn: Lpn) -> u64 {
        self.last[lpn.index()]
    }

    /// All pages count as updated now.
    pub fn mounted(&mut self, now: u64) {
        self.last.fill(now);
    }
}

/// The next colder region; the coldest one stays.
pub(super) fn colder(region: u32) -> u32 {
    region.saturating_sub(1)
}
