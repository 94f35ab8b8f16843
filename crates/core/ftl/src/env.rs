//! The environment of an FTL: the media, with every operation counted.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{
    Cells, Fault, Geometry, Lbn, Lpn, Media, Note, Page, Payload, Pbn, Ppn, Role, Spare,
};

use crate::aware::{Decision, Use};
use crate::buffer::{Buffer, Held};
use crate::costs::Costs;
use crate::counts::{FlashCounts, ReadCause, Work};
use crate::error::FtlError;
use crate::event::{Event, Events, MergeKind, Trigger, Valid};
use crate::found::{Found, Lookup};

/// A merge in progress; [`Env::end_merge`] ends it.
#[must_use]
pub struct OpenMerge {
    kind: MergeKind,
    before: Work,
    /// It has an event of its own.
    is_reported: bool,
}

/// The parts of a device that its FTL uses in each call.
pub struct Env<M: Media> {
    /// The flash.
    pub(crate) media: M,
    /// The counts so far.
    pub(crate) counts: FlashCounts,
    /// The receiver of events.
    pub(crate) events: Events,
    /// Whether copy-back inside a plane is available.
    pub(crate) copy_back: bool,
    /// Whether runs of pages may be handled in one step: pages have no data, and no clocks ask for each of them.
    pub(crate) runs: bool,
    /// Trace time of the current request, ns. Need not ascend.
    pub(crate) now_ns: u64,
    /// Why the device calls [`Ftl::read`](crate::Ftl::read). An FTL whose reads change its state leaves the state alone
    /// under [`ReadCause::Rest`].
    pub(crate) reading: ReadCause,
    /// The stream of the current request, a hint for placements; 0 means none.
    pub(crate) stream: u16,
    /// The last page of the request, or of the victim of the buffer, that the next pages belong to, with a map
    /// in flash.
    pub(crate) end: Lpn,
    /// Runs of pages that copies moved since this was last emptied, if the buffer policy learns; otherwise `None`.
    pub(crate) moved: Option<Vec<(Lpn, u32)>>,
    /// The costs that events name.
    costs: Costs,
    /// A merge is in progress.
    merging: bool,
    /// The block that cleaning chose last.
    cleaning: Pbn,
    /// Neighbouring pages that are sensed together.
    group_pages: u32,
    /// Writes age the drive: they go past an SLC cache.
    pub(crate) past_cache: bool,
    /// A page of a map on its way; empty unless there are blocks for them.
    own: M::Data,
}

impl<M: Media> Env<M> {
    /// An environment with zero counts and no receiver of events.
    pub fn new(media: M, copy_back: bool) -> Self {
        let own = blank_own(&media);
        Self {
            own,
            media,
            counts: FlashCounts::default(),
            events: Events::default(),
            copy_back,
            runs: M::Data::NOTHING && !M::CLOCKED,
            now_ns: 0,
            reading: ReadCause::Host,
            stream: 0,
            end: Lpn(0),
            moved: None,
            costs: Costs::default(),
            merging: false,
            cleaning: Pbn::NONE,
            group_pages: 1,
            past_cache: false,
        }
    }

    /// Whether writes from now on age the drive, and so go past an SLC cache.
    pub fn age(&mut self, ages: bool) {
        self.past_cache = ages;
    }

    /// So many neighbouring pages are sensed together from now on: a divisor of the pages of a block.
    pub fn sense_groups(&mut self, pages: u32) {
        self.group_pages = pages;
    }

    /// The neighbouring pages that a clock sees sensed together; 1 without clocks.
    #[inline(always)]
    pub(crate) fn group_pages(&self) -> u32 {
        if M::CLOCKED { self.group_pages } else { 1 }
    }

    /// Events name these costs from now on.
    pub fn set_costs(&mut self, costs: Costs) {
        self.costs = costs;
    }

    /// The geometry of the flash.
    #[inline]
    pub fn geometry(&self) -> &Geometry {
        self.media.geometry()
    }

    /// Returns when all earlier operations are durable.
    ///
    /// # Errors
    /// A fault of the flash.
    #[inline]
    pub fn barrier(&mut self) -> Result<(), Fault> {
        self.media.barrier()
    }

    /// Records that a page is discarded: without a record, a mount would find its last version.
    ///
    /// # Errors
    /// A fault of the flash.
    #[inline]
    pub fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault> {
        self.media.record_discard(lpn)
    }

    /// The counts so far.
    #[inline]
    pub fn counts(&self) -> &FlashCounts {
        &self.counts
    }

    /// Sets all counts to 0.
    pub fn forget_counts(&mut self) {
        self.counts = FlashCounts::default();
        self.moved.iter_mut().for_each(Vec::clear);
    }

    /// The stream of the current request, a hint for placements; 0 means none.
    #[inline]
    pub fn stream(&self) -> u16 {
        self.stream
    }

    /// Trace time of the current request, ns. Need not ascend.
    #[inline]
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// The flash, for its owner. An FTL uses the operations of `Env`, which are counted.
    #[inline]
    pub fn media(&self) -> &M {
        &self.media
    }

    /// As [`Env::media`].
    #[inline]
    pub fn media_mut(&mut self) -> &mut M {
        &mut self.media
    }

    /// The flash alone.
    pub fn into_media(self) -> M {
        self.media
    }

    /// A request begins at this time of the trace, in this stream.
    #[inline]
    pub fn begin(&mut self, now_ns: u64, stream: u16) {
        (self.now_ns, self.stream) = (now_ns, stream);
    }

    /// What is written next has this stream.
    #[inline]
    pub fn set_stream(&mut self, stream: u16) {
        self.stream = stream;
    }

    /// The next pages belong to a request, or to a victim of the buffer, of which this is the last page.
    #[inline]
    pub fn end_at(&mut self, lpn: Lpn) {
        self.end = lpn;
    }

    /// Reads from now on have this cause. An FTL whose reads change its state leaves the state alone under
    /// [`ReadCause::Rest`].
    #[inline]
    pub fn read_for(&mut self, cause: ReadCause) {
        self.reading = cause;
    }

    /// Why the device reads; see [`Env::read_for`].
    #[inline]
    pub fn reading(&self) -> ReadCause {
        self.reading
    }

    /// Events go there from now on.
    pub fn report_to(&mut self, events: Events) {
        self.events = events;
    }

    /// Whether runs of pages may be handled in one step.
    pub fn has_runs(&self) -> bool {
        self.runs
    }

    /// Each page is handled separately from now on.
    pub fn page_by_page(&mut self) {
        self.runs = false;
    }

    /// Keeps from now on which runs of pages copies move, for [`Env::take_moved`].
    pub fn keep_moved(&mut self) {
        self.moved = Some(Vec::new());
    }

    /// The runs of pages that copies moved since the last call: the first page, and how many.
    #[inline]
    pub fn take_moved(&mut self) -> impl Iterator<Item = (Lpn, u32)> + '_ {
        self.moved.iter_mut().flat_map(|moved| moved.drain(..))
    }

    /// Makes a note for a clock, if there is one.
    #[inline(always)]
    pub fn note(&mut self, note: Note) {
        if M::CLOCKED {
            self.media.note(note);
        }
    }

    /// Programs a page of host or buffer data.
    #[inline]
    pub fn program(&mut self, to: Ppn, spare: Spare, page: &M::Data) -> Result<(), Fault> {
        self.media.program(to, spare, page)?;
        self.counts.programs += 1;
        let (lpn, count) = (spare.lpn, 1);
        self.note(Note::Programs { to, lpn, count });
        Ok(())
    }

    /// Programs consecutive pages of one block for consecutive logical pages, each with data and a call of its own; the
    /// first call has begun. Returns their number.
    #[inline(always)]
    pub fn program_each<'a>(
        &mut self,
        to: Ppn,
        first: Spare,
        mut pages: impl Iterator<Item = &'a M::Data>,
    ) -> Result<u32, Fault>
    where
        M: 'a,
    {
        let mut count = 0;
        let outcome = pages.try_for_each(|page| {
            let (to, spare) = (to.plus(count), first.plus(count));
            self.media.program(to, spare, page)?;
            count += 1;
            Ok(())
        });
        self.counts.programs += u64::from(count);
        outcome?;
        if count > 0 {
            let lpn = first.lpn;
            self.note(Note::Programs { to, lpn, count });
        }
        Ok(count)
    }

    /// Programs consecutive pages of one block for consecutive logical pages: more than one only if `runs` is true.
    #[inline]
    pub fn program_run(
        &mut self,
        to: Ppn,
        count: u32,
        first: Spare,
        page: &M::Data,
    ) -> Result<(), Fault> {
        if count == 1 {
            return self.program(to, first, page);
        }
        self.media.program_run(to, count, first, page)?;
        self.counts.programs += u64::from(count);
        Ok(())
    }

    /// Copies a page.
    // as a call, it would take a tenth of the instructions of FAST page by page
    #[inline(always)]
    pub fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        self.media.copy(from, to, spare)?;
        self.count_copies(from, to, 1);
        self.report_moved(spare.lpn, 1);
        self.note_copy(from, to);
        Ok(())
    }

    #[inline(always)]
    fn note_copy(&mut self, from: Ppn, to: Ppn) {
        if M::CLOCKED {
            self.note(if self.copies_back(from, to) {
                Note::CopyBack { from, to }
            } else {
                Note::Copy { from, to }
            });
        }
    }

    /// Copies consecutive pages of one block to consecutive pages of another, for consecutive logical pages. More than
    /// one only if `runs` is true.
    #[inline]
    pub fn copy_run(&mut self, from: Ppn, to: Ppn, count: u32, first: Spare) -> Result<(), Fault> {
        if count == 1 {
            return self.copy(from, to, first);
        }
        self.media.copy_run(from, to, count, first)?;
        self.count_copies(from, to, count);
        self.report_moved(first.lpn, count);
        Ok(())
    }

    /// Like [`Env::migrate`], for pages of one block, in ascending order with their logical pages, to consecutive pages
    /// of another block.
    pub fn migrate_pages(
        &mut self,
        buffer: &mut Buffer<M::Data>,
        pages: &[(Ppn, Lpn)],
        to: Ppn,
        role: Role,
    ) -> Result<(), Fault> {
        if !buffer.is_lent() {
            return self.copy_pages(pages, to, role);
        }
        let mut pages = pages.iter().zip(to.0..);
        pages.try_for_each(|(&(from, lpn), to)| {
            self.migrate(buffer, from, Ppn(to), Spare { lpn, role })
        })
    }

    /// Copies pages of one block, in ascending order with their logical pages, to consecutive pages of another block.
    pub fn copy_pages(&mut self, pages: &[(Ppn, Lpn)], to: Ppn, role: Role) -> Result<(), Fault> {
        // in lines, only some of the copies may be copy-backs
        let mixed = self.copy_back && self.media.geometry().chips() > 1;
        let together = self.runs || M::CLOCKED && M::Data::NOTHING;
        if mixed || !together {
            let mut pages = pages.iter().zip(to.0..);
            return pages
                .try_for_each(|(&(from, lpn), to)| self.copy(from, Ppn(to), Spare { lpn, role }));
        }
        self.copy_together(pages, to, role)?;
        if M::CLOCKED
            && let [(from, _), ..] = *pages
        {
            if self.copies_back(from, to) {
                (to.0..)
                    .map(Ppn)
                    .zip(pages)
                    .for_each(|(to, &(from, _))| self.note(Note::CopyBack { from, to }));
            } else {
                self.media.note_copies(pages, to);
            }
        }
        Ok(())
    }

    /// Whether clocks take any copies that are noted, however they are made.
    pub fn notes_copies(&self) -> bool {
        M::CLOCKED && M::Data::NOTHING && !self.copy_back
    }

    /// Keeps a note of each copy of these pages to consecutive places.
    pub fn note_copies(&mut self, pages: &[(Ppn, Lpn)], to: Ppn) {
        self.media.note_copies(pages, to);
    }

    /// Like [`Env::copy_pages`], without notes.
    pub fn copy_together(
        &mut self,
        pages: &[(Ppn, Lpn)],
        to: Ppn,
        role: Role,
    ) -> Result<(), Fault> {
        self.media.copy_pages(pages, to, role)?;
        if let [(from, _), ..] = *pages {
            self.count_copies(from, to, pages.len() as u32);
        }
        if self.moved.is_some() {
            pages.iter().for_each(|&(_, lpn)| self.report_moved(lpn, 1));
        }
        Ok(())
    }

    /// Moves the newest version in flash, `from`, in a merge that may use the buffer (BAGC 2012, section 5). A page
    /// held dirty is programmed from the buffer and becomes clean. A page held clean is programmed from the buffer, which
    /// saves the read, unless a copy-back can move it. If the buffer gives nothing, the page is copied.
    pub fn migrate(
        &mut self,
        buffer: &mut Buffer<M::Data>,
        from: Ppn,
        to: Ppn,
        spare: Spare,
    ) -> Result<(), Fault> {
        match buffer.held(spare.lpn) {
            Held::Not => self.copy(from, to, spare),
            held if !buffer.gives() => {
                self.counts.useless_migrations += u64::from(held == Held::Dirty);
                self.copy(from, to, spare)
            }
            Held::Clean if self.copies_back(from, to) => self.copy(from, to, spare),
            Held::Clean | Held::Dirty => self.program_held(buffer, to, spare),
        }
    }

    /// Drops the version of a page in flash instead of moving it ([`Buffer::skips`]). The caller updates its map.
    pub(crate) fn skip(&mut self, lpn: Lpn) -> Result<(), Fault> {
        self.record_discard(lpn)?;
        self.counts.skipped_migrations += 1;
        Ok(())
    }

    /// Like [`Env::migrate`] for a page that may have no version in flash, or whose version may be dropped. A page without
    /// one is programmed if the buffer gives it and holds it dirty. Returns whether the page now has a version.
    pub fn migrate_newest(
        &mut self,
        buffer: &mut Buffer<M::Data>,
        from: Ppn,
        to: Ppn,
        spare: Spare,
    ) -> Result<bool, Fault> {
        if from.is_some() {
            if buffer.skips(spare.lpn) {
                self.skip(spare.lpn)?;
                return Ok(false);
            }
            self.migrate(buffer, from, to, spare)?;
        } else if buffer.gives() && buffer.held(spare.lpn) == Held::Dirty {
            self.program_held(buffer, to, spare)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Programs a page from the buffer as part of a merge; it becomes clean in the buffer.
    pub fn program_held(
        &mut self,
        buffer: &mut Buffer<M::Data>,
        to: Ppn,
        spare: Spare,
    ) -> Result<(), Fault> {
        let benefit = buffer.decision().benefit.unwrap_or_default();
        if let Some(view) = buffer.view() {
            self.media.program(to, spare, view.page(spare.lpn))?;
            self.counts.merge_programs += 1;
            self.note(Note::MergeProgram { to, lpn: spare.lpn });
            if view.held(spare.lpn) == Held::Dirty {
                view.cleaned(spare.lpn, benefit.page_ns);
                self.counts.cleaned_pages += 1;
            }
        }
        Ok(())
    }

    /// Whether a copy-back can move a page from `from` to `to`.
    #[inline]
    pub fn copies_back(&self, from: Ppn, to: Ppn) -> bool {
        self.copy_back && self.media.geometry().same_plane(from, to)
    }

    #[inline]
    fn count_copies(&mut self, from: Ppn, to: Ppn, count: u32) {
        if self.copies_back(from, to) {
            self.counts.copy_backs += u64::from(count);
        } else {
            self.counts.copies += u64::from(count);
        }
    }

    #[inline]
    fn report_moved(&mut self, first: Lpn, count: u32) {
        if let Some(moved) = &mut self.moved
            && first.0 < self.media.geometry().logical_pages()
        {
            moved.push((first, count));
        }
    }

    /// Reads the page at `at` for the cause that the device announced ([`Env::read_for`]); if `at` is none, leaves
    /// `page` unchanged.
    #[inline(always)]
    pub fn read(&mut self, at: Ppn, page: &mut M::Data) -> Result<Found, FtlError> {
        let found = self.fetch(at, page)?;
        self.count_reads(self.reading, u64::from(found == Found::Flash));
        Ok(found)
    }

    /// Like [`Env::read`], from an SLC cache.
    pub(crate) fn read_slc(&mut self, at: Ppn, page: &mut M::Data) -> Result<Found, FtlError> {
        self.note(Note::Cells(Cells::Slc));
        let found = self.read(at, page)?;
        self.note(Note::Cells(Cells::Native));
        self.counts.slc_reads[self.reading as usize] += 1;
        Ok(found)
    }

    /// The copies that follow fold pages. Returns the copy-backs so far, for [`Env::end_fold_copies`].
    pub(crate) fn begin_fold_copies(&mut self) -> u64 {
        self.note(Note::Cells(Cells::Fold));
        self.counts.copy_backs
    }

    /// So many pages were folded.
    pub(crate) fn end_fold_copies(&mut self, copy_backs: u64, pages: u32) {
        self.note(Note::Cells(Cells::Native));
        self.counts.fold_pages += u64::from(pages);
        self.counts.fold_copy_backs += self.counts.copy_backs - copy_backs;
    }

    /// A block of an SLC cache is folded in place of cleaning.
    pub(crate) fn begin_folding(&mut self, block: Pbn) {
        self.cleaning = block;
    }

    /// Like [`Env::read`], for consecutive pages that pad a victim.
    #[inline(always)]
    pub fn read_each(
        &mut self,
        first: Lpn,
        places: impl Iterator<Item = Ppn>,
        pages: &mut [Lookup<M::Data>],
    ) -> Result<(), FtlError> {
        if M::CLOCKED {
            return self.read_runs(first, places, pages);
        }
        let mut read = 0u32;
        for (page, at) in pages.iter_mut().zip(places) {
            page.found = self.fetch(at, &mut page.page)?;
            read += u32::from(page.is_found());
        }
        self.count_reads(self.reading, read.into());
        Ok(())
    }

    /// Like [`Env::read_each`], with a note for each run of pages.
    #[inline(always)]
    fn read_runs(
        &mut self,
        first: Lpn,
        places: impl Iterator<Item = Ppn>,
        pages: &mut [Lookup<M::Data>],
    ) -> Result<(), FtlError> {
        let (mut begin, mut from, mut count, mut read) = (Ppn::NONE, first, 0, 0);
        for (lpn, (at, page)) in (first.0..).map(Lpn).zip(places.zip(pages)) {
            page.found = Found::Unmapped;
            if !at.is_some() {
                continue;
            }
            self.media.read(at, &mut page.page)?;
            page.found = Found::Flash;
            read += 1;
            if at.0 != begin.0.wrapping_add(count) || lpn.0 != from.0 + count {
                self.note_reads(begin, from, count);
                (begin, from, count) = (at, lpn, 0);
            }
            count += 1;
        }
        self.note_reads(begin, from, count);
        self.count_reads(self.reading, read);
        Ok(())
    }

    fn note_reads(&mut self, at: Ppn, lpn: Lpn, count: u32) {
        if count > 0 {
            self.note(Note::Reads { at, lpn, count });
        }
    }

    /// Programs a page of the FTL's own, such as a page of its map. Reads of its own before it in the same call come
    /// first.
    pub fn program_own(
        &mut self,
        to: Ppn,
        index: u32,
        role: Role,
        page: &M::Data,
    ) -> Result<(), Fault> {
        let lpn = self.geometry().own_page(index);
        self.media.program(to, Spare { lpn, role }, page)?;
        self.counts.own_programs += 1;
        self.note(Note::ProgramOwn { to });
        Ok(())
    }

    /// Counts the program of a page of a map that is not stored, at this position of a block.
    pub(crate) fn count_map_program(&mut self, position: u32) {
        self.counts.own_programs += 1;
        self.note(Note::ProgramMap { position });
    }

    /// Programs a page of a map with these places.
    pub(crate) fn program_map(
        &mut self,
        to: Ppn,
        page: u32,
        role: Role,
        places: impl Iterator<Item = u32>,
    ) -> Result<(), Fault> {
        put_map(&mut self.media, &mut self.own, to, (page, role), places)?;
        self.counts.own_programs += 1;
        self.note(Note::ProgramOwn { to });
        Ok(())
    }

    /// Copies a page of a map through the controller, which knows these places.
    pub(crate) fn copy_map(
        &mut self,
        from: Ppn,
        to: Ppn,
        page: u32,
        places: impl Iterator<Item = u32>,
    ) -> Result<(), Fault> {
        self.media.read(from, &mut self.own)?;
        put_map(
            &mut self.media,
            &mut self.own,
            to,
            (page, Role::DATA),
            places,
        )?;
        self.counts.map.copies += 1;
        self.note(Note::CopyOwn { from, to });
        Ok(())
    }

    /// Reads a page of a map, and makes this note of it.
    pub(crate) fn read_map(&mut self, at: Ppn, note: Note) -> Result<(), Fault> {
        self.media.read(at, &mut self.own)?;
        self.count_reads(ReadCause::Own, 1);
        self.note(note);
        Ok(())
    }

    /// Erases a block of a map, from which pages were copied: the copies must not be lost.
    pub(crate) fn erase_map(&mut self, block: Pbn) -> Result<(), Fault> {
        self.media.barrier()?;
        self.media.erase(block)?;
        self.count_map_erase();
        Ok(())
    }

    /// Counts the erase of a block of a map.
    pub(crate) fn count_map_erase(&mut self) {
        self.counts.map_erases += 1;
        self.note(Note::Erase { block: Pbn::NONE });
    }

    /// Reads a page of the FTL's own.
    pub fn read_own(&mut self, at: Ppn, page: &mut M::Data) -> Result<(), Fault> {
        self.media.read(at, page)?;
        self.count_reads(ReadCause::Own, 1);
        self.note(Note::ReadOwn { at });
        Ok(())
    }

    #[inline(always)]
    fn fetch(&mut self, at: Ppn, page: &mut M::Data) -> Result<Found, FtlError> {
        if !at.is_some() {
            return Ok(Found::Unmapped);
        }
        self.media.read(at, page)?;
        self.note_read(at);
        Ok(Found::Flash)
    }

    /// Makes a note of a read for the device, unless it costs nothing.
    #[inline(always)]
    pub fn note_read(&mut self, at: Ppn) {
        if M::CLOCKED && self.reading != ReadCause::Rest {
            let host = self.reading == ReadCause::Host;
            self.note(Note::Read { at, host });
        }
    }

    /// Counts page reads that reach no media: those of an FTL without flash, and those that are known to succeed and to
    /// change nothing ([`Media::PURE_READS`] and [`Ftl::has_pure_reads`](crate::Ftl::has_pure_reads)).
    #[inline]
    pub fn count_reads(&mut self, cause: ReadCause, count: u64) {
        self.counts.reads[cause as usize] += count;
    }

    /// Erases a block.
    pub fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        self.erase_noted(block, Note::Erase { block })
    }

    /// Erases a block whose pages were moved in this call and in earlier ones.
    pub(crate) fn erase_victim(&mut self, block: Pbn) -> Result<(), Fault> {
        self.erase_noted(block, Note::EraseVictim { block })
    }

    /// Erases a block and programs these pages of it, in order, at its head again; each counts as a copy.
    pub(crate) fn compact(
        &mut self,
        block: Pbn,
        pages: &[(Ppn, Lpn)],
        role: Role,
    ) -> Result<(), FtlError> {
        let blank = M::Data::blank(self.media.geometry().page_size());
        let mut kept = vec![blank; if M::Data::NOTHING { 0 } else { pages.len() }];
        for (page, &(from, _)) in kept.iter_mut().zip(pages) {
            self.media.read(from, page)?;
        }
        let first = self.media.geometry().ppn(block, 0);
        for (&(from, _), to) in pages.iter().zip(first.0..) {
            self.count_copies(from, Ppn(to), 1);
            self.note_copy(from, Ppn(to));
        }
        self.erase_victim(block)?;
        let nothing = M::Data::blank(0);
        for (place, (&(_, lpn), to)) in pages.iter().zip(first.0..).enumerate() {
            let page = kept.get(place).unwrap_or(&nothing);
            self.media.program(Ppn(to), Spare { lpn, role }, page)?;
        }
        Ok(())
    }

    fn erase_noted(&mut self, block: Pbn, note: Note) -> Result<(), Fault> {
        self.media.erase(block)?;
        self.counts.erases += 1;
        self.note(note);
        self.events
            .log_for(|| self.cause_of_erase(block), || Event::Erase { block });
        self.cleaning = Pbn::NONE;
        Ok(())
    }

    /// Why a block is erased, if the reason lies in the FTL.
    fn cause_of_erase(&self, block: Pbn) -> Option<Trigger> {
        if block == self.cleaning {
            Some(Trigger::Cleaning)
        } else {
            self.merging.then_some(Trigger::Merge)
        }
    }

    /// A log block was merged, or a block was cleaned, with this work: counts it by its decision, and reports it as
    /// [`Event::Merged`]. Nothing if no page moved.
    pub(crate) fn merged(&mut self, decision: Decision, work: &Work) {
        let copied = work.copies + work.copy_backs;
        if decision.uses == Use::Blind || copied + work.merge_programs + work.skipped == 0 {
            return;
        }
        let aware = decision.uses == Use::Aware;
        let benefit_ns = decision.benefit.map(|benefit| benefit.predicted_ns);
        if aware {
            self.counts.aware_merges += 1;
            self.counts.predicted_benefit_ns += benefit_ns.unwrap_or(0);
        } else {
            self.counts.unaware_merges += 1;
        }
        self.events.log(|| Event::Merged {
            aware,
            benefit_ns,
            cost_ns: self.costs.with_erases(work),
            copied,
            from_buffer: work.merge_programs,
        });
    }

    /// Counts a block that cleaning chose, with this many valid pages, and reports it as an event.
    pub fn begin_cleaning(&mut self, victim: Pbn, valid: u32) {
        self.counts.gc_victims += 1;
        self.cleaning = victim;
        self.events.log(|| Event::Clean { victim, valid });
    }

    /// Begins a merge of a logical block: counts it and reports it as [`Event::Merge`]. `place` says where the newest
    /// version of a page is; it is asked only if somebody listens.
    pub fn begin_merge_of(
        &mut self,
        kind: MergeKind,
        lbn: Lbn,
        [log, data, to]: [Pbn; 3],
        place: impl Fn(Page) -> Ppn,
    ) -> OpenMerge {
        self.events.log(|| Event::Merge {
            kind,
            lbn,
            log,
            data: Some(data).filter(|data| data.is_some()),
            to,
            valid: valid(self.geometry(), lbn, [log, data], place),
        });
        self.begin_merge(kind)
    }

    /// Counts a merge by its kind. The operations that follow are its work, until [`Env::end_merge`].
    pub fn begin_merge(&mut self, kind: MergeKind) -> OpenMerge {
        match kind {
            MergeKind::Switch => self.counts.switch_merges += 1,
            MergeKind::Partial => self.counts.partial_merges += 1,
            MergeKind::Full => self.counts.full_merges += 1,
        }
        OpenMerge {
            is_reported: true,
            ..self.begin_share(kind)
        }
    }

    /// Begins a part of a merge that is counted elsewhere. The operations that follow are its work.
    pub fn begin_share(&mut self, kind: MergeKind) -> OpenMerge {
        self.merging = true;
        OpenMerge {
            kind,
            before: self.counts.work(),
            is_reported: false,
        }
    }

    /// Ends a merge or a part of one, and returns its work.
    pub fn end_merge(&mut self, merge: OpenMerge) -> Work {
        let work = self.counts.work().since(&merge.before);
        self.counts.merge_work[merge.kind as usize].add(&work);
        self.merging = false;
        if merge.is_reported {
            self.events.log(|| Event::MergeEnd {
                kind: merge.kind,
                copied: work.copies + work.copy_backs,
                from_buffer: work.merge_programs,
                dropped: work.skipped,
                erased: work.erases,
            });
        }
        work
    }
}

/// A page for a map.
pub(crate) fn blank_own<M: Media>(media: &M) -> M::Data {
    let geometry = media.geometry();
    M::Data::blank(match geometry.own_blocks() {
        0 => 0,
        _ => geometry.page_size(),
    })
}

/// Programs a page of a map with these places. The pages there must not be lost while it is not.
pub(crate) fn put_map<M: Media>(
    media: &mut M,
    own: &mut M::Data,
    to: Ppn,
    (page, role): (u32, Role),
    places: impl Iterator<Item = u32>,
) -> Result<(), Fault> {
    own.set_numbers(places);
    media.barrier()?;
    let lpn = media.geometry().own_page(page);
    media.program(to, Spare { lpn, role }, own)
}

/// Where the valid pages of a logical block lie, given the place of each.
fn valid(
    geometry: &Geometry,
    lbn: Lbn,
    [log, data]: [Pbn; 2],
    place: impl Fn(Page) -> Ppn,
) -> Valid {
    let mut valid = Valid::default();
    let pages = (0..geometry.pages_per_block()).map(|offset| geometry.page_at(lbn, offset));
    for at in pages.map(place).filter(|at| at.is_some()) {
        let block = geometry.block_of(at);
        let count = if block == log {
            &mut valid.log
        } else if block == data {
            &mut valid.data
        } else {
            &mut valid.elsewhere
        };
        *count += 1;
    }
    valid
}
