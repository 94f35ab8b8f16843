//! The FTL that a configuration names.

use super::bast::Bast;
use super::block::Block;
use super::config::{ModelConfig, ModelFtl};
use super::fast::Fast;
use super::ftl::Ftl;
use super::ideal::Ideal;
use super::page::PageMapping;
use super::replacement::Replacement;
use super::superblock::Superblocks;

/// The FTL of the chip with this number.
pub(super) fn ftl(config: &ModelConfig, chip: u64) -> Box<dyn Ftl> {
    match config.ftl.clone() {
        ModelFtl::Ideal => Box::new(Ideal::new(config)),
        ModelFtl::Block {
            open_blocks,
            spare_blocks,
        } => Box::new(Block::new(config, open_blocks, spare_blocks)),
        ModelFtl::Replacement {
            log_blocks,
            spare_blocks,
        } => Box::new(Replacement::new(config, log_blocks, spare_blocks)),
        ModelFtl::Bast {
            log_blocks,
            spare_blocks,
            partial_merge,
        } => Box::new(Bast::new(config, log_blocks, spare_blocks, partial_merge)),
        ModelFtl::Fast {
            log_blocks,
            spare_blocks,
        } => Box::new(Fast::new(config, log_blocks, spare_blocks)),
        ModelFtl::Superblock {
            log_blocks,
            spare_blocks,
            blocks_per_superblock,
            max_update_blocks,
        } => Box::new(Superblocks::new(
            config,
            log_blocks,
            spare_blocks,
            blocks_per_superblock,
            max_update_blocks,
        )),
        ModelFtl::Page(page) => Box::new(PageMapping::new(config, page, chip)),
    }
}
