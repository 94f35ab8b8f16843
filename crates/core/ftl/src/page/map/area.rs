//! The blocks of map pages: an area behind the blocks of data, with a frontier for programs and copies alike.
//!
//! RAM has the whole map, so map pages are counted and take time on the chips, but nothing is stored: a mount of the
//! simulator reads the spare areas of all pages of data anyway.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Media, Ppn};

use crate::Env;

/// No map page, or no place.
const NONE: u32 = u32::MAX;

/// The map area. Places count from its first page.
pub(super) struct Area {
    first: Ppn,
    pages_per_block: u32,
    /// For each map page, the place of its newest version.
    places: Vec<u32>,
    /// For each place, the map page whose newest version it has.
    holds: Vec<u32>,
    /// For each block, its valid pages.
    valid: Vec<u32>,
    /// For each block, when it was filled; 0 unless it is full.
    filled: Vec<u64>,
    fills: u64,
    /// The erased blocks, in the order in which they are used.
    free: VecDeque<u32>,
    /// The next place to program, and the end of its block; equal if there is no frontier.
    next: u32,
    end: u32,
}

impl Area {
    /// So many blocks. The map pages that were programmed are there, in order; the others have no place.
    pub fn new(
        geometry: &Geometry,
        blocks: u32,
        map_pages: u32,
        is_programmed: impl Fn(u32) -> bool,
    ) -> Self {
        let pages_per_block = geometry.pages_per_block();
        let mut area = Self {
            first: Ppn(geometry.physical_pages()),
            pages_per_block,
            places: vec![NONE; map_pages as usize],
            holds: vec![NONE; (blocks * pages_per_block) as usize],
            valid: vec![0; blocks as usize],
            filled: vec![0; blocks as usize],
            fills: 0,
            free: (0..blocks).collect(),
            next: 0,
            end: 0,
        };
        for page in (0..map_pages).filter(|&page| is_programmed(page)) {
            if area.next == area.end {
                area.open();
            }
            area.place(page);
        }
        area
    }

    /// The place of a map page in flash, if it was ever programmed.
    #[inline]
    pub fn at(&self, page: u32) -> Option<Ppn> {
        let place = self.places[page as usize];
        (place != NONE).then(|| self.first.plus(place))
    }

    /// Programs a map page.
    pub fn program<M: Media>(&mut self, env: &mut Env<M>, page: u32) {
        while self.next == self.end {
            self.make_room(env);
        }
        let to = self.first.plus(self.next);
        env.count_own_program(to);
        self.place(page);
    }

    /// Opens a free block: the last one only once the emptiest full block has moved there.
    fn make_room<M: Media>(&mut self, env: &mut Env<M>) {
        let is_last = self.free.len() == 1;
        self.open();
        if !is_last {
            return;
        }
        let full = (0..).zip(&self.filled).filter(|(_, filled)| **filled > 0);
        let victim = full.min_by_key(|&(block, filled)| (self.valid[block as usize], *filled));
        let (victim, _) = victim.expect("all blocks but the frontier are full");
        let places = victim * self.pages_per_block..(victim + 1) * self.pages_per_block;
        for from in places {
            let page = self.holds[from as usize];
            if page != NONE {
                env.count_map_copy(self.first.plus(from), self.first.plus(self.next));
                self.place(page);
            }
        }
        env.count_map_erase();
        self.filled[victim as usize] = 0;
        self.free.push_back(victim);
    }

    fn open(&mut self) {
        let block = self.free.pop_front().expect("a free block in reserve");
        self.next = block * self.pages_per_block;
        self.end = self.next + self.pages_per_block;
    }

    /// The newest version of a map page is at the next place.
    fn place(&mut self, page: u32) {
        let to = self.next;
        let before = core::mem::replace(&mut self.places[page as usize], to);
        if before != NONE {
            self.holds[before as usize] = NONE;
            self.valid[(before / self.pages_per_block) as usize] -= 1;
        }
        self.holds[to as usize] = page;
        let block = (to / self.pages_per_block) as usize;
        self.valid[block] += 1;
        self.next += 1;
        if self.next == self.end {
            self.fills += 1;
            self.filled[block] = self.fills;
        }
    }

    /// Recounts what is cached. For tests.
    pub fn check(&self) -> Result<(), String> {
        for (block, &valid) in self.valid.iter().enumerate() {
            let first = block * self.pages_per_block as usize;
            let pages = &self.holds[first..first + self.pages_per_block as usize];
            let counted = pages.iter().filter(|page| **page != NONE).count() as u32;
            if counted != valid {
                return Err(format!(
                    "map area: {valid} valid pages in block {block}, but {counted}"
                ));
            }
        }
        for (page, &place) in (0..).zip(&self.places) {
            if place != NONE && self.holds[place as usize] != page {
                return Err(format!("map area: place {place} has no map page {page}"));
            }
        }
        if self.free.is_empty() {
            return Err("map area: no block in reserve".into());
        }
        Ok(())
    }

    /// The places of the map pages, from the first one of the area on.
    #[cfg(test)]
    pub fn places(&self) -> &[u32] {
        &self.places
    }
}
