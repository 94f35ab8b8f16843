//! SuperBlock (the SAST family): pages are mapped freely inside a superblock, which is a group of S adjacent logical
//! blocks.
//!
//! A superblock owns up to S blocks taken from the free list. It may own K more, its update blocks, from a pool that
//! all superblocks share. It fills its blocks one after the other. When it owns S + K full blocks, the one with the
//! fewest valid pages is cleaned into a new one (*compact*). When the pool is exhausted, the least recently written
//! superblock with update blocks is cleaned until it has one block less (*shrink*).
//!
//! Cleaning takes a free block before it returns its victim, so one spare block is needed. It always is enough: among
//! more than S blocks, the full one with the fewest valid pages always has an invalid page. Its valid pages fit into
//! one block, and each victim leaves fewer pages in use.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

mod check;
mod mount;

use ssdlab_flash::{Geometry, Lbn, Lpn, Media, Page, Pbn, Ppn, Role, Spare};
use ssdlab_policy::{About, Count, Entry, Heaps, Lists, Source, papers};

use crate::aware::Decision;
use crate::bavbs::Bavbs;
use crate::cleaned::Cleaned;
use crate::free_list::FreeList;
use crate::kind::too_few_spare;
use crate::{
    AVERAGED_MERGES, Aware, BUFFER_AWARE, Buffer, CANDIDATES, Capacity, Env, FREE_LISTS, Found,
    FreeLists, Ftl, FtlError, FtlKind, Impossible, Inputs, LOG_BLOCKS, Mapping, MergeKind, NUMBER,
    Needs, OVER_PROVISIONING, SPARE_BLOCKS, Tables, UPDATE_PROBABILITY, WEIGH_COPY_BACKS,
};

/// `ftl.blocks_per_superblock`.
pub const BLOCKS_PER_SUPERBLOCK: Count = Count::new(
    "ftl.blocks_per_superblock",
    [1, 65535],
    8,
    "adjacent logical blocks in a superblock",
);

/// `ftl.max_update_blocks`.
pub const MAX_UPDATE_BLOCKS: Count = Count::new(
    "ftl.max_update_blocks",
    [1, 65535],
    8,
    "maximum number of update blocks of one superblock",
);

/// The parameters of SuperBlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuperblockConfig {
    /// `ftl.log_blocks`: update blocks of all superblocks together, at least 1.
    pub log_blocks: u32,
    /// Spare erase blocks, at least 1.
    pub spare_blocks: u32,
    /// `ftl.blocks_per_superblock`, at least 1.
    pub blocks_per_superblock: u32,
    /// `ftl.max_update_blocks`: update blocks of one superblock, at least 1.
    pub max_update_blocks: u32,
    /// How cleaning uses the write buffer.
    pub aware: Aware,
    /// How free blocks are kept.
    pub free_lists: FreeLists,
}

impl FtlKind for SuperblockFtl {
    const ENTRY: Entry = Entry {
        name: "superblock",
        rule: "maps pages inside groups of adjacent blocks; cleans the block of a group with the fewest valid pages",
        source: Source::of(
            "{}, section 2.4 (SAST: {}; {})",
            &[&papers::BPLRU, &papers::SAST, &papers::SUPERBLOCK],
        ),
        keys: &[
            LOG_BLOCKS.key,
            SPARE_BLOCKS.key,
            FREE_LISTS.key,
            OVER_PROVISIONING.key,
            BLOCKS_PER_SUPERBLOCK.key,
            MAX_UPDATE_BLOCKS.key,
            BUFFER_AWARE.key,
            CANDIDATES.key,
            WEIGH_COPY_BACKS.key,
            UPDATE_PROBABILITY.key,
            AVERAGED_MERGES.key,
        ],
        about: About {
            file: file!(),
            lines: [
                "Adjacent logical blocks form a superblock, inside which each page can be in any block.",
                "Each superblock fills its blocks one after the other. In addition to the blocks for its data, it \
                 takes update blocks from a pool that all superblocks share.",
                "When a superblock may take no more blocks, its full block with the fewest valid pages is cleaned. \
                 When the pool is empty, the least recently written superblock returns one update block.",
            ],
            cost: "O(1) for each page, and for a victim the logarithm of the blocks of a superblock; 8 bytes for each \
                   page, 24 for each block.",
            wins: "Writes that stay in a few regions for a while: only the superblocks of these regions are cleaned, \
                   and hot pages gather in the update blocks.",
            loses: "Writes all over the device with a small pool: superblocks take update blocks from each other, and \
                    each is cleaned for a few pages.",
        },
    };

    const MAPPING: Option<Mapping> = Some(Mapping::Hybrid);

    type Config = SuperblockConfig;

    fn configure(inputs: &Inputs) -> SuperblockConfig {
        SuperblockConfig {
            log_blocks: LOG_BLOCKS.of(inputs.settings) as u32,
            spare_blocks: inputs.spare_blocks,
            blocks_per_superblock: BLOCKS_PER_SUPERBLOCK.of(inputs.settings) as u32,
            max_update_blocks: MAX_UPDATE_BLOCKS.of(inputs.settings) as u32,
            free_lists: FreeLists::configure(inputs.settings),
            aware: Aware::configure(inputs),
        }
    }

    fn needs(config: &SuperblockConfig, capacity: &Capacity) -> Result<Needs, Impossible> {
        if config.spare_blocks == 0 {
            return Err(too_few_spare("superblock", 1, "cleaning needs it"));
        }
        let size = capacity.over(config.log_blocks, config.spare_blocks);
        let logical = size.logical_blocks.max(1);
        let blocks = u64::from(config.blocks_per_superblock).min(logical);
        let superblocks = logical.div_ceil(blocks);
        // both directions of the map; the superblocks (twice, while the table is built) with heap and order of use; the
        // heap of full blocks; the candidates of a choice
        let tables = 4 * size.logical_pages
            + 4 * size.physical_pages
            + 64 * superblocks
            + 24 * (size.physical_blocks + 1)
            + 12 * size.physical_blocks
            + size.free_list();
        Ok(Needs {
            aware: config.aware,
            tables: Some(Tables {
                // the superblock of each block, and its valid pages
                cleaning: 2 * NUMBER * size.physical_blocks,
                ..Tables::by_page(&size)
            }),
            ..size.needs(tables)
        })
    }

    fn fresh<M: Media>(
        config: &SuperblockConfig,
        geometry: &Geometry,
        full: bool,
    ) -> Box<dyn Ftl<M>> {
        Box::new(SuperblockFtl::new(config, geometry, full))
    }

    fn mount<M: Media>(
        config: &SuperblockConfig,
        media: &mut M,
    ) -> Result<Box<dyn Ftl<M>>, FtlError> {
        Ok(Box::new(SuperblockFtl::from_flash(config, media)?))
    }
}

/// The role of pages that the host wrote; cleaning copies have another role.
const WRITTEN: Role = Role(1);

/// The role of pages that cleaning copied.
const MOVED: Role = Role(2);

/// Adjacent logical blocks that share their erase blocks.
#[derive(Clone, Debug)]
struct Superblock {
    /// S, the number of its logical blocks; smaller in a shorter last superblock.
    size: u32,
    /// The blocks that it owns, frontier included; at most S + K, and one more while a victim is cleaned.
    owned: u32,
    /// The block that it fills; none if its newest block is full.
    frontier: Pbn,
    /// The place of the next page in the frontier.
    next: Ppn,
    /// The room of the frontier in pages; 0 without one.
    room: u32,
    /// The newest versions in the frontier.
    valid: u32,
}

impl Superblock {
    /// Whether it owns more than S blocks.
    #[inline]
    fn has_updates(&self) -> bool {
        self.owned > self.size
    }
}

/// The FTL of superblocks.
pub struct SuperblockFtl {
    geometry: Geometry,
    /// S · N.
    pages_per_superblock: u32,
    /// K: the maximum number of update blocks of one superblock.
    max_update_blocks: u32,
    /// The most update blocks of all superblocks together.
    pool: u32,
    pool_used: u32,
    /// For each LPN, its newest version.
    map: Vec<Ppn>,
    /// For each PPN, the page programmed there last. It is valid if the map points back to it.
    lpns: Vec<Lpn>,
    superblocks: Vec<Superblock>,
    /// For each superblock, its full blocks by valid pages; among equals, in the order in which they were allocated.
    full: Heaps,
    /// The superblocks that own more than S blocks, most recently written first.
    recent: Lists,
    free: FreeList,
    /// Chooses the victims if `ftl.buffer_aware` asks for it.
    bavbs: Option<Bavbs>,
    /// The blocks to choose from, used only during a choice.
    candidates: Vec<u32>,
}

impl SuperblockFtl {
    fn new(config: &SuperblockConfig, geometry: &Geometry, full: bool) -> Self {
        let mut ftl = Self::empty(config, geometry);
        let mut used = 0;
        if full {
            used = geometry.logical_blocks();
            for page in 0..geometry.logical_pages() {
                ftl.map[page as usize] = Ppn(page);
                ftl.lpns[page as usize] = Lpn(page);
            }
            for block in 0..used {
                let index = ftl.superblock_of(geometry.page_at(Lbn(block), 0).lpn);
                ftl.superblocks[index as usize].owned += 1;
                ftl.full.push(index, block, geometry.pages_per_block());
            }
        }
        ftl.free = FreeList::from_block(used, geometry).by(config.free_lists, geometry);
        ftl
    }

    /// Tables without mapped pages and without free blocks.
    fn empty(config: &SuperblockConfig, geometry: &Geometry) -> Self {
        let logical_blocks = geometry.logical_blocks();
        let size = config.blocks_per_superblock.min(logical_blocks);
        let superblock = |first: u32| Superblock {
            size: size.min(logical_blocks - first),
            owned: 0,
            frontier: Pbn::NONE,
            next: Ppn::NONE,
            room: 0,
            valid: 0,
        };
        let firsts = (0..logical_blocks).step_by(size as usize);
        let superblocks: Vec<Superblock> = firsts.map(superblock).collect();
        let count = superblocks.len() as u32;
        Self {
            pages_per_superblock: size * geometry.pages_per_block(),
            max_update_blocks: config.max_update_blocks,
            pool: config.log_blocks,
            pool_used: 0,
            map: vec![Ppn::NONE; geometry.logical_pages() as usize],
            lpns: vec![Lpn(0); geometry.physical_pages() as usize],
            superblocks,
            full: Heaps::new(geometry.physical_blocks(), count),
            recent: Lists::new(count, 1),
            free: FreeList::empty(geometry),
            bavbs: Bavbs::new(&config.aware, geometry.pages_per_block()),
            candidates: Vec::new(),
            geometry: geometry.clone(),
        }
    }

    /// The superblock of a logical page.
    #[inline]
    fn superblock_of(&self, lpn: Lpn) -> u32 {
        lpn.0 / self.pages_per_superblock
    }

    /// Gives a superblock a frontier. The rare case is a function of its own, so that the common case saves no
    /// registers for it.
    #[inline(never)]
    fn make_room<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        index: u32,
    ) -> Result<(), FtlError> {
        while self.superblocks[index as usize].room == 0 {
            let Superblock { size, owned, .. } = self.superblocks[index as usize];
            let most = size + self.max_update_blocks;
            if owned < size || owned < most && self.pool_used < self.pool {
                self.open_frontier(index)?;
            } else if owned == most {
                self.open_frontier(index)?;
                self.clean(env, buffer, index)?;
            } else {
                self.shrink(env, buffer)?;
            }
        }
        Ok(())
    }

    /// Takes an update block from the least recently written superblock with update blocks. The current write does not
    /// count yet.
    fn shrink<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<(), FtlError> {
        let index = self
            .recent
            .back(0)
            .expect("some superblock owns a block of the exhausted pool");
        let before = self.superblocks[index as usize].owned;
        while self.superblocks[index as usize].owned >= before {
            self.clean(env, buffer, index)?;
        }
        Ok(())
    }

    /// Moves the valid pages of a full block of a superblock, and erases it.
    fn clean<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        index: u32,
    ) -> Result<(), FtlError> {
        let (victim, decision) = self.victim(env, buffer, index);
        let valid = self.full.rank(victim);
        self.full.remove(index, victim);
        let kind = match valid {
            0 => MergeKind::Switch,
            _ => MergeKind::Full,
        };
        let victim = Pbn(victim);
        env.begin_cleaning(victim, valid);
        let merge = env.begin_merge(kind);
        let mut buffer = buffer.decided(decision);
        self.move_valid(env, &mut buffer, index, victim, valid)?;
        // once the block is erased, its copies and the discards of its pages must not be lost
        env.barrier()?;
        self.free.erase(env, victim)?;
        self.disown_block(index);
        let work = env.end_merge(merge);
        env.merged(buffer.decision(), &work);
        if let Some(bavbs) = &mut self.bavbs {
            bavbs.merged(&work);
        }
        Ok(())
    }

    /// The full block to clean: the one with the fewest valid pages, or the choice of BAVBS. Also returns the decision
    /// for its cleaning.
    fn victim<M: Media>(
        &mut self,
        env: &Env<M>,
        buffer: &Buffer<M::Data>,
        index: u32,
    ) -> (u32, Decision) {
        let Some(bavbs) = &self.bavbs else {
            let fewest = self.full.first(index);
            return (fewest.expect("at least one block is full"), Decision::AWARE);
        };
        self.full.list(index, &mut self.candidates);
        let all = self.geometry.pages_per_block();
        let worth_it = self.candidates.iter().copied();
        let worth_it = worth_it.filter(|&block| self.full.rank(block) < all);
        let denominator = buffer.update_denominator();
        let weighed = worth_it.take(bavbs.candidates()).map(|block| {
            let cleaned = self.cleaned(env, buffer, index, Pbn(block));
            let (weight, decision) = cleaned.weigh(bavbs, denominator);
            (weight, (block, decision))
        });
        let least = weighed.min_by_key(|&(weight, _)| weight);
        least
            .expect("a superblock with more than S blocks has an invalid page")
            .1
    }

    /// The pages that cleaning a block would move.
    fn cleaned<M: Media>(
        &self,
        env: &Env<M>,
        buffer: &Buffer<M::Data>,
        index: u32,
        block: Pbn,
    ) -> Cleaned {
        let Superblock { next, room, .. } = self.superblocks[index as usize];
        let free = self.free.next();
        let mut cleaned = Cleaned::new((next, room), free.map(|free| self.geometry.ppn(free, 0)));
        for from in self.geometry.pages_of(block) {
            let lpn = self.lpns[from.index()];
            if self.map[lpn.index()] == from {
                cleaned.add(env, buffer, from, lpn);
            }
        }
        cleaned
    }

    /// Moves the `valid` valid pages of a victim in order. Takes a new frontier when the old one is full.
    fn move_valid<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        index: u32,
        victim: Pbn,
        mut valid: u32,
    ) -> Result<(), FtlError> {
        let mut from = self.geometry.ppn(victim, 0);
        while valid > 0 {
            let lpn = self.lpns[from.index()];
            if self.map[lpn.index()] != from {
                from = from.plus(1);
                continue;
            }
            if buffer.skips(lpn) {
                env.skip(lpn)?;
                self.map[lpn.index()] = Ppn::NONE;
                valid -= 1;
                continue;
            }
            if self.superblocks[index as usize].room == 0 {
                self.open_frontier(index)?;
            }
            let Superblock { next, room, .. } = self.superblocks[index as usize];
            let spare = Spare { lpn, role: MOVED };
            let count = if env.runs && !buffer.is_lent() {
                self.valid_run(from, lpn, valid.min(room))
            } else {
                1
            };
            if buffer.is_lent() {
                env.migrate(buffer, from, next, spare)?;
            } else {
                env.copy_run(from, next, count, spare)?;
            }
            self.filled(index, lpn, count);
            from = from.plus(count);
            valid -= count;
        }
        Ok(())
    }

    /// The length of the run of valid pages from this one on with consecutive logical pages, at most `most`.
    #[inline]
    fn valid_run(&self, from: Ppn, lpn: Lpn, most: u32) -> u32 {
        let end = self.map.len().min(lpn.plus(most).index());
        let places = self.map[lpn.index()..end].iter().zip(from.0..);
        places.take_while(|(at, from)| at.0 == *from).count() as u32
    }

    fn open_frontier(&mut self, index: u32) -> Result<(), FtlError> {
        let block = self.free.take()?;
        self.own_block(index, block, 0, 0);
        Ok(())
    }

    /// Adds a block to a superblock, as its frontier: `used` positions are used, and `valid` of these are valid.
    fn own_block(&mut self, index: u32, block: Pbn, used: u32, valid: u32) {
        let superblock = &mut self.superblocks[index as usize];
        superblock.frontier = block;
        superblock.next = self.geometry.ppn(block, used);
        superblock.room = self.geometry.pages_per_block() - used;
        superblock.valid = valid;
        superblock.owned += 1;
        if superblock.has_updates() {
            self.pool_used += 1;
        }
        if superblock.owned == superblock.size + 1 {
            self.recent.push_front(0, index);
        }
    }

    /// Removes a full block from a superblock.
    fn disown_block(&mut self, index: u32) {
        let superblock = &mut self.superblocks[index as usize];
        if superblock.has_updates() {
            self.pool_used -= 1;
        }
        if superblock.owned == superblock.size + 1 {
            self.recent.remove(index);
        }
        superblock.owned -= 1;
    }

    /// Closes a frontier that is full or will not be filled.
    #[inline]
    fn close_frontier(&mut self, index: u32) {
        let superblock = &mut self.superblocks[index as usize];
        superblock.room = 0;
        let full = core::mem::replace(&mut superblock.frontier, Pbn::NONE);
        self.full.push(index, full.0, superblock.valid);
    }

    /// Maps consecutive pages to the frontier, whose old versions are already invalid.
    #[inline(always)]
    fn filled(&mut self, index: u32, lpn: Lpn, count: u32) {
        let at = self.superblocks[index as usize].next;
        let places = &mut self.map[lpn.index()..][..count as usize];
        let lpns = &mut self.lpns[at.index()..][..count as usize];
        for (i, (place, there)) in (0..).zip(places.iter_mut().zip(lpns)) {
            (*place, *there) = (at.plus(i), lpn.plus(i));
        }
        let superblock = &mut self.superblocks[index as usize];
        superblock.next = at.plus(count);
        superblock.room -= count;
        superblock.valid += count;
        if superblock.room == 0 {
            self.close_frontier(index);
        }
    }

    /// Updates the tables after consecutive pages were written to the frontier.
    #[inline(always)]
    fn written(&mut self, index: u32, lpn: Lpn, count: u32) {
        self.invalidate(index, lpn, count);
        self.filled(index, lpn, count);
        if self.superblocks[index as usize].has_updates() {
            self.recent.move_to_front(0, index);
        }
    }

    /// Invalidates the old versions of consecutive pages.
    #[inline]
    fn invalidate(&mut self, index: u32, lpn: Lpn, count: u32) {
        let (mut block, mut pages) = (Pbn::NONE, 0);
        for lpn in lpn.0..lpn.0 + count {
            let at = self.map[lpn as usize];
            if !at.is_some() {
                continue;
            }
            // most of them are in one block
            let of_page = self.geometry.block_of(at);
            if of_page != block {
                self.lower_valid(index, block, pages);
                (block, pages) = (of_page, 0);
            }
            pages += 1;
        }
        self.lower_valid(index, block, pages);
    }

    /// Lowers the number of valid pages in a block of a superblock. `block` may be none.
    #[inline]
    fn lower_valid(&mut self, index: u32, block: Pbn, pages: u32) {
        let superblock = &mut self.superblocks[index as usize];
        if block == superblock.frontier {
            superblock.valid -= pages;
        } else if block.is_some() {
            self.full.lower(index, block.0, pages);
        }
    }

    /// The full blocks of a superblock, in the order in which they were filled.
    fn full_blocks(&self, index: u32) -> impl Iterator<Item = u32> {
        let mut blocks = Vec::new();
        self.full.list(index, &mut blocks);
        blocks.into_iter()
    }

    /// All full blocks and frontiers.
    fn blocks_in_use(&self) -> impl Iterator<Item = Pbn> {
        let frontiers = self.superblocks.iter().map(|s| s.frontier);
        let full = (0..self.superblocks.len() as u32).flat_map(|index| self.full_blocks(index));
        frontiers
            .filter(|block| block.is_some())
            .chain(full.map(Pbn))
    }
}

impl<M: Media> Ftl<M> for SuperblockFtl {
    fn write(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        lpn: Lpn,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let index = self.superblock_of(lpn);
        if self.superblocks[index as usize].room == 0 {
            self.make_room(env, buffer, index)?;
        }
        let to = self.superblocks[index as usize].next;
        env.program(to, Spare { lpn, role: WRITTEN }, data)?;
        self.written(index, lpn, 1);
        Ok(())
    }

    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Data) -> Result<Found, FtlError> {
        env.read(self.map[lpn.index()], page)
    }

    fn free_blocks(&self) -> Option<u32> {
        Some(self.free.len())
    }

    fn has_pure_reads(&self) -> bool {
        true
    }

    fn is_mapped(&self, lpn: Lpn) -> bool {
        self.map[lpn.index()].is_some()
    }

    fn discard(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError> {
        let at = self.map[lpn.index()];
        if at.is_some() {
            env.record_discard(lpn)?;
            self.invalidate(self.superblock_of(lpn), lpn, 1);
            self.map[lpn.index()] = Ppn::NONE;
        }
        Ok(())
    }

    fn check(&self, media: &mut M) -> Result<(), String> {
        self.check_against(media)
    }

    fn write_run(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        count: u32,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let index = self.superblock_of(first.lpn);
        let mut done = 0;
        while done < count {
            if self.superblocks[index as usize].room == 0 {
                self.make_room(env, &mut Buffer::none(), index)?;
            }
            let Superblock { next, room, .. } = self.superblocks[index as usize];
            let (lpn, pages) = (first.lpn.plus(done), room.min(count - done));
            env.program_run(next, pages, Spare { lpn, role: WRITTEN }, data)?;
            self.written(index, lpn, pages);
            done += pages;
        }
        Ok(())
    }
}
