//! A buffer that knows the writes to come, as a bound.
//!
//! Single pages: it evicts the page whose next write or discard is farthest (MIN, Belady 1966). Each page that enters
//! is evicted, flushed, or saved by a rewrite or a discard in time, so the fewest evictions are the fewest programs by
//! the host. The stays of pages are intervals of time, all of the same worth, of which at most C overlap; removing the
//! one that ends last whenever there are too many is optimal.
//!
//! Blocks: where blocks are merged, it matters more how many pages leave with each. The pages of a block hold their
//! places until the block is written again, and to keep them until then saves one eviction of the block. So it evicts
//! the block that would take the most places for the longest time: pages held x writes until the next one to the block.
//! This is a heuristic, since the best choice of blocks is hard to compute. Whether to pad the victim is learned from
//! merges, as `cbb` does.
//!
//! The simulator computes what comes; without it, nothing is ever written again.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lbn, Lpn, Page};

use super::merge_costs::MergeCosts;
use super::three_region::{GRANULARITY, Granularity};
use super::{
    Access, BufferKind, BufferPolicy, COUNT_HEADERS, Future, Nature, PADDING, Padding, SIZE, Shape,
    Victim,
};
use crate::{About, BitTree, Entry, MinTree, Pairing, Settings, Source, papers};

/// Bits of a key below the next write, for ties: the lower ones of the page or block, so that 2^40 writes have room.
const ITEM_BITS: u32 = 24;
/// The next write of what is not written again; no trace has as many.
const LAST: u64 = (1 << (u64::BITS - ITEM_BITS)) - 1;

/// The farthest next write has the smallest key; among equals, the smallest address.
fn key(next: u64, item: u32) -> u64 {
    (LAST - next.min(LAST)) << ITEM_BITS | u64::from(item) & ((1 << ITEM_BITS) - 1)
}

/// The next write of a key.
fn next(key: u64) -> u64 {
    LAST - (key >> ITEM_BITS)
}

/// The parameters of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClairvoyantConfig {
    /// `buffer.granularity`: whether it evicts blocks or pages.
    pub granularity: Granularity,
    /// `buffer.padding`: whether pages in flash pad blocks with many pages.
    pub padding: bool,
}

/// The pages or blocks by their next write.
pub struct Clairvoyant {
    coming: Coming,
    order: Order,
}

/// The place in the future.
struct Coming {
    future: Option<Future>,
    /// The write of the future that comes next.
    at: usize,
    /// The writes so far.
    now: u64,
}

enum Order {
    Blocks(Box<Blocks>),
    Pages(Pages),
}

/// Blocks with held pages, by their number of held pages and their next write.
struct Blocks {
    /// The farthest next write first.
    heaps: Pairing<u64>,
    /// For each number of pages held, the first block.
    firsts: Vec<u32>,
    /// The numbers with a block.
    sizes: BitTree,
    /// For each LBN, the number of pages held.
    held: Vec<u32>,
    headers: u32,
    costs: MergeCosts,
    /// `buffer.padding`.
    padding: bool,
}

/// Held pages by their next write.
struct Pages {
    /// For each place of the buffer, the key of its page.
    keys: MinTree,
    /// For each LPN, its place while it is held.
    places: Vec<u32>,
    /// For each place, its page.
    pages: Vec<Lpn>,
    free: Vec<u32>,
}

impl Coming {
    /// Pages are written in order; returns the next write of the unit of the last one.
    fn pass(&mut self, count: u32) -> u64 {
        let Some(future) = &self.future else {
            return LAST;
        };
        self.now += u64::from(count);
        let distance = future.after(self.at + count as usize - 1);
        self.at += count as usize;
        if self.at >= future.writes() {
            self.at = 0;
        }
        match distance {
            Future::NEVER => LAST,
            // from the last write, which was number now - 1
            distance => self.now - 1 + u64::from(distance),
        }
    }
}

impl Blocks {
    fn new(shape: &Shape, padding: bool) -> Self {
        let geometry = &shape.geometry;
        let (blocks, pages) = (geometry.logical_blocks(), geometry.pages_per_block());
        let heaps = Pairing::new(blocks);
        Self {
            firsts: vec![heaps.none(); pages as usize + 1],
            heaps,
            sizes: BitTree::new(pages + 1),
            held: vec![0; blocks as usize],
            headers: 0,
            costs: MergeCosts::new(shape),
            padding,
        }
    }

    /// Changes the number of pages held of a block, and its key.
    fn change(&mut self, lbn: Lbn, held: u32, key: u64) {
        let before = core::mem::replace(&mut self.held[lbn.index()], held);
        if before > 0 {
            let first = &mut self.firsts[before as usize];
            *first = self.heaps.remove(*first, lbn.0);
            if *first == self.heaps.none() {
                self.sizes.remove(before);
            }
        }
        if held > 0 {
            let first = &mut self.firsts[held as usize];
            *first = self.heaps.insert(*first, lbn.0, key);
            self.sizes.insert(held);
        }
        self.headers += u32::from(before == 0 && held > 0);
        self.headers -= u32::from(before > 0 && held == 0);
    }

    fn leave(&mut self, lbn: Lbn, pages: u32) {
        let (held, key) = (self.held[lbn.index()] - pages, self.heaps.key(lbn.0));
        self.change(lbn, held, key);
    }

    /// The block that would take the most places for the longest time; among equals, the one with the most pages, then
    /// the one that is written last.
    fn victim(&self, now: u64) -> Lbn {
        let sizes = core::iter::successors(self.sizes.first(), |&size| self.sizes.after(size));
        let weighed = sizes.map(|size| {
            let first = self.firsts[size as usize];
            let weight = match next(self.heaps.key(first)) {
                LAST => u64::MAX,
                next => u64::from(size) * next.saturating_sub(now),
            };
            (weight, size, first)
        });
        let (_, _, block) = weighed.max().expect("called only while a page is held");
        Lbn(block)
    }
}

impl Pages {
    fn new(shape: &Shape) -> Self {
        let most = shape.most_pages();
        Self {
            keys: MinTree::new(most),
            places: vec![0; shape.geometry.logical_pages() as usize],
            pages: vec![Lpn::NONE; most as usize],
            free: (0..most).rev().collect(),
        }
    }

    fn enter(&mut self, lpn: Lpn, next: u64) {
        let place = self.free.pop().expect("no more pages are held than fit");
        self.places[lpn.index()] = place;
        self.pages[place as usize] = lpn;
        self.keys.set(place, key(next, lpn.0));
    }

    fn leave(&mut self, lpn: Lpn) {
        let place = self.places[lpn.index()];
        self.keys.set(place, MinTree::ABSENT);
        self.free.push(place);
    }

    fn victim(&self) -> Lpn {
        let place = self.keys.first();
        self.pages[place.expect("called only while a page is held") as usize]
    }
}

impl BufferKind for Clairvoyant {
    const ENTRY: Entry = Entry {
        name: "clairvoyant",
        rule: "a bound: knows the writes to come; evicts the page that is written last, or the block that would take \
               most room until it is written again",
        source: Source::of("MIN ({}) for pages", &[&papers::MIN]),
        keys: &[SIZE.key, COUNT_HEADERS.key, PADDING.key, GRANULARITY.key],
        about: About {
            file: file!(),
            lines: [
                "It knows when each page, or each block, is next written.",
                "With `buffer.granularity` `page`, the page whose next write or discard is farthest is evicted: no \
                 policy that evicts single pages writes fewer pages to flash.",
                "With `block`, all pages of the block with the most pages held x writes until its next write are \
                 evicted together, and padded where that has proved cheaper than merges, as under `cbb`. This is a \
                 heuristic.",
            ],
            cost: "Logarithmic for each page or run of pages, and one step for each number of pages that a block \
                   holds for a victim; 31 bytes for each logical block, or 20 for each page held and 4 for each \
                   logical page; and 4 for each page that the trace writes.",
            wins: "It shows what is left to gain: a real policy does not know the future.",
            loses: "It does not know what the FTL will do, so it does not bound merges: where merges and order matter \
                    more than rewrites, a real policy can do better.",
        },
    };

    const NATURE: Nature = Nature::block_level([0, 0, 32 + MergeCosts::BYTES])
        .padding()
        .foreseeing();

    type Config = ClairvoyantConfig;

    fn configure(settings: &dyn Settings) -> ClairvoyantConfig {
        ClairvoyantConfig {
            granularity: GRANULARITY.of(settings),
            padding: PADDING.of(settings) != Padding::Off,
        }
    }

    fn nature(config: &ClairvoyantConfig) -> Nature {
        match config.granularity {
            Granularity::Block => Self::NATURE,
            Granularity::Page => Nature::page_level([4, 19, 0]).foreseeing(),
        }
    }

    fn new(shape: &Shape, config: &ClairvoyantConfig) -> Self {
        Self {
            coming: Coming {
                future: shape.future.clone(),
                at: 0,
                now: 0,
            },
            order: match config.granularity {
                Granularity::Block => Order::Blocks(Blocks::new(shape, config.padding).into()),
                Granularity::Page => Order::Pages(Pages::new(shape)),
            },
        }
    }
}

impl BufferPolicy for Clairvoyant {
    const LEARNS: bool = true;

    fn hit(&mut self, page: Page, access: Access) {
        self.hit_run(page, 1, access);
    }

    fn enter(&mut self, page: Page, access: Access) {
        self.enter_run(page, 1, access);
    }

    fn left(&mut self, page: Page) {
        match &mut self.order {
            Order::Blocks(blocks) => blocks.leave(page.lbn, 1),
            Order::Pages(pages) => pages.leave(page.lpn),
        }
    }

    fn victim(&mut self) -> Victim {
        match &self.order {
            Order::Blocks(blocks) => Victim::Block(blocks.victim(self.coming.now)),
            Order::Pages(pages) => Victim::Page(pages.victim()),
        }
    }

    fn hit_run(&mut self, first: Page, count: u32, access: Access) {
        if access == Access::Read {
            return;
        }
        match &mut self.order {
            Order::Blocks(blocks) => {
                let key = key(self.coming.pass(count), first.lbn.0);
                blocks.change(first.lbn, blocks.held[first.lbn.index()], key);
            }
            Order::Pages(pages) => {
                for lpn in (0..count).map(|i| first.lpn.plus(i)) {
                    let key = key(self.coming.pass(1), lpn.0);
                    pages.keys.set(pages.places[lpn.index()], key);
                }
            }
        }
    }

    fn enter_run(&mut self, first: Page, count: u32, access: Access) {
        let is_write = access == Access::Write;
        match &mut self.order {
            Order::Blocks(blocks) => {
                let held = blocks.held[first.lbn.index()];
                let key = match is_write {
                    true => key(self.coming.pass(count), first.lbn.0),
                    false if held > 0 => blocks.heaps.key(first.lbn.0),
                    false => key(LAST, first.lbn.0),
                };
                blocks.change(first.lbn, held + count, key);
            }
            Order::Pages(pages) => {
                for lpn in (0..count).map(|i| first.lpn.plus(i)) {
                    // a clean page costs nothing when it leaves
                    let next = if is_write { self.coming.pass(1) } else { LAST };
                    pages.enter(lpn, next);
                }
            }
        }
    }

    fn left_together(&mut self, lbn: Lbn, count: u32, pages: impl Iterator<Item = Page>) {
        match &mut self.order {
            Order::Blocks(blocks) => blocks.leave(lbn, count),
            Order::Pages(_) => pages.for_each(|page| self.left(page)),
        }
    }

    fn pads(&mut self, lbn: Lbn) -> bool {
        match &mut self.order {
            Order::Blocks(blocks) => {
                let held = blocks.held[lbn.index()];
                blocks.costs.pads(lbn, held, blocks.padding)
            }
            Order::Pages(_) => false,
        }
    }

    fn moved(&mut self, lbn: Lbn, pages: u32) {
        if let Order::Blocks(blocks) = &mut self.order {
            blocks.costs.moved(lbn, pages);
        }
    }

    fn headers(&self) -> u32 {
        match &self.order {
            Order::Blocks(blocks) => blocks.headers,
            Order::Pages(_) => 0,
        }
    }

    fn needs_header(&self, lbn: Lbn) -> bool {
        match &self.order {
            Order::Blocks(blocks) => blocks.held[lbn.index()] == 0,
            Order::Pages(_) => false,
        }
    }
}
