//! TT of the simulator of SSD-iq for ZLeanStore: a head for each of several ranges of update intervals.
//!
//! - The interval of a page is the mean time between its last three host writes and now.
//! - From time to time, the intervals of a sample of the pages are divided into heads of equal size. The source draws the
//!   sample; here it is 10,000 pages at equal distances, so that results are exact.
//! - What the host writes goes to the frontier of the head, copies to a second frontier of the head of the page.

use ssdlab_flash::{Geometry, Lpn, Ppn};

use super::intervals::{FIXED_BYTES, Intervals, PAGE_BYTES};
use super::{Inputs, Place, Placement, PlacementKind, Wants};
use crate::{About, Count, Entry, Impossible, Source, papers};

/// `ftl.heads`.
pub const HEADS: Count = Count::new(
    "ftl.heads",
    [2, 32],
    8,
    "ranges of update intervals, each with a frontier for host writes and one for copies",
);

/// The parameters of `tt` and `2a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadsConfig {
    /// `ftl.heads`: 2 to 32.
    pub heads: u32,
}

/// The intervals of all pages.
pub struct Tt {
    heads: u32,
    intervals: Intervals,
}

impl PlacementKind for Tt {
    const ENTRY: Entry = Entry {
        name: "tt",
        rule: "separates pages by their mean update interval, in ranges with equally many pages",
        source: Source::of("the simulator of {} for ZLeanStore", &[&papers::SSD_IQ]),
        keys: &[HEADS.key],
        about: About {
            file: file!(),
            lines: [
                "The update interval of a page is the mean time between its last three host writes and now.",
                "Every 10 blocks of writes, the intervals of 10,000 pages at equal distances are divided into `ftl.heads` \
                 ranges with equally many of them.",
                "Each range has a frontier for what the host writes and one for copies. A page of which no time is known \
                 goes to the middle one.",
            ],
            cost: "O(heads) for each page, and 10,000 intervals every 10 blocks; 12 bytes for each physical page, 24 \
                   after 2^32 writes.",
            wins: "Writes of several frequencies, each with enough pages.",
            loses: "Uniform writes, and few spare blocks, of which it keeps two open for each range.",
        },
    };

    const PAGE_BYTES: u64 = PAGE_BYTES;

    const FIXED_BYTES: u64 = FIXED_BYTES;

    /// Three times.
    const UPDATE_BITS: u64 = 96;

    type Config = HeadsConfig;

    fn configure(inputs: &Inputs) -> HeadsConfig {
        HeadsConfig {
            heads: HEADS.of(inputs.settings) as u32,
        }
    }

    fn check(_: &HeadsConfig) -> Result<(), Impossible> {
        Ok(())
    }

    fn wants(_: &HeadsConfig) -> Wants {
        Wants {
            no_awareness: true,
            ..Wants::default()
        }
    }

    fn regions(config: &HeadsConfig) -> u32 {
        2 * config.heads
    }

    fn new(geometry: &Geometry, config: &HeadsConfig) -> Self {
        Self {
            heads: config.heads,
            intervals: Intervals::new(geometry, config.heads),
        }
    }
}

impl Placement for Tt {
    fn of_preconditioned(&self) -> u32 {
        self.intervals.unknown()
    }

    fn of_write(&mut self, _: Lpn, _: Option<u32>, _: u64, _: u16) -> Place {
        let head = self.intervals.unknown();
        Place::Flash(head)
    }

    fn of_rewrite(&mut self, _: Lpn, (at, _): (Ppn, u32), now: u64, _: u16) -> Place {
        let head = self.intervals.classify(at, now);
        Place::Flash(head)
    }

    fn of_copies(&self, _: u32) -> Option<u32> {
        None
    }

    fn of_copy(&mut self, _: Lpn, at: Ppn, _: u32, now: u64) -> u32 {
        self.heads + self.intervals.classify(at, now)
    }

    fn copied(&mut self, pages: &[(Ppn, Lpn)], to: Ppn) {
        self.intervals.copied(pages, to);
    }

    fn foresee(&self, versions: &[Ppn]) {
        self.intervals.foresee(versions);
    }

    fn written(&mut self, lpn: Lpn, older: Option<Ppn>, at: Ppn, now: u64) {
        self.intervals.written(lpn, older, at, now);
    }

    fn discarded(&mut self, lpn: Lpn) {
        self.intervals.discarded(lpn);
    }
}
