//! The SLC cache: some blocks are programmed with one bit a cell, which is fast, and their pages are folded into native
//! blocks later.
//!
//! A block in SLC mode has the first M of its pages. The fixed blocks are the last ones of the flash and have a free list
//! of their own; all others, the native pool, change their mode when the cache takes them from the free list, and again when
//! they are erased. Blocks of the cache are unknown to the cleaning policy.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

mod config;
mod fold;

use ssdlab_flash::{Cells, Geometry, Lpn, Media, Note, Payload, Pbn, Ppn, Role, Spare};

use super::{Frontier, PageMapping};
use crate::check::same;
use crate::free_list::FreeList;
use crate::scan::Scan;
use crate::{Buffer, Env, FlashCounts, FtlError, FullSlcBlocks, SlcState};

pub(super) use self::config::check_fill;
pub use self::config::{
    ALL, CELL_BITS, SLC, SLC_BESIDE, SLC_DYNAMIC, SLC_FULL, SLC_GONE_AT, SLC_IDLE_US, SLC_KEEP,
    SLC_RECLAIM, SLC_REST, SLC_STATIC, SLC_VICTIM, SlcConfig, SlcKind, WhenFull, has_slc,
    slc_withheld,
};

/// The role of blocks in SLC mode.
pub(super) const SLC_ROLE: Role = Role(u8::MAX);

/// What a block is to the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// None of the cache's.
    Native,
    /// Fixed, erased and waiting.
    Waiting,
    /// The block that is being filled.
    Open,
    /// Full, or as good as full.
    Full,
}

/// Which full blocks of the cache may be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Among {
    All,
    Dynamic,
}

/// Counts the erase of a block of the cache by its reason.
type Reason = fn(&mut FlashCounts) -> &mut u64;

/// The blocks in SLC mode.
pub(super) struct Slc {
    config: SlcConfig,
    /// The first fixed block.
    fixed: Pbn,
    /// The most dynamic blocks.
    dynamic: u32,
    /// The pages in native blocks at which there are none; 0: any number.
    gone_pages: u64,
    /// The most valid pages of a block that is cleaned for the cache.
    reclaimed: Option<u32>,
    /// The block being filled, if it has room.
    open: Frontier,
    /// The fixed blocks that wait.
    free: FreeList,
    /// The full blocks, in the order in which they were filled.
    full: Vec<Pbn>,
    /// Of these, blocks without a valid page.
    empty: u32,
    modes: Vec<Mode>,
    /// For each block of the cache, its valid pages.
    valid: Vec<u32>,
    /// The sum.
    valid_pages: u32,
    /// For each block of the native pool, its erases after use in SLC mode.
    erases: Vec<u32>,
    /// Dynamic blocks that are full or open.
    used: u32,
    /// The drive folds beside direct writes.
    emptying: bool,
    /// Thousandths of pages to fold.
    debt: u64,
}

impl Slc {
    /// A cache without blocks; [`Slc::take_fixed`] gives it the fixed ones.
    pub fn new(config: &SlcConfig, geometry: &Geometry) -> Self {
        let blocks = geometry.physical_blocks();
        let native = blocks - config.fixed;
        // the product of two doubles
        let most = (config.reclaim * f64::from(geometry.pages_per_block())) as u32;
        Self {
            fixed: Pbn(native),
            dynamic: match config.dynamic {
                config::ALL => native,
                some => some,
            },
            gone_pages: config.gone_pages(geometry.logical_pages().into()),
            reclaimed: (config.reclaim > 0.0).then_some(most),
            open: Frontier::NONE,
            free: FreeList::empty(geometry),
            full: Vec::with_capacity(blocks as usize),
            empty: 0,
            modes: vec![Mode::Native; blocks as usize],
            valid: vec![0; blocks as usize],
            valid_pages: 0,
            erases: vec![0; blocks as usize],
            used: 0,
            emptying: false,
            debt: 0,
            config: config.clone(),
        }
    }

    /// Takes the fixed blocks out of a list of erased blocks, and returns the others.
    pub fn take_fixed(&mut self, erased: FreeList, geometry: &Geometry) -> FreeList {
        let mut others = FreeList::empty(geometry);
        for block in erased.iter() {
            if self.is_fixed(block) {
                self.modes[block.index()] = Mode::Waiting;
                self.free.give_back(block);
            } else {
                others.give_back(block);
            }
        }
        others
    }

    fn is_fixed(&self, block: Pbn) -> bool {
        block >= self.fixed
    }

    /// Whether a block is in SLC mode.
    #[inline]
    pub fn has(&self, block: Pbn) -> bool {
        self.modes[block.index()] != Mode::Native
    }

    /// Whether a block is a fixed one that waits.
    pub fn is_waiting(&self, block: Pbn) -> bool {
        self.modes[block.index()] == Mode::Waiting
    }

    fn is_full(&self, block: Pbn) -> bool {
        self.modes[block.index()] == Mode::Full
    }

    /// The blocks that are none of the native pool now, and the valid pages in them.
    pub fn out_of_pool(&self) -> (u32, u32) {
        (self.config.fixed + self.used, self.valid_pages)
    }

    /// The most dynamic blocks, while native blocks have so many pages.
    fn cap(&self, native_pages: u32) -> u32 {
        match self.gone_pages {
            0 => self.dynamic,
            gone => {
                let left = gone.saturating_sub(native_pages.into());
                (u128::from(self.dynamic) * u128::from(left) / u128::from(gone)) as u32
            }
        }
    }

    /// A page became invalid.
    #[inline]
    pub fn invalidated(&mut self, block: Pbn) {
        if self.has(block) {
            self.lost(block, 1);
        }
    }

    /// Pages of a block are valid no longer, or are elsewhere.
    pub fn lost(&mut self, block: Pbn, pages: u32) {
        let valid = &mut self.valid[block.index()];
        *valid -= pages;
        self.valid_pages -= pages;
        if *valid == 0 && pages > 0 && self.is_full(block) {
            self.empty += 1;
        }
    }

    /// A page was programmed in the open block.
    fn gained(&mut self, block: Pbn) {
        self.valid[block.index()] += 1;
        self.valid_pages += 1;
        self.open.next.0 += 1;
        if self.open.room() == 0 {
            self.filled(block);
        }
    }

    fn filled(&mut self, block: Pbn) {
        self.open = Frontier::NONE;
        self.modes[block.index()] = Mode::Full;
        self.full.push(block);
        self.empty += u32::from(self.valid[block.index()] == 0);
    }

    /// An erased block is filled from now on.
    fn begin(&mut self, block: Pbn, geometry: &Geometry) {
        self.modes[block.index()] = Mode::Open;
        self.used += u32::from(!self.is_fixed(block));
        let next = geometry.ppn(block, 0);
        let end = next.plus(self.config.pages);
        self.open = Frontier { next, end };
    }

    /// A full block without valid pages is erased. Returns whether it is a fixed one.
    fn erased(&mut self, block: Pbn) -> bool {
        let place = self.full.iter().position(|&full| full == block);
        if let Some(place) = place {
            self.full.remove(place);
            self.empty -= 1;
        }
        let fixed = self.is_fixed(block);
        if fixed {
            self.modes[block.index()] = Mode::Waiting;
            self.free.give_back(block);
        } else {
            self.modes[block.index()] = Mode::Native;
            self.erases[block.index()] += 1;
            self.used -= 1;
        }
        fixed
    }

    /// Whether a full block may be folded.
    fn is_among(&self, among: Among, block: Pbn) -> bool {
        among == Among::All || !self.is_fixed(block)
    }

    /// The full blocks that may be folded, in the order in which they were filled.
    fn among(&self, among: Among) -> impl Iterator<Item = Pbn> + '_ {
        let full = self.full.iter().copied();
        full.filter(move |block| self.is_among(among, *block))
    }

    /// The block to fold; `in_progress` is the victim in progress, or none.
    fn to_fold(&self, among: Among, in_progress: Pbn) -> Option<Pbn> {
        let is_full = in_progress.is_some() && self.is_full(in_progress);
        if is_full && self.is_among(among, in_progress) {
            return Some(in_progress);
        }
        let valid = |block: &Pbn| self.valid[block.index()];
        if self.empty > 0
            && let Some(empty) = self.among(among).find(|block| valid(block) == 0)
        {
            return Some(empty);
        }
        match self.config.greedy {
            false => self.among(among).next(),
            // the first of equal ones
            true => self.among(among).min_by_key(valid),
        }
    }

    /// The erases of each block after use in SLC mode.
    pub fn erases(&self) -> &[u32] {
        &self.erases
    }

    /// What it holds, while native blocks have so many pages and so many blocks are free.
    pub fn state(&self, native_pages: u32, free: u32) -> SlcState {
        let dynamic = self.cap(native_pages).saturating_sub(self.used);
        let dynamic = dynamic.min(free.saturating_sub(self.config.keep));
        let fixed = self.full.iter().filter(|&&block| self.is_fixed(block));
        let full_fixed = fixed.count() as u64;
        let pages = u64::from(self.config.pages);
        SlcState {
            fixed_blocks: self.config.fixed.into(),
            pages_per_slc_block: pages,
            valid_in_slc: self.valid_pages.into(),
            full_blocks: FullSlcBlocks {
                fixed: full_fixed,
                dynamic: self.full.len() as u64 - full_fixed,
            },
            room_pages: u64::from(self.open.room())
                + pages * (u64::from(self.free.len()) + u64::from(dynamic)),
        }
    }

    /// The state that a mount finds in the blocks of the cache with a newest version, in the order of their newest pages.
    pub fn adopt(&mut self, scan: &Scan, used: &[Pbn]) {
        let geometry = scan.geometry();
        let has_room = |block: &&Pbn| scan.end(**block) < self.config.pages;
        let open = used.iter().rev().find(has_room).copied();
        for &block in used {
            let valid = scan.valid(block);
            self.valid[block.index()] = valid;
            self.valid_pages += valid;
            if Some(block) == open {
                self.begin(block, geometry);
                self.open.next = geometry.ppn(block, scan.end(block));
            } else {
                self.used += u32::from(!self.is_fixed(block));
                self.modes[block.index()] = Mode::Full;
                self.full.push(block);
            }
        }
    }

    /// Compares the tables with the spare areas; `order` has all blocks in use but frontiers, in the order of filling.
    pub fn check(&self, scan: &Scan, order: &[Pbn]) -> Result<(), String> {
        let open = (self.open.room() > 0).then(|| scan.geometry().block_of(self.open.next));
        let in_slc = |block: &&Pbn| self.has(**block);
        let slc: Vec<Pbn> = order.iter().filter(in_slc).copied().collect();
        let full: Vec<Pbn> = slc.iter().copied().filter(|b| Some(*b) != open).collect();
        same("full SLC blocks in the order of filling", &self.full, &full)?;
        if let Some(open) = open {
            let next = scan.geometry().ppn(open, scan.end(open));
            same(
                "next page of the SLC block being filled",
                self.open.next,
                next,
            )?;
        }
        let dynamic = slc.iter().filter(|&&block| !self.is_fixed(block)).count();
        same("dynamic blocks", self.used, dynamic as u32)?;
        let valid: u32 = slc.iter().map(|&block| scan.valid(block)).sum();
        same("valid pages in SLC blocks", self.valid_pages, valid)?;
        let empty = full.iter().filter(|&&block| scan.valid(block) == 0);
        same(
            "SLC blocks without a valid page",
            self.empty,
            empty.count() as u32,
        )?;
        slc.iter().try_for_each(|&block| {
            same(
                format_args!("valid pages of SLC block {block:?}"),
                self.valid[block.index()],
                scan.valid(block),
            )?;
            same(
                format_args!("pages of SLC block {block:?} beyond its SLC pages"),
                scan.end(block) > self.config.pages,
                false,
            )
        })
    }
}

impl<P: Payload> PageMapping<P> {
    /// Writes a page that comes from outside, through the cache if it has room.
    pub(super) fn write_cached<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<P>,
        lpn: Lpn,
        data: &P,
    ) -> Result<(), FtlError> {
        if env.past_cache {
            self.program_direct(env, buffer, lpn, data)?;
        } else {
            if self.slc().open.room() == 0 {
                self.find_room(env, buffer)?;
            }
            if self.slc().open.room() > 0 {
                self.program_slc(env, lpn, data)?;
            } else {
                self.program_direct(env, buffer, lpn, data)?;
                if self.slc().emptying {
                    self.fold_beside(env)?;
                }
            }
        }
        self.clean_behind(env, buffer)?;
        self.page_written(env, buffer)
    }

    fn slc(&self) -> &Slc {
        self.slc.as_deref().expect("a device with a cache")
    }

    fn slc_mut(&mut self) -> &mut Slc {
        self.slc.as_deref_mut().expect("a device with a cache")
    }

    /// The valid pages in native blocks.
    pub(super) fn native_pages(&self) -> u32 {
        self.mapped - self.slc.as_ref().map_or(0, |slc| slc.valid_pages)
    }

    fn program_direct<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<P>,
        lpn: Lpn,
        data: &P,
    ) -> Result<(), FtlError> {
        let to = self.frontier(env, buffer, self.host)?.next;
        self.program_page(env, self.host, to, lpn, data)?;
        env.counts.direct_programs += 1;
        Ok(())
    }

    /// Programs a page in the open block of the cache.
    fn program_slc<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        lpn: Lpn,
        data: &P,
    ) -> Result<(), FtlError> {
        let to = self.slc().open.next;
        let block = self.geometry.block_of(to);
        let role = SLC_ROLE;
        env.note(Note::Cells(Cells::Slc));
        env.program(to, Spare { lpn, role }, data)?;
        env.note(Note::Cells(Cells::Native));
        env.counts.slc_programs += 1;
        env.counts.slc_fixed_programs += u64::from(self.slc().is_fixed(block));
        self.tallies[self.host as usize].opened(1);
        self.valid.insert(to.0);
        let now = self.now(env);
        self.supersede(lpn, to, now);
        self.slc_mut().gained(block);
        Ok(())
    }

    /// Looks for an erased block for the cache, which has none open.
    fn find_room<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<(), FtlError> {
        let slc = self.slc_mut();
        if slc.emptying && slc.full.len() as u32 <= slc.config.rest {
            slc.emptying = false;
        }
        if slc.emptying {
            return Ok(());
        }
        loop {
            self.drop_empty(env)?;
            if let Some(block) = self.erased_for_cache(env)? {
                self.open_slc(block);
                return Ok(());
            }
            let slc = self.slc_mut();
            match slc.config.full {
                WhenFull::Fold if !slc.full.is_empty() => self.fold_for_room(env, buffer)?,
                WhenFull::Beside if !slc.full.is_empty() => {
                    slc.emptying = true;
                    return Ok(());
                }
                _ => return Ok(()),
            }
        }
    }

    /// Erases the full blocks of the cache without a valid page, but not the victim in progress.
    fn drop_empty<M: Media>(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        let slc = self.slc();
        if slc.empty == 0 {
            return Ok(());
        }
        let is_empty = |block: &Pbn| slc.valid[block.index()] == 0 && *block != self.victim.block;
        let empty: Vec<Pbn> = slc.full.iter().copied().filter(is_empty).collect();
        empty
            .into_iter()
            .try_for_each(|block| self.erase_slc(env, block, |counts| &mut counts.slc_dropped))
    }

    /// An erased block that the cache may take.
    fn erased_for_cache<M: Media>(&mut self, env: &mut Env<M>) -> Result<Option<Pbn>, FtlError> {
        let native_pages = self.native_pages();
        let slc = self.slc_mut();
        if slc.free.len() > 0 {
            return slc.free.take().map(Some);
        }
        if slc.used >= slc.cap(native_pages) {
            return Ok(None);
        }
        let keep = slc.config.keep;
        while self.free.len() <= keep
            && let Some((block, 0)) = self.victims.emptiest()
        {
            self.erase_native(env, block)?;
        }
        match self.free.len() > keep {
            true => self.free.take().map(Some),
            false => Ok(None),
        }
    }

    fn open_slc(&mut self, block: Pbn) {
        self.regions[block.index()] = self.host as u8;
        let first = self.geometry.ppn(block, 0).0;
        let end = first + self.geometry.pages_per_block();
        self.valid.remove_range(first, end);
        let geometry = self.geometry.clone();
        self.slc_mut().begin(block, &geometry);
    }

    /// Erases a full native block without a valid page.
    fn erase_native<M: Media>(&mut self, env: &mut Env<M>, block: Pbn) -> Result<(), FtlError> {
        let region = self.region_of_block(block);
        env.begin_cleaning(block, 0);
        self.tallies[region as usize].cleaned();
        self.victims.erased(block);
        env.barrier()?;
        env.erase_victim(block)?;
        self.free.give_back(block);
        Ok(())
    }

    /// Erases a full block of the cache without a valid page.
    pub(super) fn erase_slc<M: Media>(
        &mut self,
        env: &mut Env<M>,
        block: Pbn,
        reason: Reason,
    ) -> Result<(), FtlError> {
        if self.victim.block == block {
            self.victim = super::Victim::NONE;
        }
        // the newer versions of its pages, their copies and discards must not be lost
        env.barrier()?;
        env.erase_victim(block)?;
        let fixed = self.slc_mut().erased(block);
        env.counts.slc_erases += 1;
        env.counts.slc_fixed_erases += u64::from(fixed);
        *reason(&mut env.counts) += 1;
        if !fixed {
            self.free.give_back(block);
        }
        self.victims.worn(block, env.media().erase_count(block));
        Ok(())
    }

    /// Whether a page, if it is anywhere, is in SLC mode.
    #[inline]
    pub(super) fn is_in_slc(&self, at: Ppn) -> bool {
        at.is_some() && self.is_slc(self.geometry.block_of(at))
    }

    /// Whether a block is in SLC mode.
    #[inline]
    pub(super) fn is_slc(&self, block: Pbn) -> bool {
        self.slc.as_deref().is_some_and(|slc| slc.has(block))
    }
}
