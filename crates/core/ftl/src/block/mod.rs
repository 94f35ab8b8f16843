//! Block mapping (SmartMedia; the FTL of the LFS paper, section 2.3): each page is at its own offset of the data block
//! of its logical block.
//!
//! A rewrite opens a replacement block, which is filled in ascending order; pages that are not rewritten are copied. It
//! replaces the data block when it is full or closed. It is closed when a page before its next offset is written, or
//! when another logical block needs a replacement block and no more may be open.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

mod check;
mod mount;

use ssdlab_flash::{Geometry, Lbn, Lpn, Media, Page, Pbn, Ppn, Role, Spare};
use ssdlab_policy::{About, BitSet, Count, Entry, Lists, Source, papers};

use crate::free_list::FreeList;
use crate::map_log::MapLog;
use crate::{
    Buffer, Capacity, Env, Found, Ftl, FtlError, FtlKind, Impossible, Inputs, MAP_UPDATES, Mapping,
    MergeKind, Needs, OVER_PROVISIONING, SPARE_BLOCKS, Tables,
};

/// `ftl.open_blocks`.
pub const OPEN_BLOCKS: Count = Count::new(
    "ftl.open_blocks",
    [1, 65535],
    1,
    "replacement blocks open at the same time",
);

/// The parameters of block mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockConfig {
    /// `ftl.open_blocks`: replacement blocks open at the same time, at least 1.
    pub open_blocks: u32,
    /// Spare erase blocks.
    pub spare_blocks: u32,
    /// `ftl.map_updates`: changes of the block map are written to flash.
    pub map_updates: bool,
}

impl FtlKind for Block {
    const ENTRY: Entry = Entry {
        name: "block",
        rule: "keeps each page at its own offset of one block; a rewrite copies the block page by page",
        source: Source::of("{}, section 2.3 (SmartMedia)", &[&papers::LFS_BUFFERS]),
        keys: &[
            OPEN_BLOCKS.key,
            SPARE_BLOCKS.key,
            OVER_PROVISIONING.key,
            MAP_UPDATES.key,
        ],
        about: About {
            file: file!(),
            lines: [
                "Each logical block has one data block, in which each page is at its own offset.",
                "A rewrite opens a replacement block: the pages before the rewritten one are copied, then it is \
                 programmed, and later writes continue in ascending order.",
                "When a page comes out of order, or all `ftl.open_blocks` are in use, a replacement block is completed \
                 with copies and replaces its data block.",
            ],
            cost: "O(1) for each page, plus the copies; 8 bytes for each logical block, one bit for each page: the \
                   least RAM of all FTLs.",
            wins: "Large sequential writes with few spare blocks: it is as fast as page mapping, with a much smaller \
                   map.",
            loses: "All other workloads: each page out of order copies a block.",
        },
    };

    const MAPPING: Option<Mapping> = Some(Mapping::Block);

    type Config = BlockConfig;

    fn configure(inputs: &Inputs) -> BlockConfig {
        BlockConfig {
            open_blocks: OPEN_BLOCKS.of(inputs.settings) as u32,
            spare_blocks: inputs.spare_blocks,
            map_updates: MAP_UPDATES.of(inputs.settings),
        }
    }

    fn needs(config: &BlockConfig, capacity: &Capacity) -> Result<Needs, Impossible> {
        // no spare block is required: closing a replacement block frees one before another is opened
        let size = capacity.over(config.open_blocks, config.spare_blocks);
        let open = u64::from(config.open_blocks).min(size.logical_blocks);
        // the mapped bits; the data block (twice, while the table is built) and the open block of each logical block;
        // the open blocks
        let tables =
            2 * size.logical_pages / 8 + 12 * size.logical_blocks + 32 * open + size.free_list();
        let in_controller = Tables::by_block(&size)
            .with_logs(&size, config.open_blocks, 0)
            .with_map_in_flash(config.map_updates, capacity);
        Ok(Needs {
            tables: Some(in_controller),
            ..size.needs(tables)
        })
    }

    fn fresh<M: Media>(config: &BlockConfig, geometry: &Geometry, full: bool) -> Box<dyn Ftl<M>> {
        Box::new(Block::new(config, geometry, full))
    }

    fn mount<M: Media>(config: &BlockConfig, media: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError> {
        Ok(Box::new(Block::from_flash(config, media)?))
    }
}

const NOT_OPEN: u32 = u32::MAX;

/// The lists of `Block::order`: open replacement blocks, most recently written first, and unused entries.
const RECENT: u32 = 0;
const UNUSED: u32 = 1;

/// An open replacement block.
#[derive(Clone, Copy, Debug)]
struct Replacement {
    lbn: Lbn,
    block: Pbn,
    /// Mapped pages before this offset have their newest version here, all others in the data block.
    next: u32,
    /// Whether a page was copied into it. Its merge is then no switch merge.
    copied: bool,
}

/// The block-mapping FTL.
pub struct Block {
    geometry: Geometry,
    /// The LPNs with a version.
    mapped: BitSet,
    /// For each LBN, its data block.
    data: Vec<Pbn>,
    /// For each LBN, the index of its open replacement block.
    open_of: Vec<u32>,
    open: Vec<Replacement>,
    order: Lists,
    free: FreeList,
    map: MapLog,
}

impl Block {
    fn new(config: &BlockConfig, geometry: &Geometry, full: bool) -> Self {
        let mut ftl = Self::empty(config, geometry);
        let mut used = 0;
        if full {
            used = geometry.logical_blocks();
            ftl.mapped = BitSet::new(geometry.logical_pages(), true);
            ftl.data = (0..used).map(Pbn).collect();
        }
        ftl.free = FreeList::from_block(used, geometry);
        ftl
    }

    /// Tables without mapped pages and without free blocks.
    fn empty(config: &BlockConfig, geometry: &Geometry) -> Self {
        let unused = Replacement {
            lbn: Lbn::NONE,
            block: Pbn::NONE,
            next: 0,
            copied: false,
        };
        let logical_blocks = geometry.logical_blocks();
        // each one replaces a different data block, so more can never be open
        let most = config.open_blocks.min(logical_blocks);
        let mut order = Lists::new(most, 2);
        (0..most).for_each(|index| order.push_back(UNUSED, index));
        Self {
            mapped: BitSet::new(geometry.logical_pages(), false),
            data: vec![Pbn::NONE; logical_blocks as usize],
            open_of: vec![NOT_OPEN; logical_blocks as usize],
            open: vec![unused; most as usize],
            order,
            free: FreeList::empty(geometry),
            map: MapLog::new(config.map_updates, geometry),
            geometry: geometry.clone(),
        }
    }

    /// Prepares the program of a page, and returns its place and its replacement block.
    #[inline]
    fn make_ready<M: Media>(
        &mut self,
        env: &mut Env<M>,
        page: Page,
    ) -> Result<(u32, Ppn), FtlError> {
        let mut index = self.open_of[page.lbn.index()];
        if index == NOT_OPEN || page.offset < self.open[index as usize].next {
            index = self.reopen(env, page.lbn)?;
        }
        let Replacement { block, next, .. } = self.open[index as usize];
        if next < page.offset {
            self.fill(env, index, page.offset)?;
        }
        Ok((index, self.geometry.ppn(block, page.offset)))
    }

    /// Opens a replacement block. Closes the old one of the logical block first, or the least recently written one if
    /// no more may be open.
    #[inline(never)]
    fn reopen<M: Media>(&mut self, env: &mut Env<M>, lbn: Lbn) -> Result<u32, FtlError> {
        let index = self.open_of[lbn.index()];
        if index != NOT_OPEN {
            self.replace_data(env, index, MergeKind::Partial)?;
        } else if self.order.front(UNUSED).is_none() {
            let least_recent = self.order.back(RECENT).expect("at least one is open");
            self.replace_data(env, least_recent, MergeKind::Partial)?;
        }
        let block = self.free.take()?;
        Ok(self.adopt(Replacement {
            lbn,
            block,
            next: 0,
            copied: false,
        }))
    }

    /// Puts a replacement block into an unused entry.
    fn adopt(&mut self, replacement: Replacement) -> u32 {
        let unused = self.order.front(UNUSED);
        let index = unused.expect("an entry is unused after a close");
        self.open_of[replacement.lbn.index()] = index;
        self.open[index as usize] = replacement;
        self.order.remove(index);
        self.order.push_front(RECENT, index);
        index
    }

    /// Copies the pages before an offset that is about to be written.
    fn fill<M: Media>(
        &mut self,
        env: &mut Env<M>,
        index: u32,
        offset: u32,
    ) -> Result<(), FtlError> {
        // a block with copies always ends in a partial merge
        let share = env.begin_share(MergeKind::Partial);
        let copied = self.copy_old(env, index, offset)?;
        self.open[index as usize].copied |= copied > 0;
        env.end_merge(share);
        Ok(())
    }

    /// Copies the valid pages of the data block from the next offset up to `end` to their offsets. Returns their
    /// number.
    fn copy_old<M: Media>(&self, env: &mut Env<M>, index: u32, end: u32) -> Result<u32, FtlError> {
        let Replacement {
            lbn, block, next, ..
        } = self.open[index as usize];
        let page = self.geometry.page_at(lbn, next);
        let valid = self.mapped.count(page.lpn.0, page.lpn.0 + end - next);
        if valid == 0 {
            return Ok(0);
        }
        let from = self.geometry.ppn(self.data[lbn.index()], next);
        let to = self.geometry.ppn(block, next);
        let spare = spare(page.lpn);
        if env.runs && valid == end - next {
            env.copy_run(from, to, valid, spare)?;
            return Ok(valid);
        }
        for i in 0..end - next {
            if self.mapped.contains(page.lpn.0 + i) {
                env.copy(from.plus(i), to.plus(i), spare.plus(i))?;
            }
        }
        Ok(valid)
    }

    /// Updates the tables after consecutive pages were programmed.
    #[inline]
    fn programmed<M: Media>(
        &mut self,
        env: &mut Env<M>,
        index: u32,
        first: Page,
        count: u32,
    ) -> Result<(), FtlError> {
        self.mapped.insert_range(first.lpn.0, first.lpn.0 + count);
        let replacement = &mut self.open[index as usize];
        replacement.next = first.offset + count;
        if replacement.next < self.geometry.pages_per_block() {
            self.order.move_to_front(RECENT, index);
            return Ok(());
        }
        let kind = if replacement.copied {
            MergeKind::Partial
        } else {
            MergeKind::Switch
        };
        self.replace_data(env, index, kind)
    }

    /// Completes a replacement block with copies; it replaces the data block.
    fn replace_data<M: Media>(
        &mut self,
        env: &mut Env<M>,
        index: u32,
        kind: MergeKind,
    ) -> Result<(), FtlError> {
        let Replacement { lbn, block, .. } = self.open[index as usize];
        let data = self.data[lbn.index()];
        let merge = env.begin_merge_of(kind, lbn, [block, data, block], |page| self.place(page));
        self.copy_old(env, index, self.geometry.pages_per_block())?;
        self.data[lbn.index()] = block;
        self.open_of[lbn.index()] = NOT_OPEN;
        self.order.remove(index);
        self.order.push_front(UNUSED, index);
        self.map.changed(env);
        if data.is_some() {
            env.barrier()?;
            self.free.erase(env, data)?;
        }
        env.end_merge(merge);
        Ok(())
    }

    /// The place of the newest version of a page.
    fn place(&self, page: Page) -> Ppn {
        if !self.mapped.contains(page.lpn.0) {
            return Ppn::NONE;
        }
        let block = match self.open_of[page.lbn.index()] {
            NOT_OPEN => self.data[page.lbn.index()],
            index => match self.open[index as usize] {
                Replacement { block, next, .. } if page.offset < next => block,
                _ => self.data[page.lbn.index()],
            },
        };
        self.geometry.ppn(block, page.offset)
    }

    /// The open replacement blocks, least recently written first.
    fn replacements(&self) -> impl Iterator<Item = u32> {
        core::iter::successors(self.order.back(RECENT), |&index| self.order.before(index))
    }

    /// All data and replacement blocks.
    fn blocks_in_use(&self) -> impl Iterator<Item = Pbn> {
        let open = self
            .replacements()
            .map(|index| self.open[index as usize].block);
        let data = self.data.iter().copied().filter(|block| block.is_some());
        data.chain(open)
    }
}

/// The spare area of a page. All roles are the same; a mount uses age and offsets instead.
fn spare(lpn: Lpn) -> Spare {
    Spare {
        lpn,
        role: Role::DATA,
    }
}

impl<M: Media> Ftl<M> for Block {
    fn write(
        &mut self,
        env: &mut Env<M>,
        _: &mut Buffer<M::Data>,
        lpn: Lpn,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let page = self.geometry.page(lpn);
        let (index, to) = self.make_ready(env, page)?;
        env.program(to, spare(lpn), data)?;
        self.programmed(env, index, page, 1)
    }

    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Data) -> Result<Found, FtlError> {
        env.read(self.place(self.geometry.page(lpn)), page)
    }

    fn free_blocks(&self) -> Option<u32> {
        Some(self.free.len())
    }

    fn has_pure_reads(&self) -> bool {
        true
    }

    fn is_mapped(&self, lpn: Lpn) -> bool {
        self.mapped.contains(lpn.0)
    }

    fn discard(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError> {
        if self.mapped.contains(lpn.0) {
            env.record_discard(lpn)?;
            self.mapped.remove(lpn.0);
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
        let (index, to) = self.make_ready(env, first)?;
        env.program_run(to, count, spare(first.lpn), data)?;
        self.programmed(env, index, first, count)
    }

    fn count_mapped(&self, first: Lpn, count: u32) -> u32 {
        self.mapped.count(first.0, first.0 + count)
    }
}
