//! The state after a power cut, from the spare areas.
//!
//! A power cut leaves four states that need care. A *victim whose copies are not complete*, or whose erase was lost: no
//! block is free. The newest block holds copies, whose originals are still there, and at most writes that may be lost. It
//! is erased, and before it the map, which may know of the copies. A *block that was not filled*: writing goes on in it.
//! *Map pages older than what they map*: they are rebuilt in RAM. A *compaction of the map that is not complete*: fewer
//! blocks are free than the map fills. The map is erased and rebuilt.

use std::collections::VecDeque;

use ssdlab_flash::{Fault, Lpn, Media, Payload, Pbn, Ppn, SpareState};
use ssdlab_ftl::FtlError;
use ssdlab_policy::BitSet;

use super::area::Area;
use super::table::Table;
use super::{Dftl, DftlConfig};

/// The pages that spare areas name, and the newest version of each: its place and its sequence number.
struct Newest(Vec<(Ppn, u64)>);

impl Newest {
    /// Of all logical pages and map pages.
    fn find<M: Media>(media: &mut M) -> Result<Self, Fault> {
        let geometry = media.geometry().clone();
        let mut newest = vec![(Ppn::NONE, 0); geometry.named_pages() as usize];
        for (lpn, known) in newest
            .iter_mut()
            .take(geometry.logical_pages() as usize)
            .enumerate()
        {
            known.1 = media.discarded_at(Lpn(lpn as u32))?;
        }
        for at in (0..geometry.physical_pages()).map(Ppn) {
            if let SpareState::Good(spare, sequence) = media.read_spare(at)? {
                let known = &mut newest[spare.lpn.index()];
                if sequence > known.1 {
                    *known = (at, sequence);
                }
            }
        }
        Ok(Self(newest))
    }

    fn place(&self, lpn: Lpn) -> Ppn {
        self.0[lpn.index()].0
    }
}

/// What a block holds.
struct Block {
    /// Pages that are not erased stand before this position.
    end: u32,
    /// Whether a page in it is the newest version of what it holds.
    is_used: bool,
    /// The highest sequence number.
    last: u64,
}

impl Block {
    fn read<M: Media>(media: &mut M, block: Pbn, newest: &Newest) -> Result<Self, Fault> {
        let pages = media.geometry().pages_of(block);
        let mut found = Self {
            end: 0,
            is_used: false,
            last: 0,
        };
        for (position, at) in (0..).zip(pages) {
            match media.read_spare(at)? {
                SpareState::Erased => continue,
                SpareState::Torn => {}
                SpareState::Good(spare, sequence) => {
                    found.is_used |= newest.place(spare.lpn) == at;
                    found.last = found.last.max(sequence);
                }
            }
            found.end = position + 1;
        }
        Ok(found)
    }
}

/// The free blocks, and the block that was written last with the position behind its last page.
type Blocks = (VecDeque<Pbn>, Option<(Pbn, u32)>);

/// Erases the blocks without a newest version.
fn free_blocks<M: Media>(
    media: &mut M,
    blocks: impl Iterator<Item = Pbn>,
    newest: &Newest,
) -> Result<Blocks, Fault> {
    let mut free = VecDeque::new();
    let mut last = (0, None);
    for block in blocks {
        let found = Block::read(media, block, newest)?;
        if !found.is_used {
            if found.end > 0 {
                media.erase(block)?;
            }
            free.push_back(block);
        } else if found.last > last.0 {
            last = (found.last, Some((block, found.end)));
        }
    }
    Ok((free, last.1))
}

impl<P: Payload> Dftl<P> {
    pub(super) fn from_flash<M: Media<Data = P>>(
        config: &DftlConfig,
        media: &mut M,
    ) -> Result<Self, FtlError> {
        let geometry = media.geometry().clone();
        let logical = geometry.logical_pages();
        let mut table = Table::new(&geometry, config.map_pages_in_ram as usize, false);
        let data = || (0..table.first_block()).map(Pbn);
        let mut newest = Newest::find(media)?;
        let (mut free, mut last) = free_blocks(media, data(), &newest)?;
        if free.is_empty()
            && let Some((copies, _)) = last
        {
            // the map may know of the copies
            for block in table.blocks() {
                media.erase(block)?;
            }
            media.barrier()?;
            media.erase(copies)?;
            newest = Newest::find(media)?;
            (free, last) = free_blocks(media, data(), &newest)?;
        }
        let mut area = Area::empty(&geometry, table.first_block());
        let mut mapped = BitSet::new(logical, false);
        for lpn in (0..logical).map(Lpn) {
            let at = newest.place(lpn);
            if at.is_some() {
                area.moved(lpn, Ppn::NONE, at);
                mapped.insert(lpn.0);
            }
        }
        free.into_iter().for_each(|block| area.erased(block));
        if let Some((block, end)) = last {
            area.resume(block, end);
        }
        restore_map(media, &mut table, &newest)?;
        media.barrier()?;
        Ok(Self {
            geometry,
            table,
            area,
            mapped,
        })
    }

    /// Compares all tables with the spare areas.
    pub(super) fn check_tables<M: Media<Data = P>>(&self, media: &mut M) -> Result<(), String> {
        let newest = Newest::find(media).map_err(|fault| fault.to_string())?;
        let logical = (0..self.geometry.logical_pages()).map(Lpn);
        let newest: Vec<Ppn> = logical.map(|lpn| newest.place(lpn)).collect();
        for (lpn, &at) in (0..).map(Lpn).zip(&newest) {
            let found = self
                .table
                .peek(media, lpn)
                .map_err(|fault| fault.to_string())?;
            if found != at || self.mapped.contains(lpn.0) != at.is_some() {
                return Err(format!("page {lpn:?} is at {at:?}, the map says {found:?}"));
            }
        }
        self.area.check(&newest)
    }
}

/// Finds the pages of the map. Those that are older than what they map are rebuilt in RAM.
fn restore_map<M: Media>(
    media: &mut M,
    table: &mut Table<M::Data>,
    newest: &Newest,
) -> Result<(), Fault> {
    let geometry = media.geometry().clone();
    let (mut free, _) = free_blocks(media, table.blocks(), newest)?;
    let (places, own) = newest.0.split_at(geometry.logical_pages() as usize);
    let mut directory: Vec<Ppn> = own.iter().map(|page| page.0).collect();
    let mut current: Vec<bool> = directory.iter().map(|at| at.is_some()).collect();
    for (lpn, (_, sequence)) in (0..).map(Lpn).zip(places) {
        let index = table.page_of(lpn);
        current[index] &= *sequence < own[index].1;
    }
    if table.is_interrupted(free.len()) {
        for block in table.blocks().filter(|block| !free.contains(block)) {
            media.erase(block)?;
        }
        free = table.blocks().collect();
        directory.fill(Ppn::NONE);
        current.fill(false);
    }
    let places: Vec<Ppn> = places.iter().map(|page| page.0).collect();
    table.restore(directory, &current, free, &places);
    Ok(())
}
