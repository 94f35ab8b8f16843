//! The sum of the costs of all operations: the simulated time of the serial model, the busy time of the parallel one.

use serde::Serialize;
use ssdlab_ftl::{MergeKind, Work};

use crate::{Counters, Timing};

/// Nanoseconds by cause. Under the serial model, the parts add up to `elapsed_ns`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TimeParts {
    /// Host reads, read-modify-write and programs of host data.
    pub host: u64,
    /// Reads and programs that pad an evicted or aged block.
    pub padding: u64,
    /// Copies, programs and erases of merges.
    pub merge: u64,
    /// Copies, programs and erases of cleaning; erases of the `ideal` FTL.
    pub cleaning: u64,
    /// Programs of pages that reached `buffer.flush_age_s`.
    pub ageing: u64,
    /// Accesses of the buffer.
    pub buffer: u64,
}

impl TimeParts {
    /// The saturating sum.
    pub fn total(&self) -> u64 {
        [
            self.host,
            self.padding,
            self.merge,
            self.cleaning,
            self.ageing,
            self.buffer,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }

    /// The time since an earlier moment of the same device.
    pub fn since(&self, earlier: &TimeParts) -> TimeParts {
        TimeParts {
            host: self.host - earlier.host,
            padding: self.padding - earlier.padding,
            merge: self.merge - earlier.merge,
            cleaning: self.cleaning - earlier.cleaning,
            ageing: self.ageing - earlier.ageing,
            buffer: self.buffer - earlier.buffer,
        }
    }
}

/// Simulated nanoseconds of the merges by kind. Their sum is at most [`TimeParts::merge`]: the erase of a log block
/// without valid pages belongs to no merge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MergeTime {
    /// Switch merges.
    pub switch: u64,
    /// Partial merges.
    pub partial: u64,
    /// Full merges.
    pub full: u64,
}

impl MergeTime {
    /// The time since an earlier moment of the same device.
    pub fn since(&self, earlier: &MergeTime) -> MergeTime {
        MergeTime {
            switch: self.switch - earlier.switch,
            partial: self.partial - earlier.partial,
            full: self.full - earlier.full,
        }
    }
}

/// Counts that split the counters by cause.
pub(crate) struct Causes {
    /// Programs that only pad; they are part of `flash_programs`.
    pub padding_programs: u64,
    /// Pages that hit or entered the buffer.
    pub buffer_accesses: u64,
    /// Copies and erases belong to cleaning, not to merges.
    pub cleaning: bool,
}

pub(crate) fn serial(counters: &Counters, causes: &Causes, timing: &Timing) -> TimeParts {
    let c = counters;
    let read = timing.read_ns + timing.transfer_ns;
    let program = program(timing);
    let work = Work {
        merge_programs: c.merge_programs,
        copies: c.flash_copies,
        copy_backs: c.copy_backs,
        erases: c.erases,
    };
    let moved = moving(&work, timing);
    let host_programs = c.flash_programs - causes.padding_programs - c.aged_pages;
    TimeParts {
        host: sum(&[
            (c.flash_reads - c.padding_reads, read),
            (host_programs, program),
        ]),
        padding: sum(&[(c.padding_reads, read), (causes.padding_programs, program)]),
        merge: if causes.cleaning { 0 } else { moved },
        cleaning: if causes.cleaning { moved } else { 0 },
        ageing: sum(&[(c.aged_pages, program)]),
        buffer: sum(&[(causes.buffer_accesses, timing.buffer_ns)]),
    }
}

/// The nanoseconds of the merges of each kind.
pub(crate) fn of_merges(work: &[Work; 3], timing: &Timing) -> MergeTime {
    let of = |kind: MergeKind| moving(&work[kind as usize], timing);
    MergeTime {
        switch: of(MergeKind::Switch),
        partial: of(MergeKind::Partial),
        full: of(MergeKind::Full),
    }
}

/// The nanoseconds to program one page from the controller.
pub(crate) fn program(timing: &Timing) -> u64 {
    timing.transfer_ns + timing.program_ns
}

fn moving(work: &Work, timing: &Timing) -> u64 {
    let copy_back = timing.read_ns + timing.program_ns;
    sum(&[
        (work.merge_programs, program(timing)),
        (work.copies, copy_back + 2 * timing.transfer_ns),
        (work.copy_backs, copy_back),
        (work.erases, timing.erase_ns),
    ])
}

/// The saturating sum of counts times costs.
fn sum(parts: &[(u64, u64)]) -> u64 {
    parts.iter().fold(0, |sum, &(n, cost)| {
        sum.saturating_add(n.saturating_mul(cost))
    })
}
