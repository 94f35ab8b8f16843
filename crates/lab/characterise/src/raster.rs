//! The addresses of a trace over time, thinned to a bounded number of marks.

use std::collections::{BTreeMap, BTreeSet};

use ssdlab_host::{Op, Request};

/// The most streams that are kept apart.
const STREAMS: usize = 4;

/// The operations that have an address.
const OPS: [Op; 3] = [Op::Read, Op::Write, Op::Discard];

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
/// factors of two, so that there are at most so many columns and rows, and more than half as many if the trace is that
/// long. Memory is bounded. Operations are kept apart, and up to 4 streams; more streams are taken together as stream 0.
#[derive(Clone, Debug)]
pub struct Raster {
    columns: u64,
    rows: u64,
    /// A column has 2 to this power ns.
    time_shift: u32,
    /// A row has 2 to this power bytes.
    address_shift: u32,
    /// Columns and rows of each operation, by its place in `OPS`, and stream.
    spots: BTreeMap<(usize, u16), BTreeSet<(u64, u64)>>,
    /// The streams so far; `None` once there were too many.
    streams: Option<BTreeSet<u16>>,
    /// The time of the first request, from which times count.
    first_ns: Option<u64>,
    /// The earliest and the latest time.
    times: Option<(u64, u64)>,
    end: u64,
}

/// 512 columns and 256 rows at most.
impl Default for Raster {
    fn default() -> Self {
        Self::new(512, 256)
    }
}

impl Raster {
    /// At most so many columns of time and rows of addresses, each at least 1.
    pub fn new(columns: u64, rows: u64) -> Self {
        Self {
            columns,
            rows,
            time_shift: 0,
            address_shift: 0,
            spots: BTreeMap::new(),
            streams: Some(BTreeSet::new()),
            first_ns: None,
            times: None,
            end: 0,
        }
    }

    /// Adds a request; one without bytes, such as a flush, counts only as a time.
    pub fn add(&mut self, request: &Request) {
        let first_ns = *self.first_ns.get_or_insert(request.time_ns);
        let time = request.time_ns.saturating_sub(first_ns);
        let (earliest, latest) = self.times.unwrap_or((time, time));
        let (earliest, latest) = (earliest.min(time), latest.max(time));
        self.times = Some((earliest, latest));
        let Some(op) = place(request.op()).filter(|_| request.size() > 0) else {
            return;
        };
        self.end = self.end.max(request.end());
        let fits =
            |from: u64, to: u64, shift: u32, most: u64| (to >> shift) - (from >> shift) < most;
        let (mut time_shift, mut address_shift) = (self.time_shift, self.address_shift);
        while !fits(earliest, latest, time_shift, self.columns) {
            time_shift += 1;
        }
        while !fits(0, self.end - 1, address_shift, self.rows) {
            address_shift += 1;
        }
        self.widen(time_shift, address_shift);
        let first = request.offset >> address_shift;
        let last = (request.end() - 1) >> address_shift;
        let stream = self.stream(request.stream());
        let spots = self.spots.entry((op, stream)).or_default();
        spots.extend((first..=last).map(|row| (time >> time_shift, row)));
    }

    /// The stream under which a stream is kept.
    fn stream(&mut self, stream: u16) -> u16 {
        let Some(streams) = &mut self.streams else {
            return 0;
        };
        streams.insert(stream);
        if streams.len() <= STREAMS {
            return stream;
        }
        self.streams = None;
        let mut together: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for ((op, _), spots) in std::mem::take(&mut self.spots) {
            together.entry((op, 0)).or_default().extend(spots);
        }
        self.spots = together;
        0
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
        for spots in self.spots.values_mut() {
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

    /// The operations that have marks, reads, writes and discards in this order, each with its streams.
    pub fn kinds(&self) -> impl Iterator<Item = (Op, u16)> {
        self.spots.keys().map(|&(op, stream)| (OPS[op], stream))
    }

    /// The marks of an operation of a stream by time and address; rows side by side are one mark. None for flushes.
    pub fn marks(&self, op: Op, stream: u16) -> Vec<Mark> {
        let mut marks: Vec<Mark> = Vec::new();
        let spots = place(op).and_then(|op| self.spots.get(&(op, stream)));
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
    OPS.iter().position(|&other| other == op)
}
