//! Simulated time under the serial model: the sum of the operations' costs (SPEC section 3).

use serde::Serialize;
use ssdlab_config::Timing;

use crate::Counters;

/// Simulated nanoseconds by cause; the parts add up to `elapsed_ns`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TimeParts {
    /// Host reads, read-modify-write and programs of host data.
    pub host: u64,
    /// Reads and programs that pad a victim.
    pub padding: u64,
    /// Copies, programs and erases of merges.
    pub merge: u64,
    /// Copies, programs and erases of cleaning; the erases of the `ideal` bound.
    pub cleaning: u64,
    /// Programs because of age.
    pub ageing: u64,
    /// Accesses of the buffer.
    pub buffer: u64,
}

impl TimeParts {
    /// The sum, saturating.
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
}

/// Counts that the counters do not tell apart.
pub(crate) struct Causes {
    /// Programs that only pad; part of `flash_programs`.
    pub padding_programs: u64,
    /// Pages that hit or entered the buffer.
    pub buffer_accesses: u64,
    /// Migrations and erases are cleaning, not merges.
    pub cleaning: bool,
}

pub(crate) fn serial(counters: &Counters, causes: &Causes, timing: &Timing) -> TimeParts {
    let c = counters;
    let read = timing.read_ns + timing.transfer_ns;
    let program = timing.transfer_ns + timing.program_ns;
    let sum = |parts: &[(u64, u64)]| {
        parts.iter().fold(0u64, |sum, &(n, cost)| {
            sum.saturating_add(n.saturating_mul(cost))
        })
    };
    let moved = sum(&[
        (c.flash_copies, read + program),
        (c.copy_backs, timing.read_ns + timing.program_ns),
        (c.merge_programs, program),
        (c.erases, timing.erase_ns),
    ]);
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
