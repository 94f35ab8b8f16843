//! What the FTLs do, in the order of their notes.

use ssdlab_flash::{Lpn, Note, Pbn, Ppn};

use super::{Data, Drive, Memory, is_open};
use crate::pages::Page;
use crate::recorder::Activity;
use crate::schedule::Schedule;

impl Schedule {
    /// Like [`Schedule::follow`] for a drive of today.
    #[inline(never)]
    pub(crate) fn follow_drive(&mut self, ftl: u32, notes: &[Note]) -> u64 {
        self.with_drive(|schedule, drive| {
            let mut read = 0;
            // what follows reads of the FTL's own in the same call, and depends on them
            let mut since = schedule.ready;
            let mut rest = notes;
            while let [note, others @ ..] = rest {
                rest = match note {
                    Note::Copy { .. } => schedule.copy_pages(drive, ftl, rest),
                    note => {
                        schedule.follow_note(drive, ftl, *note, (&mut read, &mut since));
                        others
                    }
                };
            }
            read
        })
        .unwrap_or(0)
    }

    /// Lends the drive to a function.
    fn with_drive<T>(&mut self, act: impl FnOnce(&mut Self, &mut Drive) -> T) -> Option<T> {
        let mut drive = self.drive.take()?;
        let done = act(self, &mut drive);
        self.drive = Some(drive);
        Some(done)
    }

    fn follow_note(
        &mut self,
        drive: &mut Drive,
        ftl: u32,
        note: Note,
        (read, since): (&mut u64, &mut u64),
    ) {
        let ready = self.ready;
        let recorder = &mut self.chips.recorder;
        match note {
            Note::Call => *since = ready,
            Note::Read { at, host } => *read = drive.host_read(ftl, at, ready, host, recorder),
            Note::Reads { at, count, .. } => {
                for page in 0..count {
                    *read = drive.other_read(ftl, at.plus(page), ready, recorder);
                }
            }
            Note::ReadOwn { at } => {
                *since = drive.other_read(ftl, at, *since, recorder);
                *read = *since;
            }
            Note::ProgramOwn { to } => _ = self.join(drive, ftl, to, *since, Data::Free),
            Note::ProgramMap { position } => {
                let times = (ready, *since);
                drive.program_unit(Activity::Program, ftl, position, 1, times, recorder);
            }
            Note::Programs { to, lpn, count } => {
                for page in 0..count {
                    let lpn = self.page_of(ftl, lpn.plus(page));
                    self.join_from_outside(drive, ftl, to.plus(page), lpn);
                }
            }
            Note::MergeProgram { to, lpn } => {
                let lpn = self.page_of(ftl, lpn);
                self.join_buffered(drive, ftl, to, lpn);
            }
            Note::Group { valid } => drive.valid = valid,
            Note::Copy { .. } => _ = self.copy_pages(drive, ftl, &[note]),
            Note::CopyBack { to, .. } => drive.copy_back(ftl, to, ready),
            Note::Erase { block } | Note::EraseVictim { block } => {
                let block = (block != Pbn::NONE).then_some(block.0);
                drive.erase(ftl, block, ready);
            }
            // drives of today have no SLC cache
            Note::Cells(_) => {}
            // a map in flash has no times here, so it is refused
            Note::CopyOwn { .. }
            | Note::LookUp
            | Note::LoadMap { .. }
            | Note::FetchMap { .. }
            | Note::LookedUp { .. } => {}
            Note::RamHit(lpn) => {
                self.arriving = Lpn::NONE;
                self.hit(self.page_of(ftl, lpn));
            }
            Note::RamEntry(lpn) => self.enter_ram(ftl, lpn),
            Note::RamExit(lpn) => self.leave_ram(ftl, lpn),
        }
    }

    /// Copies the pages with which the notes begin. Returns the notes behind them.
    fn copy_pages<'a>(&mut self, drive: &mut Drive, ftl: u32, notes: &'a [Note]) -> &'a [Note] {
        let mut rest = notes;
        while let [note, others @ ..] = rest {
            match *note {
                Note::Copy { from, to } => {
                    let known = drive.copy_sensed(ftl, rest, self.ready, &mut self.slots);
                    if known > 0 {
                        rest = &rest[known..];
                        continue;
                    }
                    let free = if drive.has_slots {
                        self.free_slot(drive)
                    } else {
                        0
                    };
                    let recorder = &mut self.chips.recorder;
                    let there = drive.copy_read(ftl, from, (self.ready, free), recorder);
                    self.join(drive, ftl, to, there, Data::Copied);
                }
                Note::Group { valid } => drive.valid = valid,
                _ => break,
            }
            rest = others;
        }
        rest
    }

    /// A page that the FTL programs joins its unit.
    /// Returns the end of its program, or 0 while its unit is open.
    fn join(&mut self, drive: &mut Drive, ftl: u32, to: Ppn, page_ready: u64, data: Data) -> u64 {
        let mut memory = Memory {
            slots: &mut self.slots,
            pages: &mut self.pages,
            recorder: &mut self.chips.recorder,
        };
        drive.program(ftl, to, page_ready, data, self.ready, &mut memory)
    }

    /// A page of the host, of a buffer, or that was read to pad a victim.
    fn join_from_outside(&mut self, drive: &mut Drive, ftl: u32, to: Ppn, lpn: Lpn) {
        if let Some(padding) = self.padding.front_mut()
            && padding.first == lpn
        {
            let end = padding.end;
            self.padding.pop_front();
            self.join(drive, ftl, to, end, Data::Free);
        } else if self.arriving == lpn {
            self.arriving = Lpn::NONE;
            let there = self.receive(self.ready).max(self.renewed);
            let end = self.join(drive, ftl, to, there, Data::Free);
            self.complete_page(end);
        } else {
            self.join_buffered(drive, ftl, to, lpn);
            if self.leaving {
                self.leave_programmed(drive, lpn);
            }
        }
    }

    fn join_buffered(&mut self, drive: &mut Drive, ftl: u32, to: Ppn, lpn: Lpn) {
        let times = self.pages.take(lpn, self.now);
        self.join(drive, ftl, to, times.there, Data::Buffered(lpn, times));
    }

    /// A page of a victim was programmed: what cleaning copies behind it may take its slot.
    fn leave_programmed(&mut self, drive: &mut Drive, lpn: Lpn) {
        let Page { there, kept } = self.pages.take(lpn, self.now);
        self.give_slot(drive, kept);
        let kept = there;
        self.pages.programmed(lpn, Page { there, kept }, self.now);
    }

    /// Like [`Schedule::padded`]. `pages` are those that an FTL found, in the order of the reads.
    pub(crate) fn padded_drive(
        &mut self,
        ftl: u32,
        notes: &[Note],
        mut pages: impl Iterator<Item = Lpn>,
    ) {
        self.with_drive(|schedule, drive| {
            let (mut read, mut since) = (0, schedule.ready);
            for note in notes {
                match *note {
                    Note::Reads { at, lpn, count } => {
                        for page in 0..count {
                            let recorder = &mut schedule.chips.recorder;
                            let end = drive.other_read(ftl, at.plus(page), since, recorder);
                            schedule.padded_page(schedule.page_of(ftl, lpn.plus(page)), end);
                        }
                    }
                    Note::Read { at, .. } => {
                        let recorder = &mut schedule.chips.recorder;
                        let end = drive.other_read(ftl, at, since, recorder);
                        if let Some(lpn) = pages.next() {
                            schedule.padded_page(lpn, end);
                        }
                    }
                    // what an FTL with tables in flash does to find the next page
                    note => schedule.follow_note(drive, ftl, note, (&mut read, &mut since)),
                }
            }
        });
    }

    /// The slot that becomes free first. While open units keep all of them, the one that was begun first is programmed.
    #[inline]
    fn free_slot(&mut self, drive: &mut Drive) -> u64 {
        match self.slots.take() {
            Some(free) => free,
            None => self.close_for_slot(drive),
        }
    }

    #[cold]
    #[inline(never)]
    fn close_for_slot(&mut self, drive: &mut Drive) -> u64 {
        loop {
            if let Some(free) = self.slots.take() {
                return free;
            }
            let mut memory = Memory {
                slots: &mut self.slots,
                pages: &mut self.pages,
                recorder: &mut self.chips.recorder,
            };
            let is_closed = drive.close_first(self.ready, &mut memory, |_| true);
            assert!(is_closed, "a page has left for each that enters");
        }
    }

    /// The same for a page or header.
    #[cold]
    #[inline(never)]
    pub(crate) fn make_slot(&mut self) -> u64 {
        let slot = self.with_drive(Self::free_slot);
        slot.expect("a page has left for each that enters")
    }

    /// A flush, or the end of the trace (`all`), programs the open units.
    pub(crate) fn close_units(&mut self, all: bool) {
        self.with_drive(|schedule, drive| {
            let mut memory = Memory {
                slots: &mut schedule.slots,
                pages: &mut schedule.pages,
                recorder: &mut schedule.chips.recorder,
            };
            drive.close_all(all, schedule.ready, &mut memory);
            schedule.done = schedule.done.max(drive.last_program());
        });
    }

    /// A page leaves the write buffer: its slot becomes free, or does so when the open units that took its data are
    /// programmed. A page of a victim gave it back when it was programmed.
    #[inline(never)]
    pub(crate) fn leave_drive(&mut self, kept: u64) {
        if !self.leaving {
            self.with_drive(|schedule, drive| schedule.give_slot(drive, kept));
        }
    }

    fn give_slot(&mut self, drive: &mut Drive, kept: u64) {
        match is_open(kept) {
            true => drive.leave(kept),
            false => self.slots.give(kept, self.ready),
        }
    }
}
