//! The placement of pages under page mapping: a region of flash, or RAM (section 9.10).

use std::collections::{BTreeMap, BTreeSet};

use super::config::{ModelConfig, ModelPage, ModelPlacement};
use super::number::Lpn;

/// A region of flash, from 1, which under clustering is the coldest. Each has a frontier of its own.
pub(super) type Region = u64;

/// The destination of a host write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Flash(Region),
    Ram,
}

/// The last update of an LPN.
#[derive(Clone, Copy, Default)]
struct Update {
    time: u64,
    /// The number of updates before it, whatever their times.
    number: u64,
    was_fast: bool,
}

/// The placement and its state for each page.
pub(super) struct Placement {
    kind: ModelPlacement,
    /// Regions in flash.
    in_flash: Region,
    /// The longest stable time of each region of a clustering placement, the hottest region first.
    stable: Vec<u64>,
    page_size: u64,
    ram_bytes: u64,
    /// The bytes in RAM above which pages leave (`deb`).
    threshold: u64,
    /// The last update of each LPN written since the start and not discarded since.
    updates: BTreeMap<Lpn, Update>,
    /// Updates so far.
    number: u64,
    /// The pages in RAM.
    ram: BTreeSet<Lpn>,
}

impl Placement {
    pub(super) fn new(config: &ModelConfig, page: &ModelPage) -> Self {
        let regions = page.stable.len();
        let least = match page.placement {
            ModelPlacement::Single => 0,
            ModelPlacement::Dac | ModelPlacement::Deb => 1,
            ModelPlacement::DacPlus => 2,
            _ => 0,
        };
        assert!(regions >= least, "too few regions");
        let holds_a_page = page.ram_bytes >= config.page_size();
        let is_dac_plus = page.placement == ModelPlacement::DacPlus;
        assert!(holds_a_page || !is_dac_plus, "too little RAM");
        Self {
            kind: page.placement,
            in_flash: page.frontiers(),
            stable: page.stable.clone(),
            page_size: config.page_size(),
            ram_bytes: page.ram_bytes,
            threshold: page.threshold(),
            updates: BTreeMap::new(),
            number: 0,
            ram: BTreeSet::new(),
        }
    }

    /// Notes that the host writes a page whose flash copy, if any, is in `region`; returns its destination.
    pub(super) fn update(&mut self, lpn: Lpn, region: Option<Region>, now: u64) -> Target {
        // preconditioned pages were written at time 0
        let last = self.updates.get(&lpn).copied().unwrap_or_default();
        let stable_time = now.saturating_sub(last.time);
        let (target, was_fast) = match region {
            _ if self.kind == ModelPlacement::Single => (Target::Flash(1), false),
            _ if self.holds(lpn) => (Target::Ram, false),
            None if self.kind == ModelPlacement::Deb => (Target::Ram, false),
            None => (Target::Flash(1), false),
            Some(region) if stable_time < self.shortest(region) => {
                (self.after_a_fast_update(region, last.was_fast), true)
            }
            Some(region) if stable_time >= self.longest(region) => {
                (Target::Flash(colder(region)), false)
            }
            Some(region) => (Target::Flash(region), false),
        };
        let update = Update {
            time: now,
            number: self.number,
            was_fast,
        };
        self.number += 1;
        self.updates.insert(lpn, update);
        target
    }

    fn after_a_fast_update(&self, region: Region, twice: bool) -> Target {
        match self.kind {
            ModelPlacement::Deb if twice => Target::Ram,
            ModelPlacement::DacPlus if region == self.in_flash => Target::Ram,
            _ => Target::Flash(region + 1),
        }
    }

    /// The region for the valid pages of a victim.
    pub(super) fn after_cleaning(&self, region: Region) -> Region {
        match self.kind {
            ModelPlacement::Single => self.in_flash,
            _ => colder(region),
        }
    }

    /// The stable time from which on a page is too cold for a region; under `dac+` RAM is the hottest region.
    fn longest(&self, region: Region) -> u64 {
        self.stable[self.stable.len() - region as usize]
    }

    /// The stable time below which a page is too hot for a region; none for the hottest region.
    fn shortest(&self, region: Region) -> u64 {
        if region == self.stable.len() as Region {
            0
        } else {
            self.longest(region + 1)
        }
    }

    /// The region in flash whose interval contains the time since the last update of a page.
    pub(super) fn by_interval(&self, lpn: Lpn, now: u64) -> Region {
        let since = now.saturating_sub(self.updates[&lpn].time);
        let mut from_the_hottest = (1..=self.stable.len() as Region).rev();
        let region = from_the_hottest.find(|&region| since < self.longest(region));
        region.unwrap_or(1).min(self.in_flash)
    }

    /// Whether a page is in RAM.
    pub(super) fn holds(&self, lpn: Lpn) -> bool {
        self.ram.contains(&lpn)
    }

    pub(super) fn enter_ram(&mut self, lpn: Lpn) {
        self.ram.insert(lpn);
    }

    pub(super) fn leave_ram(&mut self, lpn: Lpn) {
        self.ram.remove(&lpn);
    }

    /// The least recently updated page in RAM, by the order of updates: times may be equal or go backwards.
    pub(super) fn oldest_in_ram(&self) -> Lpn {
        let pages = self.ram.iter().copied();
        let oldest = pages.min_by_key(|lpn| self.updates[lpn].number);
        oldest.expect("pages are in RAM")
    }

    pub(super) fn ram_is_empty(&self) -> bool {
        self.ram.is_empty()
    }

    /// Whether pages leave RAM before one enters (`dac+`).
    pub(super) fn is_full(&self) -> bool {
        let with_another = (self.ram.len() as u64 + 1) * self.page_size;
        self.kind == ModelPlacement::DacPlus && with_another > self.ram_bytes
    }

    /// Whether pages leave RAM after one has entered (`deb`).
    pub(super) fn is_overfull(&self) -> bool {
        self.bytes_in_ram() > self.threshold
    }

    /// Whether more pages must leave RAM after it was overfull (`deb`): down to half of the threshold.
    pub(super) fn is_more_than_half_full(&self) -> bool {
        2 * self.bytes_in_ram() > self.threshold
    }

    fn bytes_in_ram(&self) -> u64 {
        self.ram.len() as u64 * self.page_size
    }

    /// Notes a discard: the next write makes the page a new one.
    pub(super) fn forget(&mut self, lpn: Lpn) {
        self.ram.remove(&lpn);
        self.updates.remove(&lpn);
    }
}

/// The next colder region; the coldest has none.
fn colder(region: Region) -> Region {
    (region - 1).max(1)
}
