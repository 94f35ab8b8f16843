//! The parts below the write buffer: the read buffer, the chips with their FTLs, and the counts of all.

use std::ops::Range;

use ssdlab_flash::{Fault, Geometry, Lbn, Lpn, Media, Note, Page, Payload};
use ssdlab_ftl::{
    Aware, Buffer, BufferView, Env, Event, Events, FlashCounts, Found, Ftl, FtlError, Held,
    HeldPages, Lookup, Needs, RamImage, ReadCause, RegionCounts,
};
use ssdlab_timing::{Completion, Deviation, Schedule};

use crate::buffer::ReadStage;
use crate::span::Span;
use crate::{Counters, HostData, Stripes};

/// One chip with its own FTL, or all chips under one FTL.
pub(crate) struct Chip<M: Media> {
    pub ftl: Box<dyn Ftl<M>>,
    pub env: Env<M>,
}

impl<M: Media> Chip<M> {
    pub fn new(media: M, ftl: Box<dyn Ftl<M>>, copy_back: bool) -> Self {
        Self {
            env: Env::new(media, copy_back),
            ftl,
        }
    }

    #[inline]
    fn read(&mut self, cause: ReadCause, lpn: Lpn, page: &mut M::Data) -> Result<Found, FtlError> {
        self.env.read_for(cause);
        self.ftl.read(&mut self.env, lpn, page)
    }

    /// Drops the notes of what its FTL did.
    pub fn forget_notes(&mut self) {
        self.notes().into_iter().for_each(Vec::clear);
    }

    /// What its FTL did, if the media keep notes.
    fn notes(&mut self) -> Option<&mut Vec<Note>> {
        self.env.media_mut().notes()
    }
}

/// All chips in order. Most devices have one, which has a field of its own.
pub(crate) struct Chips<M: Media> {
    first: Chip<M>,
    /// The other chips of a device with `interleave = "page"` or `"block"`.
    others: Vec<Chip<M>>,
    stripes: Stripes,
}

impl<M: Media> Chips<M> {
    /// Needs as many chips as the stripes have.
    pub fn new(chips: impl IntoIterator<Item = Chip<M>>, stripes: Stripes) -> Self {
        let mut chips = chips.into_iter();
        Self {
            first: chips.next().expect("a device has a chip"),
            others: chips.collect(),
            stripes,
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Chip<M>> {
        std::iter::once(&self.first).chain(&self.others)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Chip<M>> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    pub fn into_iter(self) -> impl Iterator<Item = Chip<M>> {
        std::iter::once(self.first).chain(self.others)
    }

    pub fn stripes(&self) -> Stripes {
        self.stripes
    }

    fn count(&self) -> u32 {
        self.others.len() as u32 + 1
    }

    fn get_mut(&mut self, number: u32) -> &mut Chip<M> {
        match number {
            0 => &mut self.first,
            number => &mut self.others[number as usize - 1],
        }
    }

    /// The chip, if there is only one.
    pub fn only_mut(&mut self) -> Option<&mut Chip<M>> {
        self.others.is_empty().then_some(&mut self.first)
    }

    /// Like `only_mut`.
    pub fn only(&self) -> Option<&Chip<M>> {
        self.others.is_empty().then_some(&self.first)
    }

    /// The chip of a page, and the number of the page on it.
    #[inline]
    fn of(&self, lpn: Lpn) -> (&Chip<M>, Lpn) {
        match self.local(lpn) {
            (0, lpn) => (&self.first, lpn),
            (chip, lpn) => (&self.others[chip - 1], lpn),
        }
    }

    /// Like `of`.
    #[inline]
    pub fn of_mut(&mut self, lpn: Lpn) -> (&mut Chip<M>, Lpn) {
        match self.local(lpn) {
            (0, lpn) => (&mut self.first, lpn),
            (chip, lpn) => (&mut self.others[chip - 1], lpn),
        }
    }

    #[inline]
    fn local(&self, lpn: Lpn) -> (usize, Lpn) {
        if self.others.is_empty() {
            return (0, lpn);
        }
        let (chip, lpn) = self.stripes.on_chip(lpn);
        (chip as usize, lpn)
    }
}

/// Where consecutive pages of a block are handled in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// Nowhere: pages have data, there are several chips, merges use the buffer, writes enter the read buffer, each page has
    /// a stream of its own, or the user wants no runs.
    Nowhere,
    /// Only where they enter the write buffer, of which clocks learn page by page.
    Entering,
    /// Down to the flash.
    Everywhere,
}

/// The part of the device beside the write buffer. A buffer may call all of it; it never calls a buffer.
pub(crate) struct Core<M: Media> {
    pub chips: Chips<M>,
    /// The geometry that the host sees.
    geometry: Geometry,
    read_buffer: Option<Box<dyn ReadStage<M::Data>>>,
    /// Whether pages that go to the FTL enter the read buffer.
    pub caches_writes: bool,
    pub events: Events,
    pub runs: Runs,
    /// Whether the reads that pad a victim may be counted at once: nobody below would notice them.
    pub counts_padding: bool,
    /// How merges use the write buffer.
    aware: Aware,
    /// Whether merges use the write buffer, or its pages have streams of their own.
    sees_buffer: bool,
    /// Whether FTLs get more with a page than the page: the buffer, its stream, or the end of its request.
    needs_more: bool,
    /// Whether the FTLs have a RAM region.
    pub has_ram_region: bool,
    /// The stream of the current request.
    pub stream: u16,
    /// Whether the FTLs must know the ends of requests and victims.
    tells_ends: bool,
    /// The last page of the request, or of the victim of the buffer, whose pages are next.
    end: Lpn,
    /// For each LPN, the stream of the request that last wrote it; empty unless the FTL wants it behind a write buffer.
    streams: Vec<u16>,
    /// Counts from above the FTL. `Device::counters` adds the rest.
    pub counters: Counters,
    /// Clean pages and blank ones that were written because their block was padded.
    pub padded_unread_pages: u64,
    /// A change failed in the middle.
    pub torn: bool,
    scratch: M::Data,
    pub blank: M::Data,
    /// The clocks, under the parallel model.
    schedule: Option<Box<Schedule>>,
    /// The clocks while they stand still.
    stopped: Option<Box<Schedule>>,
    /// Under the serial model, with times that differ from block to block.
    deviation: Option<Box<Deviation>>,
}

impl<M: Media> Core<M> {
    /// `buffered`: there is a write buffer.
    pub fn new(
        geometry: Geometry,
        chips: Chips<M>,
        read_buffer: Option<Box<dyn ReadStage<M::Data>>>,
        takes_writes: bool,
        needs: &Needs,
        buffered: bool,
        (schedule, deviation): (Option<Box<Schedule>>, Option<Box<Deviation>>),
    ) -> Self {
        let (aware, keeps_streams) = (needs.aware, buffered && needs.streams);
        let caches_writes = takes_writes && read_buffer.is_some();
        let tells_ends = needs.map.is_some();
        Self {
            tells_ends,
            end: Lpn(0),
            schedule,
            deviation,
            stopped: None,
            caches_writes,
            scratch: M::Data::blank(geometry.page_size()),
            blank: M::Data::blank(geometry.page_size()),
            stream: 0,
            streams: if keeps_streams {
                vec![0; geometry.logical_pages() as usize]
            } else {
                Vec::new()
            },
            geometry,
            read_buffer,
            events: Events::default(),
            runs: if keeps_streams {
                Runs::Nowhere
            } else if M::CLOCKED && M::Data::NOTHING {
                Runs::Entering
            } else if chips.first.env.has_runs()
                && chips.others.is_empty()
                && !aware.is_on()
                && !caches_writes
                && !tells_ends
            {
                Runs::Everywhere
            } else {
                Runs::Nowhere
            },
            counts_padding: M::PURE_READS && chips.first.ftl.has_pure_reads(),
            aware,
            sees_buffer: aware.is_on() || keeps_streams,
            needs_more: aware.is_on() || keeps_streams || tells_ends,
            has_ram_region: needs.ram_pages > 0,
            counters: Counters::default(),
            padded_unread_pages: 0,
            torn: false,
            chips,
        }
    }

    /// The next pages belong to a request, or to a victim of the buffer, of which this is the last page. Returns the end
    /// before.
    #[inline]
    pub fn end_at(&mut self, end: Lpn) -> Lpn {
        std::mem::replace(&mut self.end, end)
    }

    /// Whether the ends of victims matter.
    #[inline]
    pub fn tells_ends(&self) -> bool {
        self.tells_ends
    }

    /// Tells the FTL of a page the last page up to the end that is on its chip.
    #[inline(always)]
    pub fn tell_end(&mut self, lpn: Lpn) {
        if self.tells_ends {
            self.tell_end_of(lpn);
        }
    }

    #[inline(never)]
    fn tell_end_of(&mut self, lpn: Lpn) {
        let stripes = self.chips.stripes;
        let (number, _) = stripes.on_chip(lpn);
        let (chip, local) = stripes.on_chip(self.end);
        let end = if chip == number {
            local
        } else {
            // the last page of the stripe before on that chip
            let stripe = self.end.0 / stripes.pages;
            let back = (chip + stripes.chips - number) % stripes.chips;
            let last = (stripe.saturating_sub(back) + 1) * stripes.pages - 1;
            stripes.on_chip(Lpn(last)).1
        };
        self.chips.of_mut(lpn).0.env.end_at(end);
    }

    /// Notes that a change failed in the middle.
    #[cold]
    pub fn tears<E>(&mut self, error: E) -> E {
        self.torn = true;
        error
    }

    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Whether merges see the write buffer.
    #[inline]
    pub fn is_buffer_aware(&self) -> bool {
        self.aware.is_on()
    }

    /// Whether runs of pages are handled in one step down to the flash.
    #[inline(always)]
    pub fn has_runs(&self) -> bool {
        self.runs == Runs::Everywhere
    }

    /// The clocks of a device on clocked media. On other media there are none, and the compiler knows it.
    #[inline(always)]
    pub fn clocks(&mut self) -> Option<&mut Schedule> {
        if M::CLOCKED {
            self.schedule.as_deref_mut()
        } else {
            None
        }
    }

    /// The clocks stand still: no time passes until [`Core::start_clocks`].
    pub fn stop_clocks(&mut self) {
        self.stopped = self.schedule.take();
    }

    /// The clocks go on. The write buffer holds so many pages, of which they do not know.
    pub fn start_clocks(&mut self, held: u32) {
        if let Some(mut schedule) = self.stopped.take() {
            schedule.hold(held);
            self.schedule = Some(schedule);
        }
    }

    /// The times of the last request, if there are clocks.
    pub fn last_completion(&self) -> Option<Completion> {
        self.schedule
            .as_ref()
            .and_then(|schedule| schedule.last_completion())
    }

    /// Tells the clocks, if there are any. On media that are not clocked, the compiler leaves the whole call out.
    #[inline(always)]
    pub fn tell_clocks(&mut self, tell: impl FnOnce(&mut Schedule)) {
        if let Some(clocks) = self.clocks() {
            tell(clocks);
        }
    }

    /// The time at which everything is done, if there are clocks; 0 while they stand still.
    pub fn elapsed_ns(&self) -> Option<u64> {
        if self.stopped.is_some() {
            return Some(0);
        }
        self.schedule.as_ref().map(|schedule| schedule.elapsed_ns())
    }

    /// By how much the time of the serial model differs from the sum of the costs, in nanoseconds.
    pub fn deviation_ns(&self) -> i64 {
        self.deviation
            .as_ref()
            .map_or(0, |deviation| deviation.ns())
    }

    /// Schedules what the FTL of this page did in one call. Returns the end of its last read, or 0.
    #[inline(always)]
    fn follow(&mut self, lpn: Lpn) -> u64 {
        if M::CLOCKED {
            self.follow_chip(self.chips.local(lpn).0 as u32)
        } else {
            0
        }
    }

    #[inline(never)]
    fn follow_chip(&mut self, number: u32) -> u64 {
        let Some(notes) = self.chips.get_mut(number).notes() else {
            return 0;
        };
        let read = match &mut self.schedule {
            Some(schedule) => schedule.follow(number, notes),
            None => {
                // there is one only where there are no clocks
                if let Some(deviation) = &mut self.deviation {
                    deviation.follow(number, notes);
                }
                0
            }
        };
        notes.clear();
        read
    }

    /// Hands over what merges moved since the last call: pages of a logical block, and their number. Nothing unless the
    /// policy of the write buffer learns.
    #[inline]
    pub fn each_moved(&mut self, mut each: impl FnMut(Lbn, u32)) {
        let stripes = self.chips.stripes;
        for (number, chip) in (0..).zip(self.chips.iter_mut()) {
            for (first, count) in chip.env.take_moved() {
                if stripes.chips == 1 {
                    let blocks = self.geometry.by_block(first, count);
                    blocks.for_each(|(first, count)| each(first.lbn, count));
                    continue;
                }
                for local in first.0..first.0 + count {
                    let lpn = stripes.of_host(number, Lpn(local));
                    each(self.geometry.page(lpn).lbn, 1);
                }
            }
        }
    }

    /// The host writes a page that enters the write buffer, or is in it.
    #[inline(always)]
    pub fn keep_stream(&mut self, lpn: Lpn) {
        if let Some(stream) = self.streams.get_mut(lpn.index()) {
            *stream = self.stream;
        }
    }

    /// The counts of each region of the placement, of all chips together.
    pub fn regions(&self) -> Vec<RegionCounts> {
        let mut chips = self.chips.iter().map(|chip| chip.ftl.regions());
        let mut sum = chips.next().unwrap_or_default();
        for chip in chips {
            for (sum, own) in sum.iter_mut().zip(&chip) {
                sum.add(own);
            }
        }
        sum
    }

    /// Writes a page to flash. Merges may use `buffer`, which does not hold the page.
    #[inline]
    pub fn write(
        &mut self,
        buffer: &mut impl BufferView<M::Data>,
        lpn: Lpn,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        if self.needs_more {
            self.write_buffered(buffer, lpn, data)
        } else {
            self.write_untold(lpn, data)
        }
    }

    /// Like [`Core::write`], but the FTL knows nothing of the buffer.
    #[inline]
    pub fn write_alone(&mut self, lpn: Lpn, data: &M::Data) -> Result<(), FtlError> {
        self.tell_end(lpn);
        self.write_untold(lpn, data)
    }

    #[inline]
    fn write_untold(&mut self, lpn: Lpn, data: &M::Data) -> Result<(), FtlError> {
        let (Chip { ftl, env }, local) = self.chips.of_mut(lpn);
        let done = ftl.write(env, &mut Buffer::none(), local, data);
        self.follow(lpn);
        done
    }

    /// A page of the host that went to the FTL, from the write buffer (`buffered`) or past it, enters the read buffer if
    /// that takes such pages, unless it is there already or in a region in RAM.
    #[inline]
    pub fn cache_written(&mut self, lpn: Lpn, data: &M::Data, buffered: bool) {
        if self.caches_writes {
            self.enter_written(lpn, data, buffered);
        }
    }

    #[inline(never)]
    fn enter_written(&mut self, lpn: Lpn, data: &M::Data, buffered: bool) {
        let (chip, local) = self.chips.of(lpn);
        let is_in_ram = chip.ftl.is_in_ram(local);
        let is_held = self.read_buffer.as_ref().is_some_and(|b| b.holds(lpn));
        if !is_in_ram && !is_held {
            self.tell_clocks(|clocks| clocks.cache_written(lpn, buffered));
            let evicted = self
                .read_buffer
                .as_mut()
                .and_then(|b| b.enter(lpn, Some(data)));
            Self::note_left(&mut self.counters, &self.events, evicted);
        }
    }

    /// Counts the page that left the read buffer, if one did.
    fn note_left(counters: &mut Counters, events: &Events, evicted: Option<Lpn>) {
        if let Some(victim) = evicted {
            counters.evictions += 1;
            counters.evicted_clean_pages += 1;
            events.log(|| Event::Evict {
                dirty: Vec::new(),
                clean: vec![victim],
                padding: Vec::new(),
            });
        }
    }

    #[inline(never)]
    fn write_buffered(
        &mut self,
        buffer: &mut impl BufferView<M::Data>,
        lpn: Lpn,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        if let Some(&stream) = self.streams.get(lpn.index()) {
            self.chips.of_mut(lpn).0.env.set_stream(stream);
        }
        if !self.is_buffer_aware() {
            return self.write_alone(lpn, data);
        }
        self.tell_end(lpn);
        let mut of_chip = OfChip {
            number: self.chips.local(lpn).0 as u32,
            stripes: self.chips.stripes,
            buffer,
        };
        let (chip, local) = self.chips.of_mut(lpn);
        let mut buffer = match of_chip.stripes.chips {
            1 => Buffer::lent(of_chip.buffer, &self.aware),
            _ => Buffer::lent(&mut of_chip, &self.aware),
        };
        let done = chip.ftl.write(&mut chip.env, &mut buffer, local, data);
        self.follow(lpn);
        done
    }

    /// The FTLs clean in a gap between requests, and then fold in one, one after the other, until it ends or none has anything
    /// to do. Cleaning may use `buffer`.
    pub fn clean_in_gap(
        &mut self,
        mut buffer: Option<&mut dyn BufferView<M::Data>>,
        [gap, fold]: [Range<u64>; 2],
    ) -> Result<(), FtlError> {
        let stripes = self.chips.stripes;
        for number in 0..stripes.chips {
            let mut of_chip = buffer.as_deref_mut().map(|buffer| OfChip {
                buffer,
                number,
                stripes,
            });
            let mut at = gap.start;
            while at < gap.end {
                let mut buffer = match &mut of_chip {
                    Some(of_chip) => Buffer::lent(of_chip, &self.aware),
                    None => Buffer::none(),
                };
                let chip = self.chips.get_mut(number);
                if !chip.ftl.clean_in_gap(&mut chip.env, &mut buffer)? {
                    break;
                }
                let (Some(schedule), Some(notes)) = (&mut self.schedule, chip.notes()) else {
                    break;
                };
                at = schedule.follow_step(number, notes, at);
                notes.clear();
            }
            let free = self
                .schedule
                .as_ref()
                .map_or(0, |schedule| schedule.free(number));
            let mut at = fold.start.max(free);
            while at < fold.end {
                let chip = self.chips.get_mut(number);
                if !chip.ftl.fold_in_gap(&mut chip.env)? {
                    break;
                }
                let (Some(schedule), Some(notes)) = (&mut self.schedule, chip.notes()) else {
                    break;
                };
                at = schedule.follow_step(number, notes, at);
                notes.clear();
            }
        }
        Ok(())
    }

    /// Writes consecutive pages of one logical block without payload. Called only with [`Runs::Everywhere`].
    #[inline]
    pub fn write_run(&mut self, first: Page, count: u32, data: &M::Data) -> Result<(), FtlError> {
        let Chip { ftl, env } = &mut self.chips.first;
        ftl.write_run(env, first, count, data)
    }

    /// Announces writes, see [`Ftl::foresee`].
    pub fn foresee(&self, pages: &[Lpn]) {
        if let Some(chip) = self.chips.only() {
            chip.ftl.foresee(pages);
        }
    }

    /// The number of mapped pages among `count` consecutive ones. Called only with [`Runs::Everywhere`].
    #[inline]
    pub fn count_mapped(&self, first: Lpn, count: u32) -> u32 {
        self.chips.first.ftl.count_mapped(first, count)
    }

    /// Whether the page has a version.
    pub fn is_mapped(&self, lpn: Lpn) -> bool {
        let (chip, lpn) = self.chips.of(lpn);
        chip.ftl.is_mapped(lpn)
    }

    /// A host read that the write buffer cannot serve. The page comes from the read buffer, the RAM region or flash; no
    /// two of these hold the same page. `None` means that the page is unmapped.
    pub fn read(&mut self, lpn: Lpn) -> Result<Option<&M::Data>, FtlError> {
        if let Some(buffer) = &mut self.read_buffer
            && buffer.hit(lpn)
        {
            self.counters.buffer_read_hits += 1;
            self.tell_clocks(|clocks| clocks.read_cached(lpn));
            return Ok(self.read_buffer.as_ref().and_then(|b| b.data(lpn)));
        }
        self.tell_end(lpn);
        let (chip, local) = self.chips.of_mut(lpn);
        chip.env.media_mut().reads_for_host(true);
        let found = chip.read(ReadCause::Host, local, &mut self.scratch);
        chip.env.media_mut().reads_for_host(false);
        let found = found?;
        let end = self.follow(lpn);
        let enters_cache = self.read_buffer.is_some();
        self.tell_clocks(|clocks| match found {
            Found::Ram => clocks.read_held(lpn),
            Found::Flash | Found::Unmapped => {
                clocks.read_missed(end);
                if enters_cache {
                    clocks.enter_cache(lpn);
                }
            }
        });
        let data = match found {
            Found::Flash => Some(&self.scratch),
            Found::Unmapped => {
                self.counters.unmapped_reads += 1;
                None
            }
            Found::Ram => {
                self.counters.buffer_read_hits += 1;
                return Ok(Some(&self.scratch));
            }
        };
        let misses = self.has_ram_region || self.read_buffer.is_some();
        self.counters.buffer_read_misses += u64::from(misses);
        let evicted = self.read_buffer.as_mut().and_then(|b| b.enter(lpn, data));
        Self::note_left(&mut self.counters, &self.events, evicted);
        Ok(data)
    }

    /// Whether there is a read buffer. It serves all reads that miss the write buffer.
    pub fn has_read_buffer(&self) -> bool {
        self.read_buffer.is_some()
    }

    /// The host writes pages: none of them stays in the read buffer.
    pub fn pass_written(&mut self, pages: impl Iterator<Item = Lpn>) {
        if let Some(buffer) = &mut self.read_buffer {
            pages.for_each(|lpn| buffer.written(lpn));
        }
    }

    /// The host discards pages: none of them stays in the read buffer.
    pub fn pass_discarded(&mut self, pages: impl Iterator<Item = Lpn>) {
        if let Some(buffer) = &mut self.read_buffer {
            pages.for_each(|lpn| buffer.discarded(lpn));
        }
    }

    /// Reads consecutive pages of one logical block to pad a victim.
    pub fn read_padding(
        &mut self,
        first: Page,
        pages: &mut [Lookup<M::Data>],
    ) -> Result<(), FtlError> {
        self.tell_end(first.lpn);
        if let Some(Chip { ftl, env }) = self.chips.only_mut() {
            env.read_for(ReadCause::Padding);
            ftl.read_each(env, first, pages)?;
            if M::CLOCKED {
                self.follow_padding(0, first.lpn, pages);
            }
            return Ok(());
        }
        for (lpn, page) in (first.lpn.0..).map(Lpn).zip(pages) {
            self.tell_end(lpn);
            let (chip, local) = self.chips.of_mut(lpn);
            page.found = chip.read(ReadCause::Padding, local, &mut page.page)?;
            if M::CLOCKED {
                let number = self.chips.local(lpn).0 as u32;
                self.follow_padding(number, lpn, std::slice::from_ref(page));
            }
        }
        Ok(())
    }

    /// Schedules the reads of these consecutive pages, which one FTL has noted.
    fn follow_padding(&mut self, number: u32, first: Lpn, pages: &[Lookup<M::Data>]) {
        let Some(notes) = self.chips.get_mut(number).notes() else {
            return;
        };
        if let Some(schedule) = &mut self.schedule {
            let found = (first.0..).zip(pages).filter(|(_, page)| page.is_found());
            schedule.padded(number, notes, found.map(|(lpn, _)| Lpn(lpn)));
        }
        if let Some(deviation) = &mut self.deviation {
            deviation.follow(number, notes);
        }
        notes.clear();
    }

    /// Fills those of consecutive pages that an FTL has not found with zeros, as if they had been in flash.
    pub fn fill_blanks(&mut self, first: Lpn, pages: &mut [Lookup<M::Data>]) {
        for (lpn, page) in (first.0..).map(Lpn).zip(pages) {
            if !page.is_found() {
                page.found = Found::Flash;
                page.page.copy_from(&self.blank);
                self.padded_unread_pages += 1;
                self.tell_clocks(|clocks| clocks.pad_blank(lpn));
            }
        }
    }

    /// Counts padding reads of mapped pages. Called only with [`Runs::Everywhere`], and if nobody below would notice them.
    #[inline]
    pub fn count_padding(&mut self, pages: u64) {
        debug_assert!(self.counts_padding);
        let env = &mut self.chips.first.env;
        env.count_reads(ReadCause::Padding, pages);
    }

    /// Writes the found pages among consecutive pages of one logical block. Merges may use `buffer`, which does not
    /// hold these pages.
    pub fn write_found(
        &mut self,
        buffer: &mut impl BufferView<M::Data>,
        first: Page,
        pages: &[Lookup<M::Data>],
    ) -> Result<(), FtlError> {
        self.tell_end(first.lpn);
        if !self.sees_buffer
            && !self.caches_writes
            && let Some(Chip { ftl, env }) = self.chips.only_mut()
        {
            let done = ftl.write_each(env, first, pages);
            self.follow(first.lpn);
            return done;
        }
        let found = |(_, page): &(Lpn, &Lookup<_>)| page.is_found();
        let mut pages = (first.lpn.0..).map(Lpn).zip(pages).filter(found);
        pages.try_for_each(|(lpn, page)| {
            self.write(buffer, lpn, &page.page)?;
            if page.found == Found::Ram {
                self.cache_written(lpn, &page.page, true);
            }
            Ok(())
        })
    }

    /// Counts a page that left the write buffer. `padded` means that its block was padded.
    #[inline]
    pub fn count_eviction(&mut self, dirty: bool, padded: bool) {
        if dirty {
            self.counters.evicted_dirty_pages += 1;
        } else {
            self.counters.evicted_clean_pages += 1;
            self.padded_unread_pages += u64::from(padded);
        }
    }

    /// Programs that only pad a victim: of pages read to pad it, of clean pages, and of blank ones. Part of the FTL's programs.
    pub fn padding_programs(&self) -> u64 {
        let counts = self.flash_counts();
        let padding = counts.reads_of(ReadCause::Padding) + self.padded_unread_pages;
        // a request that failed may have read what it did not program
        padding.min(counts.programs - self.counters.aged_pages)
    }

    /// Makes `page` the new version of a page that the write buffer does not hold: the bytes of the host, and around
    /// them those of the newest version, or zeros.
    #[inline]
    pub fn renew(
        &mut self,
        span: Span,
        lpn: Lpn,
        page: &mut M::Data,
        data: &mut dyn HostData<M::Data>,
    ) -> Result<(), FtlError> {
        self.tell_clocks(|clocks| clocks.begin_page());
        if span.is_partial(lpn) {
            self.fetch(span.rest, lpn, page)?;
        }
        span.overlay(lpn, page, data);
        Ok(())
    }

    /// The newest version of a page that the write buffer does not hold. The read buffer need not be asked: it holds no
    /// newer version.
    #[inline(never)]
    fn fetch(&mut self, cause: ReadCause, lpn: Lpn, page: &mut M::Data) -> Result<(), FtlError> {
        self.tell_end(lpn);
        let (chip, local) = self.chips.of_mut(lpn);
        let found = chip.read(cause, local, page)?;
        let end = self.follow(lpn);
        if found == Found::Unmapped {
            page.copy_from(&self.blank);
        } else {
            self.tell_clocks(|clocks| clocks.renewed(end));
        }
        Ok(())
    }

    pub fn discard(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.tell_end(lpn);
        let (chip, local) = self.chips.of_mut(lpn);
        let done = chip.ftl.discard(&mut chip.env, local);
        self.follow(lpn);
        done
    }

    /// Restores the states that the batteries of the RAM regions kept, chip by chip. Called right after a mount.
    pub fn restore_ram(&mut self, ram: &[RamImage<M::Data>]) -> Result<(), FtlError> {
        let mut chips = self.chips.iter_mut().zip(ram);
        chips.try_for_each(|(Chip { ftl, env }, ram)| ftl.restore_ram(env, ram))
    }

    /// Writes the RAM regions back at the end of the trace.
    pub fn drain(&mut self) -> Result<(), FtlError> {
        for number in 0..self.chips.count() {
            let Chip { ftl, env } = self.chips.get_mut(number);
            ftl.drain(env)?;
            if M::CLOCKED {
                self.follow_chip(number);
            }
        }
        Ok(())
    }

    /// Returns when all earlier operations are durable on all chips.
    pub fn barrier(&mut self) -> Result<(), Fault> {
        self.chips
            .iter_mut()
            .try_for_each(|chip| chip.env.barrier())
    }

    /// The operations of the FTLs of all chips.
    pub fn flash_counts(&self) -> FlashCounts {
        let mut sum = FlashCounts::default();
        self.chips
            .iter()
            .for_each(|chip| sum.add(chip.env.counts()));
        sum
    }

    /// Reports events from now on.
    pub fn report_to(&mut self, events: Events) {
        let separate = !self.chips.others.is_empty();
        for (number, chip) in (0..).zip(self.chips.iter_mut()) {
            chip.env.report_to(if separate {
                events.of_chip(number)
            } else {
                events.clone()
            });
        }
        self.events = events;
    }
}

/// The write buffer as seen by one of several chips, by the numbers of its own pages.
struct OfChip<'a, V: ?Sized> {
    buffer: &'a mut V,
    number: u32,
    stripes: Stripes,
}

impl<V: ?Sized> OfChip<'_, V> {
    fn host_page(&self, lpn: Lpn) -> Lpn {
        self.stripes.of_host(self.number, lpn)
    }
}

impl<P, V: BufferView<P> + ?Sized> BufferView<P> for OfChip<'_, V> {
    fn held(&self, lpn: Lpn) -> Held {
        self.buffer.held(self.host_page(lpn))
    }

    fn held_pages(&self, first: Lpn, count: u32) -> HeldPages {
        if first.0 % self.stripes.pages + count <= self.stripes.pages {
            return self.buffer.held_pages(self.host_page(first), count);
        }
        HeldPages::one_by_one(count, |i| self.held(first.plus(i)))
    }

    fn page(&self, lpn: Lpn) -> &P {
        self.buffer.page(self.host_page(lpn))
    }

    fn cleaned(&mut self, lpn: Lpn, benefit_ns: u64) {
        self.buffer.cleaned(self.host_page(lpn), benefit_ns);
    }

    fn update_probability(&self, lpn: Lpn) -> u64 {
        self.buffer.update_probability(self.host_page(lpn))
    }

    fn update_denominator(&self) -> u64 {
        self.buffer.update_denominator()
    }
}
