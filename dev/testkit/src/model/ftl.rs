//! The FTLs behind one trait (section 9).

use super::bast::Bast;
use super::block::Block;
use super::config::{ModelConfig, ModelFtl};
use super::fast::Fast;
use super::flash::Flash;
use super::ideal::Ideal;
use super::number::{Lpn, Place};
use super::page::PageMapping;
use super::record::Record;
use super::replacement::Replacement;
use super::superblock::Superblocks;

/// A flash translation layer with its flash.
pub(super) trait Ftl {
    /// Writes a page of the host or the buffer.
    fn write(&mut self, lpn: Lpn, record: &mut Record);

    /// Makes the flash copy of a page invalid.
    fn discard(&mut self, lpn: Lpn, _record: &Record) {
        self.flash_mut().invalidate(lpn);
    }

    /// The place from which a mapped page is read. `None` in RAM.
    fn read_place(&self, lpn: Lpn) -> Option<Place> {
        self.flash().locate(lpn)
    }

    /// Whether a page is in a RAM region and not in flash.
    fn holds_in_ram(&self, _lpn: Lpn) -> bool {
        false
    }

    /// Writes all pages of the RAM region to flash.
    fn drain(&mut self, _record: &mut Record) {}

    fn flash(&self) -> &Flash;

    fn flash_mut(&mut self) -> &mut Flash;
}

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
