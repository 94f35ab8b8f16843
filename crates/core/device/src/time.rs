//! The sum of the costs of all operations: the simulated time of the serial model, and under the parallel one the time that
//! the cells of all chips worked.

use serde::{Deserialize, Serialize};
use ssdlab_ftl::{MergeKind, Work};

use crate::cause::{Cause, TimeParts};
use crate::{Counters, Timing};

/// Nanoseconds of the merges by kind, as of all operations by cause. Their sum is at most the part of [`Cause::Merge`]: the erase of a log block
/// without valid pages belongs to no merge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// Nanoseconds of all operations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Those of each cause.
    pub by_cause: TimeParts,
    /// Those of the merges of each kind.
    pub merges: MergeTime,
    /// Those of the programs of host pages, because of age included.
    pub host_programs: u64,
}

impl Spent {
    /// The time since an earlier moment of the same device.
    pub fn since(&self, earlier: &Spent) -> Spent {
        Spent {
            by_cause: self.by_cause.since(&earlier.by_cause),
            merges: self.merges.since(&earlier.merges),
            host_programs: self.host_programs - earlier.host_programs,
        }
    }
}

/// Counts that split the counters by cause.
pub(crate) struct Causes {
    /// Programs that only pad; they are part of `flash_programs`.
    pub padding_programs: u64,
    /// Of the reads that pad, those from an SLC cache.
    pub slc_padding_reads: u64,
    /// Pages that hit or entered the buffer.
    pub buffer_accesses: u64,
    /// The cause of copies and erases: merges or cleaning.
    pub moves: Cause,
}

/// The time of all operations at these costs.
pub(crate) fn by_cause(counters: &Counters, causes: &Causes, timing: &Timing) -> TimeParts {
    let c = counters;
    let read = timing.read_ns + timing.transfer_ns;
    let program = program(timing);
    let slc_read = timing.slc_read_ns + timing.transfer_ns;
    let slc_program = timing.slc_program_ns + timing.transfer_ns;
    let fold = timing.slc_read_ns + timing.fold_program_ns;
    let fold_copies = c.fold_pages - c.fold_copy_backs;
    let work = Work {
        merge_programs: c.merge_programs,
        copies: c.flash_copies - fold_copies,
        copy_backs: c.copy_backs - c.fold_copy_backs,
        erases: c.erases - c.slc_erases,
        ..Work::default()
    };
    let moved = moving(&work, timing);
    let folding = [
        (fold_copies, fold + 2 * timing.transfer_ns),
        (c.fold_copy_backs, fold),
        (c.slc_erases, timing.erase_ns),
    ];
    // what is programmed because of padding or ageing counts as direct, as far as there is any
    let other_programs = causes.padding_programs + c.aged_pages;
    let in_slc = c.slc_programs.min(c.flash_programs - other_programs);
    let other_slc = c.slc_programs - in_slc;
    let padding_slc = other_slc.min(causes.padding_programs);
    let aged_slc = other_slc - padding_slc;
    let host_programs = c.flash_programs - other_programs - in_slc;
    let slc_reads = c.slc_reads - causes.slc_padding_reads;
    let host_reads = c.flash_reads - c.padding_reads - c.table_reads - slc_reads;
    let padding = [
        (c.padding_reads - causes.slc_padding_reads, read),
        (causes.slc_padding_reads, slc_read),
        (causes.padding_programs - padding_slc, program),
        (padding_slc, slc_program),
    ];
    let tables = [
        (c.table_reads, read),
        (c.table_programs, program),
        (
            c.table_copies,
            timing.read_ns + timing.program_ns + 2 * timing.transfer_ns,
        ),
        (c.map_host_reads, timing.map_host_ns),
        (c.table_erases, timing.erase_ns),
    ];
    TimeParts::of([
        (
            Cause::Host,
            sum(&[
                (host_reads, read),
                (slc_reads, slc_read),
                (host_programs, program),
                (in_slc, slc_program),
            ]),
        ),
        (Cause::Padding, sum(&padding)),
        (causes.moves, moved),
        (Cause::Folding, sum(&folding)),
        (Cause::Tables, sum(&tables)),
        (
            Cause::Ageing,
            sum(&[(c.aged_pages - aged_slc, program), (aged_slc, slc_program)]),
        ),
        (
            Cause::Buffer,
            sum(&[(causes.buffer_accesses, timing.buffer_ns)]),
        ),
    ])
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
