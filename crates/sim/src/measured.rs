//! What a device has counted, as a whole or since an earlier moment.

use std::collections::BTreeMap;

use ssdlab_device::{Counters, MergeTime, TimeParts};

use crate::run::SimDevice;

/// Everything that a report is worked out from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    pub counters: Counters,
    /// Bytes of a page.
    pub page_size: u64,
    pub time: TimeParts,
    pub merge_time: MergeTime,
    /// Pages of the host that were programmed, and the nanoseconds that this took.
    pub host_programs: (u64, u64),
    /// Erases of each physical block.
    pub erases: Vec<u32>,
}

impl Measured {
    pub fn of(device: &SimDevice) -> Self {
        Self {
            counters: device.counters(),
            page_size: device.page_size(),
            time: device.time(),
            merge_time: device.merge_time(),
            host_programs: device.host_programs(),
            erases: device.erase_counts(),
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
        }
    }

    /// How many blocks were erased how often, ascending.
    pub fn erase_histogram(&self) -> Vec<(u32, u32)> {
        let mut blocks = BTreeMap::new();
        for &erases in &self.erases {
            *blocks.entry(erases).or_insert(0) += 1;
        }
        blocks.into_iter().collect()
    }
}
