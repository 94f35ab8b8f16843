//! What a device did: its counters, and all that is computed from them.

mod endurance;
mod figure;
mod figures;
mod placed;

use serde::{Serialize, Serializer};

pub use endurance::{Endurance, SlcEndurance, SlcWearing, Wear, Wearing};
pub use figure::{
    Better, Bound, Compared, Explained, Figure, Figures, LEVEL, PerFigure, Shown, Unit,
};
pub use figures::{
    BEHIND, BUSY, BYTES_TO_FLASH, DEVICE_RAM, ERASES, FIGURES, LIFE, P99, P99_COMMIT, RAM_DATA,
    SLC_SHARE, THROUGHPUT, WAF, WRITE_HIT_RATIO,
};

pub use placed::{Common, Handle, Placed, Region};

use crate::cause::{Cause, TimeParts};
use crate::{Busy, Controller, Counters, LatencyByOp, MergeTime};

/// What figures are computed from.
#[derive(Clone, Copy, Debug)]
pub struct Results<'a> {
    /// Exact counts.
    pub counters: &'a Counters,
    /// What follows from them.
    pub derived: &'a Derived,
    /// Bytes to flash and wear.
    pub endurance: &'a Endurance,
    /// What a controller needs for it.
    pub controller: &'a Controller,
    /// What was written to each handle or region of a placement.
    pub placed: Option<&'a Placed>,
    /// Under the parallel model only.
    pub latency_ns: Option<&'a LatencyByOp>,
    /// Under the parallel model only.
    pub utilisation: Option<&'a Utilisation>,
}

/// Figures derived from the counters; `None` where a denominator is 0.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Derived {
    /// Write amplification: bytes programmed for each byte that the host wrote.
    pub waf: Option<f64>,
    /// Write amplification as papers count it: pages programmed for each page written.
    pub waf_pages: Option<f64>,
    /// With an SLC cache: pages programmed for each page written, as if all pages in the cache were folded at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waf_settled: Option<f64>,
    /// With an SLC cache: the same without folded pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waf_no_folds: Option<f64>,
    /// With an SLC cache: the share of the programs of the host and the buffer that went there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slc_share: Option<f64>,
    /// Host bytes read and written per simulated second, in 10^6 bytes; none if there were none.
    pub throughput_mb_s: Option<f64>,
    /// Share of the page lookups of writes that hit in the buffer.
    pub write_hit_ratio: Option<f64>,
    /// Share of the page lookups of reads that hit in the buffer.
    pub read_hit_ratio: Option<f64>,
    /// Erases per physical block.
    pub erase_count: EraseCount,
    /// The time of all operations by cause, nanoseconds, as if one came after the other. Under the serial model the parts
    /// add up to `elapsed_ns`.
    pub time_ns: TimeParts,
    /// Under the parallel model only: how long the cells of all chips worked, by cause, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chips_ns: Option<TimeParts>,
    /// The time of the merges of each kind, nanoseconds.
    pub merge_time_ns: MergeTime,
    /// The energy of all operations by cause, if that of an operation is known (`energy.*`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy_j: Option<Joules>,
    /// Under timed replay only: how long after the time of the last request all requests were complete, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind_ns: Option<u64>,
}

/// Energy by cause, in picojoules; serialised in joules, with the sum as `total`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joules(pub TimeParts);

impl Joules {
    /// The energy of a cause, in joules.
    pub fn of(&self, cause: Cause) -> f64 {
        joules(self.0[cause])
    }

    /// All energy, in joules.
    pub fn total(&self) -> f64 {
        joules(self.0.total())
    }
}

fn joules(picojoules: u64) -> f64 {
    picojoules as f64 / 1e12
}

impl Serialize for Joules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // the memory of the buffer is not flash
        let causes = self.0.iter().filter(|(cause, _)| *cause != Cause::Buffer);
        let parts = causes.map(|(cause, part)| (cause.key(), joules(part)));
        serializer.collect_map(parts.chain([("total", self.total())]))
    }
}

impl Derived {
    /// What follows from the counts of a device with pages of this many bytes, and from how often each block was
    /// erased. The times by cause are 0.
    pub fn of(counters: &Counters, page_size: u64, erases: &[u32]) -> Self {
        let c = counters;
        let hits = |hits: u64, misses: u64| ratio(hits, hits + misses);
        // bytes per nanosecond are 1000 times 10^6 bytes per second
        let moved = c.host_read_bytes + c.host_write_bytes;
        let throughput = ratio(moved, c.elapsed_ns).filter(|_| moved > 0);
        Self {
            waf: c.waf(page_size),
            waf_pages: c.waf_pages(),
            waf_settled: c.waf_settled(),
            waf_no_folds: c.waf_no_folds(),
            slc_share: c.slc_share(),
            throughput_mb_s: throughput.map(|rate| rate * 1e3),
            write_hit_ratio: hits(c.buffer_write_hits, c.buffer_write_misses),
            read_hit_ratio: hits(c.buffer_read_hits, c.buffer_read_misses),
            erase_count: erase_count(erases),
            time_ns: TimeParts::default(),
            chips_ns: None,
            merge_time_ns: MergeTime::default(),
            energy_j: None,
            behind_ns: None,
        }
    }

    /// The time whose shares say what took it: of the chips under the parallel model, where they work at the same time, else
    /// the simulated time.
    pub fn by_cause(&self) -> &TimeParts {
        self.chips_ns.as_ref().unwrap_or(&self.time_ns)
    }
}

/// Shares of the simulated time in which the parts of a device worked; `None` where there was no time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Utilisation {
    /// The cells of each chip: reads, programs and erases without the moves of pages.
    pub chips: Vec<Option<f64>>,
    /// Each channel.
    pub channels: Vec<Option<f64>>,
    /// The bus between host and controller.
    pub bus: Option<f64>,
}

impl Utilisation {
    /// Of so much simulated time.
    pub fn of(busy: &Busy, elapsed_ns: u64) -> Self {
        let each = |ns: &[u64]| ns.iter().map(|&ns| ratio(ns, elapsed_ns)).collect();
        Self {
            chips: each(&busy.chips_ns),
            channels: each(&busy.channels_ns),
            bus: ratio(busy.bus_ns, elapsed_ns),
        }
    }
}

/// Distribution of erases over the physical blocks (`ideal` has none).
#[derive(Clone, Debug, Default, Serialize)]
pub struct EraseCount {
    /// Fewest.
    pub min: Option<u32>,
    /// Mean.
    pub mean: Option<f64>,
    /// Most.
    pub max: Option<u32>,
    /// Population standard deviation.
    pub stddev: Option<f64>,
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn erase_count(erases: &[u32]) -> EraseCount {
    let mean = ratio(
        erases.iter().map(|&n| u64::from(n)).sum(),
        erases.len() as u64,
    );
    let variance = mean.map(|mean| {
        erases
            .iter()
            .map(|&n| (f64::from(n) - mean).powi(2))
            .sum::<f64>()
            / erases.len() as f64
    });
    EraseCount {
        min: erases.iter().copied().min(),
        mean,
        max: erases.iter().copied().max(),
        stddev: variance.map(f64::sqrt),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: the deviation of a sample, divided by n - 1; blocks without an erase left out
    #[test]
    fn erases_are_those_of_all_blocks() {
        let EraseCount {
            min,
            mean,
            max,
            stddev,
        } = erase_count(&[0, 4, 0, 4]);
        assert_eq!((min, max), (Some(0), Some(4)));
        assert_eq!((mean, stddev), (Some(2.0), Some(2.0)));
        assert_eq!(erase_count(&[7]).stddev, Some(0.0));
        assert_eq!(erase_count(&[]).stddev, None);
    }
}
