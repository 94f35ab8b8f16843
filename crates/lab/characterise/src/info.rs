//! The characterisation of a trace: its requests, footprint and rewrites.

use crate::cover::Cover;
use crate::runs::{RunReport, Runs};
use crate::sizes::{SizeReport, Sizes};
use crate::units::{UnitReport, Units};
use serde::Serialize;
use ssdlab_host::{Op, Request};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// The largest power of two that is looked at in offsets and sizes: 1 MiB.
const LARGEST_ALIGNMENT: u32 = 20;

/// A sum exceeds `u64`, so the sizes cannot be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the {what} so far are 2^64 or more, which cannot be; check the unit of size_bytes")]
pub struct TooMany {
    /// The quantity that was summed.
    pub what: &'static str,
}

/// The characterisation of a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InfoReport {
    /// Bytes a page.
    pub page_size: u64,
    /// All requests.
    pub requests: u64,
    /// Read requests.
    pub reads: u64,
    /// Write requests.
    pub writes: u64,
    /// Flush requests.
    pub flushes: u64,
    /// Discard requests.
    pub discards: u64,
    /// Bytes that the reads ask for.
    pub bytes_read: u64,
    /// Bytes of the writes.
    pub bytes_written: u64,
    /// Bytes of the discards.
    pub bytes_discarded: u64,
    /// Bytes written at least once.
    pub bytes_unique: u64,
    /// Bytes written that were written before in the trace: `bytes_written - bytes_unique`.
    pub bytes_rewritten: u64,
    /// Different pages read.
    pub pages_read: u64,
    /// Different pages written.
    pub pages_written: u64,
    /// Different pages read or written.
    pub pages_touched: u64,
    /// Different pages that are read and never written in the trace.
    pub pages_read_never_written: u64,
    /// Page writes: a page that is written twice counts twice.
    pub page_writes: u64,
    /// `page_writes / pages_written`; `None` without writes.
    pub rewrite_ratio: Option<f64>,
    /// The number of writes of the page that is written most often.
    pub hottest_page_writes: u64,
    /// Writes that do not start and end on page bounds.
    pub unaligned_writes: u64,
    /// The number of writes by the largest power of two, up to 1 MiB, that divides both offset and size.
    pub write_alignment: BTreeMap<u64, u64>,
    /// What a mapping unit of 4, 8, 16, 32 or 64 KiB does to the writes.
    pub mapping_units: Vec<UnitReport>,
    /// Share of the writes that start where the previous write ended; `None` without writes.
    pub sequential_write_share: Option<f64>,
    /// The sequential runs of writes; `None` without writes.
    pub write_runs: Option<RunReport>,
    /// Sizes of the reads; `None` without reads.
    pub read_sizes: Option<SizeReport>,
    /// Sizes of the writes; `None` without writes.
    pub write_sizes: Option<SizeReport>,
    /// Different streams of the writes; 1 if nothing is known, 0 without writes.
    pub write_streams: u64,
    /// Seconds from the earliest to the latest time.
    pub span_s: f64,
    /// The first byte after all reads, writes and discards.
    pub end: u64,
}

/// Characterises a trace request by request; memory grows with the number of different bounds of requests, not with
/// their sizes.
#[derive(Debug)]
pub struct Info {
    page_size: u64,
    reads: Sizes,
    writes: Sizes,
    flushes: u64,
    discards: u64,
    bytes_discarded: u64,
    read: Cover,
    written: Cover,
    /// Byte by byte.
    bytes_written: Cover,
    page_writes: u64,
    unaligned_writes: u64,
    /// Writes by the power of two that divides offset and size.
    alignment: [u64; LARGEST_ALIGNMENT as usize + 1],
    units: Units,
    runs: Runs,
    write_streams: BTreeSet<u16>,
    earliest: u64,
    latest: u64,
    end: u64,
}

impl Info {
    /// Starts without requests, with pages of `page_size` bytes.
    ///
    /// # Panics
    /// If `page_size` is 0.
    pub fn new(page_size: u64) -> Info {
        assert!(page_size > 0, "a page has at least one byte");
        Info {
            page_size,
            reads: Sizes::default(),
            writes: Sizes::default(),
            flushes: 0,
            discards: 0,
            bytes_discarded: 0,
            read: Cover::default(),
            written: Cover::default(),
            bytes_written: Cover::default(),
            page_writes: 0,
            unaligned_writes: 0,
            alignment: [0; LARGEST_ALIGNMENT as usize + 1],
            units: Units::default(),
            runs: Runs::default(),
            write_streams: BTreeSet::new(),
            earliest: u64::MAX,
            latest: 0,
            end: 0,
        }
    }

    /// Adds one request.
    ///
    /// # Errors
    /// [`TooMany`] if the bytes of the operation reach 2^64; the request is then not counted.
    ///
    /// # Panics
    /// If a read or write has size 0; no reader returns one.
    pub fn add(&mut self, request: &Request) -> Result<(), TooMany> {
        match request.op() {
            Op::Read => self.add_read(request)?,
            Op::Write => self.add_write(request)?,
            Op::Flush => self.flushes += 1,
            Op::Discard => {
                let sum = self.bytes_discarded.checked_add(request.size());
                self.bytes_discarded = sum.ok_or(TooMany {
                    what: "bytes discarded",
                })?;
                self.discards += 1;
            }
        }
        if request.op() != Op::Flush {
            self.end = self.end.max(request.end());
        }
        self.earliest = self.earliest.min(request.time_ns);
        self.latest = self.latest.max(request.time_ns);
        Ok(())
    }

    /// The characterisation of all requests so far.
    pub fn finish(&mut self) -> InfoReport {
        let writes = self.writes.total();
        let pages_written = self.written.pages();
        let bytes_unique = self.bytes_written.pages();
        let pages_touched = self.written.union(&mut self.read).pages();
        InfoReport {
            page_size: self.page_size,
            requests: self.reads.total() + writes + self.flushes + self.discards,
            reads: self.reads.total(),
            writes,
            flushes: self.flushes,
            discards: self.discards,
            bytes_read: self.reads.bytes(),
            bytes_written: self.writes.bytes(),
            bytes_discarded: self.bytes_discarded,
            bytes_unique,
            bytes_rewritten: self.writes.bytes() - bytes_unique,
            pages_read: self.read.pages(),
            pages_written,
            pages_touched,
            pages_read_never_written: pages_touched - pages_written,
            page_writes: self.page_writes,
            rewrite_ratio: ratio(self.page_writes, pages_written),
            hottest_page_writes: self.written.most(),
            unaligned_writes: self.unaligned_writes,
            write_alignment: self.aligned(),
            mapping_units: self.units.report(writes, self.writes.bytes()),
            sequential_write_share: ratio(self.runs.sequential(), writes),
            write_runs: self.runs.report(),
            read_sizes: self.reads.report(),
            write_sizes: self.writes.report(),
            write_streams: self.write_streams.len() as u64,
            span_s: self.latest.saturating_sub(self.earliest) as f64 / 1e9,
            end: self.end,
        }
    }

    fn add_read(&mut self, request: &Request) -> Result<(), TooMany> {
        let (first, last) = self.pages(request);
        let what = "bytes read";
        self.reads.add(request.size()).ok_or(TooMany { what })?;
        self.read.add(first, last);
        Ok(())
    }

    fn add_write(&mut self, request: &Request) -> Result<(), TooMany> {
        let (first, last) = self.pages(request);
        let what = "bytes written";
        self.writes.add(request.size()).ok_or(TooMany { what })?;
        self.written.add(first, last);
        self.bytes_written.add(request.offset, request.end() - 1);
        // never more than the bytes, so no overflow
        self.page_writes += last - first + 1;
        let on_bounds = request.offset.is_multiple_of(self.page_size)
            && request.end().is_multiple_of(self.page_size);
        self.unaligned_writes += u64::from(!on_bounds);
        self.units.add(request);
        self.runs.add(request);
        let alignment = (request.offset | request.size()).trailing_zeros();
        self.alignment[alignment.min(LARGEST_ALIGNMENT) as usize] += 1;
        self.write_streams.insert(request.stream());
        Ok(())
    }

    fn aligned(&self) -> BTreeMap<u64, u64> {
        let used = self.alignment.iter().enumerate().filter(|of| *of.1 > 0);
        used.map(|(bits, &writes)| (1 << bits, writes)).collect()
    }

    /// The sum of the sizes of the writes so far.
    pub(crate) const fn bytes_written_so_far(&self) -> u64 {
        self.writes.bytes()
    }

    /// The first and the last page of a request.
    fn pages(&self, request: &Request) -> (u64, u64) {
        assert!(request.size() > 0, "a read or write has at least one byte");
        let last = (request.end() - 1) / self.page_size;
        (request.offset / self.page_size, last)
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
