//! `superblock`, page mapping inside groups of adjacent logical blocks (section 9.7).

use super::bavbs::{Bavbs, Decision};
use super::config::{ModelBlocks, ModelConfig};
use super::flash::{Flash, data_blocks};
use super::ftl::Ftl;
use super::number::{Lpn, Pbn};
use super::recency::Recency;
use super::record::Record;

/// The FTL with its flash. A superblock is identified by its number.
pub(super) struct Superblocks {
    flash: Flash,
    /// S; the last superblock may have fewer blocks.
    blocks_per_superblock: u64,
    /// K.
    max_update_blocks: u64,
    /// The most update blocks of all superblocks together.
    pool: u64,
    logical_blocks: u64,
    /// The blocks of each superblock in the order of their allocation.
    owned: Vec<Vec<Pbn>>,
    /// All superblocks, the least recently written first.
    order: Recency,
    bavbs: Bavbs,
}

impl Superblocks {
    pub(super) fn new(
        config: &ModelConfig,
        blocks: &ModelBlocks,
        blocks_per_superblock: u64,
        max_update_blocks: u64,
    ) -> Self {
        let data = data_blocks(config);
        let owned: Vec<Vec<Pbn>> = data
            .chunks(blocks_per_superblock as usize)
            .map(|blocks| blocks.iter().copied().flatten().collect())
            .collect();
        Self {
            flash: Flash::new(config, blocks.further_blocks()),
            blocks_per_superblock,
            max_update_blocks,
            pool: blocks.log_blocks,
            logical_blocks: config.blocks_per_chip(),
            order: (0..owned.len() as u64).collect(),
            owned,
            bavbs: Bavbs::new(config),
        }
    }

    /// Logical blocks of a superblock.
    fn size(&self, superblock: usize) -> u64 {
        let before = superblock as u64 * self.blocks_per_superblock;
        self.blocks_per_superblock.min(self.logical_blocks - before)
    }

    /// Physical blocks of a superblock.
    fn count(&self, superblock: usize) -> u64 {
        self.owned[superblock].len() as u64
    }

    /// Blocks of a superblock that come from the pool.
    fn update_blocks(&self, superblock: usize) -> u64 {
        self.count(superblock).saturating_sub(self.size(superblock))
    }

    fn pool_is_exhausted(&self) -> bool {
        let used = (0..self.owned.len()).map(|superblock| self.update_blocks(superblock));
        used.sum::<u64>() == self.pool
    }

    /// The newest block, until it is full.
    fn frontier(&self, superblock: usize) -> Option<Pbn> {
        let newest = self.owned[superblock].last().copied();
        newest.filter(|&pbn| !self.flash.is_full(pbn))
    }

    /// Takes a free block as the new frontier.
    fn new_frontier(&mut self, superblock: usize) -> Pbn {
        let new = self.flash.take_free();
        self.owned[superblock].push(new);
        new
    }

    /// Makes room because there is no frontier. There may still be none afterwards.
    fn make_room(&mut self, superblock: usize, record: &mut Record) {
        let most = self.size(superblock) + self.max_update_blocks;
        if self.count(superblock) < self.size(superblock) {
            self.new_frontier(superblock);
        } else if self.count(superblock) == most {
            self.compact(superblock, record);
        } else if self.pool_is_exhausted() {
            self.shrink(record);
        } else {
            self.new_frontier(superblock);
        }
    }

    /// Moves the pages of one block of a superblock to a new frontier.
    fn compact(&mut self, superblock: usize, record: &mut Record) {
        let (victim, decision) = self.victim(superblock, record);
        self.new_frontier(superblock);
        self.clean(superblock, victim, decision, record);
    }

    /// Takes one block from the least recently written superblock that has update blocks.
    fn shrink(&mut self, record: &mut Record) {
        let superblock =
            (self.order.iter()).find(|&number| self.update_blocks(number as usize) > 0);
        let superblock = superblock.expect("the pool is in use") as usize;
        let before = self.count(superblock);
        while self.count(superblock) >= before {
            let (victim, decision) = self.victim(superblock, record);
            self.clean(superblock, victim, decision, record);
        }
    }

    /// The full block to clean, and the decision for that: by default the one with the fewest valid pages,
    /// among equals the one allocated first.
    fn victim(&self, superblock: usize, record: &mut Record) -> (Pbn, Decision) {
        let owned = self.owned[superblock].iter().copied();
        let full: Vec<Pbn> = owned.filter(|&pbn| self.flash.is_full(pbn)).collect();
        if !self.bavbs.is_on() {
            let fewest = full.iter().min_by_key(|&&pbn| self.flash.valid(pbn));
            return (*fewest.expect("a block is full"), Decision::NO_CHOICE);
        }
        let frontier = self.frontier(superblock);
        self.bavbs
            .choose_block(&full, |_| frontier, &self.flash, record)
    }

    /// Moves the valid pages of a block to the frontier, or to a new one when it is full, and erases the block.
    fn clean(&mut self, superblock: usize, victim: Pbn, decision: Decision, record: &mut Record) {
        let before = record.moves();
        let pages = self.flash.valid_pages(victim);
        record.cleaned(victim);
        if pages.is_empty() {
            record.counters.switch_merges += 1;
        } else {
            record.counters.full_merges += 1;
        }
        for lpn in pages {
            if record.skips(lpn, decision) {
                self.flash.skip(lpn, record);
                continue;
            }
            let target = match self.frontier(superblock) {
                Some(pbn) => pbn,
                None => self.new_frontier(superblock),
            };
            let place = (target, self.flash.end(target));
            self.flash.migrate(lpn, place, decision, record);
        }
        self.bavbs.note_merge(before, decision, record);
        self.flash.erase(victim, record);
        self.owned[superblock].retain(|&pbn| pbn != victim);
    }
}

impl Ftl for Superblocks {
    fn write(&mut self, lpn: Lpn, record: &mut Record) {
        let pages_per_superblock = self.blocks_per_superblock * self.flash.pages_per_block;
        let superblock = (lpn / pages_per_superblock) as usize;
        let frontier = loop {
            match self.frontier(superblock) {
                Some(pbn) => break pbn,
                None => self.make_room(superblock, record),
            }
        };
        self.flash
            .write(lpn, frontier, self.flash.end(frontier), record);
        self.order.touch(superblock as u64);
    }

    fn discard(&mut self, lpn: Lpn, _: &mut Record) {
        self.flash.invalidate(lpn);
    }

    fn flash(&self) -> &Flash {
        &self.flash
    }
}
