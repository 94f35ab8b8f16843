//! `ideal`, the bound without merges, which is only a set of mapped pages (section 9.2).

use ssdlab_device::Precondition;

use super::clock::Step;
use super::config::ModelConfig;
use super::flash::Flash;
use super::ftl::Ftl;
use super::number::{Lpn, Place};
use super::record::Record;

/// The FTL with a flash that has no blocks.
pub(super) struct Ideal {
    flash: Flash,
    /// Whether each LPN is mapped.
    mapped: Vec<bool>,
    /// Pages written.
    programs: u64,
}

impl Ideal {
    pub(super) fn new(config: &ModelConfig) -> Self {
        let pages = config.blocks_per_chip() * config.pages_per_block();
        let is_full = config.precondition == Precondition::Full;
        Self {
            flash: Flash::without_blocks(config),
            mapped: vec![is_full; pages as usize],
            programs: 0,
        }
    }
}

impl Ftl for Ideal {
    /// There is an erase for each block's worth of written pages.
    fn write(&mut self, lpn: Lpn, record: &mut Record) {
        self.mapped[lpn as usize] = true;
        self.programs += 1;
        record.steps.push(Step::Program(lpn, (0, lpn)));
        record.counters.flash_programs += 1;
        if self.programs.is_multiple_of(self.flash.pages_per_block) {
            record.steps.push(Step::Erase(None));
            record.counters.erases += 1;
        }
    }

    fn discard(&mut self, lpn: Lpn, _: &mut Record) {
        self.mapped[lpn as usize] = false;
    }

    /// The number of a page stands for its place.
    fn read_place(&self, lpn: Lpn) -> Option<Place> {
        self.mapped[lpn as usize].then_some((0, lpn))
    }

    fn flash(&self) -> &Flash {
        &self.flash
    }
}
