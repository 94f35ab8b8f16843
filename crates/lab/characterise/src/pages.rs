//! What is known of each page that is written.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::spread::{Spread, SpreadReport};
use crate::windows::{WindowReport, Windows};

/// The shares of the writes, in percent, of which the hot set is told.
const SHARES: [u64; 4] = [50, 80, 90, 99];
/// The most points of the curve of the hot set.
const POINTS: usize = 200;

/// The pages that are written most often.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HotShare {
    /// Percent of the page writes.
    pub percent_of_writes: u64,
    /// The fewest pages that take at least so many.
    pub pages: u64,
    /// These pages over all pages written.
    pub share_of_footprint: f64,
}

/// Rewrites: writes of pages that were written before and not discarded since.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RewriteReport {
    /// Page writes that are rewrites.
    pub rewrites: u64,
    /// Nanoseconds since the write before; `None` without rewrites.
    pub ns: Option<SpreadReport>,
    /// Bytes that the host wrote in between, without the two writes themselves; `None` without rewrites.
    pub bytes: Option<SpreadReport>,
}

/// A page that was written.
#[derive(Clone, Copy, Debug)]
struct Page {
    /// The time of the last write.
    last_ns: u64,
    /// The bytes written until the end of the last write; [`DISCARDED`] after a discard.
    until: u64,
    writes: u64,
}

const DISCARDED: u64 = u64::MAX;

/// A write request: when it comes, and the bytes written before it and with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub ns: u64,
    pub before: u64,
    pub until: u64,
}

/// What is known of each page that is written, by its number; 24 bytes a page.
#[derive(Debug)]
pub(crate) struct Pages {
    pages: Vec<Page>,
    ns: Spread,
    bytes: Spread,
    pub windows: Windows,
}

impl Pages {
    pub fn new() -> Self {
        Self {
            pages: Vec::new(),
            ns: Spread::default(),
            bytes: Spread::default(),
            windows: Windows::new(),
        }
    }

    /// A write of a page; a number is at most one above the highest so far. The windows are at this time.
    pub fn write(&mut self, number: usize, at: &Moment) {
        let Some(page) = self.pages.get_mut(number) else {
            self.windows.add(at.ns, None);
            self.pages.push(Page {
                last_ns: at.ns,
                until: at.until,
                writes: 1,
            });
            return;
        };
        self.windows.add(at.ns, Some(page.last_ns));
        if page.until != DISCARDED {
            self.ns.add(at.ns - page.last_ns);
            self.bytes.add(at.before - page.until);
        }
        (page.last_ns, page.until) = (at.ns, at.until);
        page.writes += 1;
    }

    pub fn discard(&mut self, number: usize) {
        self.pages[number].until = DISCARDED;
    }

    pub fn rewrites(&self) -> RewriteReport {
        let ns = self.ns.report();
        RewriteReport {
            rewrites: ns.as_ref().map_or(0, |ns| ns.count),
            ns,
            bytes: self.bytes.report(),
        }
    }

    pub fn working_set(&self) -> WindowReport {
        self.windows.report()
    }

    /// The hot set, and its curve: the share of the pages, the hottest first, and the share of the writes that they take.
    pub fn hot(&self) -> (Vec<HotShare>, Vec<(f64, f64)>) {
        let mut counts = BTreeMap::<u64, u64>::new();
        for page in &self.pages {
            *counts.entry(page.writes).or_default() += 1;
        }
        let hottest_first = || counts.iter().rev().map(|(&writes, &pages)| (writes, pages));
        let all_pages = self.pages.len() as u64;
        let all_writes: u128 = hottest_first()
            .map(|(writes, pages)| u128::from(writes) * u128::from(pages))
            .sum();
        let share = |percent| {
            let wanted = (all_writes * u128::from(percent)).div_ceil(100);
            let (mut pages, mut writes) = (0, 0);
            for (each, group) in hottest_first() {
                let missing = (wanted - writes).div_ceil(u128::from(each));
                let taken = missing.min(u128::from(group));
                pages += taken as u64;
                writes += taken * u128::from(each);
                if writes >= wanted {
                    break;
                }
            }
            HotShare {
                percent_of_writes: percent,
                pages,
                share_of_footprint: pages as f64 / all_pages as f64,
            }
        };
        let mut curve = vec![(0.0, 0.0)];
        let (mut pages, mut writes) = (0, 0);
        let groups = counts.len();
        for (index, (each, group)) in hottest_first().enumerate() {
            pages += group;
            writes += u128::from(each) * u128::from(group);
            let step = groups.div_ceil(POINTS);
            if index % step == 0 || index + 1 == groups {
                curve.push((
                    pages as f64 / all_pages as f64,
                    writes as f64 / all_writes as f64,
                ));
            }
        }
        match all_pages {
            0 => (Vec::new(), Vec::new()),
            _ => (SHARES.map(share).to_vec(), curve),
        }
    }
}
