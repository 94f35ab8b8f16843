//! Three-region LRU (BAGC): blocks that are written once, again and again, or no longer lie in three regions, whose
//! sizes follow what turns out to be right. So the region of a page tells how likely it is to be written again.
//!
//! The states and transitions are those of the paper's figure 8, for blocks instead of pages (its section 6.4). Our
//! reading: what one request does to a block counts once, so that a block written in order by one request is not taken
//! for one that is updated.

use ssdlab_flash::{Lbn, Page};

use super::{Access, BufferPolicy, Params, Victim};
use crate::{About, Entry, Lists};

/// Numbers of the regions: initial, to be updated, to be evicted.
const INIT: usize = 0;
const TBU: usize = 1;
const TBE: usize = 2;

/// What is known of a block that has a page held.
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
    /// Pages; at 0, nothing else means anything.
    held: u32,
    state: State,
    /// The request that touched it last.
    touched: u64,
}

/// Blocks in three regions, each in the order of their entry or last use there.
pub struct ThreeRegion {
    /// One list for each region, the most recent block first.
    lists: Lists,
    /// By LBN.
    blocks: Vec<Block>,
    /// Blocks with a page held.
    headers: u32,
    /// Pages held in each region.
    held: [u64; 3],
    /// w0, w1, w2: the pages that each region should hold; together C.
    target: [u64; 3],
    /// The least that a target is lowered to: one block of pages.
    floor: u64,
    /// Number of the request under way.
    request: u64,
}

impl ThreeRegion {
    fn block(&mut self, lbn: Lbn) -> &mut Block {
        &mut self.blocks[lbn.index()]
    }

    /// The host touches a block that holds pages, or is about to: at most one change of state in a request.
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

    /// Lowers one target for the sake of another, as far as it goes.
    fn resize(&mut self, from: usize, to: usize, pages: u32) {
        let pages = u64::from(pages).min(self.target[from].saturating_sub(self.floor));
        self.target[from] -= pages;
        self.target[to] += pages;
    }

    /// To the most-recent end of the region of a state.
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

    /// Pages of a block that was just touched were accessed, so many of them new.
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

    /// The least recent block of a region that holds too much, and more than that block.
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
        Lbn(last.expect("asked only while a page is held"))
    }
}

impl BufferPolicy for ThreeRegion {
    const ENTRY: Entry = Entry {
        name: "three-region",
        rule: "evicts the least recent block no longer updated; adapts the regions of new and updated blocks",
        paper: "BAGC 2012, section 6.3",
        keys: &["buffer.size", "buffer.count_headers"],
        about: About {
            file: file!(),
            lines: [
                "Blocks written once lie in the region Init, blocks that are updated in TBU, those that no longer \
                 are in TBE; a request counts once for each block.",
                "When room is needed, the least recent block of TBE leaves, else one of Init, else one of TBU; a \
                 region that outgrows its size hands its least recent block to TBE.",
                "The sizes follow what turns out to be wrong: a block updated in TBE, or evicted from it, shifts \
                 them.",
            ],
            cost: "O(1) for each page, or for each run of pages of a block; 24 bytes for each logical block.",
            wins: "As the buffer of buffer-aware collection (`ftl.buffer_aware`): its regions say how likely a page \
                   is to be written again. By itself, with small buffers that see both new files and updates.",
            loses: "With large buffers and long sequential writes: padding, or the fullest block, then does more \
                    than knowing what is updated.",
        },
    };

    fn new(params: &Params) -> Self {
        let geometry = &params.geometry;
        let blocks = geometry.logical_blocks();
        let nothing = Block {
            held: 0,
            state: State::Init,
            touched: 0,
        };
        let third = params.buffer_pages / 3;
        Self {
            lists: Lists::new(blocks, 3),
            blocks: vec![nothing; blocks as usize],
            headers: 0,
            held: [0; 3],
            target: [third, third, params.buffer_pages - 2 * third],
            floor: u64::from(geometry.pages_per_block()),
            request: 0,
        }
    }

    fn begin_request(&mut self) {
        self.request += 1;
    }

    fn hit(&mut self, page: Page, access: Access) {
        self.hit_run(page, 1, access);
    }

    fn enter(&mut self, page: Page, access: Access) {
        self.enter_run(page, 1, access);
    }

    fn hit_run(&mut self, first: Page, _: u32, _: Access) {
        self.touch(first.lbn);
        self.grow(first.lbn, 0);
    }

    fn enter_run(&mut self, first: Page, count: u32, _: Access) {
        self.touch(first.lbn);
        self.grow(first.lbn, count);
    }

    fn left(&mut self, page: Page) {
        self.shrink(page.lbn, 1);
    }

    fn left_together(&mut self, lbn: Lbn, count: u32, _: impl Iterator<Item = Page>) {
        self.shrink(lbn, count);
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

    fn headers(&self) -> u32 {
        self.headers
    }

    fn needs_header(&self, lbn: Lbn) -> bool {
        self.blocks[lbn.index()].held == 0
    }
}
