//! SepBIT (Wang et al. 2022): separates pages by the time at which they are expected to become invalid.
//!
//! - A host write that follows the last write of its page within ℓ goes to region 0, others to region 1. ℓ is the mean
//!   lifetime of the last 16 cleaned blocks of region 0.
//! - The paper looks the last write up in a queue of recent writes. Its bound is kept here without the queue: a number of
//!   pages that grows with each write and shrinks while it is above ℓ, or above the mapped pages (our reading; the source
//!   counts the written pages without the invalid ones in sealed segments).
//! - A copy out of region 0 goes to region 2; others go by the age of the page to region 3 (below 4ℓ), 4 (below 16ℓ) or 5.
//!
//! Created is a block when it is taken (our reading: the source takes the time at which its predecessor was sealed).

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lpn, Pbn};

use super::{Inputs, Place, Placement, PlacementKind, Wants};
use crate::{About, Entry, Impossible, Source, papers};

/// The regions of short and long expected lifetimes of what the host writes.
const SHORT: u32 = 0;
const LONG: u32 = 1;
/// Copies out of the region of short lifetimes.
const COPIES_OF_SHORT: u32 = 2;
/// Other copies, by age.
const YOUNG: u32 = 3;
const OLDER: u32 = 4;
const OLDEST: u32 = 5;
const REGIONS: u32 = 6;
/// The cleaned blocks of which the lifetimes are averaged.
const AVERAGED: u64 = 16;
/// The page was never written, or discarded.
const UNWRITTEN: u64 = u64::MAX;

/// The times of all pages, and the expected lifetime.
pub struct SepBit {
    /// For each LPN, the time of its last write.
    last: Vec<u64>,
    /// The pages with a time.
    mapped: u64,
    /// For each block, the time at which it was taken.
    created: Vec<u64>,
    /// The length of the queue.
    queue: u64,
    /// The sum of the lifetimes of the last complete group, 16ℓ.
    sum: Option<u64>,
    /// The same of the group that is not complete.
    next: u64,
    counted: u64,
}

impl PlacementKind for SepBit {
    const ENTRY: Entry = Entry {
        name: "sepbit",
        rule: "separates pages by their expected lifetimes, from the time since the last write or the age",
        source: Source::of("{}", &[&papers::SEPBIT]),
        keys: &[],
        about: About {
            file: file!(),
            lines: [
                "ℓ is the mean lifetime of the last 16 blocks that were cleaned out of region 0.",
                "A page that the host writes again within ℓ goes to region 0, others to region 1.",
                "Copies out of region 0 go to region 2; others by the age of the page to region 3 (below 4ℓ), 4 (below \
                 16ℓ) or 5.",
            ],
            cost: "O(1) for each page; 8 bytes for each logical page, for the time of its last write.",
            wins: "Skewed writes, whose recent past tells the future.",
            loses: "Uniform writes: the regions only take open blocks.",
        },
    };

    const PAGE_BYTES: u64 = 16;

    /// A time.
    const UPDATE_BITS: u64 = 32;

    type Config = ();

    fn configure(_: &Inputs) {}

    fn check((): &()) -> Result<(), Impossible> {
        Ok(())
    }

    fn wants((): &()) -> Wants {
        Wants {
            no_awareness: true,
            ..Wants::default()
        }
    }

    fn regions((): &()) -> u32 {
        REGIONS
    }

    fn new(geometry: &Geometry, (): &()) -> Self {
        Self {
            last: vec![UNWRITTEN; geometry.logical_pages() as usize],
            mapped: 0,
            created: vec![0; geometry.physical_blocks() as usize],
            queue: 0,
            sum: None,
            next: 0,
            counted: 0,
        }
    }
}

impl SepBit {
    /// Whether a number of pages is below so many times ℓ.
    #[inline]
    fn is_below(&self, pages: u64, times: u64) -> bool {
        self.sum
            .is_none_or(|sum| AVERAGED * pages < times.saturating_mul(sum))
    }

    /// The queue grows by the page that is written now.
    #[inline]
    fn queue_one(&mut self) {
        self.queue += 1;
        let above = |queue| self.sum.is_some_and(|sum| AVERAGED * queue > sum);
        if self.queue > self.mapped || above(self.queue) {
            self.queue -= 1;
            if above(self.queue) {
                self.queue -= 1;
            }
        }
    }
}

impl Placement for SepBit {
    fn of_preconditioned(&self) -> u32 {
        LONG
    }

    fn preconditioned(&mut self) {
        self.last.fill(0);
        self.mapped = self.last.len() as u64;
    }

    fn of_write(&mut self, lpn: Lpn, _: Option<u32>, now: u64, _: u16) -> Place {
        let region = match self.last[lpn.index()] {
            UNWRITTEN => LONG,
            last => {
                let since = now - last;
                if since < self.queue && self.is_below(since, 1) {
                    SHORT
                } else {
                    LONG
                }
            }
        };
        self.queue_one();
        Place::Flash(region)
    }

    fn of_copies(&self, region: u32) -> Option<u32> {
        (region == SHORT).then_some(COPIES_OF_SHORT)
    }

    fn of_copy(&mut self, lpn: Lpn, _: u32, now: u64) -> u32 {
        let age = now - self.last[lpn.index()];
        if self.is_below(age, 4) {
            YOUNG
        } else if self.is_below(age, 16) {
            OLDER
        } else {
            OLDEST
        }
    }

    fn written(&mut self, lpn: Lpn, now: u64) {
        let last = core::mem::replace(&mut self.last[lpn.index()], now);
        self.mapped += u64::from(last == UNWRITTEN);
    }

    fn discarded(&mut self, lpn: Lpn) {
        let last = core::mem::replace(&mut self.last[lpn.index()], UNWRITTEN);
        self.mapped -= u64::from(last != UNWRITTEN);
    }

    fn found(&mut self, lpn: Lpn, _: u32) {
        self.written(lpn, 0);
    }

    fn opened(&mut self, block: Pbn, _: u32, now: u64) {
        self.created[block.index()] = now;
    }

    fn cleaned(&mut self, block: Pbn, region: u32, now: u64) {
        if region != SHORT {
            return;
        }
        self.next += now - self.created[block.index()];
        self.counted += 1;
        if self.counted == AVERAGED {
            self.sum = Some(core::mem::take(&mut self.next));
            self.counted = 0;
        }
    }
}
