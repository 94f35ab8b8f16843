//! The FTL that a configuration names, and `ideal`, which is but a set of mapped pages (section 5).

use super::bast::Bast;
use super::{Lpn, ModelConfig, ModelFtl, ModelMap, Pbn, Record};

/// A flash translation layer with its flash.
pub(super) enum Ftl {
    /// Whether each LPN is mapped.
    Ideal(Vec<bool>),
    Bast(Bast),
}

impl Ftl {
    pub(super) fn new(config: &ModelConfig) -> Self {
        let pages = config.logical_blocks * config.pages_per_block;
        match config.ftl {
            ModelFtl::Ideal => Ftl::Ideal(vec![config.precondition_full; pages as usize]),
            ModelFtl::Bast {
                log_blocks,
                spare_blocks,
                partial_merge,
            } => Ftl::Bast(Bast::new(config, log_blocks, spare_blocks, partial_merge)),
        }
    }

    pub(super) fn is_mapped(&self, lpn: Lpn) -> bool {
        match self {
            Ftl::Ideal(mapped) => mapped[lpn as usize],
            Ftl::Bast(bast) => bast.locate(lpn).is_some(),
        }
    }

    pub(super) fn write(&mut self, lpn: Lpn, record: &mut Record) {
        match self {
            Ftl::Ideal(mapped) => {
                mapped[lpn as usize] = true;
                record.counters.flash_programs += 1;
            }
            Ftl::Bast(bast) => bast.write(lpn, record),
        }
    }

    pub(super) fn discard(&mut self, lpn: Lpn) {
        match self {
            Ftl::Ideal(mapped) => mapped[lpn as usize] = false,
            Ftl::Bast(bast) => bast.invalidate(lpn),
        }
    }

    pub(super) fn map(&self) -> ModelMap {
        match self {
            Ftl::Ideal(mapped) => ModelMap::Mapped(mapped.clone()),
            Ftl::Bast(bast) => ModelMap::Places(bast.places()),
        }
    }

    pub(super) fn free(&self) -> Vec<Pbn> {
        match self {
            Ftl::Ideal(_) => Vec::new(),
            Ftl::Bast(bast) => bast.free().to_vec(),
        }
    }

    pub(super) fn erase_counts(&self) -> Vec<u32> {
        match self {
            Ftl::Ideal(_) => Vec::new(),
            Ftl::Bast(bast) => bast.erase_counts(),
        }
    }
}
