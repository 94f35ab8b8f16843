//! Three-region LRU (BAGC): three regions for blocks that were written once, blocks that are being updated, and blocks
//! that are no longer updated. The regions adapt their sizes. The region of a page shows how likely the page is to be
//! written again.
//!
//! The states and transitions are those of the paper's figure 8, applied to blocks instead of pages (section 6.4), or to
//! pages as in section 6.3. Our reading: all accesses of one request to a block count as one, so that a block written in
//! order by one request does not look updated.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lbn, Lpn, Page};

use super::{Access, BufferKind, BufferPolicy, COUNT_HEADERS, Nature, SIZE, Shape, Victim};
use crate::{About, Choice, Entry, Lists, Settings, Source, papers};

/// Numbers of the regions: initial, to be updated (TBU), to be evicted (TBE).
const INIT: usize = 0;
const TBU: usize = 1;
const TBE: usize = 2;

/// What moves between the regions: `buffer.granularity`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// Logical blocks.
    #[default]
    Block,
    /// Single pages.
    Page,
}

/// `buffer.granularity`.
pub const GRANULARITY: Choice<Granularity> = Choice::new(
    "buffer.granularity",
    &["block", "page"],
    &[Granularity::Block, Granularity::Page],
    "what moves between the regions, and is evicted",
);

/// The state of a block, or page, with held pages.
#[derive(Clone, Copy)]
enum State {
    Init,
    /// Not written since it entered TBU.
    Tbu0,
    /// Written in TBU.
    Tbu1,
    /// Fell from Init.
    Tbe0,
    /// Fell from TBU.
    Tbe1,
}

impl State {
    fn region(self) -> usize {
        match self {
            State::Init => INIT,
            State::Tbu0 | State::Tbu1 => TBU,
            State::Tbe0 | State::Tbe1 => TBE,
        }
    }
}

/// A block, or a page.
#[derive(Clone, Copy)]
struct Unit {
    /// Pages held; if it is 0, the other fields are undefined.
    held: u32,
    state: State,
    /// The last request that accessed it.
    touched: u64,
}

/// Units, which are blocks or pages, in three regions, each ordered by entry or last use in that region.
pub struct ThreeRegion {
    granularity: Granularity,
    /// One list for each region, the most recent unit first.
    lists: Lists,
    /// By LBN or LPN.
    units: Vec<Unit>,
    /// The number of units with a page held.
    occupied: u32,
    /// Pages held in each region.
    held: [u64; 3],
    /// w0, w1, w2: the target sizes of the regions in pages; their sum is C.
    target: [u64; 3],
    /// The minimum of a target: the pages of one unit.
    floor: u64,
    /// The number of the current request.
    request: u64,
}

impl ThreeRegion {
    /// The unit of a page.
    #[inline]
    fn of(&self, page: Page) -> u32 {
        match self.granularity {
            Granularity::Block => page.lbn.0,
            Granularity::Page => page.lpn.0,
        }
    }

    fn unit(&mut self, unit: u32) -> &mut Unit {
        &mut self.units[unit as usize]
    }

    /// The host accesses a unit. One request changes the state of a unit at most once.
    fn touch(&mut self, unit: u32) {
        let Unit {
            held,
            state,
            touched,
        } = *self.unit(unit);
        if held > 0 && touched == self.request {
            return;
        }
        self.unit(unit).touched = self.request;
        if held == 0 {
            self.unit(unit).state = State::Init;
            self.occupied += 1;
            self.lists.push_front(INIT as u32, unit);
            return;
        }
        match state {
            State::Tbe0 => self.resize(TBE, INIT, held),
            State::Tbe1 => self.resize(TBE, TBU, held),
            State::Init | State::Tbu0 | State::Tbu1 => {}
        }
        let next = match state {
            State::Tbu0 | State::Tbu1 => State::Tbu1,
            State::Init | State::Tbe0 | State::Tbe1 => State::Tbu0,
        };
        self.move_to(unit, next);
    }

    /// Moves pages from one target to another, down to the minimum.
    fn resize(&mut self, from: usize, to: usize, pages: u32) {
        let pages = u64::from(pages).min(self.target[from].saturating_sub(self.floor));
        self.target[from] -= pages;
        self.target[to] += pages;
    }

    /// Moves a unit to the most-recent end of the region of a state.
    fn move_to(&mut self, unit: u32, state: State) {
        let Unit {
            held, state: old, ..
        } = *self.unit(unit);
        self.held[old.region()] -= u64::from(held);
        self.held[state.region()] += u64::from(held);
        self.unit(unit).state = state;
        self.lists.remove(unit);
        self.lists.push_front(state.region() as u32, unit);
    }

    /// The unit that was just touched has `pages` more pages.
    fn grow(&mut self, unit: u32, pages: u32) {
        let this = self.unit(unit);
        this.held += pages;
        let region = this.state.region();
        self.held[region] += u64::from(pages);
    }

    /// Moves what exceeds the targets of Init and TBU to TBE, after each page that is accessed. Returns whether there
    /// was anything. A move from TBU changes the targets, but only for the next overflow (our reading).
    fn overflow(&mut self) -> bool {
        let [of_init, of_tbu, _] = self.target;
        let mut moved = false;
        while let Some(last) = self.surplus(INIT, of_init) {
            self.move_to(last, State::Tbe0);
            moved = true;
        }
        while let Some(last) = self.surplus(TBU, of_tbu) {
            let Unit { held, state, .. } = *self.unit(last);
            if let State::Tbu0 = state {
                self.resize(TBU, TBE, held);
            }
            self.move_to(last, State::Tbe1);
            moved = true;
        }
        moved
    }

    /// The least recent unit of a region with more pages than `most` and more than one unit.
    fn surplus(&self, region: usize, most: u64) -> Option<u32> {
        let last = self.lists.back(region as u32)?;
        let alone = self.lists.front(region as u32) == Some(last);
        (self.held[region] > most && !alone).then_some(last)
    }

    /// The units of consecutive pages of one block, and how many of the pages each has.
    fn by_unit(&self, first: Page, count: u32) -> impl Iterator<Item = (u32, u32)> + use<> {
        let unit = self.of(first);
        let (units, pages) = match self.granularity {
            Granularity::Block => (1, count),
            Granularity::Page => (count, 1),
        };
        (unit..unit + units).map(move |unit| (unit, pages))
    }

    fn shrink(&mut self, unit: u32, pages: u32) {
        let this = self.unit(unit);
        this.held -= pages;
        let Unit { held, state, .. } = *this;
        self.held[state.region()] -= u64::from(pages);
        if held == 0 {
            self.occupied -= 1;
            self.lists.remove(unit);
        }
    }

    fn next_out(&self) -> u32 {
        let last = [TBE, INIT, TBU]
            .into_iter()
            .find_map(|region| self.lists.back(region as u32));
        last.expect("called only while a page is held")
    }
}

impl BufferKind for ThreeRegion {
    const ENTRY: Entry = Entry {
        name: "three-region",
        rule: "evicts the least recent block that is no longer updated; adapts its regions of new and updated blocks",
        source: Source::of("{}, section 6.3", &[&papers::BAGC]),
        keys: &[SIZE.key, COUNT_HEADERS.key, GRANULARITY.key],
        about: About {
            file: file!(),
            lines: [
                "Blocks written once are in the region Init, updated blocks in TBU (to be updated), blocks that are no \
                 longer updated in TBE (to be evicted). One request counts once for each block. With \
                 `buffer.granularity` `page`, pages take the place of blocks.",
                "When room is needed, the least recent block of TBE is evicted; if there is none, that of Init, then \
                 that of TBU. A region above its target size moves its least recent block to TBE.",
                "The target sizes adapt: an update of a block in TBE, and an unused block that falls out of TBU, shift \
                 them.",
            ],
            cost: "O(1) for each page, or for each run of pages of one block; 24 bytes for each logical block, or for \
                   each logical page.",
            wins: "Buffer-aware garbage collection (`ftl.buffer_aware`): its regions estimate how likely a page is to \
                   be written again. Alone: small buffers and workloads with both new files and updates.",
            loses: "Large buffers with long sequential writes: padding, or evicting the fullest block, gains more than \
                    knowing which blocks are updated.",
        },
    };

    const NATURE: Nature = Nature::block_level([0, 0, 28]);

    type Config = Granularity;

    fn configure(settings: &dyn Settings) -> Granularity {
        GRANULARITY.of(settings)
    }

    fn nature(granularity: &Granularity) -> Nature {
        match granularity {
            Granularity::Block => Self::NATURE,
            Granularity::Page => Nature::page_level([28, 0, 0]),
        }
    }

    fn new(shape: &Shape, &granularity: &Granularity) -> Self {
        let geometry = &shape.geometry;
        let (units, floor) = match granularity {
            Granularity::Block => (geometry.logical_blocks(), geometry.pages_per_block()),
            Granularity::Page => (geometry.logical_pages(), 1),
        };
        let nothing = Unit {
            held: 0,
            state: State::Init,
            touched: 0,
        };
        let third = shape.pages / 3;
        Self {
            granularity,
            lists: Lists::new(units, 3),
            units: vec![nothing; units as usize],
            occupied: 0,
            held: [0; 3],
            target: [third, third, shape.pages - 2 * third],
            floor: u64::from(floor),
            request: 0,
        }
    }
}

impl BufferPolicy for ThreeRegion {
    fn begin_request(&mut self) {
        self.request += 1;
    }

    fn hit(&mut self, page: Page, access: Access) {
        self.hit_run(page, 1, access);
    }

    fn enter(&mut self, page: Page, access: Access) {
        self.enter_run(page, 1, access);
    }

    fn left(&mut self, page: Page) {
        self.shrink(self.of(page), 1);
    }

    fn victim(&mut self) -> Victim {
        let unit = self.next_out();
        match self.granularity {
            Granularity::Block => Victim::Block(Lbn(unit)),
            Granularity::Page => Victim::Page(Lpn(unit)),
        }
    }

    fn victim_for_room(&mut self) -> Victim {
        let unit = self.next_out();
        let Unit { held, state, .. } = *self.unit(unit);
        if let State::Tbe0 = state {
            self.resize(INIT, TBE, held);
        }
        self.victim()
    }

    fn hit_run(&mut self, first: Page, count: u32, _: Access) {
        for (unit, pages) in self.by_unit(first, count) {
            self.touch(unit);
            // each page of the unit is an access
            let _ = (0..pages).take_while(|_| self.overflow()).count();
        }
    }

    fn enter_run(&mut self, first: Page, count: u32, _: Access) {
        for (unit, pages) in self.by_unit(first, count) {
            self.touch(unit);
            for _ in 0..pages {
                self.grow(unit, 1);
                self.overflow();
            }
        }
    }

    fn left_together(&mut self, lbn: Lbn, count: u32, pages: impl Iterator<Item = Page>) {
        match self.granularity {
            Granularity::Block => self.shrink(lbn.0, count),
            Granularity::Page => pages.for_each(|page| self.left(page)),
        }
    }

    fn headers(&self) -> u32 {
        match self.granularity {
            Granularity::Block => self.occupied,
            Granularity::Page => 0,
        }
    }

    fn needs_header(&self, lbn: Lbn) -> bool {
        self.granularity == Granularity::Block && self.units[lbn.index()].held == 0
    }

    fn region_sizes(&self) -> Option<[u64; 3]> {
        Some(self.target)
    }

    fn update_probability(&self, page: Page) -> u64 {
        match self.units[self.of(page) as usize].state.region() {
            TBU => self.update_denominator(),
            TBE => 0,
            _ => self.target[TBU],
        }
    }

    fn update_denominator(&self) -> u64 {
        self.target.iter().sum()
    }
}
