//! The FTLs behind one interface, and `ideal`, which is only a set of mapped pages (section 9).

use super::bast::Bast;
use super::block::Block;
use super::clock::Step;
use super::config::{ModelConfig, ModelFtl};
use super::fast::Fast;
use super::number::{Lpn, Pbn, Place};
use super::on_flash::OnFlash;
use super::page::PageMapping;
use super::record::Record;
use super::replacement::Replacement;
use super::superblock::Superblocks;

/// A flash translation layer.
pub(super) enum Ftl {
    Ideal {
        /// Whether each LPN is mapped.
        mapped: Vec<bool>,
        /// Pages written.
        programs: u64,
        pages_per_block: u64,
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
                    pages_per_block: config.pages_per_block,
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
            Ftl::Ideal {
                mapped,
                programs,
                pages_per_block,
            } => {
                mapped[lpn as usize] = true;
                *programs += 1;
                record.steps.push(Step::Program(lpn, (0, lpn)));
                if programs.is_multiple_of(*pages_per_block) {
                    record.steps.push(Step::Erase);
                }
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
    pub(super) fn ideal_erases(&self) -> u64 {
        match self {
            Ftl::Ideal {
                programs,
                pages_per_block,
                ..
            } => programs / pages_per_block,
            Ftl::OnFlash(_) => 0,
        }
    }

    /// The place from which a mapped page is read; under `ideal` its number stands for one. `None` in RAM.
    pub(super) fn read_place(&self, lpn: Lpn) -> Option<Place> {
        match self {
            Ftl::Ideal { mapped, .. } => mapped[lpn as usize].then_some((0, lpn)),
            Ftl::OnFlash(ftl) => ftl.flash().locate(lpn),
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
