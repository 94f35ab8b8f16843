//! The flash of one chip in an image.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ssdlab_flash::{
    Bytes, Fault, Geometry, Lpn, Media, Pbn, Ppn, ProgramOrder, Role, Spare, SpareState,
};

use crate::shared::Shared;
use crate::spare::{self, BlockEntry, Entry, PageEntry};

/// The state of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageState {
    #[default]
    Erased,
    /// Programmed.
    Good,
    /// A program was interrupted.
    Torn,
    /// In the factory state: zeros, and nothing in the file.
    Factory,
}

/// What is known of a chip without the file.
#[derive(Clone, Debug)]
pub struct ChipState {
    pub pages: Vec<PageState>,
    /// The checksum of the data of each programmed page.
    pub sums: Vec<u32>,
    pub blocks: Vec<BlockState>,
}

/// What is known of a block.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockState {
    /// Its last erase; zeros if there was none.
    pub erased: BlockEntry,
    /// The checksum of the entry of that erase.
    pub entry_sum: u32,
    /// The programs since then.
    pub pages: u32,
    /// The sum of the checksums of their entries.
    pub sum: u64,
    /// The position after the last programmed or torn page.
    pub end: u32,
}

/// The flash of one chip in an image.
pub struct ImageFlash {
    shared: Arc<Mutex<Shared>>,
    geometry: Geometry,
    order: ProgramOrder,
    chip: u32,
    state: ChipState,
    /// A page that is copied.
    copied: Vec<u8>,
    /// Spare areas of consecutive pages, from the first one: mounts ask for them in order.
    chunk: (u32, Vec<u8>),
}

/// Spare areas that are read at once.
const CHUNK: u32 = 4096;

impl ImageFlash {
    pub(crate) fn new(shared: Arc<Mutex<Shared>>, chip: u32, state: ChipState) -> Self {
        let (geometry, order) = {
            let shape = &lock(&shared).layout.shape;
            (shape.geometry.clone(), shape.order)
        };
        Self {
            copied: vec![0; geometry.page_size() as usize],
            shared,
            geometry,
            order,
            chip,
            state,
            chunk: (0, Vec::new()),
        }
    }

    fn claimable(&self, at: Ppn) -> Result<(), Fault> {
        let (block, position) = self.geometry.place(at);
        let end = self.state.blocks[block.index()].end;
        match self.order {
            _ if self.state.pages[at.index()] != PageState::Erased => Err(Fault::Programmed(at)),
            ProgramOrder::Ascending if position < end => Err(Fault::OutOfOrder(at)),
            _ => Ok(()),
        }
    }

    fn write_page(&mut self, to: Ppn, spare: Spare, bytes: &[u8], sum: u32) -> Result<(), Fault> {
        self.claimable(to)?;
        let (number, position) = self.geometry.place(to);
        let block = &mut self.state.blocks[number.index()];
        let mut shared = lock(&self.shared);
        if block.erased.sequence > shared.durable {
            // what the block held before counts until its erase is durable
            shared.commit()?;
        }
        let page = PageEntry {
            spare,
            sequence: shared.next_sequence(),
            generation: block.erased.generation,
            data_sum: sum,
        };
        let (entry, entry_sum) = page.encode(self::number(self.chip, to.0));
        let at = shared.layout.data(self.chip, to);
        shared.write(at, bytes)?;
        let at = shared.layout.spare(self.chip, to);
        shared.write(at, &entry)?;
        self.state.pages[to.index()] = PageState::Good;
        self.state.sums[to.index()] = sum;
        block.pages += 1;
        block.sum += u64::from(entry_sum);
        block.end = block.end.max(position + 1);
        shared.tally.pages += 1;
        shared.tally.sum = shared.tally.sum.wrapping_add(entry_sum.into());
        self.chunk.1.clear();
        shared.programmed(bytes.len() as u64)
    }

    fn read_page(&self, at: Ppn, into: &mut [u8]) -> Result<(), Fault> {
        match self.state.pages[at.index()] {
            PageState::Erased | PageState::Torn => Err(Fault::Unreadable(at)),
            PageState::Factory => {
                into.fill(0);
                Ok(())
            }
            PageState::Good => {
                let shared = lock(&self.shared);
                shared.read(shared.layout.data(self.chip, at), into)?;
                drop(shared);
                match crc32fast::hash(into) == self.state.sums[at.index()] {
                    true => Ok(()),
                    false => Err(Fault::Uncorrectable(at)),
                }
            }
        }
    }

    /// The entry of a page, read with those around it.
    fn page_entry(&mut self, at: Ppn) -> Result<Entry, Fault> {
        let first = at.0 / CHUNK * CHUNK;
        if self.chunk.0 != first || self.chunk.1.is_empty() {
            let count = CHUNK.min(self.geometry.physical_pages() - first);
            let shared = lock(&self.shared);
            self.chunk.0 = first;
            self.chunk.1.resize(count as usize * spare::BYTES, 0);
            shared.read(
                shared.layout.spare(self.chip, Ppn(first)),
                &mut self.chunk.1,
            )?;
        }
        let place = (at.0 - first) as usize * spare::BYTES;
        let bytes = &self.chunk.1[place..place + spare::BYTES];
        Ok(spare::decode(bytes, number(self.chip, at.0)))
    }
}

/// The number of a page or block in the whole image, for checksums.
#[inline]
pub fn number(chip: u32, at: u32) -> u64 {
    u64::from(chip) << 32 | u64::from(at)
}

pub fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Media for ImageFlash {
    type Data = Bytes;

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn program(&mut self, to: Ppn, spare: Spare, page: &Bytes) -> Result<(), Fault> {
        self.write_page(to, spare, &page.0, crc32fast::hash(&page.0))
    }

    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        let mut page = std::mem::take(&mut self.copied);
        let read = self.read_page(from, &mut page);
        let sum = match self.state.pages[from.index()] {
            PageState::Good => self.state.sums[from.index()],
            _ => crc32fast::hash(&page),
        };
        let done = read.and_then(|()| self.write_page(to, spare, &page, sum));
        self.copied = page;
        done
    }

    fn read(&mut self, at: Ppn, into: &mut Bytes) -> Result<(), Fault> {
        self.read_page(at, &mut into.0)
    }

    fn erase(&mut self, number: Pbn) -> Result<(), Fault> {
        let block = &mut self.state.blocks[number.index()];
        let Some(generation) = block.erased.generation.checked_add(1) else {
            return Err(Fault::WornOut(number));
        };
        let mut shared = lock(&self.shared);
        if block.erased.sequence > shared.durable {
            // the entry of the erase before the last one would be overwritten
            shared.commit()?;
        }
        let erased = BlockEntry {
            generation,
            sequence: shared.next_sequence(),
        };
        let entry_sum = shared.write_entry(self.chip, number, erased)?;
        let tally = &mut shared.tally;
        tally.pages -= u64::from(block.pages);
        tally.erases += 1;
        tally.sum = tally
            .sum
            .wrapping_sub(block.sum)
            .wrapping_sub(block.entry_sum.into())
            .wrapping_add(entry_sum.into());
        *block = BlockState {
            erased,
            entry_sum,
            ..BlockState::default()
        };
        let first = self.geometry.ppn(number, 0).index();
        let pages = first..first + self.geometry.pages_per_block() as usize;
        self.state.pages[pages].fill(PageState::Erased);
        self.chunk.1.clear();
        Ok(())
    }

    /// Nothing: a crash leaves the flash as it was at one moment, so the order of operations is never lost.
    fn barrier(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault> {
        lock(&self.shared).discard(self.chip, lpn)
    }

    fn discarded_at(&mut self, lpn: Lpn) -> Result<u64, Fault> {
        Ok(lock(&self.shared).discarded_at(self.chip, lpn))
    }

    fn read_spare(&mut self, at: Ppn) -> Result<SpareState, Fault> {
        Ok(match self.state.pages[at.index()] {
            PageState::Erased => SpareState::Erased,
            PageState::Torn => SpareState::Torn,
            PageState::Factory => {
                let (lpn, role) = (Lpn(at.0), Role::DATA);
                SpareState::Good(Spare { lpn, role }, u64::from(at.0) + 1)
            }
            PageState::Good => match self.page_entry(at)? {
                Entry::Page(page) => SpareState::Good(page.spare, page.sequence),
                // it was whole when the image was opened
                _ => return Err(Fault::Uncorrectable(at)),
            },
        })
    }

    fn erase_count(&self, block: Pbn) -> u32 {
        self.state.blocks[block.index()].erased.generation
    }
}
