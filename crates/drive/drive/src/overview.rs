//! What an image holds, in a few numbers.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use ssdlab_image::{FileAccess, FileDisk, MetaCounts, Opened, SlotUse};

use crate::design::Design;
use crate::error::{DriveError, ReadOnly};
use crate::state::{BlockState, PageState};
use crate::systems::DriveSystems;

/// What an image holds, as the next opening leaves it.
pub struct Overview {
    /// The design of its drive.
    pub design: Arc<Design>,
    /// How it was found.
    pub opened: Opened,
    /// As [`Drive::meta_counts`](crate::Drive::meta_counts).
    pub meta: MetaCounts,
    /// Why its drive only reads, if it does.
    pub read_only: Option<ReadOnly>,
    /// As [`Drive::slots`](crate::Drive::slots).
    pub slots: Vec<SlotUse>,
    /// The pages of all chips.
    pub pages: PageTotals,
    /// The erases of all chips.
    pub erases: EraseTotals,
}

/// The number of pages of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PageTotals {
    /// Not programmed since the last erase.
    pub erased: u64,
    /// A program was interrupted.
    pub torn: u64,
    /// Programmed.
    pub programmed: u64,
    /// Those of the programmed ones that count.
    pub valid: u64,
}

/// Erases over the life of the flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EraseTotals {
    /// Of all blocks.
    pub total: u64,
    /// Of the block with the fewest.
    pub min: u32,
    /// Of a block on average.
    pub mean: f64,
    /// Of the block with the most.
    pub max: u32,
}

impl PageTotals {
    /// The pages of a block.
    pub fn of(block: &BlockState) -> Self {
        let mut pages = Self::default();
        for page in &block.pages {
            match page {
                PageState::Erased => pages.erased += 1,
                PageState::Torn => pages.torn += 1,
                PageState::Programmed { newest, .. } => {
                    pages.programmed += 1;
                    pages.valid += u64::from(*newest);
                }
            }
        }
        pages
    }

    fn add(&mut self, other: Self) {
        self.erased += other.erased;
        self.torn += other.torn;
        self.programmed += other.programmed;
        self.valid += other.valid;
    }
}

impl DriveSystems {
    /// What the image in a file holds. Changes nothing. Of an image that was never used it reads little, and keeps
    /// nothing for each page.
    ///
    /// # Errors
    /// As [`Drive::look_at`](crate::Drive::look_at).
    pub fn overview(&self, path: &Path) -> Result<Overview, DriveError> {
        let disk = FileDisk::open(path, FileAccess::ReadOnly)?;
        let Some(unused) = ssdlab_image::unused(&disk)? else {
            drop(disk);
            return self.overview_of_used(path);
        };
        Ok(Overview {
            design: Arc::new(Design::read(&unused.config, self)?),
            opened: unused.opened,
            meta: unused.counts,
            read_only: None,
            slots: unused.slots,
            pages: PageTotals {
                erased: unused.erased_pages,
                torn: 0,
                programmed: unused.factory_pages,
                valid: unused.factory_pages,
            },
            erases: EraseTotals::default(),
        })
    }

    fn overview_of_used(&self, path: &Path) -> Result<Overview, DriveError> {
        let drive = self.look_at(path)?;
        let mut overview = Overview {
            design: Arc::clone(&drive.design),
            opened: drive.opened(),
            meta: drive.meta_counts(),
            read_only: drive.read_only(),
            slots: drive.slots(),
            pages: PageTotals::default(),
            erases: EraseTotals::default(),
        };
        let (pages, erases) = (&mut overview.pages, &mut overview.erases);
        erases.min = u32::MAX;
        let blocks = drive.block_count();
        for block in drive.blocks() {
            let block = block?;
            pages.add(PageTotals::of(&block));
            erases.total += u64::from(block.erases);
            erases.min = erases.min.min(block.erases);
            erases.max = erases.max.max(block.erases);
        }
        erases.min = erases.min.min(erases.max);
        erases.mean = erases.total as f64 / blocks.max(1) as f64;
        Ok(overview)
    }
}
