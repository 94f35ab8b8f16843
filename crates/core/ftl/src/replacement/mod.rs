//! The replacement-block algorithm (NFTL; BPLRU paper, section 2.2): a logical block is a chain of blocks, in which
//! each page is at its own offset.
//!
//! A write goes to the first block of the chain whose page is not programmed yet. If there is none, a block from a
//! common pool is added to the chain. When the pool is empty, the longest chain is folded: its newest versions are
//! copied into a free block, which replaces the chain. Pages are programmed in any order, as small-block SLC flash
//! allows.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

mod check;
mod mount;

use ssdlab_flash::{Geometry, Lbn, Lpn, Media, Page, Pbn, Ppn, ProgramOrder, Role, Spare};
use ssdlab_policy::{About, Entry, Lists, Source, papers};

use crate::free_list::FreeList;
use crate::kind::too_few_spare;
use crate::map_log::MapLog;
use crate::{
    Buffer, Capacity, Env, Found, Ftl, FtlError, FtlKind, Impossible, Inputs, LOG_BLOCKS,
    MAP_UPDATES, Mapping, MergeKind, Needs, OVER_PROVISIONING, SPARE_BLOCKS, Tables,
};

/// The parameters of the replacement-block algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplacementConfig {
    /// `ftl.log_blocks`: blocks in the common pool, at least 1.
    pub log_blocks: u32,
    /// Spare erase blocks, at least 1.
    pub spare_blocks: u32,
    /// `ftl.map_updates`: changes of the block map are written to flash.
    pub map_updates: bool,
}

impl FtlKind for Replacement {
    const ENTRY: Entry = Entry {
        name: "replacement",
        rule: "each logical block is a chain of blocks from a pool; folds the longest chain when the pool is empty",
        source: Source::of("{}, section 2.2 (NFTL)", &[&papers::BPLRU]),
        keys: &[
            LOG_BLOCKS.key,
            SPARE_BLOCKS.key,
            OVER_PROVISIONING.key,
            MAP_UPDATES.key,
        ],
        about: About {
            file: file!(),
            lines: [
                "Each logical block is a chain of blocks, in which each page is at its own offset.",
                "A write goes to the first block of the chain whose page is not programmed yet. If there is none, a \
                 block from a common pool is added to the chain.",
                "When the pool is empty, the longest chain is folded: its newest pages are copied into a free block, \
                 and its blocks are erased.",
            ],
            cost: "O(1) for each page, plus the copies; 8 bytes for each page, 20 for each block. Needs flash that \
                   allows any program order inside a block.",
            wins: "Pages out of order, with a large pool: pages are copied only when the pool is empty. It is then far \
                   ahead of block mapping and close to BAST.",
            loses: "Sequential rewrites: a fold copies the whole block even if all its pages are new, which makes it \
                    half as fast as block mapping.",
        },
    };

    const PROGRAM_ORDER: ProgramOrder = ProgramOrder::Any;

    const MAPPING: Option<Mapping> = Some(Mapping::Block);

    type Config = ReplacementConfig;

    fn configure(inputs: &Inputs) -> ReplacementConfig {
        ReplacementConfig {
            log_blocks: LOG_BLOCKS.of(inputs.settings) as u32,
            spare_blocks: inputs.spare_blocks,
            map_updates: MAP_UPDATES.of(inputs.settings),
        }
    }

    fn needs(config: &ReplacementConfig, capacity: &Capacity) -> Result<Needs, Impossible> {
        if config.spare_blocks == 0 {
            return Err(too_few_spare("replacement", 1, "a fold needs it"));
        }
        let size = capacity.over(config.log_blocks, config.spare_blocks);
        // pages and chains (both twice, while the tables are built) with the order of use; the next block of each block
        let tables = 16 * size.logical_pages
            + 24 * size.logical_blocks
            + 4 * size.physical_blocks
            + size.free_list();
        let in_controller = Tables::by_block(&size)
            .with_logs(&size, config.log_blocks, 0)
            .with_map_in_flash(config.map_updates, capacity);
        Ok(Needs {
            tables: Some(in_controller),
            ..size.needs(tables)
        })
    }

    fn fresh<M: Media>(
        config: &ReplacementConfig,
        geometry: &Geometry,
        full: bool,
    ) -> Box<dyn Ftl<M>> {
        Box::new(Replacement::new(config, geometry, full))
    }

    fn mount<M: Media>(
        config: &ReplacementConfig,
        media: &mut M,
    ) -> Result<Box<dyn Ftl<M>>, FtlError> {
        Ok(Box::new(Replacement::from_flash(config, media)?))
    }
}

/// The role of blocks from the pool. The first block of a chain has the data role, even after a fold.
const POOL: Role = Role(1);

/// The chain of a logical block.
#[derive(Clone, Copy, Debug)]
struct Chain {
    first: Pbn,
    /// The number of blocks; all but the first are pool blocks.
    length: u32,
}

impl Chain {
    const NONE: Self = Self {
        first: Pbn::NONE,
        length: 0,
    };
}

/// The pages written for a logical page since its chain began.
#[derive(Clone, Copy, Debug)]
struct Written {
    /// Its newest version; none if it is unmapped.
    newest: Ppn,
    /// The last block of the chain whose page is programmed, valid or not; none if there is none.
    last: Pbn,
}

impl Written {
    const NEVER: Self = Self {
        newest: Ppn::NONE,
        last: Pbn::NONE,
    };
}

/// The replacement-block FTL.
pub struct Replacement {
    geometry: Geometry,
    /// Indexed by LPN.
    pages: Vec<Written>,
    /// Indexed by LBN.
    chains: Vec<Chain>,
    /// For each block in use, the next block of its chain.
    next: Vec<Pbn>,
    /// The size of the pool, and the blocks left in it.
    pool_size: u32,
    pool: u32,
    /// The LBNs whose chains have pool blocks: one list for each number of pool blocks from 1 on, most recently written
    /// first.
    by_length: Lists,
    /// All lists after this one are empty.
    longest: u32,
    free: FreeList,
    map: MapLog,
}

impl Replacement {
    fn new(config: &ReplacementConfig, geometry: &Geometry, full: bool) -> Self {
        let mut ftl = Self::empty(config, geometry);
        let mut used = 0;
        if full {
            used = geometry.logical_blocks();
            let page = |ppn: u32| Written {
                newest: Ppn(ppn),
                last: geometry.block_of(Ppn(ppn)),
            };
            ftl.pages = (0..geometry.logical_pages()).map(page).collect();
            let chain = |block: u32| Chain {
                first: Pbn(block),
                length: 1,
            };
            ftl.chains = (0..used).map(chain).collect();
        }
        ftl.free = FreeList::from_block(used, geometry);
        ftl
    }

    /// Tables without mapped pages and without free blocks.
    fn empty(config: &ReplacementConfig, geometry: &Geometry) -> Self {
        let logical_blocks = geometry.logical_blocks();
        Self {
            pages: vec![Written::NEVER; geometry.logical_pages() as usize],
            chains: vec![Chain::NONE; logical_blocks as usize],
            next: vec![Pbn::NONE; geometry.physical_blocks() as usize],
            pool_size: config.log_blocks,
            pool: config.log_blocks,
            by_length: Lists::new(logical_blocks, config.log_blocks),
            longest: 0,
            free: FreeList::empty(geometry),
            map: MapLog::new(config.map_updates, geometry),
            geometry: geometry.clone(),
        }
    }

    /// The first block of the chain whose page is not programmed, if there is one.
    #[inline]
    fn writable(&self, page: Page) -> Option<Pbn> {
        let last = self.pages[page.lpn.index()].last;
        let block = if last.is_some() {
            self.next[last.index()]
        } else {
            self.chains[page.lbn.index()].first
        };
        Some(block).filter(|block| block.is_some())
    }

    /// Finds or adds a block for a page that no block of its chain can take.
    #[inline(never)]
    fn extend<M: Media>(&mut self, env: &mut Env<M>, page: Page) -> Result<Pbn, FtlError> {
        let lbn = page.lbn;
        if self.chains[lbn.index()].length == 0 {
            let first = self.take_free()?;
            self.chains[lbn.index()] = Chain { first, length: 1 };
            self.map.changed(env);
            return Ok(first);
        }
        if self.pool == 0 {
            self.fold_longest(env)?;
            // the fold may have freed a place for this page, if it was a discarded one
            if let Some(block) = self.writable(page) {
                return Ok(block);
            }
        }
        let block = self.take_free()?;
        self.pool -= 1;
        // the page is programmed in all blocks of the chain
        let last = self.pages[page.lpn.index()].last;
        self.next[last.index()] = block;
        self.set_length(lbn, self.chains[lbn.index()].length + 1);
        Ok(block)
    }

    fn take_free(&mut self) -> Result<Pbn, FtlError> {
        let block = self.free.take()?;
        self.next[block.index()] = Pbn::NONE;
        Ok(block)
    }

    /// Sets the length of a chain and moves it to the head of its list.
    fn set_length(&mut self, lbn: Lbn, length: u32) {
        let chain = &mut self.chains[lbn.index()];
        if chain.length > 1 {
            self.by_length.remove(lbn.0);
        }
        chain.length = length;
        if length > 1 {
            self.by_length.push_front(length - 2, lbn.0);
            self.longest = self.longest.max(length - 2);
        }
    }

    fn fold_longest<M: Media>(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        let lbn = loop {
            match self.by_length.back(self.longest) {
                Some(lbn) => break Lbn(lbn),
                // stays above 0: if the pool is empty, its blocks are in chains
                None => self.longest -= 1,
            }
        };
        self.fold(env, lbn)
    }

    /// Copies the newest versions of a chain into a free block and erases the chain.
    fn fold<M: Media>(&mut self, env: &mut Env<M>, lbn: Lbn) -> Result<(), FtlError> {
        let to = self.take_free()?;
        let Chain { first, length } = self.chains[lbn.index()];
        let last = self.chain(lbn).last().expect("a folded chain has a block");
        let merge = env.begin_merge_of(MergeKind::Full, lbn, [last, first, to], |page| {
            self.pages[page.lpn.index()].newest
        });
        self.move_newest(env, lbn, to)?;
        self.set_length(lbn, 1);
        self.chains[lbn.index()].first = to;
        self.pool += length - 1;
        self.map.changed(env);
        // the discards that emptied a block must be durable before its chain is erased, even if no page is copied
        env.barrier()?;
        let mut block = first;
        while block.is_some() {
            self.free.erase(env, block)?;
            block = self.next[block.index()];
        }
        env.end_merge(merge);
        Ok(())
    }

    /// Copies the newest version of each page of a logical block into a new block.
    fn move_newest<M: Media>(
        &mut self,
        env: &mut Env<M>,
        lbn: Lbn,
        to: Pbn,
    ) -> Result<(), FtlError> {
        for offset in 0..self.geometry.pages_per_block() {
            let lpn = self.geometry.page_at(lbn, offset).lpn;
            let page = &mut self.pages[lpn.index()];
            if page.newest.is_some() {
                let role = Role::DATA;
                let to_page = self.geometry.ppn(to, offset);
                env.copy(page.newest, to_page, Spare { lpn, role })?;
                *page = Written {
                    newest: to_page,
                    last: to,
                };
            } else {
                *page = Written::NEVER;
            }
        }
        Ok(())
    }

    /// The blocks of a chain in order.
    fn chain(&self, lbn: Lbn) -> impl Iterator<Item = Pbn> {
        let exists = |block: &Pbn| block.is_some();
        let first = Some(self.chains[lbn.index()].first).filter(exists);
        core::iter::successors(first, move |block| {
            Some(self.next[block.index()]).filter(exists)
        })
    }

    /// All blocks of all chains.
    fn blocks_in_use(&self) -> impl Iterator<Item = Pbn> {
        let lbns = (0..self.geometry.logical_blocks()).map(Lbn);
        lbns.flat_map(|lbn| self.chain(lbn))
    }
}

impl<M: Media> Ftl<M> for Replacement {
    fn write(
        &mut self,
        env: &mut Env<M>,
        _: &mut Buffer<M::Data>,
        lpn: Lpn,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let page = self.geometry.page(lpn);
        let block = match self.writable(page) {
            Some(block) => block,
            None => self.extend(env, page)?,
        };
        let chain = self.chains[page.lbn.index()];
        let role = if block == chain.first {
            Role::DATA
        } else {
            POOL
        };
        let to = self.geometry.ppn(block, page.offset);
        env.program(to, Spare { lpn, role }, data)?;
        self.pages[lpn.index()] = Written {
            newest: to,
            last: block,
        };
        if chain.length > 1 {
            self.by_length.move_to_front(chain.length - 2, page.lbn.0);
        }
        Ok(())
    }

    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Data) -> Result<Found, FtlError> {
        env.read(self.pages[lpn.index()].newest, page)
    }

    fn free_blocks(&self) -> Option<u32> {
        Some(self.free.len())
    }

    fn has_pure_reads(&self) -> bool {
        true
    }

    fn is_mapped(&self, lpn: Lpn) -> bool {
        self.pages[lpn.index()].newest.is_some()
    }

    fn discard(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError> {
        let newest = &mut self.pages[lpn.index()].newest;
        if newest.is_some() {
            env.record_discard(lpn)?;
            *newest = Ppn::NONE;
        }
        Ok(())
    }

    fn check(&self, media: &mut M) -> Result<(), String> {
        self.check_against(media)
    }
}
