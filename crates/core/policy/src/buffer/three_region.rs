//! Three-region LRU (BAGC): three regions for blocks that were written once, blocks that are being updated, and blocks
//! that are no longer updated. The regions adapt their sizes. The region of a page shows how likely the page is to be
//! written again.
//!
//! The states and transitions are those of the paper's figure 8, applied to blocks instead of pages (section 6.4). Our
//! reading: all accesses of one request to a block count as one, so that a block written in order by one request does
//! not look updated.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lbn, Page};

use super::{Access, BufferKind, BufferPolicy, COUNT_HEADERS, Nature, SIZE, Shape, Victim};
use crate::{About, Entry, Lists, Settings};

/// Numbers of the regions: initial, to be updated (TBU), to be evicted (TBE).
const INIT: usize = 0;
const TBU: usize = 1;
const TBE: usize = 2;

/// The state of a block with held pages.
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

#[derive(Clone, Copy)]
struct Block {
    /// Pages held; if it is 0, the other fields are undefined.
    held: u32,
    state: State,
    /// The last request that accessed the block.
    touched: u64,
}

/// Blocks in three regions, each ordered by entry or last use in that region.
pub struct ThreeRegion {
    /// One list for each region, the most recent block first.
    lists: Lists,
    /// By LBN.
    blocks: Vec<Block>,
    /// The number of blocks with a page held.
    headers: u32,
    /// Pages held in each region.
    held: [u64; 3],
    /// w0, w1, w2: the target sizes of the regions in pages; their sum is C.
    target: [u64; 3],
    /// The minimum of a target: the pages of one block.
    floor: u64,
    /// The number of the current request.
    request: u64,
}

impl ThreeRegion {
    fn block(&mut self, lbn: Lbn) -> &mut Block {
        &mut self.blocks[lbn.index()]
    }

    /// The host accesses a block. One request changes the state of a block at most once.
    fn touch(&mut self, lbn: Lbn) {
        let Block {
            held,
            state,
            touched,
        } = *self.block(lbn);
        if held > 0 && touched == self.request {
            return;
        }
        self.block(lbn).touched = self.request;
        if held == 0 {
            self.block(lbn).state = State::Init;
            self.headers += 1;
            self.lists.push_front(INIT as u32, lbn.0);
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
        self.move_to(lbn, next);
    }

    /// Moves pages from one target to another, down to the minimum.
    fn resize(&mut self, from: usize, to: usize, pages: u32) {
        let pages = u64::from(pages).min(self.target[from].saturating_sub(self.floor));
        self.target[from] -= pages;
        self.target[to] += pages;
    }

    /// Moves a block to the most-recent end of the region of a state.
    fn move_to(&mut self, lbn: Lbn, state: State) {
        let Block {
            held, state: old, ..
        } = *self.block(lbn);
        self.held[old.region()] -= u64::from(held);
        self.held[state.region()] += u64::from(held);
        self.block(lbn).state = state;
        self.lists.remove(lbn.0);
        self.lists.push_front(state.region() as u32, lbn.0);
    }

    /// The block that was just touched has `pages` more pages.
    fn grow(&mut self, lbn: Lbn, pages: u32) {
        let block = self.block(lbn);
        block.held += pages;
        let region = block.state.region();
        self.held[region] += u64::from(pages);
        while let Some(last) = self.surplus(INIT) {
            self.move_to(last, State::Tbe0);
        }
        while let Some(last) = self.surplus(TBU) {
            let Block { held, state, .. } = *self.block(last);
            if let State::Tbu0 = state {
                self.resize(TBU, TBE, held);
            }
            self.move_to(last, State::Tbe1);
        }
    }

    /// The least recent block of a region that exceeds its target and has more than one block.
    fn surplus(&self, region: usize) -> Option<Lbn> {
        let last = self.lists.back(region as u32)?;
        let alone = self.lists.front(region as u32) == Some(last);
        (self.held[region] > self.target[region] && !alone).then_some(Lbn(last))
    }

    fn shrink(&mut self, lbn: Lbn, pages: u32) {
        let block = self.block(lbn);
        block.held -= pages;
        let Block { held, state, .. } = *block;
        self.held[state.region()] -= u64::from(pages);
        if held == 0 {
            self.headers -= 1;
            self.lists.remove(lbn.0);
        }
    }

    fn next_out(&self) -> Lbn {
        let last = [TBE, INIT, TBU]
            .into_iter()
            .find_map(|region| self.lists.back(region as u32));
        Lbn(last.expect("called only while a page is held"))
    }
}

impl BufferKind for ThreeRegion {
    const ENTRY: Entry = Entry {
        name: "three-region",
        rule: "evicts the least recent block that is no longer updated; adapts its regions of new and updated blocks",
        paper: "BAGC 2012, section 6.3",
        keys: &[SIZE.key, COUNT_HEADERS.key],
        about: About {
            file: file!(),
            lines: [
                "Blocks written once are in the region Init, updated blocks in TBU (to be updated), blocks that are no \
                 longer updated in TBE (to be evicted). One request counts once for each block.",
                "When room is needed, the least recent block of TBE is evicted; if there is none, that of Init, then \
                 that of TBU. A region above its target size moves its least recent block to TBE.",
                "The target sizes adapt: an update of a block in TBE, and an unused block that falls out of TBU, shift \
                 them.",
            ],
            cost: "O(1) for each page, or for each run of pages of one block; 24 bytes for each logical block.",
            wins: "Buffer-aware garbage collection (`ftl.buffer_aware`): its regions estimate how likely a page is to \
                   be written again. Alone: small buffers and workloads with both new files and updates.",
            loses: "Large buffers with long sequential writes: padding, or evicting the fullest block, gains more than \
                    knowing which blocks are updated.",
        },
    };

    const NATURE: Nature = Nature::block_level([0, 0, 28]);

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(shape: &Shape, (): &()) -> Self {
        let geometry = &shape.geometry;
        let blocks = geometry.logical_blocks();
        let nothing = Block {
            held: 0,
            state: State::Init,
            touched: 0,
        };
        let third = shape.pages / 3;
        Self {
            lists: Lists::new(blocks, 3),
            blocks: vec![nothing; blocks as usize],
            headers: 0,
            held: [0; 3],
            target: [third, third, shape.pages - 2 * third],
            floor: u64::from(geometry.pages_per_block()),
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
        self.shrink(page.lbn, 1);
    }

    fn victim(&mut self) -> Victim {
        Victim::Block(self.next_out())
    }

    fn victim_for_room(&mut self) -> Victim {
        let lbn = self.next_out();
        let Block { held, state, .. } = *self.block(lbn);
        if let State::Tbe0 = state {
            self.resize(INIT, TBE, held);
        }
        self.victim()
    }

    fn hit_run(&mut self, first: Page, _: u32, _: Access) {
        self.touch(first.lbn);
        self.grow(first.lbn, 0);
    }

    fn enter_run(&mut self, first: Page, count: u32, _: Access) {
        self.touch(first.lbn);
        self.grow(first.lbn, count);
    }

    fn left_together(&mut self, lbn: Lbn, count: u32, _: impl Iterator<Item = Page>) {
        self.shrink(lbn, count);
    }

    fn headers(&self) -> u32 {
        self.headers
    }

    fn needs_header(&self, lbn: Lbn) -> bool {
        self.blocks[lbn.index()].held == 0
    }

    fn region_sizes(&self) -> Option<[u64; 3]> {
        Some(self.target)
    }

    fn update_probability(&self, page: Page) -> u64 {
        match self.blocks[page.lbn.index()].state.region() {
            TBU => self.update_denominator(),
            TBE => 0,
            _ => self.target[TBU],
        }
    }

    fn update_denominator(&self) -> u64 {
        self.target.iter().sum()
    }
}
