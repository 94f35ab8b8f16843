//! All statistics of a trace together.

use serde::Serialize;
use ssdlab_host::{Op, Request};

use crate::curve::{LruCurve, LruHits, LruPoint, TooManyUnits};
use crate::flushes::{FlushReport, Flushes};
use crate::info::{Info, InfoReport, TooMany};
use crate::pages::{HotShare, Moment, Pages, RewriteReport};
use crate::windows::WindowReport;

/// What a workload is for flash.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProfileReport {
    /// Counts, sizes, footprint.
    #[serde(flatten)]
    pub info: InfoReport,
    /// What lies between flushes.
    pub flush_intervals: FlushReport,
    /// What is known of each page; `None` if there are too many pages.
    pub pages: Option<PageReport>,
    /// The hits of buffers of whole erase blocks; `None` if there are too many.
    pub lru_by_block: Option<LruReport>,
}

/// What follows from what is known of each page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageReport {
    /// The pages that take 50, 80, 90 and 99 % of the page writes; empty without writes.
    pub hot: Vec<HotShare>,
    /// Shares of the pages written, the hottest first, each with the share of the page writes that they take; at most
    /// some 200 points.
    pub hot_curve: Vec<(f64, f64)>,
    /// Rewrites, and what lies between them.
    pub rewrites: RewriteReport,
    /// Different pages written in each window of time.
    pub working_set: WindowReport,
    /// The hits of buffers of pages.
    pub lru_by_page: LruReport,
}

/// The hits of LRU buffers over their size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LruReport {
    /// Bytes a unit: a page or an erase block.
    pub unit: u64,
    /// Units written; one that is written twice counts twice.
    pub writes: u64,
    /// Units read.
    pub reads: u64,
    /// The smallest buffer, in units, in which as many writes hit as in any larger one; 0 if none ever hits.
    pub enough: u64,
    /// Four sizes for each doubling.
    pub points: Vec<LruPoint>,
    /// The same for a buffer that ignores flushes, as one with a battery; `None` without flushes.
    pub protected: Option<Vec<LruPoint>>,
    /// The exact hits at all sizes.
    #[serde(skip)]
    pub hits: LruHits,
    /// The same for a buffer that ignores flushes.
    #[serde(skip)]
    pub protected_hits: Option<LruHits>,
}

impl LruReport {
    fn of(curve: &LruCurve) -> Self {
        let hits = curve.hits(false);
        let protected_hits = curve.has_flushes().then(|| curve.hits(true));
        Self {
            unit: hits.unit,
            writes: hits.writes,
            reads: hits.reads,
            enough: hits.enough(),
            points: hits.points(),
            protected: protected_hits.as_ref().map(LruHits::points),
            hits,
            protected_hits,
        }
    }
}

/// How a trace is characterised.
#[derive(Clone, Copy, Debug)]
pub struct ProfileOptions {
    /// Bytes a page, at least 1.
    pub page_size: u64,
    /// Bytes an erase block, at least 1.
    pub erase_block: u64,
    /// The most different pages of which each is looked at; 2^30 at most. Each takes up to [`BYTES_PER_PAGE`].
    pub most_pages: usize,
}

/// Memory in bytes to reckon with for each page written; the example `curve_speed` measures 155 to 205, and
/// up to 150 more where no page is written beside another. 24 are for its
/// rewrites; for its number, its slots and the hits see [`LruCurve`]; the rest is for bounds of requests, and for tables
/// that grow.
pub const BYTES_PER_PAGE: u64 = 360;

/// Characterises a trace request by request, in one pass. Memory follows the number of different pages written, and of
/// different bounds of requests.
#[derive(Debug)]
pub struct Profile {
    info: Info,
    flushes: Flushes,
    /// The latest time so far: a time that goes back counts as this one.
    now_ns: u64,
    start_ns: Option<u64>,
    pages: Result<(LruCurve, Pages), TooManyUnits>,
    blocks: Result<LruCurve, TooManyUnits>,
}

impl Profile {
    /// Starts without requests.
    ///
    /// # Panics
    /// If a size is 0.
    pub fn new(options: &ProfileOptions) -> Self {
        let curve = |unit| LruCurve::with_most(unit, options.most_pages);
        Self {
            info: Info::new(options.page_size),
            flushes: Flushes::default(),
            now_ns: 0,
            start_ns: None,
            pages: Ok((curve(options.page_size), Pages::new())),
            blocks: Ok(curve(options.erase_block)),
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
        let before = self.info.bytes_written_so_far();
        self.info.add(request)?;
        let start_ns = *self.start_ns.get_or_insert(request.time_ns);
        self.now_ns = self.now_ns.max(request.time_ns.saturating_sub(start_ns));
        let at = Moment {
            ns: self.now_ns,
            before,
            until: self.info.bytes_written_so_far(),
        };
        match request.op() {
            Op::Flush => self.flushes.flush(at.ns, at.until),
            _ => self.flushes.other(at.ns),
        }
        if let Ok((curve, pages)) = &mut self.pages {
            pages.windows.advance(at.ns);
            let added = curve.add_and_tell(request, |page, written| match written {
                true => pages.write(page, &at),
                false => pages.discard(page),
            });
            if let Err(error) = added {
                self.pages = Err(error);
            }
        }
        if let Ok(curve) = &mut self.blocks
            && let Err(error) = curve.add(request)
        {
            self.blocks = Err(error);
        }
        Ok(())
    }

    /// Why nothing is known of single pages or blocks, if there are too many.
    pub fn too_many(&self) -> Option<TooManyUnits> {
        let errors = [self.pages.as_ref().err(), self.blocks.as_ref().err()];
        errors.into_iter().flatten().next().copied()
    }

    /// The characterisation of all requests so far.
    pub fn finish(&mut self) -> ProfileReport {
        ProfileReport {
            info: self.info.finish(),
            flush_intervals: self.flushes.report(),
            pages: self.pages.as_ref().ok().map(|(curve, pages)| {
                let (hot, hot_curve) = pages.hot();
                PageReport {
                    hot,
                    hot_curve,
                    rewrites: pages.rewrites(),
                    working_set: pages.working_set(),
                    lru_by_page: LruReport::of(curve),
                }
            }),
            lru_by_block: self.blocks.as_ref().ok().map(LruReport::of),
        }
    }
}
