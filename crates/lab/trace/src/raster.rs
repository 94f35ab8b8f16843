//! The addresses of a trace over time, thinned to a bounded number of marks.

use std::collections::BTreeSet;

use ssdlab_host::{Op, Request};

/// Columns of time at most.
const COLUMNS: u64 = 512;
/// Rows of addresses at most.
const ROWS: u64 = 256;

/// Where requests of one operation are: times and addresses. Each request that it stands for starts in these times, and
/// its bytes are among these; no part of the size of a column or a row is without a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The first time, ns.
    pub from_ns: u64,
    /// The time behind the last one, ns.
    pub to_ns: u64,
    /// The first byte.
    pub first: u64,
    /// The byte behind the last one.
    pub end: u64,
}

/// Collects requests in columns of equal times and rows of equal addresses. As the trace goes on, both become wider, by
/// factors of two, so that there are at most 512 columns and 256 rows, and more than half as many if the trace is that
/// long. Memory is bounded.
#[derive(Clone, Debug, Default)]
pub struct Raster {
    /// A column has 2 to this power ns.
    time_shift: u32,
    /// A row has 2 to this power bytes.
    address_shift: u32,
    /// Column and row of reads, writes and discards.
    spots: [BTreeSet<(u64, u64)>; 3],
    /// The earliest and the latest time.
    times: Option<(u64, u64)>,
    end: u64,
}

impl Raster {
    /// Adds a request; one without bytes, such as a flush, counts only as a time.
    pub fn add(&mut self, request: &Request) {
        let time = request.time_ns;
        let (earliest, latest) = self.times.unwrap_or((time, time));
        let (earliest, latest) = (earliest.min(time), latest.max(time));
        self.times = Some((earliest, latest));
        let Some(spots) = place(request.op()).filter(|_| request.size() > 0) else {
            return;
        };
        self.end = self.end.max(request.end());
        let fits =
            |from: u64, to: u64, shift: u32, most: u64| (to >> shift) - (from >> shift) < most;
        let (mut time_shift, mut address_shift) = (self.time_shift, self.address_shift);
        while !fits(earliest, latest, time_shift, COLUMNS) {
            time_shift += 1;
        }
        while !fits(0, self.end - 1, address_shift, ROWS) {
            address_shift += 1;
        }
        self.widen(time_shift, address_shift);
        let first = request.offset >> address_shift;
        let last = (request.end() - 1) >> address_shift;
        self.spots[spots].extend((first..=last).map(|row| (time >> time_shift, row)));
    }

    fn widen(&mut self, time_shift: u32, address_shift: u32) {
        let (time, address) = (
            time_shift - self.time_shift,
            address_shift - self.address_shift,
        );
        if (time, address) == (0, 0) {
            return;
        }
        (self.time_shift, self.address_shift) = (time_shift, address_shift);
        for spots in &mut self.spots {
            let wider = spots
                .iter()
                .map(|&(column, row)| (column >> time, row >> address));
            *spots = wider.collect();
        }
    }

    /// The earliest and the latest time of all requests, ns; none without requests.
    pub fn times(&self) -> Option<(u64, u64)> {
        self.times
    }

    /// The byte behind the last one of all requests.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The marks of an operation by time and address; rows side by side are one mark. None for flushes.
    pub fn marks(&self, op: Op) -> Vec<Mark> {
        let mut marks: Vec<Mark> = Vec::new();
        let spots = place(op).map(|place| &self.spots[place]);
        for &(column, row) in spots.into_iter().flatten() {
            let bounds = |at: u64, shift: u32| {
                let first = at << shift;
                (first, first.saturating_add(1 << shift))
            };
            let (from_ns, to_ns) = bounds(column, self.time_shift);
            let (first, end) = bounds(row, self.address_shift);
            match marks.last_mut() {
                Some(last) if (last.from_ns, last.end) == (from_ns, first) => last.end = end,
                _ => marks.push(Mark {
                    from_ns,
                    to_ns,
                    first,
                    end,
                }),
            }
        }
        marks
    }
}

fn place(op: Op) -> Option<usize> {
    match op {
        Op::Read => Some(0),
        Op::Write => Some(1),
        Op::Discard => Some(2),
        Op::Flush => None,
    }
}
