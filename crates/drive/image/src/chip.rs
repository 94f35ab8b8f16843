//! What is known of the pages and blocks of a chip without the file.

use ssdlab_flash::{Fault, Pbn};

use crate::mark::Tally;
use crate::shared::SharedImage;
use crate::spare::{BlockEntry, Holds};

/// The state of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageState {
    #[default]
    Erased,
    /// Programmed.
    Good,
    /// Programmed, and its data are lost.
    Lost,
    /// A program of it or an erase of its block was interrupted.
    Torn,
    /// In the factory state: zeros, and nothing in the file.
    Factory,
}

impl PageState {
    pub fn programmed(is_lost: bool) -> Self {
        if is_lost { Self::Lost } else { Self::Good }
    }
}

/// What is known of a chip without the file.
#[derive(Clone, Debug)]
pub struct ChipState {
    pub pages: Vec<PageState>,
    /// The checksum of the data of each programmed page.
    pub sums: Vec<u32>,
    pub blocks: Vec<BlockState>,
}

impl ChipState {
    /// Interrupts an erase: no page of the block can be read, or programmed before another erase.
    pub fn tear(&mut self, shared: &mut SharedImage, chip: u32, number: Pbn) -> Result<(), Fault> {
        let next = self.blocks[number.index()].next_generation();
        let generation = next.ok_or(Fault::WornOut(number))?;
        self.erase(shared, chip, number, generation, true)
    }

    /// Writes the entry of an erase, complete or torn; `generation` is the next one of the block.
    pub fn erase(
        &mut self,
        shared: &mut SharedImage,
        chip: u32,
        number: Pbn,
        generation: u32,
        torn: bool,
    ) -> Result<(), Fault> {
        let block = &mut self.blocks[number.index()];
        // from here on, others may come in the place of its pages
        shared.reads.wait();
        // the entry of the erase before the last one would be overwritten
        shared.settle(block.erased_at)?;
        let entry = BlockEntry {
            generation,
            since: block.since,
            sequence: shared.next_sequence(),
            torn,
            holds: Holds::Block(number),
        };
        let entry_sum = shared.write_entry(chip, block.slot, entry)?;
        block.leave(&mut shared.tally);
        *block = BlockState::new(block.slot, entry, entry_sum);
        block.enter(&mut shared.tally);
        shared.tally.erases += 1;
        let geometry = &shared.layout.shape.geometry;
        let first = geometry.ppn(number, 0).index();
        let pages = &mut self.pages[first..first + geometry.pages_per_block() as usize];
        if torn {
            block.end = geometry.pages_per_block();
            pages.fill(PageState::Torn);
        } else {
            pages.fill(PageState::Erased);
        }
        Ok(())
    }
}

/// What is known of a block.
#[derive(Clone, Copy, Debug)]
pub struct BlockState {
    /// The erase block of the file that holds it.
    pub slot: u32,
    /// The erases of the block, in all erase blocks that held it.
    pub generation: u32,
    /// As in [`BlockEntry::since`].
    pub since: u32,
    /// The sequence number of the last erase, 0 if there was none.
    pub erased_at: u64,
    /// The checksum of the entry of that erase.
    pub entry_sum: u32,
    /// The programs since then.
    pub pages: u32,
    /// The sum of the checksums of their entries.
    pub sum: u64,
    /// The position after the last programmed or torn page.
    pub end: u32,
}

impl BlockState {
    /// A block whose place is not known yet.
    pub const NOWHERE: Self = Self {
        slot: u32::MAX,
        generation: 0,
        since: 0,
        erased_at: 0,
        entry_sum: 0,
        pages: 0,
        sum: 0,
        end: 0,
    };

    /// A block without pages.
    pub fn new(slot: u32, entry: BlockEntry, entry_sum: u32) -> Self {
        Self {
            slot,
            generation: entry.generation,
            since: entry.since,
            erased_at: entry.sequence,
            entry_sum,
            ..Self::NOWHERE
        }
    }

    pub fn is_somewhere(&self) -> bool {
        self.slot != u32::MAX
    }

    /// The generation of the next erase; `None` if the block was erased as often as can be counted.
    pub fn next_generation(&self) -> Option<u32> {
        // one more count is kept for its end as a bad block
        self.generation.checked_add(1).filter(|all| *all < u32::MAX)
    }

    /// The erases of the erase block that holds it.
    pub fn wear(&self) -> u32 {
        self.generation - self.since.saturating_sub(1)
    }

    /// Takes what the block holds out of a tally.
    pub fn leave(&self, tally: &mut Tally) {
        tally.pages -= u64::from(self.pages);
        let sum = self.sum.wrapping_add(self.entry_sum.into());
        tally.sum = tally.sum.wrapping_sub(sum);
    }

    /// Adds what the block holds to a tally.
    pub fn enter(&self, tally: &mut Tally) {
        tally.pages += u64::from(self.pages);
        let sum = self.sum.wrapping_add(self.entry_sum.into());
        tally.sum = tally.sum.wrapping_add(sum);
    }

    /// Counts the entry of a programmed page.
    pub fn add(&mut self, position: u32, entry_sum: u32) {
        self.pages += 1;
        self.sum += u64::from(entry_sum);
        self.end = self.end.max(position + 1);
    }
}
