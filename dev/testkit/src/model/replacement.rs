//! `replacement`, the replacement-block algorithm (section 9.4).

use super::config::{ModelBlocks, ModelConfig};
use super::flash::{Flash, data_blocks};
use super::ftl::Ftl;
use super::number::{Lbn, Lpn, Pbn};
use super::recency::Recency;
use super::record::Record;
use super::result::Merge;

/// The FTL with its flash.
pub(super) struct Replacement {
    flash: Flash,
    /// Blocks of the pool, in use or not.
    log_blocks: u64,
    /// The chain of each logical block: its data block, then replacement blocks of the pool.
    chains: Vec<Vec<Pbn>>,
    /// All logical blocks, the least recently written first.
    order: Recency,
}

impl Replacement {
    pub(super) fn new(config: &ModelConfig, blocks: &ModelBlocks) -> Self {
        let data = data_blocks(config).into_iter();
        Self {
            flash: Flash::new(config, blocks.further_blocks()),
            log_blocks: blocks.log_blocks,
            chains: data.map(|block| block.into_iter().collect()).collect(),
            order: (0..config.blocks_per_chip()).collect(),
        }
    }

    /// Whether all blocks of the pool are in chains.
    fn pool_is_empty(&self) -> bool {
        let replacements = self
            .chains
            .iter()
            .map(|chain| chain.iter().skip(1).count() as u64);
        replacements.sum::<u64>() == self.log_blocks
    }

    /// The block of the chain for a page.
    fn block_for(&mut self, lbn: Lbn, offset: u64, record: &mut Record) -> Pbn {
        loop {
            let chain = &self.chains[lbn as usize];
            let mut blocks = chain.iter().copied();
            if let Some(pbn) = blocks.find(|&pbn| !self.flash.is_programmed(pbn, offset)) {
                return pbn;
            }
            if !chain.is_empty() && self.pool_is_empty() {
                self.fold(self.longest(), record);
            } else {
                let new = self.flash.take_free();
                if chain.is_empty() {
                    self.flash.remap(record);
                }
                self.chains[lbn as usize].push(new);
            }
        }
    }

    /// The logical block with the longest chain; among equals the least recently written.
    fn longest(&self) -> Lbn {
        self.order.heaviest(|lbn| self.chains[lbn as usize].len())
    }

    fn fold(&mut self, lbn: Lbn, record: &mut Record) {
        let target = self.flash.take_free();
        for offset in 0..self.flash.pages_per_block {
            let lpn = lbn * self.flash.pages_per_block + offset;
            self.flash.copy(lpn, target, offset, record);
        }
        self.flash.remap(record);
        for pbn in std::mem::replace(&mut self.chains[lbn as usize], vec![target]) {
            self.flash.erase(pbn, record);
        }
        record.merged(Merge::Full, lbn);
    }
}

impl Ftl for Replacement {
    fn write(&mut self, lpn: Lpn, record: &mut Record) {
        let lbn = lpn / self.flash.pages_per_block;
        let offset = lpn % self.flash.pages_per_block;
        let target = self.block_for(lbn, offset, record);
        self.flash.write(lpn, target, offset, record);
        self.order.touch(lbn);
    }

    fn discard(&mut self, lpn: Lpn, _: &mut Record) {
        self.flash.invalidate(lpn);
    }

    fn flash(&self) -> &Flash {
        &self.flash
    }
}
