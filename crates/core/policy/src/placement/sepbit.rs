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

use ssdlab_flash::{Geometry, Lpn, Pbn, Ppn};

use super::times::Times;
use super::{Inputs, Place, Placement, PlacementKind, Wants};
use crate::{About, Entry, Impossible, Source, papers};

/// The regions of short and long expected lifetimes of what the host writes.
const SHORT: u32 = 0;
const LONG: u32 = 1;
/// Copies out of the region of short lifetimes.
const COPIES_OF_SHORT: u32 = 2;
/// Other copies; those of older pages go to the next two regions.
const YOUNG: u32 = 3;
const REGIONS: u32 = 6;
/// The cleaned blocks of which the lifetimes are averaged.
const AVERAGED: u64 = 16;

/// Whole numbers of pages around ℓ, so that no page takes a division.
struct Limits {
    /// The most pages that are not above ℓ.
    most: u64,
    /// The fewest pages that are not below ℓ, 4ℓ and 16ℓ.
    one: u64,
    four: u64,
    sixteen: u64,
}

impl Limits {
    /// Without a complete group: ℓ is above everything.
    const NONE: Self = Self {
        most: u64::MAX,
        one: u64::MAX,
        four: u64::MAX,
        sixteen: u64::MAX,
    };

    /// From the sum of the lifetimes of a complete group, 16ℓ.
    fn of(sum: u64) -> Self {
        Self {
            most: sum / AVERAGED,
            one: sum.div_ceil(AVERAGED),
            four: sum.div_ceil(AVERAGED / 4),
            sixteen: sum,
        }
    }
}

/// The times of all pages, and the expected lifetime.
pub struct SepBit {
    /// For each valid PPN, the time of the last write of its page.
    last: Times<1>,
    logical_pages: u64,
    /// The pages that were written.
    mapped: u64,
    /// For each block, the time at which it was taken.
    created: Vec<u64>,
    /// The length of the queue.
    queue: u64,
    /// ℓ of the last complete group.
    limits: Limits,
    /// The sum of the lifetimes of the group that is not complete.
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
            cost: "O(1) for each page; 4 bytes for each physical page, for the time of the last write; 8 after 2^32 \
                   writes.",
            wins: "Skewed writes, whose recent past tells the future.",
            loses: "Uniform writes: the regions only take open blocks.",
        },
    };

    /// The times of blocks are of at most 8 bytes a page, if it is alone in its block.
    const PAGE_BYTES: u64 = Times::<1>::PAGE_BYTES + 8;

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
            last: Times::new(geometry.physical_pages(), 0),
            logical_pages: geometry.logical_pages().into(),
            mapped: 0,
            created: vec![0; geometry.physical_blocks() as usize],
            queue: 0,
            limits: Limits::NONE,
            next: 0,
            counted: 0,
        }
    }
}

impl SepBit {
    /// The queue grows by the page that is written now.
    #[inline]
    fn queue_one(&mut self) {
        self.queue += 1;
        let most = self.limits.most;
        if self.queue > self.mapped || self.queue > most {
            self.queue -= 1;
            if self.queue > most {
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
        self.mapped = self.logical_pages;
    }

    fn of_write(&mut self, _: Lpn, _: Option<u32>, _: u64, _: u16) -> Place {
        self.queue_one();
        Place::Flash(LONG)
    }

    fn of_rewrite(&mut self, _: Lpn, (at, _): (Ppn, u32), now: u64, _: u16) -> Place {
        let [last] = self.last.get(at);
        let is_soon = now - last < self.queue.min(self.limits.one);
        self.queue_one();
        // no branch, which would be hard to predict
        Place::Flash(SHORT + u32::from(!is_soon))
    }

    fn of_copies(&self, region: u32) -> Option<u32> {
        (region == SHORT).then_some(COPIES_OF_SHORT)
    }

    fn of_copy(&mut self, _: Lpn, at: Ppn, _: u32, now: u64) -> u32 {
        let [last] = self.last.get(at);
        let (age, limits) = (now - last, &self.limits);
        // no branch either
        YOUNG + u32::from(age >= limits.four) + u32::from(age >= limits.sixteen)
    }

    fn copied(&mut self, pages: &[(Ppn, Lpn)], to: Ppn) {
        self.last.copied(pages, to);
    }

    fn foresee(&self, versions: &[Ppn]) {
        self.last.foresee(versions);
    }

    fn written(&mut self, _: Lpn, older: Option<Ppn>, at: Ppn, now: u64) {
        self.last.set(at, [now]);
        self.mapped += u64::from(older.is_none());
    }

    fn discarded(&mut self, _: Lpn) {
        self.mapped -= 1;
    }

    fn found(&mut self, _: Lpn, at: Ppn, _: u32) {
        self.last.set(at, [0]);
        self.mapped += 1;
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
            self.limits = Limits::of(core::mem::take(&mut self.next));
            self.counted = 0;
        }
    }
}
