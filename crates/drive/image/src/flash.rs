//! The flash of one chip in an image.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use ssdlab_flash::{
    Fault, Geometry, Lpn, Media, Note, Payload, Pbn, Ppn, ProgramOrder, Role, Spare, SpareState,
};

use crate::beside::PagePlace;
use crate::chip::{BlockState, ChipState, PageState};
use crate::faults::Correction;
use crate::page::PageData;
use crate::shared::{SharedImage, lock};
use crate::spare::{self, BlockEntry, Holds, PageEntry, SpareEntry, number_of};

/// What moves when a block is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    All,
    /// All but the data of the page at this position, which are lost.
    AllBut(u32),
    /// Nothing: the block was to be erased.
    Nothing,
}

/// The data of a program.
#[derive(Clone, Copy)]
enum Source<'a> {
    Bytes(&'a [u8]),
    Lost,
    /// The page at this place of the disk, which is memory.
    Disk(u64),
}

impl<'a> From<&'a PageData> for Source<'a> {
    fn from(page: &'a PageData) -> Self {
        if page.lost {
            Self::Lost
        } else {
            Self::Bytes(&page.bytes)
        }
    }
}

impl Source<'_> {
    fn is_lost(self) -> bool {
        matches!(self, Self::Lost)
    }
}

/// Writes a page of a slot and its spare area; returns the checksum of the latter.
fn put(
    shared: &mut SharedImage,
    chip: u32,
    at: Ppn,
    entry: &PageEntry,
    source: Source,
) -> Result<u32, Fault> {
    let (number, to) = (number_of(chip, at), shared.layout.data(chip, at));
    // before the page is copied: the checksum reads what was just written, and would wait for all of it
    let (bytes, sum) = if source.is_lost() {
        entry.encode_lost(number)
    } else {
        entry.encode(number)
    };
    match source {
        Source::Lost => {}
        Source::Bytes(bytes) => shared.write_page(to, bytes)?,
        Source::Disk(from) => {
            let length = shared.layout.shape.geometry.page_size() as usize;
            shared.copy_page(from, to, length)?;
        }
    }
    shared.write_spare(shared.layout.spare(chip, at), bytes)?;
    Ok(sum)
}

/// What the spare area of a page in the factory state would say.
fn factory_entry(at: Ppn, data_sum: u32) -> PageEntry {
    PageEntry {
        spare: Spare {
            lpn: Lpn(at.0),
            role: Role::DATA,
        },
        sequence: u64::from(at.0) + 1,
        generation: 0,
        data_sum,
    }
}

/// The flash of one chip in an image.
///
/// A block that cannot be programmed or erased, or that has a page with too many wrong bits, is replaced by a spare
/// one: what can be read of it moves there, under the same numbers. A fault of a program or an erase means that no
/// spare one was left.
pub struct ImageFlash {
    shared: Arc<Mutex<SharedImage>>,
    geometry: Geometry,
    order: ProgramOrder,
    chip: u32,
    state: ChipState,
    /// A page that is copied.
    copied: PageData,
    /// Pages that may be copied next.
    ahead: Ahead,
    /// Spare areas of consecutive pages of slots, from the first one: mounts ask for them in order.
    chunk: (u32, Vec<u8>),
    /// The reads are those of the host, which may get the bytes later.
    for_host: bool,
    makes_notes: bool,
    /// What the FTL has done since a clock last asked.
    notes: Vec<Note>,
}

/// Consecutive pages that were read together, because one of them was copied: cleaning copies those of a victim in order.
#[derive(Default)]
struct Ahead {
    bytes: Vec<u8>,
    /// Their place in the file, and how many of the bytes they are.
    at: u64,
    length: usize,
    /// How many of them were copied.
    used: usize,
    /// The bytes to read next.
    wanted: usize,
}

impl Ahead {
    /// More bytes than these are not read together.
    const MOST: usize = 1 << 17;

    /// The bytes to read together from a page on: the more, the more of the last ones were copied.
    fn wants(&mut self, page: usize) -> usize {
        self.wanted = match 2 * self.used >= self.length {
            true => (2 * self.wanted).min(Self::MOST),
            false => self.wanted / 2,
        };
        self.wanted = self.wanted.max(page);
        self.wanted
    }

    /// Reads a range of the file; has nothing if that fails.
    fn fill(&mut self, shared: &SharedImage, range: Range<u64>) {
        let length = (range.end - range.start) as usize;
        if self.bytes.len() < length {
            self.bytes.resize(length, 0);
        }
        let read = shared.read(range.start, &mut self.bytes[..length]);
        self.at = range.start;
        self.length = if read.is_ok() { length } else { 0 };
        self.used = 0;
    }

    /// Where the page at a place of the file is among the bytes.
    fn find(&self, at: u64, length: usize) -> Option<Range<usize>> {
        let from = usize::try_from(at.checked_sub(self.at)?).ok()?;
        let to = from.checked_add(length)?;
        (to <= self.length).then_some(from..to)
    }
}

/// Spare areas that are read at once.
const CHUNK: u32 = 4096;

impl ImageFlash {
    pub(crate) fn new(shared: Arc<Mutex<SharedImage>>, chip: u32, state: ChipState) -> Self {
        let (geometry, order) = {
            let shape = &lock(&shared).layout.shape;
            (shape.geometry.clone(), shape.order)
        };
        Self {
            copied: PageData::blank(geometry.page_size()),
            ahead: Ahead::default(),
            shared,
            geometry,
            order,
            chip,
            state,
            chunk: (0, Vec::new()),
            for_host: false,
            makes_notes: false,
            notes: Vec::new(),
        }
    }

    /// From now on, keeps notes for a clock.
    pub fn make_notes(&mut self) {
        self.makes_notes = true;
    }

    /// The erase block of the file that holds a block.
    pub fn slot(&self, block: Pbn) -> u32 {
        self.state.blocks[block.index()].slot
    }

    /// Whether the data of a page were lost.
    pub fn is_lost(&self, at: Ppn) -> bool {
        self.state.pages[at.index()] == PageState::Lost
    }

    /// The page of a slot that holds a page.
    #[inline]
    fn in_slot(&self, at: Ppn) -> Ppn {
        let (block, position) = self.geometry.place(at);
        self.geometry.ppn(Pbn(self.slot(block)), position)
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

    fn write_page(&mut self, to: Ppn, spare: Spare, source: Source, sum: u32) -> Result<(), Fault> {
        self.claimable(to)?;
        lock(&self.shared).powered()?;
        let (number, position) = self.geometry.place(to);
        while lock(&self.shared).dice.program_fails() {
            if !self.replace(number, Keep::All)? {
                lock(&self.shared).wears_out();
                return Err(Fault::ProgramFailed(to));
            }
        }
        let block = &mut self.state.blocks[number.index()];
        let mut shared = lock(&self.shared);
        // what the block held before counts until its erase is durable
        shared.settle(block.erased_at)?;
        let entry = PageEntry {
            spare,
            sequence: shared.next_sequence(),
            generation: block.generation,
            data_sum: sum,
        };
        let at = self.geometry.ppn(Pbn(block.slot), position);
        let entry_sum = put(&mut shared, self.chip, at, &entry, source)?;
        self.state.pages[to.index()] = PageState::programmed(source.is_lost());
        self.state.sums[to.index()] = sum;
        block.add(position, entry_sum);
        shared.tally.pages += 1;
        shared.tally.sum = shared.tally.sum.wrapping_add(entry_sum.into());
        self.chunk.1.clear();
        shared.operated();
        shared.programmed(self.geometry.page_size().into())
    }

    /// Reads the data of a programmed page.
    fn read_good(
        &self,
        shared: &SharedImage,
        at: Ppn,
        into: &mut [u8],
    ) -> Result<Correction, Fault> {
        let place = shared.layout.data(self.chip, self.in_slot(at));
        shared.read_page(place, into)?;
        // the image itself may be damaged
        if crc32fast::hash(into) != self.state.sums[at.index()] {
            return Ok(Correction::Failed);
        }
        Ok(self.correction(shared, at))
    }

    /// Takes what was read ahead, and where this page is in it, after reading from there on if it is not there. `None` if the
    /// page must be read alone.
    fn take_ahead(&mut self, at: Ppn) -> Option<(Ahead, Range<usize>)> {
        if self.state.pages[at.index()] != PageState::Good {
            return None;
        }
        let (size, place) = (self.geometry.page_size() as usize, self.place(at));
        if self.ahead.find(place, size).is_none() {
            self.read_ahead(at, place);
        }
        let found = self.ahead.find(place, size)?;
        let bytes = &self.ahead.bytes[found.clone()];
        let shared = lock(&self.shared);
        let is_whole = crc32fast::hash(bytes) == self.state.sums[at.index()];
        if !is_whole || self.correction(&shared, at) != Correction::Easy {
            return None;
        }
        self.ahead.used += size;
        Some((std::mem::take(&mut self.ahead), found))
    }

    /// Reads pages of a block from this one on together. What is old when it is taken does not have its checksum.
    fn read_ahead(&mut self, first: Ppn, place: u64) {
        let size = self.geometry.page_size() as usize;
        let (block, position) = self.geometry.place(first);
        let most = (self.ahead.wants(size) / size) as u32;
        let end = self.state.blocks[block.index()].end.min(position + most);
        let are_programmed = (position..end)
            .take_while(|&at| {
                self.state.pages[self.geometry.ppn(block, at).index()] != PageState::Erased
            })
            .count();
        let range = place..place + (are_programmed * size) as u64;
        let shared = lock(&self.shared);
        if shared.waits(range.clone()) {
            self.ahead.length = 0;
        } else {
            self.ahead.fill(&shared, range);
        }
    }

    /// Where the bytes of a page are.
    fn place(&self, at: Ppn) -> u64 {
        let at = self.in_slot(at);
        lock(&self.shared).layout.data(self.chip, at)
    }

    /// Leaves the bytes of a programmed page where they are, if they can be read later.
    fn defer(&self, shared: &mut SharedImage, page: Ppn) -> bool {
        let at = shared.layout.data(self.chip, self.in_slot(page));
        let defers = shared.defers(at) && self.correction(shared, page) == Correction::Easy;
        if defers {
            shared.deferred = Some(PagePlace {
                chip: self.chip,
                page,
                erased_at: self.state.blocks[self.geometry.block_of(page).index()].erased_at,
                at,
                sum: self.state.sums[page.index()],
            });
        }
        defers
    }

    /// Reads a page whose bytes could not be read later. If its block was erased meanwhile, what has moved its data has found
    /// them lost.
    ///
    /// # Errors
    /// As [`Media::read`].
    pub fn read_again(&mut self, place: &PagePlace, into: &mut PageData) -> Result<(), Fault> {
        let block = self.geometry.block_of(place.page);
        let is_there = self.state.blocks[block.index()].erased_at == place.erased_at;
        if is_there && self.state.pages[place.page.index()] == PageState::Good {
            return self.read(place.page, into);
        }
        into.lost = true;
        Ok(())
    }

    /// The wrong bits of a programmed page, as the dice fell.
    fn correction(&self, shared: &SharedImage, at: Ppn) -> Correction {
        let wear = self.state.blocks[self.geometry.block_of(at).index()].wear();
        let (number, size) = (
            number_of(self.chip, self.in_slot(at)),
            self.geometry.page_size(),
        );
        shared.dice.correction(number, wear, size as usize)
    }

    /// Where the disk, which is memory, holds a page that can be copied there.
    fn on_disk(&self, at: Ppn) -> Option<u64> {
        let shared = lock(&self.shared);
        if !shared.is_memory() || self.state.pages[at.index()] != PageState::Good {
            return None;
        }
        let place = shared.layout.data(self.chip, self.in_slot(at));
        let (length, sum) = (self.geometry.page_size(), self.state.sums[at.index()]);
        let is_easy = self.correction(&shared, at) == Correction::Easy;
        (is_easy && shared.may_copy(place, length as usize, sum)).then_some(place)
    }

    /// Moves what can be read of a block to a spare one, and retires it; false if no spare one is left. No commit comes
    /// in between, so that a crash leaves either the old block or the new one.
    fn replace(&mut self, number: Pbn, keep: Keep) -> Result<bool, Fault> {
        let shared = Arc::clone(&self.shared);
        let mut shared = lock(&shared);
        let old = self.state.blocks[number.index()];
        // the entry of the erase before the last one would be overwritten
        shared.settle(old.erased_at)?;
        while let Some(slot) = shared.slots[self.chip as usize].spare.pop() {
            let mut block = BlockState {
                slot,
                generation: old.generation + u32::from(keep == Keep::Nothing),
                since: old.generation + 1,
                ..BlockState::NOWHERE
            };
            let moved = self.move_pages(&mut shared, number, &mut block, keep);
            let states = match moved {
                Ok(Some(states)) => states,
                Ok(None) => {
                    // the spare one is bad as well, and nothing in it counts
                    shared.retire(self.chip, slot, 1)?;
                    continue;
                }
                Err(fault) => {
                    self.leave_spare(&mut shared, slot, block.end);
                    return Err(fault);
                }
            };
            let entry = BlockEntry {
                generation: block.generation,
                since: block.since,
                sequence: shared.next_sequence(),
                holds: Holds::Block(number),
                torn: false,
            };
            block.erased_at = entry.sequence;
            block.entry_sum = shared.write_entry(self.chip, slot, entry)?;
            shared.retire(self.chip, old.slot, old.generation + 1)?;
            old.leave(&mut shared.tally);
            block.enter(&mut shared.tally);
            shared.tally.erases += u64::from(block.generation);
            self.state.blocks[number.index()] = block;
            let first = self.geometry.ppn(number, 0).index();
            self.state.pages[first..first + states.len()].copy_from_slice(&states);
            self.chunk.1.clear();
            return Ok(true);
        }
        Ok(false)
    }

    /// After a page of a block could not be read, gives up the pages that have moved to this slot, which is spare
    /// again. If that cannot be written, nothing more will be.
    fn leave_spare(&self, shared: &mut SharedImage, slot: u32, end: u32) {
        for position in 0..end {
            let at = self.geometry.ppn(Pbn(slot), position);
            let _ = shared.write_spare(shared.layout.spare(self.chip, at), spare::BLANK);
        }
        shared.slots[self.chip as usize].spare.push(slot);
    }

    /// Copies pages into a spare block, where they keep their numbers. Returns their new states, `None` if a program
    /// failed.
    fn move_pages(
        &mut self,
        shared: &mut SharedImage,
        number: Pbn,
        into: &mut BlockState,
        keep: Keep,
    ) -> Result<Option<Vec<PageState>>, Fault> {
        let per_block = self.geometry.pages_per_block();
        let mut states = vec![PageState::Erased; per_block as usize];
        let lost = match keep {
            Keep::All => None,
            Keep::AllBut(position) => Some(position),
            Keep::Nothing => return Ok(Some(states)),
        };
        let old = self.state.blocks[number.index()];
        let mut entries = vec![0; per_block as usize * spare::BYTES];
        let first = self.geometry.ppn(Pbn(old.slot), 0);
        shared.write_spares()?;
        shared.read(shared.layout.spare(self.chip, first), &mut entries)?;
        let mut page = PageData::blank(self.geometry.page_size());
        for (position, bytes) in (0..old.end).zip(entries.chunks(spare::BYTES)) {
            let at = self.geometry.ppn(number, position);
            let to = self.geometry.ppn(Pbn(into.slot), position);
            let state = self.state.pages[at.index()];
            let found = spare::decode(bytes, number_of(self.chip, first.plus(position)));
            let mut entry = match (state, found) {
                (PageState::Erased, _) => continue,
                (PageState::Torn, _) => {
                    let torn = spare::torn(into.generation, number_of(self.chip, to));
                    shared.write_spare(shared.layout.spare(self.chip, to), torn)?;
                    states[position as usize] = state;
                    into.end = position + 1;
                    continue;
                }
                (PageState::Factory, _) => {
                    page.bytes.fill(0);
                    factory_entry(at, crc32fast::hash(&page.bytes))
                }
                (
                    PageState::Good | PageState::Lost,
                    SpareEntry::Page(entry) | SpareEntry::Lost(entry),
                ) => entry,
                // it was whole when the image was opened
                _ => return Err(Fault::Uncorrectable(at)),
            };
            if shared.dice.program_fails() {
                return Ok(None);
            }
            page.lost = state == PageState::Lost || lost == Some(position);
            if state == PageState::Good && !page.lost {
                page.lost = self.read_good(shared, at, &mut page.bytes)? == Correction::Failed;
            }
            self.state.sums[at.index()] = entry.data_sum;
            states[position as usize] = PageState::programmed(page.lost);
            entry.generation = into.generation;
            let entry_sum = put(shared, self.chip, to, &entry, Source::from(&page))?;
            into.add(position, entry_sum);
            shared.add_uncommitted(page.bytes.len() as u64);
        }
        Ok(Some(states))
    }

    /// The spare area of a page, read with those around it.
    fn page_entry(&mut self, at: Ppn) -> Result<SpareEntry, Fault> {
        let at = self.in_slot(at);
        let first = at.0 / CHUNK * CHUNK;
        if self.chunk.0 != first || self.chunk.1.is_empty() {
            let mut shared = lock(&self.shared);
            shared.write_spares()?;
            let pages = shared.layout.shape.slots() * self.geometry.pages_per_block();
            let count = CHUNK.min(pages - first);
            self.chunk.0 = first;
            self.chunk.1.resize(count as usize * spare::BYTES, 0);
            let place = shared.layout.spare(self.chip, Ppn(first));
            if let Err(fault) = shared.read(place, &mut self.chunk.1) {
                self.chunk.1.clear();
                return Err(fault);
            }
        }
        let place = (at.0 - first) as usize * spare::BYTES;
        let bytes = &self.chunk.1[place..place + spare::BYTES];
        Ok(spare::decode(bytes, number_of(self.chip, at)))
    }
}

impl Media for ImageFlash {
    type Data = PageData;
    const CLOCKED: bool = true;

    #[inline]
    fn note(&mut self, note: Note) {
        if self.makes_notes {
            self.notes.push(note);
        }
    }

    fn notes(&mut self) -> Option<&mut Vec<Note>> {
        Some(&mut self.notes)
    }

    fn reads_for_host(&mut self, are_those: bool) {
        self.for_host = are_those;
    }

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn program(&mut self, to: Ppn, spare: Spare, page: &PageData) -> Result<(), Fault> {
        let sum = crc32fast::hash(&page.bytes);
        self.write_page(to, spare, Source::from(page), sum)
    }

    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        if let Some(place) = self.on_disk(from) {
            let sum = self.state.sums[from.index()];
            return self.write_page(to, spare, Source::Disk(place), sum);
        }
        if let Some((ahead, found)) = self.take_ahead(from) {
            let sum = self.state.sums[from.index()];
            let done = self.write_page(to, spare, Source::Bytes(&ahead.bytes[found]), sum);
            self.ahead = ahead;
            return done;
        }
        let mut page = std::mem::replace(&mut self.copied, PageData::blank(0));
        let read = self.read(from, &mut page);
        let sum = match self.state.pages[from.index()] {
            PageState::Good => self.state.sums[from.index()],
            _ => crc32fast::hash(&page.bytes),
        };
        let done = read.and_then(|()| self.write_page(to, spare, Source::from(&page), sum));
        self.copied = page;
        done
    }

    /// Reads a page. If it has too many wrong bits, it is lost; then, or if it has nearly too many, the block is
    /// replaced.
    fn read(&mut self, at: Ppn, into: &mut PageData) -> Result<(), Fault> {
        into.lost = false;
        match self.state.pages[at.index()] {
            PageState::Erased | PageState::Torn => return Err(Fault::Unreadable(at)),
            PageState::Factory => into.bytes.fill(0),
            PageState::Lost => into.lost = true,
            PageState::Good => {
                let found = {
                    let mut shared = lock(&self.shared);
                    if self.for_host && self.defer(&mut shared, at) {
                        return Ok(());
                    }
                    self.read_good(&shared, at, &mut into.bytes)?
                };
                into.lost = found == Correction::Failed;
                let (block, position) = self.geometry.place(at);
                let keep = match found {
                    Correction::Easy => return Ok(()),
                    Correction::Hard => Keep::All,
                    Correction::Failed => Keep::AllBut(position),
                };
                // without a spare block the page stays where it is
                self.replace(block, keep)?;
            }
        }
        Ok(())
    }

    fn erase(&mut self, number: Pbn) -> Result<(), Fault> {
        let old = self.state.blocks[number.index()];
        let generation = old.next_generation().ok_or(Fault::WornOut(number))?;
        lock(&self.shared).powered()?;
        if lock(&self.shared).dice.erase_fails(old.wear()) {
            if self.replace(number, Keep::Nothing)? {
                let mut shared = lock(&self.shared);
                shared.operated();
                return shared.erased();
            }
            lock(&self.shared).wears_out();
            return Err(Fault::EraseFailed(number));
        }
        let mut shared = lock(&self.shared);
        self.state
            .erase(&mut shared, self.chip, number, generation, false)?;
        shared.operated();
        self.chunk.1.clear();
        self.ahead.length = 0;
        shared.erased()
    }

    /// Does nothing: a crash leaves the flash as it was at one moment, so the order of operations is never lost.
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
                let page = factory_entry(at, 0);
                SpareState::Good(page.spare, page.sequence)
            }
            PageState::Good | PageState::Lost => match self.page_entry(at)? {
                SpareEntry::Page(page) | SpareEntry::Lost(page) => {
                    SpareState::Good(page.spare, page.sequence)
                }
                // it was whole when the image was opened
                _ => return Err(Fault::Uncorrectable(at)),
            },
        })
    }

    fn erase_count(&self, block: Pbn) -> u32 {
        self.state.blocks[block.index()].generation
    }
}
