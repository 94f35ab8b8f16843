//! The hits of LRU write buffers over their size.

use serde::Serialize;
use ssdlab_host::{Op, Request};
use thiserror::Error;

use crate::numbers::Numbers;
use crate::stack::{Hits, Stack};

/// The most different units: their numbers, and twice as many slots, fit in 32 bits.
pub(crate) const MOST_UNITS: usize = 1 << 30;

/// More different units are written than may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("more than {most} different units of {unit} bytes are written")]
pub struct TooManyUnits {
    /// Bytes a unit.
    pub unit: u64,
    /// How many may be.
    pub most: usize,
}

/// Counts the hits of write buffers of all sizes with the order LRU, in one pass.
///
/// A buffer of C units holds units of `unit` bytes, such as pages or erase blocks. It follows the write buffer `lru` of
/// the simulator with `buffer.reads = "bypass"`:
///
/// - A write covers the units that it touches, in ascending order. Each is a hit if the buffer holds it. It becomes the
///   most recent one; a new one takes the room of the least recent one, if the buffer is full.
/// - A read of a unit is a hit if the buffer holds it, and changes nothing.
/// - A discard takes the units that lie wholly inside out of the buffer.
/// - A flush empties the buffer, or, if the buffer is protected against power loss, does nothing. Both are counted.
///
/// The time of a write of a unit is logarithmic in the number of different units. Memory follows this number, and not
/// the length of the trace: for each unit 6 to 12 bytes for its number (up to 92, if no neighbour is written), 4.4 for its
/// slot, up to 16 for hits of writes and reads; with flushes, 21 more.
#[derive(Debug)]
pub struct LruCurve {
    unit: u64,
    most: usize,
    numbers: Numbers,
    flushed: Stack,
    /// With flushes ignored; from the first flush on.
    protected: Option<Stack>,
}

/// The hits of LRU buffers of all sizes, exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LruHits {
    /// Bytes a unit.
    pub unit: u64,
    /// Units written; one that is written twice counts twice.
    pub writes: u64,
    /// Units read.
    pub reads: u64,
    /// The hits of buffers of 1, 2, ... units; larger buffers than the last have as many as that one.
    written: Vec<u64>,
    read: Vec<u64>,
}

/// The hits of an LRU buffer of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LruPoint {
    /// The size of the buffer in units.
    pub units: u64,
    /// The size of the buffer in bytes.
    pub bytes: u64,
    /// Units written that the buffer holds already.
    pub write_hits: u64,
    /// Units read that the buffer holds.
    pub read_hits: u64,
}

impl LruCurve {
    /// Starts without requests, with units of `unit` bytes.
    ///
    /// # Panics
    /// If `unit` is 0.
    pub fn new(unit: u64) -> Self {
        Self::with_most(unit, MOST_UNITS)
    }

    /// As [`LruCurve::new`], with at most so many different units; 2^30 at most.
    ///
    /// # Panics
    /// If `unit` is 0.
    pub fn with_most(unit: u64, most: usize) -> Self {
        assert!(unit > 0, "a unit has at least one byte");
        Self {
            unit,
            most: most.min(MOST_UNITS),
            numbers: Numbers::default(),
            flushed: Stack::new(),
            protected: None,
        }
    }

    /// Adds one request.
    ///
    /// # Errors
    /// It writes more different units than may be. The curve has no meaning after that.
    pub fn add(&mut self, request: &Request) -> Result<(), TooManyUnits> {
        self.add_and_tell(request, |_, _| {})
    }

    /// As [`LruCurve::add`]; `tell` gets the number of each unit that is written or discarded, and whether it is
    /// written. Units are numbered from 0 in the order of their first writes.
    pub(crate) fn add_and_tell(
        &mut self,
        request: &Request,
        mut tell: impl FnMut(usize, bool),
    ) -> Result<(), TooManyUnits> {
        match request.op() {
            Op::Flush => {
                self.protected.get_or_insert_with(|| self.flushed.clone());
                self.flushed.flush();
            }
            _ if request.size() == 0 => {}
            Op::Write => {
                let units = self.touched(request);
                if units.end - units.start > self.most as u64 {
                    return Err(self.too_many());
                }
                for unit in units {
                    let number = self.numbers.number(unit, self.most);
                    let number = number.ok_or_else(|| self.too_many())?;
                    self.stacks(|stack| stack.write(number));
                    tell(number, true);
                }
            }
            Op::Read => {
                let units = self.touched(request);
                let all = units.end - units.start;
                // those that were never written cannot be hit
                let written = self.numbers.within(units);
                self.stacks(|stack| {
                    for &number in &written {
                        stack.read(number);
                    }
                    stack.miss_reads(all - written.len() as u64);
                });
            }
            Op::Discard => {
                let first = request.offset.div_ceil(self.unit);
                for number in self.numbers.within(first..request.end() / self.unit) {
                    self.stacks(|stack| stack.discard(number));
                    tell(number, false);
                }
            }
        }
        Ok(())
    }

    /// Whether there were flushes.
    pub fn has_flushes(&self) -> bool {
        self.protected.is_some()
    }

    /// The hits of buffers of all sizes. `protected`: those of buffers that ignore flushes.
    pub fn hits(&self, protected: bool) -> LruHits {
        let stack = match &self.protected {
            Some(stack) if protected => stack,
            _ => &self.flushed,
        };
        let (written, read) = stack.hits();
        let sums = |hits: &Hits| {
            let sums = hits.at.iter().scan(0, |sum, hits| {
                *sum += hits;
                Some(*sum)
            });
            sums.collect()
        };
        LruHits {
            unit: self.unit,
            writes: written.all,
            reads: read.all,
            written: sums(written),
            read: sums(read),
        }
    }

    fn touched(&self, request: &Request) -> std::ops::Range<u64> {
        request.offset / self.unit..(request.end() - 1) / self.unit + 1
    }

    fn too_many(&self) -> TooManyUnits {
        TooManyUnits {
            unit: self.unit,
            most: self.most,
        }
    }

    fn stacks(&mut self, mut each: impl FnMut(&mut Stack)) {
        each(&mut self.flushed);
        if let Some(stack) = &mut self.protected {
            each(stack);
        }
    }
}

impl LruHits {
    /// The hits of writes in a buffer of so many units.
    pub fn write_hits(&self, units: u64) -> u64 {
        within(&self.written, units)
    }

    /// The hits of reads in a buffer of so many units.
    pub fn read_hits(&self, units: u64) -> u64 {
        within(&self.read, units)
    }

    /// The smallest buffer, in units, in which as many writes hit as in any larger one; 0 if none ever hits.
    pub fn enough(&self) -> u64 {
        self.written.len() as u64
    }

    /// A buffer of so many units.
    pub fn point(&self, units: u64) -> LruPoint {
        LruPoint {
            units,
            bytes: units.saturating_mul(self.unit),
            write_hits: self.write_hits(units),
            read_hits: self.read_hits(units),
        }
    }

    /// Four sizes for each doubling, from 1 unit to the first size beyond which nothing changes.
    pub fn points(&self) -> Vec<LruPoint> {
        let end = self.written.len().max(self.read.len()).max(1) as u64;
        let doubling = |shift: u32| [1000_u64, 1189, 1414, 1682].map(|size| (size << shift) / 1000);
        let sizes = (0..32).flat_map(doubling);
        let mut sizes: Vec<u64> = sizes.take_while(|&size| size < end).collect();
        sizes.push(end);
        sizes.dedup();
        sizes.into_iter().map(|size| self.point(size)).collect()
    }
}

/// The hits of a buffer of so many units, if those of 1, 2, ... units are given.
fn within(sums: &[u64], units: u64) -> u64 {
    let known = usize::try_from(units).unwrap_or(usize::MAX).min(sums.len());
    known.checked_sub(1).map_or(0, |index| sums[index])
}
