//! Reading all entries of an image as they were at a mark.

use ssdlab_flash::{Pbn, Ppn, ProgramOrder};

use crate::bytes::word;
use crate::chip::{BlockState, ChipState, PageState};
use crate::disk::Disk;
use crate::error::ImageError;
use crate::layout::Layout;
use crate::mark::{Mark, Tally};
use crate::mirror::{self, MirrorEnd};
use crate::records::{DiscardRecord, RecordPage};
use crate::spare::{
    self, BLANK, BLOCK_BYTES, BYTES, BlockEntry, Holds, ONE, PageEntry, SlotUse, SpareEntry,
    number, number_of,
};

/// Entries of pages that are read at once.
const PAGES_AT_ONCE: u32 = 1 << 15;

/// An image at a mark.
pub struct Scan<'a> {
    disk: &'a dyn Disk,
    layout: &'a Layout,
    mark: &'a Mark,
    tally: Tally,
    detail: Detail,
    /// The first place from the last one that was looked at on that may hold something other than zeros.
    data_from: u64,
    pages: PageCounts,
    chips: Vec<ChipState>,
    slots: Vec<SlotUse>,
    /// Entries that belong to no mark: the place, and the bytes to be written there.
    repairs: Vec<(u64, [u8; BYTES])>,
    torn: Option<(u32, Pbn)>,
    /// A page, to check its data.
    page: Vec<u8>,
}

/// What a scan keeps in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The state of each page.
    Pages,
    /// The state of each block; of the pages only how many there are of each kind.
    Blocks,
}

/// The pages of an image by what they hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageCounts {
    pub erased: u64,
    pub programmed: u64,
    pub torn: u64,
    pub factory: u64,
}

impl PageCounts {
    fn add(&mut self, state: PageState, pages: u32) {
        let count = match state {
            PageState::Erased => &mut self.erased,
            PageState::Good | PageState::Lost => &mut self.programmed,
            PageState::Torn => &mut self.torn,
            PageState::Factory => &mut self.factory,
        };
        *count += u64::from(pages);
    }
}

/// What an image holds at a mark.
pub struct ImageContent {
    pub pages: PageCounts,
    pub chips: Vec<ChipState>,
    pub slots: Vec<SlotUse>,
    pub discards: Vec<DiscardRecord>,
    pub mirror: MirrorEnd,
    pub repairs: Vec<(u64, [u8; BYTES])>,
    /// The first operation after the mark was an erase of this block: the crash interrupted it.
    pub torn: Option<(u32, Pbn)>,
}

/// Why an image cannot be opened at a mark.
pub enum Misfit {
    /// Something that the mark names is missing.
    Incomplete(String),
    /// The medium failed, or the content is impossible.
    Error(ImageError),
}

impl<E: Into<ImageError>> From<E> for Misfit {
    fn from(error: E) -> Self {
        Misfit::Error(error.into())
    }
}

fn incomplete<T>(what: impl Into<String>) -> Result<T, Misfit> {
    Err(Misfit::Incomplete(what.into()))
}

/// Reads an image at a mark, and compares it with the mark.
pub fn at(
    disk: &dyn Disk,
    layout: &Layout,
    mark: &Mark,
    detail: Detail,
) -> Result<ImageContent, Misfit> {
    let discards = discards(disk, layout, mark)?;
    let mirror = mirror_end(disk, layout, mark)?;
    let mut scan = Scan {
        disk,
        layout,
        mark,
        tally: Tally::default(),
        detail,
        data_from: 0,
        pages: PageCounts::default(),
        chips: Vec::new(),
        slots: Vec::new(),
        repairs: Vec::new(),
        torn: None,
        page: vec![0; layout.shape.geometry.page_size() as usize],
    };
    for chip in 0..layout.shape.chips {
        scan.chip(chip)?;
    }
    if scan.tally != mark.tally {
        return incomplete("pages or erases that were durable are missing or damaged");
    }
    Ok(ImageContent {
        pages: scan.pages,
        chips: scan.chips,
        slots: scan.slots,
        discards,
        mirror,
        repairs: scan.repairs,
        torn: scan.torn,
    })
}

fn discards(disk: &dyn Disk, layout: &Layout, mark: &Mark) -> Result<Vec<DiscardRecord>, Misfit> {
    let named = &mark.records;
    if named.pages > layout.half_pages {
        return incomplete("its mark names more records of discards than there is room for");
    }
    let geometry = &layout.shape.geometry;
    let mut bytes = vec![0; geometry.page_size() as usize];
    let (mut all, mut total) = (Vec::new(), 0);
    for index in 0..named.pages {
        disk.read(layout.record_page(named.epoch, index), &mut bytes)?;
        match RecordPage::decode(&bytes) {
            Some((page, sum)) if (page.epoch, page.index) == (named.epoch, index) => {
                total += u64::from(sum);
                all.extend(page.records);
            }
            _ => return incomplete("records of discards are missing or damaged"),
        }
    }
    let possible = |record: &DiscardRecord| {
        let end = record.first.0.checked_add(record.count);
        record.chip < layout.shape.chips
            && record.sequence <= mark.sequence
            && end.is_some_and(|end| end <= geometry.logical_pages())
    };
    if total != named.sum || !all.iter().all(possible) {
        return incomplete("records of discards are missing or damaged");
    }
    Ok(all)
}

/// Follows the records of the mirror: those of the mark must be there, later ones may.
fn mirror_end(disk: &dyn Disk, layout: &Layout, mark: &Mark) -> Result<MirrorEnd, Misfit> {
    let ring = layout.mirror;
    let mut found = MirrorEnd {
        at: mark.mirror,
        ..MirrorEnd::default()
    };
    if ring.length == 0 {
        return Ok(found);
    }
    let mut has_all = false;
    while ring.has(found.at) {
        has_all |= found.at == mark.mirror_end;
        let (at, what) = ring.find(disk, found.at, mark.session())?;
        if at != found.at {
            found.gaps.push((found.at, at));
        }
        if let mirror::RingEntry::Record(head, _) = what {
            found.at = ring.after(at, &head);
            continue;
        }
        found.at = at;
        found.interrupted = what == mirror::RingEntry::Interrupted;
        if has_all {
            return Ok(found);
        }
        break;
    }
    incomplete("records of the mirror of RAM are missing or damaged")
}

impl Scan<'_> {
    fn chip(&mut self, chip: u32) -> Result<(), Misfit> {
        let shape = &self.layout.shape;
        let geometry = &shape.geometry;
        let (slots, per_block) = (shape.slots(), geometry.pages_per_block());
        let pages = match self.detail {
            Detail::Pages => geometry.all_pages() as usize,
            Detail::Blocks => 0,
        };
        self.chips.push(ChipState {
            pages: vec![PageState::Erased; pages],
            sums: vec![0; pages],
            blocks: vec![BlockState::NOWHERE; geometry.all_blocks() as usize],
        });
        self.slots.push(SlotUse::default());
        let at_once = (PAGES_AT_ONCE / per_block).max(1);
        for first in (0..slots).step_by(at_once as usize) {
            let count = at_once.min(slots - first);
            let mut entries = vec![0; count as usize * BLOCK_BYTES];
            let mut spares = vec![0; (count * per_block) as usize * BYTES];
            let begin = shape.page(first, 0);
            self.disk
                .read(self.layout.slot(chip, first), &mut entries)?;
            let spares_at = self.layout.spare(chip, begin);
            // most of a large image is a hole
            let has_data = self.has_data(spares_at, spares.len() as u64)?;
            if has_data {
                self.disk.read(spares_at, &mut spares)?;
            }
            let spares = spares.chunks(per_block as usize * BYTES);
            for ((slot, entries), spares) in (first..).zip(entries.chunks(BLOCK_BYTES)).zip(spares)
            {
                self.slot(chip, slot, entries, has_data.then_some(spares))?;
            }
        }
        let blocks = &self.chips[chip as usize].blocks;
        if blocks.iter().any(|block| !block.is_somewhere()) {
            return incomplete("a block is in no erase block of the file");
        }
        // those that come first are taken first
        self.slots[chip as usize].spare.reverse();
        Ok(())
    }

    /// Whether a range may hold something other than zeros. Ranges come in ascending order.
    fn has_data(&mut self, at: u64, length: u64) -> Result<bool, Misfit> {
        if self.data_from < at {
            self.data_from = self.disk.next_data(at)?;
        }
        Ok(self.data_from < at + length)
    }

    /// One erase block of the file; without spare areas all of them are blank.
    fn slot(
        &mut self,
        chip: u32,
        slot: u32,
        entries: &[u8],
        spares: Option<&[u8]>,
    ) -> Result<(), Misfit> {
        let (mark, shape) = (self.mark, &self.layout.shape);
        let in_image = number(chip, slot);
        let newest = BlockEntry::newest(entries, in_image, mark.sequence);
        let (entry, entry_sum) = newest.unwrap_or((BlockEntry::unused(slot, shape), 0));
        for (place, bytes) in entries.chunks(ONE).enumerate() {
            let Some((later, _)) = BlockEntry::decode(place, bytes, in_image) else {
                continue;
            };
            if later.sequence > mark.sequence {
                let at = self.layout.slot(chip, slot) + (place * ONE) as u64;
                self.repairs.push((at, BLANK));
            }
            if let Holds::Block(block) = entry.holds
                && later.sequence.checked_sub(1) == Some(mark.sequence)
                && later.holds == entry.holds
            {
                self.torn = Some((chip, block));
            }
        }
        self.tally.erases += u64::from(entry.generation);
        self.tally.sum = self.tally.sum.wrapping_add(entry_sum.into());
        match entry.holds {
            // one more count is kept for its end as a bad block
            Holds::Block(_) if entry.generation == u32::MAX => {
                incomplete("a block was erased more often than can be counted")
            }
            Holds::Block(block) => {
                let state = self.chips[chip as usize].blocks.get(block.index());
                if state.is_none_or(BlockState::is_somewhere)
                    || entry.since > entry.generation.saturating_add(1)
                {
                    return incomplete("two erase blocks stand for one, or one for none");
                }
                self.block(chip, block, slot, (entry, entry_sum), spares)
            }
            Holds::Bad => {
                self.slots[chip as usize].bad.push(slot);
                Ok(())
            }
            Holds::Spare => {
                self.slots[chip as usize].spare.push(slot);
                // a move to here that was not committed
                let spares = spares.into_iter().flat_map(|spares| spares.chunks(BYTES));
                for (position, bytes) in (0..).zip(spares) {
                    let at = shape.page(slot, position);
                    if spare::decode(bytes, number_of(chip, at)) != SpareEntry::Blank {
                        self.repairs.push((self.layout.spare(chip, at), BLANK));
                    }
                }
                Ok(())
            }
        }
    }

    /// A block of the geometry in its erase block of the file.
    fn block(
        &mut self,
        chip: u32,
        pbn: Pbn,
        slot: u32,
        (erased, entry_sum): (BlockEntry, u32),
        spares: Option<&[u8]>,
    ) -> Result<(), Misfit> {
        let (mark, shape) = (self.mark, &self.layout.shape);
        let mut block = BlockState::new(slot, erased, entry_sum);
        let mut undone = false;
        let first = shape.geometry.ppn(pbn, 0);
        let is_unused = erased.generation == 0 && erased.since == 0;
        let is_factory = shape.full && is_unused && pbn.0 < shape.geometry.logical_blocks();
        let Some(spares) = spares else {
            let state = match (erased.torn, is_factory) {
                (true, _) => PageState::Torn,
                (false, true) => PageState::Factory,
                (false, false) => PageState::Erased,
            };
            let per_block = shape.geometry.pages_per_block();
            if state != PageState::Erased {
                block.end = per_block;
            }
            self.set_pages(chip, first, per_block, state);
            self.chips[chip as usize].blocks[pbn.index()] = block;
            return Ok(());
        };
        for (position, bytes) in (0..).zip(spares.chunks(BYTES)) {
            let at = shape.page(slot, position);
            let found = spare::decode(bytes, number_of(chip, at));
            let state = match found {
                SpareEntry::Blank if is_factory => PageState::Factory,
                SpareEntry::Blank => PageState::Erased,
                _ if is_factory => return incomplete("a page was programmed twice"),
                SpareEntry::Page(page) | SpareEntry::Lost(page)
                    if page.generation < erased.generation =>
                {
                    PageState::Erased
                }
                SpareEntry::Torn(generation) if generation < erased.generation => PageState::Erased,
                SpareEntry::Torn(generation) if generation == erased.generation => PageState::Torn,
                SpareEntry::Page(page) | SpareEntry::Lost(page)
                    if page.generation == erased.generation && page.sequence <= mark.sequence =>
                {
                    let is_lost = matches!(found, SpareEntry::Lost(_));
                    // a page that was moved since the base keeps its number, but its block has a new one
                    let is_new = page.sequence.max(erased.sequence) > mark.base;
                    self.check_page(chip, at, &page, is_new && !is_lost)?;
                    let sum = u64::from(word(bytes, BYTES - 4));
                    block.pages += 1;
                    block.sum += sum;
                    self.tally.sum = self.tally.sum.wrapping_add(sum);
                    let sums = &mut self.chips[chip as usize].sums;
                    if let Some(sum) = sums.get_mut(first.plus(position).index()) {
                        *sum = page.data_sum;
                    }
                    PageState::programmed(is_lost)
                }
                SpareEntry::Page(_)
                | SpareEntry::Lost(_)
                | SpareEntry::Torn(_)
                | SpareEntry::Broken => {
                    // a block loses its last operations; the first of them may be torn
                    let is_first = block.end == position && !undone;
                    undone = true;
                    let (repair, state) = if is_first && shape.order == ProgramOrder::Ascending {
                        let torn = spare::torn(erased.generation, number_of(chip, at));
                        (torn, PageState::Torn)
                    } else {
                        (BLANK, PageState::Erased)
                    };
                    self.repairs.push((self.layout.spare(chip, at), repair));
                    state
                }
            };
            let state = if erased.torn { PageState::Torn } else { state };
            if state != PageState::Erased {
                block.end = position + 1;
            }
            self.set_pages(chip, first.plus(position), 1, state);
        }
        self.tally.pages += u64::from(block.pages);
        self.chips[chip as usize].blocks[pbn.index()] = block;
        Ok(())
    }

    /// Notes the state of some successive pages.
    fn set_pages(&mut self, chip: u32, first: Ppn, count: u32, state: PageState) {
        self.pages.add(state, count);
        let pages = &mut self.chips[chip as usize].pages;
        if let Some(pages) = pages.get_mut(first.index()..first.plus(count).index()) {
            pages.fill(state);
        }
    }

    /// Checks a programmed page, with its data if they may not have arrived.
    fn check_page(
        &mut self,
        chip: u32,
        at: Ppn,
        entry: &PageEntry,
        with_data: bool,
    ) -> Result<(), Misfit> {
        if entry.spare.lpn.0 >= self.layout.shape.geometry.named_pages() {
            return incomplete("a spare area names a page beyond the capacity");
        }
        if with_data {
            self.disk.read(self.layout.data(chip, at), &mut self.page)?;
            if crc32fast::hash(&self.page) != entry.data_sum {
                return incomplete("the data of a page is missing or damaged");
            }
        }
        Ok(())
    }
}
