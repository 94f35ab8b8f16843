//! What an FTL must do, and what it may do.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use ssdlab_flash::{Lpn, Media, Note, Page};

use ssdlab_policy::buffer::Future;

use crate::buffer::Buffer;
use crate::env::Env;
use crate::error::FtlError;
use crate::found::{Found, Lookup};
use crate::ram_image::RamImage;

/// The most pages that [`Ftl::foresee`] takes at once: enough for parallel memory accesses, and few enough to stay in
/// the L1 cache until they are written.
pub const AHEAD: usize = 32;

/// The counts of a region of a placement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionCounts {
    /// Pages that were programmed there other than by cleaning.
    pub host_pages: u64,
    /// Pages that cleaning moved there.
    pub copied_in: u64,
    /// Pages that cleaning moved out of its blocks.
    pub copied_out: u64,
    /// Its blocks that cleaning chose.
    pub victims: u64,
    /// The blocks that it holds now, its frontier included.
    pub blocks: u64,
    /// The valid pages in them.
    pub valid_pages: u64,
}

impl RegionCounts {
    /// Adds the counts of the same region of another chip.
    pub fn add(&mut self, other: &Self) {
        self.host_pages += other.host_pages;
        self.copied_in += other.copied_in;
        self.copied_out += other.copied_out;
        self.victims += other.victims;
        self.blocks += other.blocks;
        self.valid_pages += other.valid_pages;
    }

    /// The counts since an earlier moment; blocks and valid pages are those of now.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            host_pages: self.host_pages - earlier.host_pages,
            copied_in: self.copied_in - earlier.copied_in,
            copied_out: self.copied_out - earlier.copied_out,
            victims: self.victims - earlier.victims,
            ..*self
        }
    }
}

/// What an SLC cache holds now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlcState {
    /// Blocks that are always in SLC mode.
    pub fixed_blocks: u64,
    /// Pages of a block in SLC mode.
    pub pages_per_slc_block: u64,
    /// Pages whose newest version is in SLC mode.
    pub valid_in_slc: u64,
    /// Full blocks.
    pub full_blocks: FullSlcBlocks,
    /// Pages that could be written in SLC mode now without folding.
    pub room_pages: u64,
}

/// Full blocks of an SLC cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullSlcBlocks {
    /// Those that are always in SLC mode.
    pub fixed: u64,
    /// Those of the native pool.
    pub dynamic: u64,
}

impl SlcState {
    /// Adds that of another chip.
    pub fn add(&mut self, other: &Self) {
        self.fixed_blocks += other.fixed_blocks;
        self.pages_per_slc_block = other.pages_per_slc_block;
        self.valid_in_slc += other.valid_in_slc;
        self.full_blocks.fixed += other.full_blocks.fixed;
        self.full_blocks.dynamic += other.full_blocks.dynamic;
        self.room_pages += other.room_pages;
    }
}

/// What a map in flash has learned of the places of pages, and what other tables of them would take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedMap {
    /// Pages with a place.
    pub pages: u64,
    /// Map pages that have the entry of such a page.
    pub map_pages: u64,
    /// The entries of a map page.
    pub entries: u64,
    /// Bytes of all that was learned of these map pages.
    pub bytes: u64,
    /// Segments.
    pub segments: u64,
    /// Those that may be wrong of a place: of several pages that are not all equally far apart.
    pub approximate: u64,
    /// Runs of consecutive pages of a map page at consecutive places.
    pub runs: u64,
    /// Those behind which the next page of the map page has no place.
    pub ends: u64,
}

impl LearnedMap {
    /// Adds that of another chip.
    pub fn add(&mut self, other: &Self) {
        self.pages += other.pages;
        self.map_pages += other.map_pages;
        self.entries = other.entries;
        self.bytes += other.bytes;
        self.segments += other.segments;
        self.approximate += other.approximate;
        self.runs += other.runs;
        self.ends += other.ends;
    }
}

/// A flash translation layer over one device. It must write, read and discard pages; everything else has a default, which
/// is that of an FTL without log blocks, without runs and without a region in RAM. An LPN beyond the logical pages panics.
///
/// After an error, the FTL must not be used again; mount the media again.
pub trait Ftl<M: Media>: Send {
    /// Writes one page. The old version stays valid until the new one is programmed, after all merges. Merges use the
    /// buffer if it is lent; the buffer does not hold the written page itself.
    fn write(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        lpn: Lpn,
        page: &M::Data,
    ) -> Result<(), FtlError>;

    /// Reads the newest version of a page into `page`, through [`Env::read`]; `page` is unchanged if the page is
    /// unmapped.
    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Data) -> Result<Found, FtlError>;

    /// Whether a read changes nothing that a later operation or a figure depends on, and reads no page but that one. Only
    /// then may reads that pad a victim be counted without reaching the FTL.
    fn has_pure_reads(&self) -> bool {
        false
    }

    /// Whether the page has a version.
    fn is_mapped(&self, lpn: Lpn) -> bool;

    /// Discards a page. This causes no erase and no merge of data; an FTL with tables in flash may write them.
    fn discard(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError>;

    /// Compares all tables with the spare areas and all counts with recounts, and returns the first difference. For
    /// tests, on media that keep spare areas.
    fn check(&self, media: &mut M) -> Result<(), String>;

    /// Free room in log blocks that are not in use yet, in pages; 0 if all are in use or the FTL has none. A run that
    /// still fills this room has not reached a steady state.
    fn log_room(&self) -> u32 {
        0
    }

    /// The erased blocks that wait to be programmed; `None` if it keeps no list of them. For pictures.
    fn free_blocks(&self) -> Option<u32> {
        None
    }

    // several pages in one call; the defaults handle them page by page

    /// Writes consecutive pages of one logical block, all with the same data. The result is that of one [`Ftl::write`]
    /// for each page in ascending order, with merges that do not use the buffer.
    fn write_run(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        count: u32,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let mut lpns = first.lpn.0..first.lpn.0 + count;
        lpns.try_for_each(|lpn| self.write(env, &mut Buffer::none(), Lpn(lpn), data))
    }

    /// The number of mapped pages among `count` consecutive ones.
    fn count_mapped(&self, first: Lpn, count: u32) -> u32 {
        (first.0..first.0 + count)
            .filter(|&lpn| self.is_mapped(Lpn(lpn)))
            .count() as u32
    }

    /// Announces at most [`AHEAD`] pages that will soon be written, so that their memory is prefetched in parallel.
    /// Changes nothing.
    fn foresee(&self, _pages: &[Lpn]) {}

    /// Reads consecutive pages of one logical block with one [`Ftl::read`] for each.
    fn read_each(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        pages: &mut [Lookup<M::Data>],
    ) -> Result<(), FtlError> {
        read_one_by_one(self, env, first.lpn, pages)
    }

    /// Writes the found pages among consecutive pages of one logical block, with one [`Ftl::write`] for each and merges
    /// that do not use the buffer; each begins with a [`Note::Call`].
    fn write_each(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        pages: &[Lookup<M::Data>],
    ) -> Result<(), FtlError> {
        for (lpn, page) in (first.lpn.0..).zip(pages) {
            if page.is_found() {
                env.note(Note::Call);
                self.write(env, &mut Buffer::none(), Lpn(lpn), &page.page)?;
            }
        }
        Ok(())
    }

    /// Cleans a little in a gap between requests, as [`Needs::idle_cleaning_ns`](crate::Needs::idle_cleaning_ns) asks for.
    /// Returns whether there was anything to do.
    fn clean_in_gap(&mut self, _: &mut Env<M>, _: &mut Buffer<M::Data>) -> Result<bool, FtlError> {
        Ok(false)
    }

    /// Folds a little in a gap between requests, as [`Needs::slc_idle_ns`](crate::Needs::slc_idle_ns) asks for. Returns
    /// whether there was anything to do.
    fn fold_in_gap(&mut self, _: &mut Env<M>) -> Result<bool, FtlError> {
        Ok(false)
    }

    /// Its SLC cache, if it has one.
    fn slc(&self) -> Option<SlcState> {
        None
    }

    /// With an SLC cache, the erases of each block after use in SLC mode, but of the fixed ones; since it was built or mounted.
    fn slc_erases(&self) -> &[u32] {
        &[]
    }

    /// What was written to each region of its placement and cleaned out of it, since it was built or mounted; empty if it has
    /// no regions.
    fn regions(&self) -> Vec<RegionCounts> {
        Vec::new()
    }

    /// The pages with a version in flash; `None` if it does not count them.
    fn mapped_pages(&self) -> Option<u64> {
        None
    }

    /// What its map has learned, if it learns.
    fn learned(&self) -> Option<LearnedMap> {
        None
    }

    /// The writes of pages from now on are these. Called if [`Needs::future`](crate::Needs::future).
    fn foretell(&mut self, _: &Future) {}

    // the region in RAM of an FTL whose placement has one

    /// Whether the newest version of the page is in the RAM region.
    fn is_in_ram(&self, _: Lpn) -> bool {
        false
    }

    /// Writes all pages in the RAM region back to flash, at the end of the trace.
    fn drain(&mut self, _: &mut Env<M>) -> Result<(), FtlError> {
        Ok(())
    }

    /// The state that the battery of the RAM region keeps. Available at any moment, even after an error.
    fn ram_image(&self, _: &Env<M>) -> RamImage<M::Data> {
        RamImage::default()
    }

    /// Restores the state that the battery kept. Called right after a mount.
    fn restore_ram(&mut self, _: &mut Env<M>, image: &RamImage<M::Data>) -> Result<(), FtlError> {
        match image.pages.len() as u32 {
            0 => Ok(()),
            found => Err(FtlError::TooManyInRam { found }),
        }
    }
}

/// Reads consecutive pages with one [`Ftl::read`] for each.
pub(crate) fn read_one_by_one<M: Media>(
    ftl: &mut (impl Ftl<M> + ?Sized),
    env: &mut Env<M>,
    first: Lpn,
    pages: &mut [Lookup<M::Data>],
) -> Result<(), FtlError> {
    for (lpn, page) in (first.0..).map(Lpn).zip(pages) {
        page.found = ftl.read(env, lpn, &mut page.page)?;
    }
    Ok(())
}
