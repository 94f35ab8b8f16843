//! Future knowledge (FK in SepBIT, Wang et al. 2022): separates pages by the time at which they will be written again.
//!
//! It is a bound for placement by death time, and not the optimum. The region of a page is the number of whole blocks of
//! writes until its next write, at most the last region; of copies too. A page that is not written again dies never. A
//! discard ends nothing: the next write counts.

use ssdlab_flash::{Geometry, Lpn, Ppn};

use super::times::Times;
use super::{Inputs, Place, Placement, PlacementKind, REGIONS, Wants};
use crate::buffer::Future as Writes;
use crate::{About, Entry, Impossible, Source, papers};

/// A page that is not written again.
const NEVER: u64 = Times::<1>::NONE;

/// The parameters of future knowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FutureConfig {
    /// `ftl.regions`: 2 to 64.
    pub regions: u32,
}

/// The next write of each page.
pub struct Future {
    pages_per_block: u32,
    last: u32,
    /// For each valid PPN, the time of the next write of its page.
    deaths: Times<1>,
    /// The same of the page that is written now.
    death: u64,
    writes: Option<Writes>,
    /// The write that comes next.
    next: usize,
}

impl PlacementKind for Future {
    const ENTRY: Entry = Entry {
        name: "future",
        rule: "a bound: knows when each page is written again, and puts pages that die together into one region",
        source: Source::of("{}, FK", &[&papers::SEPBIT]),
        keys: &[REGIONS.key],
        about: About {
            file: file!(),
            lines: [
                "The simulator computes from the whole trace when each page is written again.",
                "A page whose next write is k whole blocks of writes away goes to region k, at most to the last one; \
                 copies too.",
                "A page that is not written again goes to the last region.",
            ],
            cost: "O(1) for each page; 4 bytes for each physical page (8 after 2^32 writes), and 4 for each page that \
                   the trace writes.",
            wins: "Everything that any placement could learn about death times; what is left is the price of cleaning.",
            loses: "It cannot be built. Few regions: pages that die late share one.",
        },
    };

    const PAGE_BYTES: u64 = Times::<1>::PAGE_BYTES;

    type Config = FutureConfig;

    fn configure(inputs: &Inputs) -> FutureConfig {
        FutureConfig {
            regions: inputs.regions(&Self::ENTRY),
        }
    }

    fn check(config: &FutureConfig) -> Result<(), Impossible> {
        super::check_regions(Self::ENTRY.name, config.regions)
    }

    fn wants(_: &FutureConfig) -> Wants {
        Wants {
            no_awareness: true,
            future: true,
            ..Wants::default()
        }
    }

    fn regions(config: &FutureConfig) -> u32 {
        config.regions
    }

    fn new(geometry: &Geometry, config: &FutureConfig) -> Self {
        Self {
            pages_per_block: geometry.pages_per_block(),
            last: config.regions - 1,
            deaths: Times::new(geometry.physical_pages(), NEVER),
            death: NEVER,
            writes: None,
            next: 0,
        }
    }
}

impl Future {
    fn region(&self, death: u64, now: u64) -> u32 {
        let left = death.saturating_sub(now);
        // of 32 bits, because a division of 64 takes twice as long
        let left = u32::try_from(left).unwrap_or(u32::MAX);
        (left / self.pages_per_block).min(self.last)
    }

    /// The time of the next write of the page that is written now.
    fn next_death(&mut self, now: u64) -> u64 {
        let Some(writes) = &self.writes else {
            return NEVER;
        };
        let distance = writes.after(self.next);
        self.next += 1;
        if self.next >= writes.writes() {
            self.next = 0;
        }
        time_of(distance, now)
    }
}

/// The time of a write after so many others.
fn time_of(distance: u32, now: u64) -> u64 {
    match distance {
        Writes::NEVER => NEVER,
        distance => now + u64::from(distance),
    }
}

impl Placement for Future {
    fn of_preconditioned(&self) -> u32 {
        self.last
    }

    fn foretold(&mut self, writes: &Writes, map: &[Ppn], now: u64) {
        for (&at, first) in map.iter().zip(writes.firsts()) {
            if at.is_some() {
                self.deaths.set(at, [time_of(first, now)]);
            }
        }
        self.writes = Some(writes.clone());
        self.next = 0;
    }

    fn of_write(&mut self, _: Lpn, _: Option<u32>, now: u64, _: u16) -> Place {
        self.death = self.next_death(now);
        Place::Flash(self.region(self.death, now))
    }

    fn of_rewrite(&mut self, lpn: Lpn, (at, _): (Ppn, u32), now: u64, stream: u16) -> Place {
        let place = self.of_write(lpn, None, now, stream);
        // cleaning may move the older version before the page is written
        self.deaths.set(at, [self.death]);
        place
    }

    fn of_copies(&self, _: u32) -> Option<u32> {
        None
    }

    fn of_copy(&mut self, _: Lpn, at: Ppn, _: u32, now: u64) -> u32 {
        let [death] = self.deaths.get(at);
        self.region(death, now)
    }

    fn copied(&mut self, pages: &[(Ppn, Lpn)], to: Ppn) {
        self.deaths.copied(pages, to);
    }

    fn foresee(&self, versions: &[Ppn]) {
        self.deaths.foresee(versions);
    }

    fn written(&mut self, _: Lpn, _: Option<Ppn>, at: Ppn, _: u64) {
        self.deaths.set(at, [self.death]);
    }
}
