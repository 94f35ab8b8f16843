//! The FTL that a configuration names.

use super::bast::Bast;
use super::block::Block;
use super::config::{BlockKind, ModelConfig, ModelFtl};
use super::fast::Fast;
use super::ftl::Ftl;
use super::ideal::Ideal;
use super::number::Lpn;
use super::page::PageMapping;
use super::replacement::Replacement;
use super::superblock::Superblocks;

/// The FTL of the chip with this number. `coming`: the pages that the host will write, if there is one chip.
pub(super) fn ftl(config: &ModelConfig, chip: u64, coming: Vec<Lpn>) -> Box<dyn Ftl> {
    let blocks = match &config.ftl {
        ModelFtl::Ideal => return Box::new(Ideal::new(config)),
        ModelFtl::Page(page) => {
            return Box::new(PageMapping::new(config, (**page).clone(), chip, coming));
        }
        ModelFtl::Blocks(blocks) => blocks,
    };
    match blocks.kind {
        BlockKind::Block => Box::new(Block::new(config, blocks)),
        BlockKind::Replacement => Box::new(Replacement::new(config, blocks)),
        BlockKind::Bast { partial_merge } => Box::new(Bast::new(config, blocks, partial_merge)),
        BlockKind::Fast => Box::new(Fast::new(config, blocks)),
        BlockKind::Superblock {
            blocks_per_superblock: size,
            max_update_blocks: most,
        } => Box::new(Superblocks::new(config, blocks, size, most)),
    }
}
