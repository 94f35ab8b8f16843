//! The FTLs behind one interface, and `ideal`, which is only a set of mapped pages (section 5).

use super::bast::Bast;
use super::block::Block;
use super::fast::Fast;
use super::flash::Flash;
use super::page::PageMapping;
use super::replacement::Replacement;
use super::superblock::Superblocks;
use super::{Lpn, ModelConfig, ModelFtl, Pbn, Record};

/// A flash translation layer with its flash.
pub(super) trait OnFlash {
    /// Writes a page of the host or the buffer.
    fn write(&mut self, lpn: Lpn, record: &mut Record);

    /// Makes the flash copy of a page invalid.
    fn discard(&mut self, lpn: Lpn, _record: &Record) {
        self.flash_mut().invalidate(lpn);
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

/// A flash translation layer.
pub(super) enum Ftl {
    Ideal {
        /// Whether each LPN is mapped.
        mapped: Vec<bool>,
        /// Pages written.
        programs: u64,
    },
    OnFlash(Box<dyn OnFlash>),
}

impl Ftl {
    /// The FTL of the chip with this number.
    pub(super) fn new(config: &ModelConfig, chip: u64) -> Self {
        let pages = config.blocks_per_chip() * config.pages_per_block;
        Ftl::OnFlash(match config.ftl.clone() {
            ModelFtl::Ideal => {
                return Ftl::Ideal {
                    mapped: vec![config.precondition_full; pages as usize],
                    programs: 0,
                };
            }
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
        })
    }

    pub(super) fn is_mapped(&self, lpn: Lpn) -> bool {
        match self {
            Ftl::Ideal { mapped, .. } => mapped[lpn as usize],
            Ftl::OnFlash(ftl) => ftl.flash().locate(lpn).is_some() || ftl.holds_in_ram(lpn),
        }
    }

    pub(super) fn holds_in_ram(&self, lpn: Lpn) -> bool {
        match self {
            Ftl::Ideal { .. } => false,
            Ftl::OnFlash(ftl) => ftl.holds_in_ram(lpn),
        }
    }

    pub(super) fn drain(&mut self, record: &mut Record) {
        match self {
            Ftl::Ideal { .. } => {}
            Ftl::OnFlash(ftl) => ftl.drain(record),
        }
    }

    pub(super) fn write(&mut self, lpn: Lpn, record: &mut Record) {
        match self {
            Ftl::Ideal { mapped, programs } => {
                mapped[lpn as usize] = true;
                *programs += 1;
                record.counters.flash_programs += 1;
            }
            Ftl::OnFlash(ftl) => ftl.write(lpn, record),
        }
    }

    pub(super) fn discard(&mut self, lpn: Lpn, record: &Record) {
        match self {
            Ftl::Ideal { mapped, .. } => mapped[lpn as usize] = false,
            Ftl::OnFlash(ftl) => ftl.discard(lpn, record),
        }
    }

    /// The erases that `ideal` counts: one for each block's worth of written pages.
    pub(super) fn ideal_erases(&self, pages_per_block: u64) -> u64 {
        match self {
            Ftl::Ideal { programs, .. } => programs / pages_per_block,
            Ftl::OnFlash(_) => 0,
        }
    }

    /// The position of the valid page of an LPN in flash. `None` under `ideal`.
    pub(super) fn place(&self, lpn: Lpn) -> Option<(Pbn, u64)> {
        match self {
            Ftl::Ideal { .. } => None,
            Ftl::OnFlash(ftl) => ftl.flash().locate(lpn),
        }
    }

    pub(super) fn free(&self) -> Vec<Pbn> {
        match self {
            Ftl::Ideal { .. } => Vec::new(),
            Ftl::OnFlash(ftl) => ftl.flash().free().to_vec(),
        }
    }

    pub(super) fn erase_counts(&self) -> Vec<u32> {
        match self {
            Ftl::Ideal { .. } => Vec::new(),
            Ftl::OnFlash(ftl) => ftl.flash().erase_counts(),
        }
    }
}
