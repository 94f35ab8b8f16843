//! What the mapping unit of a drive does to the writes of a trace.

use serde::Serialize;
use ssdlab_host::Request;

/// The mapping units of drives, in bytes.
const UNITS: [u64; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];

/// The writes of a trace on a drive that maps, and so writes, whole units of one size. Each request is taken alone, as
/// on a drive whose buffer does not gather neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UnitReport {
    /// Bytes a unit.
    pub unit: u64,
    /// Write requests that start or end inside a unit.
    pub unaligned_writes: u64,
    /// `unaligned_writes` over all write requests; `None` without writes.
    pub unaligned_write_share: Option<f64>,
    /// Units that the writes touch; a unit counts once for each request that touches it.
    pub units_touched: u64,
    /// Those of them that their request covers only in part: a drive must read the rest before it writes the unit.
    pub units_in_part: u64,
    /// Bytes of the touched units over bytes written; `None` without writes.
    pub touched_over_written: Option<f64>,
    /// Bytes of the units covered in part over bytes written; `None` without writes.
    pub in_part_over_written: Option<f64>,
}

/// Counts for every size of unit; its memory does not grow.
#[derive(Debug, Default)]
pub(crate) struct Units {
    // a write touches at most as many units as it has bytes, so no sum exceeds that of the bytes
    counts: [Counts; UNITS.len()],
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    unaligned: u64,
    touched: u64,
    in_part: u64,
}

impl Units {
    /// Counts one write of a size above 0.
    pub fn add(&mut self, write: &Request) {
        for (unit, counts) in UNITS.iter().zip(&mut self.counts) {
            let first = write.offset / unit;
            let last = (write.end() - 1) / unit;
            let starts_inside = !write.offset.is_multiple_of(*unit);
            let ends_inside = !write.end().is_multiple_of(*unit);
            counts.touched += last - first + 1;
            counts.unaligned += u64::from(starts_inside || ends_inside);
            counts.in_part += if first == last {
                u64::from(starts_inside || ends_inside)
            } else {
                u64::from(starts_inside) + u64::from(ends_inside)
            };
        }
    }

    /// One report for each size, ascending, for `writes` requests with `bytes` bytes in all.
    pub fn report(&self, writes: u64, bytes: u64) -> Vec<UnitReport> {
        let share = |part: f64, whole: u64| (whole > 0).then(|| part / whole as f64);
        let of_size = |(&unit, counts): (&u64, &Counts)| UnitReport {
            unit,
            unaligned_writes: counts.unaligned,
            unaligned_write_share: share(counts.unaligned as f64, writes),
            units_touched: counts.touched,
            units_in_part: counts.in_part,
            touched_over_written: share(counts.touched as f64 * unit as f64, bytes),
            in_part_over_written: share(counts.in_part as f64 * unit as f64, bytes),
        };
        UNITS.iter().zip(&self.counts).map(of_size).collect()
    }
}
