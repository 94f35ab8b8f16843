//! The blocks of map pages: an area behind the blocks of data ([`Geometry::own_blocks`]), with a frontier for programs and
//! copies alike.
//!
//! RAM of the simulator has the whole map, so whatever is written of a map page is its newest state: copies too, and what the
//! cache holds back as dirty. So a map page is as new as its sequence number says, and a mount sees from the spare areas alone
//! which ones lack something.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use ssdlab_flash::{Fault, Geometry, Lpn, Media, Payload, Pbn, Ppn, Role, SpareState};

use super::Io;
use crate::FtlError;
use crate::env::{blank_own, put_map};

/// No map page, or no place.
const NONE: u32 = u32::MAX;

/// The role of the last map page of a checkpoint: all pages of data that were programmed before it are in the map.
pub(super) const SYNC: Role = Role(1);

/// The operations on the blocks of the area. A map page has the entries of the logical pages `of`.
trait AreaFlash {
    fn program(&mut self, to: Ppn, page: u32, role: Role, of: Range<u32>) -> Result<(), Fault>;
    fn copy(&mut self, from: Ppn, to: Ppn, page: u32, of: Range<u32>) -> Result<(), Fault>;
    fn erase(&mut self, block: Pbn) -> Result<(), Fault>;
}

/// The places of these logical pages; none for those beyond the last one.
pub(super) fn places_of(map: &[Ppn], of: Range<u32>) -> impl Iterator<Item = u32> {
    of.map(|lpn| map.get(lpn as usize).map_or(NONE, |at| at.0))
}

impl<M: Media> AreaFlash for Io<'_, M> {
    fn program(&mut self, to: Ppn, page: u32, role: Role, of: Range<u32>) -> Result<(), Fault> {
        self.env
            .program_map(to, page, role, places_of(self.map, of))
    }

    fn copy(&mut self, from: Ppn, to: Ppn, page: u32, of: Range<u32>) -> Result<(), Fault> {
        self.env.copy_map(from, to, page, places_of(self.map, of))
    }

    fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        self.env.erase_map(block)
    }
}

/// A mount, which counts nothing.
struct Mount<'a, M: Media> {
    media: &'a mut M,
    map: &'a [Ppn],
    own: M::Data,
}

impl<M: Media> AreaFlash for Mount<'_, M> {
    fn program(&mut self, to: Ppn, page: u32, role: Role, of: Range<u32>) -> Result<(), Fault> {
        let places = places_of(self.map, of);
        put_map(self.media, &mut self.own, to, (page, role), places)
    }

    fn copy(&mut self, from: Ppn, to: Ppn, page: u32, of: Range<u32>) -> Result<(), Fault> {
        self.media.read(from, &mut self.own)?;
        self.program(to, page, Role::DATA, of)
    }

    fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        self.media.barrier()?;
        self.media.erase(block)
    }
}

/// The map area. Places count from its first page.
pub(super) struct Area {
    first: Ppn,
    first_block: Pbn,
    pages_per_block: u32,
    /// The entries of a map page.
    entries: u32,
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
    fn empty(geometry: &Geometry, entries: u32) -> Self {
        let (pages_per_block, blocks) = (geometry.pages_per_block(), geometry.own_blocks());
        Self {
            first: Ppn(geometry.physical_pages()),
            first_block: Pbn(geometry.physical_blocks()),
            pages_per_block,
            entries,
            places: vec![NONE; geometry.own_pages() as usize],
            holds: vec![NONE; (blocks * pages_per_block) as usize],
            valid: vec![0; blocks as usize],
            filled: vec![0; blocks as usize],
            fills: 0,
            free: VecDeque::with_capacity(blocks as usize),
            next: 0,
            end: 0,
        }
    }

    /// That of a new device; `full`: all map pages were programmed, in order.
    pub fn new(geometry: &Geometry, entries: u32, full: bool) -> Self {
        let mut area = Self::empty(geometry, entries);
        area.free.extend(0..geometry.own_blocks());
        for page in 0..if full { geometry.own_pages() } else { 0 } {
            if area.next == area.end {
                area.open();
            }
            area.place(page);
        }
        area
    }

    /// That of flash that was used before, with this map. A map page that lacks something that happened to one of its logical
    /// pages is made anew: `newest` says when that was, 0 for never. `undone` are logical pages whose copies are given up: of
    /// these a map page may name a place that is erased next.
    pub fn mount<M: Media>(
        media: &mut M,
        map: &[Ppn],
        entries: u32,
        newest: impl Fn(Lpn) -> u64,
        undone: &[Lpn],
    ) -> Result<Self, FtlError> {
        let mut area = Self::empty(&media.geometry().clone(), entries);
        let mut found = Found::new(media)?;
        for page in 0..area.places.len() as u32 {
            area.adopt(page, found.newest(page));
        }
        let mut flash = Mount {
            own: blank_own(media),
            media,
            map,
        };
        let blocks = area.valid.len() as u32;
        if (0..blocks).all(|block| area.valid[block as usize] > 0) {
            area.undo_copies(&mut found)?;
        }
        for block in 0..blocks {
            if area.valid[block as usize] == 0 {
                area.free.push_back(block);
                if found.blocks[block as usize].end > 0 {
                    flash.erase(area.block(block))?;
                }
            }
        }
        flash.media.barrier()?;
        area.adopt_blocks(&found);
        let mut is_undone = vec![false; area.places.len()];
        for lpn in undone {
            is_undone[(lpn.0 / entries) as usize] = true;
        }
        for page in 0..area.places.len() as u32 {
            let sequence = found.newest(page).map_or(0, |(_, sequence)| sequence);
            let mut lpns = area.pages_of(page);
            lpns.end = lpns.end.min(map.len() as u32);
            let lacks =
                is_undone[page as usize] || lpns.clone().any(|lpn| newest(Lpn(lpn)) > sequence);
            let is_used = sequence > 0 || lpns.clone().any(|lpn| map[lpn as usize].is_some());
            if lacks && is_used {
                area.write(&mut flash, page, Role::DATA)?;
            }
        }
        Ok(area)
    }

    /// The newest version of a map page is where it was found.
    fn adopt(&mut self, page: u32, found: Option<(u32, u64)>) {
        let to = found.map_or(NONE, |(place, _)| place);
        let before = core::mem::replace(&mut self.places[page as usize], to);
        if before != NONE {
            self.holds[before as usize] = NONE;
            self.valid[(before / self.pages_per_block) as usize] -= 1;
        }
        if to != NONE {
            self.holds[to as usize] = page;
            self.valid[(to / self.pages_per_block) as usize] += 1;
        }
    }

    /// No block is free, so a victim was not erased yet: the block with the newest page has nothing but copies of its pages.
    fn undo_copies(&mut self, found: &mut Found) -> Result<(), FtlError> {
        let blocks = 0..self.valid.len() as u32;
        let Some(newest) = blocks.max_by_key(|&block| found.blocks[block as usize].newest) else {
            return Ok(());
        };
        let places = newest * self.pages_per_block..(newest + 1) * self.pages_per_block;
        let held = places.clone().map(|place| self.holds[place as usize]);
        let pages: Vec<u32> = held.filter(|page| *page != NONE).collect();
        found.drop_places(places);
        for page in pages {
            let original = found.newest(page);
            if original.is_none() {
                return Err(FtlError::NoMapPage { page });
            }
            self.adopt(page, original);
        }
        Ok(())
    }

    /// Of the blocks that are not free, the newest one goes on if it has room; the others are full.
    fn adopt_blocks(&mut self, found: &Found) {
        let blocks = 0..self.valid.len() as u32;
        let mut used: Vec<u32> = blocks
            .filter(|&block| self.valid[block as usize] > 0)
            .collect();
        used.sort_by_key(|&block| found.blocks[block as usize].newest);
        let with_room = used
            .iter()
            .rposition(|&block| found.blocks[block as usize].end < self.pages_per_block);
        if let Some(frontier) = with_room {
            let block = used.remove(frontier);
            self.next = block * self.pages_per_block + found.blocks[block as usize].end;
            self.end = (block + 1) * self.pages_per_block;
        }
        for block in used {
            self.fills += 1;
            self.filled[block as usize] = self.fills;
        }
    }

    /// The entries of a map page, some of which may be beyond the last logical page.
    fn pages_of(&self, page: u32) -> Range<u32> {
        let first = page * self.entries;
        first..first.saturating_add(self.entries)
    }

    /// The numbers in a map page.
    pub fn entries_of(&self, map: &[Ppn], page: u32) -> impl Iterator<Item = u32> {
        places_of(map, self.pages_of(page))
    }

    fn block(&self, block: u32) -> Pbn {
        self.first_block.plus(block)
    }

    /// The place of a map page in flash, if it was ever programmed.
    #[inline]
    pub fn at(&self, page: u32) -> Option<Ppn> {
        let place = self.places[page as usize];
        (place != NONE).then(|| self.first.plus(place))
    }

    /// Programs a map page.
    pub fn program<M: Media>(
        &mut self,
        io: &mut Io<M>,
        page: u32,
        role: Role,
    ) -> Result<(), Fault> {
        self.write(io, page, role)
    }

    fn write(&mut self, flash: &mut impl AreaFlash, page: u32, role: Role) -> Result<(), Fault> {
        while self.next == self.end {
            self.make_room(flash)?;
        }
        flash.program(self.first.plus(self.next), page, role, self.pages_of(page))?;
        self.place(page);
        Ok(())
    }

    /// Opens a free block: the last one only once the emptiest full block has moved there.
    fn make_room(&mut self, flash: &mut impl AreaFlash) -> Result<(), Fault> {
        let is_last = self.free.len() == 1;
        self.open();
        if !is_last {
            return Ok(());
        }
        let full = (0..).zip(&self.filled).filter(|(_, filled)| **filled > 0);
        let victim = full.min_by_key(|&(block, filled)| (self.valid[block as usize], *filled));
        let (victim, _) = victim.expect("all blocks but the frontier are full");
        let places = victim * self.pages_per_block..(victim + 1) * self.pages_per_block;
        for from in places {
            let page = self.holds[from as usize];
            if page != NONE {
                let (from, to) = (self.first.plus(from), self.first.plus(self.next));
                flash.copy(from, to, page, self.pages_of(page))?;
                self.place(page);
            }
        }
        flash.erase(self.block(victim))?;
        self.filled[victim as usize] = 0;
        self.free.push_back(victim);
        Ok(())
    }

    fn open(&mut self) {
        let block = self.free.pop_front().expect("a free block in reserve");
        self.next = block * self.pages_per_block;
        self.end = self.next + self.pages_per_block;
    }

    /// The newest version of a map page is at the next place.
    fn place(&mut self, page: u32) {
        let to = self.next;
        self.adopt(page, Some((to, 0)));
        self.next += 1;
        if self.next == self.end {
            self.fills += 1;
            self.filled[(to / self.pages_per_block) as usize] = self.fills;
        }
    }

    /// Compares the tables with the spare areas, and what is cached with recounts. Returns the sequence number of each map page.
    /// For tests.
    pub fn check<M: Media>(&self, media: &mut M) -> Result<Vec<u64>, String> {
        let found = Found::new(media).map_err(|fault| fault.to_string())?;
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
        let mut sequences = vec![0; self.places.len()];
        for (page, &place) in (0..).zip(&self.places) {
            let newest = found.newest(page);
            if newest.map_or(NONE, |(place, _)| place) != place {
                return Err(format!(
                    "map area: map page {page} at {place}, in the spare areas {newest:?}"
                ));
            }
            if place != NONE && self.holds[place as usize] != page {
                return Err(format!("map area: place {place} has no map page {page}"));
            }
            sequences[page as usize] = newest.map_or(0, |(_, sequence)| sequence);
        }
        if self.free.is_empty() {
            return Err("map area: no block in reserve".into());
        }
        let mut free = self.free.iter();
        if let Some(block) = free.find(|&&block| found.blocks[block as usize].end > 0) {
            return Err(format!("map area: block {block} is free, but not erased"));
        }
        if self.next < self.end {
            let block = self.next / self.pages_per_block;
            let end = block * self.pages_per_block + found.blocks[block as usize].end;
            if self.next != end {
                return Err(format!(
                    "map area: the next place is {}, not {end}",
                    self.next
                ));
            }
        }
        Ok(sequences)
    }

    /// The places of the map pages, from the first one of the area on.
    #[cfg(test)]
    pub fn places(&self) -> &[u32] {
        &self.places
    }
}

/// A block of the area, as its spare areas show it.
#[derive(Clone, Copy, Default)]
struct FoundBlock {
    /// The position behind the last page that is programmed or torn.
    end: u32,
    /// The largest sequence number of its pages.
    newest: u64,
}

/// What the spare areas of the area say.
struct Found {
    /// For each place that can be read, its map page and its sequence number.
    pages: Vec<Option<(u32, u64)>>,
    blocks: Vec<FoundBlock>,
    /// For each map page, the place and the sequence number of its newest version.
    newest: Vec<Option<(u32, u64)>>,
    /// The sequence number of the last map page of the last checkpoint, 0 without one.
    synced: u64,
}

impl Found {
    fn new<M: Media>(media: &mut M) -> Result<Self, Fault> {
        let geometry = media.geometry().clone();
        let (first, pages) = (geometry.physical_pages(), geometry.pages_per_block());
        let mut found = Self {
            pages: Vec::with_capacity((geometry.own_blocks() * pages) as usize),
            blocks: vec![FoundBlock::default(); geometry.own_blocks() as usize],
            newest: vec![None; geometry.own_pages() as usize],
            synced: 0,
        };
        for place in 0..geometry.own_blocks() * pages {
            let block = &mut found.blocks[(place / pages) as usize];
            let spare = media.read_spare(Ppn(first + place))?;
            if spare != SpareState::Erased {
                block.end = place % pages + 1;
            }
            let page = match spare {
                SpareState::Good(spare, sequence) => {
                    block.newest = block.newest.max(sequence);
                    if spare.role == SYNC {
                        found.synced = found.synced.max(sequence);
                    }
                    let index = geometry.own_index(spare.lpn);
                    index.map(|index| (index, sequence))
                }
                _ => None,
            };
            found.pages.push(page);
            found.consider(place);
        }
        Ok(found)
    }

    fn consider(&mut self, place: u32) {
        if let Some((page, sequence)) = self.pages[place as usize]
            && let Some(newest) = self.newest.get_mut(page as usize)
            && newest.is_none_or(|(_, other)| other < sequence)
        {
            *newest = Some((place, sequence));
        }
    }

    /// The place and the sequence number of the newest version of a map page.
    fn newest(&self, page: u32) -> Option<(u32, u64)> {
        self.newest[page as usize]
    }

    /// What is at these places counts no more.
    fn drop_places(&mut self, places: Range<u32>) {
        self.pages[places.start as usize..places.end as usize].fill(None);
        self.newest.fill(None);
        (0..self.pages.len() as u32).for_each(|place| self.consider(place));
    }
}

/// What map pages say since the last checkpoint.
pub(super) struct AtCheckpoint {
    /// The sequence number of its last map page.
    pub sequence: u64,
    /// For each place of data, the page that a map page has there.
    pub holds: Vec<Lpn>,
    /// The sequence number of each map page.
    pub written: Vec<u64>,
}

/// Reads the map pages; `None` if there was no checkpoint, or a map page cannot be read.
pub(super) fn at_checkpoint<M: Media>(
    media: &mut M,
    entries: u32,
) -> Result<Option<AtCheckpoint>, FtlError> {
    let found = Found::new(media)?;
    if found.synced == 0 {
        return Ok(None);
    }
    let geometry = media.geometry().clone();
    let mut page = blank_own(media);
    let mut holds = vec![Lpn::NONE; geometry.physical_pages() as usize];
    for (index, newest) in (0..).zip(&found.newest) {
        let Some((place, _)) = newest else {
            continue;
        };
        media.read(Ppn(geometry.physical_pages() + place), &mut page)?;
        let lpns = (index * entries..geometry.logical_pages()).take(entries as usize);
        for (place, lpn) in lpns.enumerate() {
            let Some(at) = page.number(place) else {
                return Ok(None);
            };
            if let Some(holds) = holds.get_mut(at as usize) {
                *holds = Lpn(lpn);
            }
        }
    }
    let sequence_of = |newest: &Option<(u32, u64)>| newest.map_or(0, |(_, sequence)| sequence);
    Ok(Some(AtCheckpoint {
        sequence: found.synced,
        holds,
        written: found.newest.iter().map(sequence_of).collect(),
    }))
}
