//! The counts of a device, in total or since an earlier moment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ssdlab_device::{Counters, Derived, Joules, Spent, TimeParts};
use ssdlab_ftl::{LearnedMap, RegionCounts, SlcState};
use ssdlab_simulators::{Clocks, SimDevice};

/// All values from which a report is computed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub counters: Counters,
    /// Bytes of a page.
    pub page_size: u64,
    /// The time of all operations.
    pub spent: Spent,
    /// Under the parallel model, that of the cells of all chips.
    pub chips: Option<Spent>,
    /// The energy of all operations in picojoules, if it is known.
    pub energy_pj: Option<TimeParts>,
    /// Programmed host pages.
    pub host_programs: u64,
    /// Erases of each physical block.
    pub erases: Vec<u32>,
    /// The SLC cache, and of each physical block whether it is always in SLC mode, and its erases after other such use.
    pub slc: Option<SlcState>,
    pub slc_erases: Vec<(bool, u32)>,
    /// What a map in flash has learned.
    pub learned: Option<LearnedMap>,
    /// The counts of each region of a placement.
    pub regions: Vec<RegionCounts>,
    /// Under the parallel model, when the last request was complete, since the device began.
    pub served_ns: Option<u64>,
    /// Under the parallel model, what the clocks measured since the last measurement.
    pub clocked: Option<Clocks>,
}

impl Measured {
    pub fn of(device: &mut SimDevice) -> Self {
        Self {
            counters: device.counters(),
            page_size: device.page_size(),
            spent: device.spent(),
            chips: device.chips_spent(),
            energy_pj: device.energy_pj(),
            host_programs: device.host_programs(),
            erases: device.erase_counts(),
            slc: device.slc(),
            slc_erases: device.slc_erases(),
            learned: device.learned(),
            regions: device.regions(),
            served_ns: device.served_ns(),
            clocked: device.take_clocked(),
        }
    }

    pub fn since(&self, earlier: &Self) -> Self {
        let chips = self.chips.as_ref().zip(earlier.chips.as_ref());
        let energy = self.energy_pj.as_ref().zip(earlier.energy_pj.as_ref());
        Self {
            counters: self.counters.since(&earlier.counters),
            page_size: self.page_size,
            spent: self.spent.since(&earlier.spent),
            chips: chips.map(|(now, then)| now.since(then)),
            energy_pj: energy.map(|(now, then)| now.since(then)),
            host_programs: self.host_programs - earlier.host_programs,
            erases: self
                .erases
                .iter()
                .zip(&earlier.erases)
                .map(|(now, then)| now - then)
                .collect(),
            slc: self.slc,
            slc_erases: (self.slc_erases.iter().zip(&earlier.slc_erases))
                .map(|(&(fixed, now), &(_, then))| (fixed, now - then))
                .collect(),
            learned: self.learned,
            regions: (self.regions.iter().zip(&earlier.regions))
                .map(|(now, then)| now.since(then))
                .collect(),
            served_ns: self.served_ns,
            clocked: self.clocked.clone(),
        }
    }

    pub fn derived(&self) -> Derived {
        Derived {
            time_ns: self.spent.by_cause,
            chips_ns: self.chips.as_ref().map(|chips| chips.by_cause),
            merge_time_ns: self.spent.merges.clone(),
            energy_j: self.energy_pj.map(Joules),
            ..Derived::of(&self.counters, self.page_size, &self.erases)
        }
    }

    /// The number of blocks for each number of erases, ascending.
    pub fn erase_histogram(&self) -> Vec<(u32, u32)> {
        let mut blocks = BTreeMap::new();
        for &erases in &self.erases {
            *blocks.entry(erases).or_insert(0) += 1;
        }
        blocks.into_iter().collect()
    }
}
