//! The counts of a device, in total or since an earlier moment.

use std::collections::BTreeMap;

use ssdlab_device::{Counters, Derived, MergeTime, TimeParts};
use ssdlab_systems::{Clocks, SimDevice};

/// All values from which a report is computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    pub counters: Counters,
    /// Bytes of a page.
    pub page_size: u64,
    pub time: TimeParts,
    pub merge_time: MergeTime,
    /// Programmed host pages, and the nanoseconds of these programs.
    pub host_programs: (u64, u64),
    /// Erases of each physical block.
    pub erases: Vec<u32>,
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
            time: device.time(),
            merge_time: device.merge_time(),
            host_programs: device.host_programs(),
            erases: device.erase_counts(),
            served_ns: device.served_ns(),
            clocked: device.take_clocked(),
        }
    }

    pub fn since(&self, earlier: &Self) -> Self {
        let (pages, ns) = self.host_programs;
        Self {
            counters: self.counters.since(&earlier.counters),
            page_size: self.page_size,
            time: self.time.since(&earlier.time),
            merge_time: self.merge_time.since(&earlier.merge_time),
            host_programs: (
                pages - earlier.host_programs.0,
                ns - earlier.host_programs.1,
            ),
            erases: self
                .erases
                .iter()
                .zip(&earlier.erases)
                .map(|(now, then)| now - then)
                .collect(),
            served_ns: self.served_ns,
            clocked: self.clocked.clone(),
        }
    }

    pub fn derived(&self) -> Derived {
        Derived {
            time_ns: self.time,
            merge_time_ns: self.merge_time.clone(),
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
