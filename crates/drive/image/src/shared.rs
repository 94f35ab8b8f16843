//! What the chips of an image share: the file, the sequence numbers, the records and the marks.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ssdlab_flash::{Fault, Lpn};

use crate::beside::{Beside, InFlight, PagePlace};
use crate::disk::{Disk, MemoryDisk};
use crate::error::ImageError;
use crate::faults::{Dice, Faults};
use crate::layout::Layout;
use crate::mark::{DiscardRecords, Mark, MetaCounts, Tally};
use crate::mirror::{
    self, LONGEST_RECORD, MirrorEnd, MirrorPlace, RecordHead, RecordKind, Session,
};
use crate::overlay::Overlay;
use crate::power::Power;
use crate::records::{DiscardRecord, RecordPage, per_page};
use crate::runs::Runs;
use crate::spare::{BYTES, BlockEntry, Holds, SlotUse, number};

/// Bytes of pages after which a commit comes by itself, so that an opening after a crash checks no more than these.
pub const UNCOMMITTED: u64 = 64 << 20;

/// Spare areas that wait at most.
const WAITING: usize = 1 << 12;

/// The state that all chips share.
pub struct SharedImage {
    disk: Box<dyn Disk>,
    /// For reads whose bytes come later; none if the disk serves one thread only.
    beside: Option<Arc<dyn Beside>>,
    pub reads: Arc<InFlight>,
    /// The request that is served may get its bytes later.
    pub may_defer: bool,
    /// The page that the host has read last, if its bytes come later.
    pub deferred: Option<PagePlace>,
    /// Writes reach only memory.
    frozen: bool,
    pub layout: Layout,
    /// The sequence number of the last operation.
    pub sequence: u64,
    /// By chip and logical page, the last discard; 0: none. Empty for a chip without discards.
    pub discards: Vec<Vec<u64>>,
    /// Discards that are not in the file yet.
    pending: Vec<DiscardRecord>,
    /// Pages that are not in the file yet: they count only with the next mark.
    runs: Runs,
    /// Spare areas that are not in the file yet, and their places.
    spares: Vec<(u64, [u8; BYTES])>,
    /// The last operation since the last mark was a discard: another one right after it shares its sequence number.
    discarding: bool,
    /// The place of the next record of the mirror.
    pub head: MirrorPlace,
    /// The first record that counts.
    pub tail: MirrorPlace,
    /// The tail of the last durable mark.
    durable_tail: MirrorPlace,
    /// The records that were found at the opening.
    found: Session,
    pub tally: Tally,
    /// For each chip.
    pub slots: Vec<SlotUse>,
    /// A block failed, and no spare one was left.
    pub worn_out: bool,
    pub dice: Dice,
    pub records: DiscardRecords,
    /// The first mark of this opening.
    opening: u64,
    /// The number of the last mark.
    pub mark: u64,
    /// All up to this sequence number is durable.
    pub durable: u64,
    /// Bytes of pages since the last mark.
    uncommitted: u64,
    /// Something was written since the last mark.
    dirty: bool,
    /// The last mark, while the sync runs that makes it durable.
    in_flight: Option<Mark>,
    /// A block was erased since the last mark: its programs wait for the next one, which begins with the next operation.
    wants_mark: bool,
    pub counts: MetaCounts,
    pub power: Power,
    /// The code of the first error of the file; nothing is written after it.
    failed: Option<i32>,
}

pub fn lock(shared: &Mutex<SharedImage>) -> MutexGuard<'_, SharedImage> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn code(error: &io::Error) -> i32 {
    let unknown = rustix::io::Errno::IO.raw_os_error();
    error.raw_os_error().unwrap_or(unknown)
}

impl SharedImage {
    /// The state at a mark, with this end of the mirror.
    pub fn new(
        mut disk: Box<dyn Disk>,
        layout: Layout,
        found: &Mark,
        head: MirrorPlace,
        slots: Vec<SlotUse>,
    ) -> Self {
        if layout.mirror.length > 0 {
            // what survives the end of the process must be in the file by then
            disk.write_through();
        }
        Self {
            beside: disk.beside(),
            reads: Arc::default(),
            may_defer: false,
            deferred: None,
            disk,
            frozen: false,
            slots,
            worn_out: found.worn_out,
            dice: Dice::new(Faults::default(), 0),
            sequence: found.sequence,
            discards: vec![Vec::new(); layout.shape.chips as usize],
            layout,
            pending: Vec::new(),
            runs: Runs::default(),
            spares: Vec::with_capacity(WAITING),
            discarding: false,
            head,
            tail: found.mirror,
            durable_tail: found.mirror,
            found: found.session(),
            tally: found.tally,
            records: found.records,
            opening: found.opening,
            mark: found.number,
            durable: found.sequence,
            uncommitted: 0,
            dirty: false,
            in_flight: None,
            wants_mark: false,
            counts: found.meta,
            power: Power::default(),
            failed: None,
        }
    }

    /// The number of the next program or erase.
    #[inline]
    pub fn next_sequence(&mut self) -> u64 {
        self.discarding = false;
        self.sequence += 1;
        self.sequence
    }

    /// The code of the first error. After it, the content of the file is unknown.
    pub fn failed(&self) -> Option<i32> {
        self.failed
    }

    fn check(&self) -> Result<(), Fault> {
        if self.is_off() && !self.frozen {
            return Err(Fault::PowerLost);
        }
        self.failed.map_or(Ok(()), |code| Err(Fault::Io(code)))
    }

    fn fails(&mut self, error: &io::Error) -> Fault {
        let code = code(error);
        if self.frozen {
            // a read below the overlay failed; the next one may succeed
            return Fault::Io(code);
        }
        Fault::Io(*self.failed.get_or_insert(code))
    }

    pub fn read(&self, at: u64, into: &mut [u8]) -> Result<(), Fault> {
        let read = self.disk.read(at, into);
        read.map_err(|error| Fault::Io(code(&error)))
    }

    /// What other threads may use beside the image.
    pub fn beside(&self) -> Option<Arc<dyn Beside>> {
        self.beside.clone()
    }

    /// Whether the bytes of a page can be read beside others: none of them wait.
    pub fn defers(&self, at: u64) -> bool {
        self.may_defer && !self.runs.have(&(at..at + 1))
    }

    /// Whether pages in this range of the file wait to be written.
    pub fn waits(&self, range: Range<u64>) -> bool {
        self.runs.have(&range)
    }

    /// Reads a page.
    pub fn read_page(&self, at: u64, into: &mut [u8]) -> Result<(), Fault> {
        if self.runs.read(at, into) {
            return Ok(());
        }
        self.read(at, into)
    }

    pub fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.check()?;
        self.dirty = true;
        let written = self.disk.write(at, bytes);
        written.map_err(|error| self.fails(&error))
    }

    /// Writes a page, at the latest with the next mark.
    #[inline]
    pub fn write_page(&mut self, at: u64, page: &[u8]) -> Result<(), Fault> {
        self.check()?;
        self.dirty = true;
        let written = self.runs.put(&mut *self.disk, at, page);
        written.map_err(|error| self.fails(&error))
    }

    /// Whether pages can be copied inside the disk: see [`Disk::is_memory`].
    pub fn is_memory(&self) -> bool {
        self.disk.is_memory()
    }

    /// Whether a page on the disk, which is memory, may be copied unread.
    pub fn may_copy(&self, at: u64, length: usize, sum: u32) -> bool {
        let fits = |bytes: &[u8]| crc32fast::hash(bytes) == sum;
        !self.disk.verifies() || self.disk.bytes(at, length).is_some_and(fits)
    }

    /// Copies a page inside the disk, which is memory: no page waits.
    pub fn copy_page(&mut self, from: u64, to: u64, length: usize) -> Result<(), Fault> {
        self.check()?;
        self.dirty = true;
        let copied = self.disk.copy(from, to, length);
        copied.map_err(|error| self.fails(&error))
    }

    /// Writes a spare area, at the latest with the next mark.
    #[inline]
    pub fn write_spare(&mut self, at: u64, bytes: [u8; BYTES]) -> Result<(), Fault> {
        self.check()?;
        self.dirty = true;
        self.spares.push((at, bytes));
        if self.spares.len() < WAITING {
            return Ok(());
        }
        self.write_spares()
    }

    /// Writes the spare areas that wait. If that fails they keep waiting: a drive that only reads from then on needs
    /// them.
    pub fn write_spares(&mut self) -> Result<(), Fault> {
        let mut spares = std::mem::take(&mut self.spares);
        // a page whose program failed here may be programmed again: its last spare area must stay the last
        spares.sort_by_key(|(at, _)| *at);
        let mut run = Vec::new();
        let mut runs = spares.chunk_by(|(at, _), (next, _)| at + BYTES as u64 == *next);
        let written = runs.try_for_each(|side_by_side| {
            run.clear();
            run.extend(side_by_side.iter().flat_map(|(_, bytes)| bytes));
            self.write(side_by_side[0].0, &run)
        });
        if written.is_ok() {
            spares.clear();
        }
        self.spares = spares;
        written
    }

    /// Counts the bytes of programmed pages, without a commit.
    pub fn add_uncommitted(&mut self, bytes: u64) {
        self.uncommitted += bytes;
    }

    /// Counts the bytes of a programmed page; begins a commit if there are many, or if an erased block waits for one.
    #[inline]
    pub fn programmed(&mut self, bytes: u64) -> Result<(), Fault> {
        self.add_uncommitted(bytes);
        let are_many = self.uncommitted >= UNCOMMITTED;
        if !are_many && !self.wants_mark {
            return Ok(());
        }
        self.begin_commit(are_many)
    }

    /// A block was erased. It can be programmed when that is durable, so a commit begins at once.
    pub fn erased(&mut self) -> Result<(), Fault> {
        // a test of power cuts goes back to moments that depend on no time
        self.wants_mark = self.disk.syncs_beside() && !self.power.is_watched();
        if !self.wants_mark {
            return Ok(());
        }
        self.begin_commit(false)
    }

    /// Begins to make all operations so far durable, beside those that follow. While an earlier commit is in flight it
    /// `waits`, or leaves this to a later operation.
    fn begin_commit(&mut self, waits: bool) -> Result<(), Fault> {
        self.check()?;
        self.end_mark(waits)?;
        if self.in_flight.is_some() {
            return Ok(());
        }
        self.write_pending()?;
        let mark = self.mark_now(false);
        self.write_mark(&mark)?;
        self.counts.syncs += 1;
        let begun = self.disk.begin_sync();
        begun.map_err(|error| self.fails(&error))?;
        self.marked(&mark);
        Ok(())
    }

    /// Makes sure that an operation is durable.
    #[inline]
    pub fn settle(&mut self, sequence: u64) -> Result<(), Fault> {
        if sequence <= self.durable {
            return Ok(());
        }
        self.end_mark(true)?;
        if sequence <= self.durable {
            return Ok(());
        }
        self.commit()
    }

    /// Writes the entry of an erase block of the file; returns its checksum.
    pub fn write_entry(&mut self, chip: u32, slot: u32, entry: BlockEntry) -> Result<u32, Fault> {
        let at = self.layout.slot(chip, slot) + BlockEntry::place(entry.generation);
        let (bytes, sum) = entry.encode(number(chip, slot));
        self.write(at, &bytes).map(|()| sum)
    }

    /// An erase block of the file holds nothing from here on.
    pub fn retire(&mut self, chip: u32, slot: u32, generation: u32) -> Result<(), Fault> {
        let entry = BlockEntry {
            generation,
            since: 0,
            sequence: self.next_sequence(),
            holds: Holds::Bad,
            torn: false,
        };
        let sum = self.write_entry(chip, slot, entry)?;
        self.tally.erases += 1;
        self.tally.sum = self.tally.sum.wrapping_add(sum.into());
        self.slots[chip as usize].bad.push(slot);
        Ok(())
    }

    /// Notes that a block failed and no spare one was left. The next mark keeps this.
    pub fn wears_out(&mut self) {
        self.worn_out = true;
        self.dirty = true;
    }

    /// Whether writes reach only memory.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// The tail of the last durable mark.
    pub fn durable_tail(&self) -> MirrorPlace {
        self.durable_tail
    }

    /// From here on nothing reaches the file, and nothing fails.
    pub fn freeze(&mut self) {
        if !self.frozen {
            // what the file keeps no longer depends on it
            let _ = self.disk.end_sync(true);
            self.in_flight = None;
            self.wants_mark = false;
            self.beside = None;
            let below = std::mem::replace(&mut self.disk, Box::new(MemoryDisk::default()));
            self.disk = Box::new(Overlay::new(below));
            self.frozen = true;
        }
        self.failed = None;
        self.dice = Dice::new(Faults::default(), 0);
    }

    /// Does something that changes the file; if that cannot be written, freezes, does it again, and notes the error.
    pub fn insist(
        &mut self,
        unwritable: &mut Option<i32>,
        mut change: impl FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        change(self).or_else(|fault| {
            *unwritable = Some(self.failed.ok_or(fault)?);
            self.freeze();
            change(self)
        })
    }

    pub fn discard(&mut self, chip: u32, lpn: Lpn) -> Result<(), Fault> {
        self.check()?;
        if !self.discarding {
            self.sequence += 1;
            self.discarding = true;
        }
        self.dirty = true;
        // the records of discards are written as they are at the end
        self.power.forget();
        let sequence = self.sequence;
        self.remember(chip, lpn, sequence);
        match self.pending.last_mut() {
            Some(last) if last.takes(chip, lpn, sequence) => last.count += 1,
            _ => self.pending.push(DiscardRecord::of(chip, lpn, sequence)),
        }
        Ok(())
    }

    /// Notes the sequence number of a discard, unless a later one is known.
    pub fn remember(&mut self, chip: u32, lpn: Lpn, sequence: u64) {
        let discards = &mut self.discards[chip as usize];
        if discards.is_empty() {
            discards.resize(self.layout.shape.geometry.logical_pages() as usize, 0);
        }
        let latest = &mut discards[lpn.index()];
        *latest = sequence.max(*latest);
    }

    pub fn discarded_at(&self, chip: u32, lpn: Lpn) -> u64 {
        let discards = &self.discards[chip as usize];
        discards.get(lpn.index()).copied().unwrap_or(0)
    }

    /// The bytes of records that fit into the mirror before its tail must move.
    pub fn mirror_room(&self) -> u64 {
        let ring = self.layout.mirror;
        // the end of the ring may stay empty for want of room for a record, and the head must not reach the tail
        let lost = LONGEST_RECORD + 4 * mirror::HEAD as u64;
        let used = ring.between(self.durable_tail, self.head);
        ring.length.saturating_sub(used).saturating_sub(lost)
    }

    /// Adds a record to the mirror.
    pub fn mirror(
        &mut self,
        kind: RecordKind,
        offset: u64,
        length: u64,
        data: &[u8],
    ) -> Result<(), Fault> {
        let ring = self.layout.mirror;
        let mut record = RecordHead {
            kind,
            number: self.head.number,
            opening: self.opening,
            offset,
            length,
        };
        let begin = self.head;
        let wrap = RecordHead {
            kind: RecordKind::Wrap,
            ..record
        };
        if !ring.takes(begin, &record) {
            self.head = ring.after(begin, &wrap);
            record.number = self.head.number;
        }
        let at = self.head;
        // the caller makes room; even so, what counts is never written over, not even by a step over the end of the ring
        let before = ring.between(self.durable_tail, begin) + ring.between(begin, at);
        if before + record.bytes() + 2 * mirror::HEAD as u64 > ring.length {
            self.head = begin;
            let no_space = rustix::io::Errno::NOSPC.raw_os_error();
            return Err(self.fails(&io::Error::from_raw_os_error(no_space)));
        }
        let written = self.write(ring.at + at.at, &ring.encode(&record, data, at));
        let written = if at == begin {
            written
        } else {
            // until the wrap is written, the end in its place counts
            written.and_then(|()| self.write(ring.at + begin.at, &ring.encode(&wrap, &[], begin)))
        };
        self.head = match written {
            Ok(()) => ring.after(at, &record),
            Err(_) => begin,
        };
        written
    }

    /// Says where the mirror goes on after damaged records, and where it ends, so that the next opening finds it whole.
    pub fn mend_mirror(&mut self, found: &MirrorEnd) -> Result<(), Fault> {
        let ring = self.layout.mirror;
        for &(at, next) in &found.gaps {
            // with the number of the new opening: a mark of the last opening that needs the missing record stays unfit
            let skip = RecordHead::skip(at.number, self.mark + 1, next);
            self.write(ring.at + at.at, &ring.encode(&skip, &[], at))?;
        }
        if found.interrupted {
            let end = RecordHead::end_at(found.at.number, self.opening);
            self.write(ring.at + found.at.at, &ring.encode(&end, &[], found.at))?;
        }
        Ok(())
    }

    /// Makes sure that the disk has room for records of this many bytes.
    pub fn reserve_mirror(&mut self, bytes: u64) -> Result<(), Fault> {
        self.check()?;
        let ring = self.layout.mirror;
        let (from, all) = (self.head.at, bytes + LONGEST_RECORD);
        let behind = all.min(ring.length - from);
        let begin = all.min(ring.length) - behind;
        [(ring.at + from, behind), (ring.at, begin)]
            .into_iter()
            .try_for_each(|(at, length)| self.disk.reserve(at, length))
            .map_err(|error| self.fails(&error))
    }

    /// The record at a place, and the place after it; none at the head.
    pub fn mirrored(
        &self,
        at: MirrorPlace,
    ) -> Result<Option<(RecordHead, Vec<u8>, MirrorPlace)>, ImageError> {
        if at == self.head {
            return Ok(None);
        }
        let ring = self.layout.mirror;
        let (at, found) = ring.find(&*self.disk, at, self.found)?;
        Ok(match found {
            mirror::RingEntry::Record(head, data) => Some((head, data, ring.after(at, &head))),
            mirror::RingEntry::End | mirror::RingEntry::Interrupted => None,
        })
    }

    /// Makes all operations so far durable. The image opens at this moment, or at a later one.
    pub fn commit(&mut self) -> Result<(), Fault> {
        self.check()?;
        self.end_mark(true)?;
        if self.dirty {
            self.write_pending()?;
            self.put_mark(&self.mark_now(false))?;
        }
        // what confirms the mark must not end with the process: else damage hides what was flushed
        let drained = self.disk.drain();
        drained.map_err(|error| self.fails(&error))
    }

    /// Marks the image as open.
    pub fn begin(&mut self) -> Result<(), Fault> {
        self.opening = self.mark + 1;
        self.put_mark(&self.mark_now(false))
    }

    /// Makes everything durable, and marks the image as closed.
    pub fn close(&mut self) -> Result<(), Fault> {
        self.reads.wait();
        self.commit()?;
        self.put_mark(&self.mark_now(true))
    }

    /// The mark of this moment.
    pub fn mark_now(&self, closed: bool) -> Mark {
        Mark {
            number: self.mark + 1,
            sequence: self.sequence,
            base: self.durable,
            tally: self.tally,
            records: self.records,
            mirror: self.tail,
            mirror_end: self.head,
            opening: self.opening,
            meta: self.counts,
            worn_out: self.worn_out,
            closed,
        }
    }

    /// Writes a mark behind everything that it names, and makes them durable. The mark before it is durable.
    pub fn put_mark(&mut self, mark: &Mark) -> Result<(), Fault> {
        self.write_mark(mark)?;
        self.sync()?;
        self.marked(mark);
        self.end_mark(true)
    }

    /// Writes a mark behind everything that it names.
    fn write_mark(&mut self, mark: &Mark) -> Result<(), Fault> {
        let written = self.runs.write(&mut *self.disk);
        written.map_err(|error| self.fails(&error))?;
        self.write_spares()?;
        let bytes = mark.encode(self.layout.id);
        for slot in self.layout.mark_slots(mark.number) {
            self.write(slot, &bytes)?;
        }
        Ok(())
    }

    /// What comes from here on comes after a mark, which a sync makes durable.
    fn marked(&mut self, mark: &Mark) {
        self.in_flight = Some(*mark);
        self.mark = mark.number;
        self.uncommitted = 0;
        self.power.forget();
        // a later discard is another operation
        self.discarding = false;
        self.dirty = false;
        self.wants_mark = false;
    }

    /// Returns when nothing is under way in the file.
    pub fn settle_all(&mut self) -> Result<(), Fault> {
        let ended = self.end_mark(true);
        self.disk.settle();
        ended
    }

    /// Notes that the last mark is durable. If it is not yet, it `waits` for it, or does nothing.
    pub fn end_mark(&mut self, waits: bool) -> Result<(), Fault> {
        let Some(mark) = self.in_flight else {
            return Ok(());
        };
        let ended = match self.disk.end_sync(waits) {
            Ok(ended) => ended,
            Err(error) => {
                self.in_flight = None;
                return Err(self.fails(&error));
            }
        };
        if !ended {
            return Ok(());
        }
        self.in_flight = None;
        self.durable = mark.sequence;
        self.durable_tail = mark.mirror;
        if mark.closed {
            return Ok(());
        }
        // it matters only if the next mark is damaged, so it need not be durable itself
        let bytes = mark.encode(self.layout.id);
        let mut slots = self.layout.confirmed_slots().into_iter();
        let confirmed = slots.try_for_each(|slot| self.disk.write(slot, &bytes));
        confirmed.map_err(|error| self.fails(&error))
    }

    pub fn sync(&mut self) -> Result<(), Fault> {
        self.check()?;
        self.counts.syncs += 1;
        let synced = self.disk.sync();
        synced.map_err(|error| self.fails(&error))
    }

    pub fn write_pending(&mut self) -> Result<(), Fault> {
        let pending = std::mem::take(&mut self.pending);
        let per_page = per_page(self.layout.shape.geometry.page_size());
        let pages = pending.len().div_ceil(per_page);
        if pages == 0 {
            return Ok(());
        }
        let room = self.layout.half_pages - self.records.pages;
        if self.records.epoch == 0 || pages > room as usize {
            // the new half begins with these records as well
            return self.begin_half();
        }
        pending
            .chunks(per_page)
            .try_for_each(|records| self.write_records(records))
    }

    fn write_records(&mut self, records: &[DiscardRecord]) -> Result<(), Fault> {
        let page = RecordPage {
            epoch: self.records.epoch,
            index: self.records.pages,
            records: records.to_vec(),
        };
        let at = self.layout.record_page(page.epoch, page.index);
        let (bytes, sum) = page.encode(self.layout.shape.geometry.page_size());
        self.write(at, &bytes)?;
        self.records.pages += 1;
        self.records.sum += u64::from(sum);
        self.counts.meta_programs += 1;
        Ok(())
    }

    /// Erases the half that the last mark does not name, and begins it with all discards that count.
    fn begin_half(&mut self) -> Result<(), Fault> {
        let geometry = &self.layout.shape.geometry;
        let blocks = self.layout.half_pages / geometry.pages_per_block();
        let per_page = per_page(geometry.page_size());
        self.counts.meta_erases += u64::from(blocks);
        self.records = DiscardRecords {
            epoch: self.records.epoch + 1,
            ..DiscardRecords::default()
        };
        let mut all: Vec<DiscardRecord> = Vec::new();
        for (chip, discards) in (0..).zip(&self.discards) {
            let pages = (0..).map(Lpn).zip(discards);
            for (lpn, &sequence) in pages.filter(|(_, sequence)| **sequence > 0) {
                match all.last_mut() {
                    Some(last) if last.takes(chip, lpn, sequence) => last.count += 1,
                    _ => all.push(DiscardRecord::of(chip, lpn, sequence)),
                }
            }
        }
        all.chunks(per_page)
            .try_for_each(|records| self.write_records(records))
    }
}
