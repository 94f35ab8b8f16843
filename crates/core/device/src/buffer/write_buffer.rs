//! The write buffer, generic over its policy.

use std::mem::swap;
use std::ops::Range;

use ssdlab_flash::{Geometry, Lbn, Lpn, Media, Page, Payload};
use ssdlab_ftl::{AHEAD, Event, Found, FtlError, Lookup};
use ssdlab_policy::buffer::{Access, BufferPolicy, Shape, Victim};

use super::ages::Ages;
use super::cleaned::Cleaned;
use super::marks::Marks;
use super::resident::{Resident, Slot};
use super::stage::Stage;
use super::view::View;
use crate::HostData;
use crate::core::{Core, Runs};
use crate::span::Span;

/// The settings of the buffer apart from its policy.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// It has a size, and evicts to make room.
    pub bounded: bool,
    /// Read misses enter; read hits count as uses.
    pub cache_reads: bool,
    /// Flush commands do nothing, because the memory keeps its content without power.
    pub protected: bool,
    /// Each block header takes the space of a page.
    pub count_headers: bool,
    /// Dirty pages are written at this age, in ns; 0 means never.
    pub flush_age_ns: u64,
}

pub(crate) struct WriteBuffer<B, P> {
    pub(super) policy: B,
    settings: Settings,
    pub(super) resident: Resident<P>,
    ages: Option<Ages>,
    pub(super) cleaned: Cleaned,
    /// C: the size in pages, or `u64::MAX`; headers take space if they are counted.
    capacity: u64,
    pub(super) pages_per_block: u32,
    geometry: Geometry,
    now_ns: u64,
    pub(super) blank: P,
    /// The data of the page that enters next.
    newcomer: P,
    /// The sizes of the regions of the policy that the last event named.
    region_sizes: Option<[u64; 3]>,
    /// One block of pages on their way to flash: the pages of a padded victim, and the pages that pad it.
    pub(super) leaving: Vec<Lookup<P>>,
}

impl<B: BufferPolicy, P: Payload> WriteBuffer<B, P> {
    pub fn new(policy: B, shape: &Shape, settings: Settings) -> Self {
        let geometry = &shape.geometry;
        let capacity = if settings.bounded {
            shape.pages
        } else {
            u64::MAX
        };
        let blank = P::blank(geometry.page_size());
        let ages = (settings.flush_age_ns > 0).then(|| Ages::new(settings.flush_age_ns));
        Self {
            policy,
            settings,
            resident: Resident::new(geometry.logical_pages(), geometry.page_size()),
            ages,
            cleaned: Cleaned::default(),
            capacity,
            pages_per_block: geometry.pages_per_block(),
            geometry: geometry.clone(),
            now_ns: 0,
            leaving: vec![
                Lookup {
                    found: Found::Unmapped,
                    page: blank.clone()
                };
                geometry.pages_per_block() as usize
            ],
            newcomer: blank.clone(),
            region_sizes: None,
            blank,
        }
    }

    /// The number of further pages of this block that fit. Must be asked again after each eviction, which may remove
    /// the header of the block too.
    #[inline]
    pub(super) fn room(&self, lbn: Lbn) -> u64 {
        let mut places = u64::from(self.resident.marks.pages());
        if self.settings.count_headers {
            places += u64::from(self.policy.headers()) + u64::from(self.policy.needs_header(lbn));
        }
        self.capacity.saturating_sub(places)
    }

    /// A page enters with the data in `newcomer`.
    #[inline(always)]
    fn enter<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        page: Page,
        access: Access,
    ) -> Result<(), FtlError> {
        while self.room(page.lbn) == 0 {
            self.make_room(core)?;
        }
        self.header_enters(core, page.lbn);
        core.tell_clocks(|clocks| match access {
            Access::Write => clocks.enter(page.lpn),
            Access::Read => clocks.enter_read(page.lpn),
        });
        self.policy.enter(page, access);
        let dirty = access == Access::Write;
        swap(self.resident.insert(page.lpn, dirty), &mut self.newcomer);
        if dirty {
            self.turned_dirty(page.lpn);
        }
        Ok(())
    }

    #[inline(always)]
    fn write_page<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        page: Page,
        span: Span,
        whole: bool,
        data: &mut dyn HostData<P>,
    ) -> Result<(), FtlError> {
        core.keep_stream(page.lpn);
        if !self.resident.marks.holds(page.lpn) {
            // a page that is written as a whole and has no data does not change, but clocks must know that its write
            // begins
            if M::CLOCKED || !P::NOTHING || !whole {
                core.renew(span, page.lpn, &mut self.newcomer, data)?;
            }
            return self.enter(core, page, Access::Write);
        }
        core.counters.buffer_write_hits += 1;
        core.tell_clocks(|clocks| clocks.hit(page.lpn));
        self.policy.hit(page, Access::Write);
        span.overlay(page.lpn, self.resident.data_mut(page.lpn), data);
        if self.resident.marks.make_dirty(page.lpn) {
            self.cleaned.dirtied(page.lpn, &mut core.counters);
            self.turned_dirty(page.lpn);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn turned_dirty(&mut self, lpn: Lpn) {
        if let Some(ages) = &mut self.ages {
            ages.turned_dirty(lpn, self.now_ns, &self.resident.marks);
        }
    }

    /// The first dirty page of a range whose age is recorded.
    pub(super) fn first_aged_in(&self, pages: Range<u32>) -> Option<Lpn> {
        let ages = self.ages.as_ref()?;
        ages.first_dirty_in(pages, &self.resident.marks)
    }

    /// Whether the times at which pages become dirty are recorded.
    pub(super) fn has_ages(&self) -> bool {
        self.ages.is_some()
    }

    #[inline(always)]
    pub(super) fn make_room<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
    ) -> Result<(), FtlError> {
        self.learn(core);
        let victim = self.policy.victim_for_room();
        self.evict(core, victim)
    }

    #[inline(always)]
    fn evict<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        victim: Victim,
    ) -> Result<(), FtlError> {
        core.counters.evictions += 1;
        match victim {
            Victim::Page(lpn) => {
                self.log_eviction(core, lpn.0..lpn.0 + 1, false);
                let page = core.geometry().page(lpn);
                self.policy.left(page);
                let done = match core.tells_ends() {
                    true => self.leave_told(core, lpn),
                    false => self.leave(core, lpn),
                };
                self.header_left(core, page.lbn);
                done
            }
            Victim::Block(lbn) => {
                let done = self.evict_whole(core, lbn);
                self.header_left(core, lbn);
                done
            }
        }
    }

    /// Tells the clocks if the header of a block enters before its first page.
    #[inline(always)]
    pub(super) fn header_enters<M: Media>(&self, core: &mut Core<M>, lbn: Lbn) {
        core.tell_clocks(|clocks| {
            if self.settings.count_headers && self.policy.needs_header(lbn) {
                clocks.enter_header(lbn);
            }
        });
    }

    /// Tells the clocks if the header of a block has left with its last page.
    #[inline(always)]
    fn header_left<M: Media>(&self, core: &mut Core<M>, lbn: Lbn) {
        core.tell_clocks(|clocks| {
            if self.settings.count_headers && self.policy.needs_header(lbn) {
                clocks.leave_header(lbn);
            }
        });
    }

    #[inline(never)]
    fn evict_whole<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
    ) -> Result<(), FtlError> {
        let (first, end) = self.range_of(lbn);
        let dirty = self.resident.marks.first_dirty_in(first, end).is_some();
        let pad = dirty && self.pads(core, lbn);
        self.log_eviction(core, first..end, pad);
        if core.tells_ends() {
            return self.evict_told(core, lbn, pad);
        }
        match (pad, core.has_runs()) {
            (true, true) if self.evict_padded_run(core, lbn)? => Ok(()),
            (true, _) => self.evict_padded(core, lbn),
            (false, _) => self.evict_block(core, lbn),
        }
    }

    /// Evicts a page alone, and tells the FTL that it is the last one of the victim.
    #[inline(never)]
    fn leave_told<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lpn: Lpn,
    ) -> Result<(), FtlError> {
        let outer = core.end_at(lpn);
        let done = self.leave(core, lpn);
        core.end_at(outer);
        done
    }

    /// Evicts a block page by page, and tells the FTL the last one.
    #[inline(never)]
    fn evict_told<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
        pad: bool,
    ) -> Result<(), FtlError> {
        let (first, end) = self.range_of(lbn);
        let last = match pad {
            true => Lpn(end - 1),
            false => self.last_held(first..end, |lpn| !self.stays(lpn)),
        };
        let outer = core.end_at(last);
        let done = match pad {
            true => self.evict_padded(core, lbn),
            false => self.evict_block(core, lbn),
        };
        core.end_at(outer);
        done
    }

    /// Whether a held page of a victim stays.
    fn stays(&self, lpn: Lpn) -> bool {
        self.policy.first_staying(lpn, lpn.plus(1)) == lpn
    }

    /// The last held page of these that is such a one; without one, the last of all.
    pub(super) fn last_held(&self, pages: Range<u32>, is_one: impl Fn(Lpn) -> bool) -> Lpn {
        let mut held = pages.clone().rev().map(Lpn);
        let last = held.find(|&lpn| self.resident.marks.holds(lpn) && is_one(lpn));
        last.unwrap_or(Lpn(pages.end - 1))
    }

    /// Asks the policy whether to pad a block with a dirty page, once it knows what merges have moved so far.
    pub(super) fn pads<M: Media>(&mut self, core: &mut Core<M>, lbn: Lbn) -> bool {
        self.learn(core);
        self.policy.pads(lbn)
    }

    /// Tells the policy what merges have moved, if it wants to know.
    #[inline(always)]
    fn learn<M: Media>(&mut self, core: &mut Core<M>) {
        if B::LEARNS {
            core.each_moved(|lbn, pages| self.policy.moved(lbn, pages));
        }
    }

    pub(super) fn range_of(&self, lbn: Lbn) -> (u32, u32) {
        let first = lbn.0 * self.pages_per_block;
        (first, first + self.pages_per_block)
    }

    /// Evicts all pages of a block that need not stay.
    fn evict_block<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
    ) -> Result<(), FtlError> {
        let (mut at, end) = self.range_of(lbn);
        while at < end {
            let Lpn(stop) = self.policy.first_staying(Lpn(at), Lpn(end));
            if core.has_runs() {
                self.evict_range_runs(core, lbn, at..stop)?;
            } else {
                self.evict_range(core, lbn, at..stop)?;
            }
            at = stop + 1;
        }
        Ok(())
    }

    fn evict_range<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
        range: Range<u32>,
    ) -> Result<(), FtlError> {
        let mut at = range.start;
        while let Some(Lpn(first)) = self.resident.marks.first_held_in(at, range.end) {
            at = self.resident.marks.held_until(first, range.end);
            for lpn in (first..at).map(Lpn) {
                self.leave(core, lpn)?;
            }
            self.left_together(core.geometry(), lbn, first..at);
        }
        Ok(())
    }

    /// Removes the held pages in a part of a padded victim, so that merges do not see them, and informs the policy.
    fn take_out<M: Media<Data = P>>(&mut self, core: &mut Core<M>, lbn: Lbn, part: Range<u32>) {
        let mut at = part.start;
        while let Some(Lpn(first)) = self.resident.marks.first_held_in(at, part.end) {
            at = self.resident.marks.held_until(first, part.end);
            let leaving = self.offsets(lbn, first..at);
            for (lpn, page) in (first..at).map(Lpn).zip(&mut self.leaving[leaving]) {
                let (dirty, slot) = self.resident.take(lpn);
                core.count_eviction(dirty, true);
                self.cleaned.forget(lpn);
                page.found = Found::Ram;
                self.resident.slots.move_out(slot, &mut page.page);
            }
            self.left_together(core.geometry(), lbn, first..at);
        }
    }

    /// After an error, puts back what was removed from consecutive pages: it may not be in flash.
    #[cold]
    fn put_back(&mut self, first: Lpn, leaving: Range<usize>) {
        for (lpn, page) in (first.0..).map(Lpn).zip(&mut self.leaving[leaving]) {
            if page.found == Found::Ram {
                swap(self.resident.insert(lpn, true), &mut page.page);
            }
        }
    }

    /// The place of these pages of a block in `leaving`.
    pub(super) fn offsets(&self, lbn: Lbn, pages: Range<u32>) -> Range<usize> {
        let (first, _) = self.range_of(lbn);
        (pages.start - first) as usize..(pages.end - first) as usize
    }

    /// The view for merges, and the pages that were removed from it.
    pub(super) fn lend(&mut self) -> (View<'_, B, P>, &[Lookup<P>]) {
        let view = View {
            marks: &mut self.resident.marks,
            cleaned: &mut self.cleaned,
            slots: &self.resident.slots,
            policy: &mut self.policy,
            geometry: &self.geometry,
        };
        (view, &self.leaving)
    }

    /// Removes a page, and writes it if it is still dirty. The caller informs the policy.
    #[inline(always)]
    fn leave<M: Media<Data = P>>(&mut self, core: &mut Core<M>, lpn: Lpn) -> Result<(), FtlError> {
        let (dirty, slot) = self.resident.take(lpn);
        core.count_eviction(dirty, false);
        if !dirty {
            self.cleaned.evicted(lpn, &mut core.counters);
        }
        if dirty {
            core.tell_clocks(|clocks| clocks.begin_leaving());
            if let Err(error) = self.write_taken(core, lpn, slot) {
                self.resident.marks.insert(lpn, true);
                return Err(error);
            }
        }
        self.resident.free(slot);
        core.tell_clocks(|clocks| {
            clocks.leave(lpn);
            clocks.end_leaving();
        });
        Ok(())
    }

    /// Writes a page that was removed, so that merges do not see it.
    #[inline(always)]
    pub(super) fn write_taken<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lpn: Lpn,
        slot: Slot,
    ) -> Result<(), FtlError> {
        let (mut view, _) = self.lend();
        let data = view.slots.get(slot);
        core.write(&mut view, lpn, data)?;
        core.cache_written(lpn, data, true);
        Ok(())
    }

    /// Informs the policy that consecutive pages of a victim left.
    pub(super) fn left_together(&mut self, geometry: &Geometry, lbn: Lbn, range: Range<u32>) {
        let block = geometry.page_at(lbn, 0);
        let pages = range.clone().map(|lpn| block.plus(lpn - block.lpn.0));
        self.policy.left_together(lbn, range.len() as u32, pages);
    }

    /// Reads the missing pages, then writes the whole block in order, even pages that a merge cleaned in the meantime.
    fn evict_padded<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
    ) -> Result<(), FtlError> {
        self.read_gaps(core, lbn)?;
        let (first, end) = self.range_of(lbn);
        // a buffer-aware merge must find the pages that are not written yet in the buffer
        let together = if core.is_buffer_aware() {
            1
        } else {
            self.pages_per_block
        };
        core.tell_clocks(|clocks| clocks.begin_leaving());
        for at in (first..end).step_by(together as usize) {
            self.take_out(core, lbn, at..at + together);
            let part = self.offsets(lbn, at..at + together);
            let page = core.geometry().page(Lpn(at));
            let (mut view, leaving) = self.lend();
            if let Err(error) = core.write_found(&mut view, page, &leaving[part.clone()]) {
                self.put_back(page.lpn, part);
                return Err(error);
            }
        }
        core.tell_clocks(|clocks| {
            for (lpn, page) in (first..).map(Lpn).zip(&self.leaving) {
                if page.found == Found::Ram {
                    clocks.leave(lpn);
                }
            }
            clocks.end_leaving();
        });
        Ok(())
    }

    /// Reads the pages of a block that are mapped and not held into `leaving`; those that are not mapped either may become
    /// blank ones.
    pub(super) fn read_gaps<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
    ) -> Result<(), FtlError> {
        core.tell_clocks(|clocks| clocks.begin_padding());
        let (mut at, end) = self.range_of(lbn);
        while at < end {
            let gap_end = self.resident.marks.missing_until(at, end);
            let missing = self.offsets(lbn, at..gap_end);
            let page = core.geometry().page(Lpn(at));
            core.read_padding(page, &mut self.leaving[missing.clone()])?;
            if self.policy.pads_blanks() {
                core.fill_blanks(page.lpn, &mut self.leaving[missing]);
            }
            at = self.resident.marks.held_until(gap_end, end);
        }
        Ok(())
    }

    /// Reports the victim as an event.
    #[inline]
    fn log_eviction<M: Media>(&self, core: &mut Core<M>, pages: Range<u32>, pad: bool) {
        if core.events.wanted() {
            let event = self.eviction(core, pages, pad);
            core.events.log(|| event);
        }
    }

    #[cold]
    fn eviction<M: Media>(&self, core: &Core<M>, pages: Range<u32>, pad: bool) -> Event {
        let stays = |lpn| self.stays(lpn);
        let pads = |lpn| pad && (self.policy.pads_blanks() || core.is_mapped(lpn));
        evict_event(pages, &self.resident.marks, &stays, &pads)
    }
}

/// The event of a victim: some of its held pages stay, some of the others pad it. Compiled once, not for each policy.
fn evict_event(
    pages: Range<u32>,
    marks: &Marks,
    stays: &dyn Fn(Lpn) -> bool,
    pads: &dyn Fn(Lpn) -> bool,
) -> Event {
    let (held, missing): (Vec<_>, Vec<_>) = pages.map(Lpn).partition(|&lpn| marks.holds(lpn));
    let leaving = held.into_iter().filter(|&lpn| !stays(lpn));
    let (dirty, clean) = leaving.partition(|&lpn| marks.is_dirty(lpn));
    Event::Evict {
        dirty,
        clean,
        padding: missing.into_iter().filter(|&lpn| pads(lpn)).collect(),
    }
}

impl<B: BufferPolicy, M: Media> Stage<M> for WriteBuffer<B, M::Data> {
    fn learns(&self) -> bool {
        B::LEARNS
    }

    fn age(&mut self, core: &mut Core<M>, time_ns: u64) -> Result<(), FtlError> {
        self.now_ns = time_ns;
        while let Some(oldest) = self
            .ages
            .as_mut()
            .and_then(|ages| ages.due(time_ns, &self.resident.marks))
        {
            let lbn = core.geometry().page(oldest).lbn;
            self.age_block(core, lbn)?;
        }
        Ok(())
    }

    fn clean_in_gap(&mut self, core: &mut Core<M>, gaps: [Range<u64>; 2]) -> Result<(), FtlError> {
        core.clean_in_gap(Some(&mut self.lend().0), gaps)
    }

    fn report_regions(&mut self, core: &mut Core<M>) {
        let sizes = self.policy.region_sizes();
        if sizes != std::mem::replace(&mut self.region_sizes, sizes)
            && let Some(sizes) = sizes
        {
            core.events.log(|| Event::Regions { sizes });
        }
    }

    fn foresee(&self, core: &Core<M>, pages: &[Lpn]) {
        for &lpn in pages {
            self.resident.marks.foresee(lpn);
            self.policy.foresee(lpn);
        }
        let mut victims = [Lpn(0); AHEAD];
        let count = self.policy.next_victims(&mut victims);
        let victims = &victims[..count];
        victims
            .iter()
            .for_each(|&lpn| self.resident.marks.foresee(lpn));
        core.foresee(victims);
    }

    fn write(
        &mut self,
        core: &mut Core<M>,
        span: Span,
        data: &mut dyn HostData<M::Data>,
    ) -> Result<(), FtlError> {
        if span.begins {
            self.policy.begin_request();
        }
        let whole = span.is_whole();
        let blocks = core.geometry().by_block(Lpn(span.first), span.count);
        for (first, count) in blocks {
            let at_once = if B::ENTERS_LAST {
                // a few single pages are faster one by one
                core.has_runs() && count > 4
            } else {
                core.runs != Runs::Nowhere
            };
            if whole && at_once {
                self.write_run(core, first, count)?;
                continue;
            }
            for page in (0..count).map(|i| first.plus(i)) {
                self.write_page(core, page, span, whole, data)?;
            }
        }
        Ok(())
    }

    fn read(
        &mut self,
        core: &mut Core<M>,
        span: Span,
        data: &mut dyn HostData<M::Data>,
    ) -> Result<(), FtlError> {
        if span.begins {
            self.policy.begin_request();
        }
        for lpn in span.pages() {
            let page = core.geometry().page(lpn);
            if self.resident.marks.holds(lpn) {
                core.counters.buffer_read_hits += 1;
                core.tell_clocks(|clocks| clocks.read_held(lpn));
                if self.settings.cache_reads {
                    self.policy.hit(page, Access::Read);
                }
                span.hand(lpn, Some(self.resident.data(lpn)), data);
                continue;
            }
            let enters = !core.has_read_buffer();
            core.counters.buffer_read_misses += u64::from(enters);
            let found = core.read(lpn)?;
            span.hand(lpn, found, data);
            if self.settings.cache_reads && enters {
                self.newcomer.copy_from(found.unwrap_or(&self.blank));
                let entered = self.enter(core, page, Access::Read);
                entered.map_err(|error| core.tears(error))?;
            }
        }
        Ok(())
    }

    fn discard(&mut self, core: &mut Core<M>, span: Span) -> Result<(), FtlError> {
        for lpn in span.pages() {
            let slot = self.resident.marks.holds(lpn).then(|| {
                let (_, slot) = self.resident.take(lpn);
                self.cleaned.forget(lpn);
                let page = core.geometry().page(lpn);
                self.policy.left(page);
                core.tell_clocks(|clocks| clocks.leave(lpn));
                self.header_left(core, page.lbn);
                slot
            });
            let discarded = core.discard(lpn);
            match slot {
                // it is still the newest version
                Some(_) if discarded.is_err() => self.resident.marks.insert(lpn, true),
                Some(slot) => self.resident.free(slot),
                None => {}
            }
            discarded?;
        }
        Ok(())
    }

    fn flush(&mut self, core: &mut Core<M>) -> Result<(), FtlError> {
        if self.settings.protected {
            return Ok(());
        }
        self.drain(core)?;
        core.tell_clocks(|clocks| clocks.flushed());
        Ok(())
    }

    fn drain(&mut self, core: &mut Core<M>) -> Result<(), FtlError> {
        if B::ENTERS_LAST && core.has_runs() && !core.events.wanted() {
            self.drain_runs(core)?;
        }
        while self.resident.marks.dirty_pages() > 0 {
            self.learn(core);
            let victim = self.policy.victim();
            self.evict(core, victim)?;
        }
        Ok(core.barrier()?)
    }

    fn each_held(&self, each: &mut dyn FnMut(Lpn, bool, &M::Data)) {
        let marks = &self.resident.marks;
        for lpn in marks.all_held() {
            each(lpn, marks.is_dirty(lpn), self.resident.data(lpn));
        }
    }

    fn held_in(&self, pages: Range<u32>, most: usize) -> Vec<(Lpn, bool)> {
        let marks = &self.resident.marks;
        let held = marks.held_in(pages.start, pages.end).take(most);
        held.map(|lpn| (lpn, marks.is_dirty(lpn))).collect()
    }

    fn places(&self) -> Option<u64> {
        Some(self.capacity)
    }

    fn outlook(&self, most: usize) -> Option<Vec<Victim>> {
        self.policy.outlook(most)
    }

    fn buffered(&self) -> (u32, u32) {
        let marks = &self.resident.marks;
        (marks.pages(), marks.dirty_pages())
    }

    fn holds(&self, lpn: Lpn) -> bool {
        self.resident.marks.holds(lpn)
    }

    fn check(&self) -> Result<(), String> {
        self.resident.marks.check()?;
        let pages = u64::from(self.resident.marks.pages());
        let headers = u64::from(self.policy.headers());
        let size = pages
            + if self.settings.count_headers {
                headers
            } else {
                0
            };
        if size > self.capacity {
            return Err(format!("buffer: {size} places taken, of {}", self.capacity));
        }
        let blocks = self.resident.marks.blocks_held(self.pages_per_block);
        match self.policy.headers() {
            0 => Ok(()),
            headers if headers == blocks => Ok(()),
            headers => Err(format!("buffer: {headers} headers for {blocks} blocks")),
        }
    }
}
