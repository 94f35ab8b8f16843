//! The write buffer, generic over its policy (SPEC section 4).

use std::ops::Range;

use ssdlab_flash::{Lbn, Lpn, Media, Page, Payload};
use ssdlab_ftl::{Event, FtlError};
use ssdlab_policy::buffer::{Access, BufferPolicy, Params, Victim};

use super::ages::Ages;
use super::resident::Resident;
use super::{Span, Stage};
use crate::HostData;
use crate::core::Core;

/// What the buffer does beside its policy.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Read misses enter, read hits promote.
    pub cache_reads: bool,
    /// Flush commands need not be honoured: the memory keeps its content without power.
    pub protected: bool,
    /// Block headers take a page each.
    pub count_headers: bool,
    /// Dirty pages are written at this age; 0: never.
    pub flush_age_ns: u64,
}

pub(crate) struct WriteBuffer<B, P> {
    pub(super) policy: B,
    settings: Settings,
    pub(super) resident: Resident<P>,
    ages: Option<Ages>,
    /// C: pages, and headers if they count.
    capacity: u64,
    pub(super) pages_per_block: u32,
    now_ns: u64,
    pub(super) blank: P,
    /// One block of pages to pad a victim.
    padding: Vec<Padding<P>>,
}

#[derive(Clone)]
struct Padding<P> {
    was_read: bool,
    page: P,
}

impl<B: BufferPolicy, P: Payload> WriteBuffer<B, P> {
    pub fn new(new_policy: fn(&Params) -> B, params: &Params, settings: Settings) -> Self {
        let geometry = &params.geometry;
        let blank = P::blank(geometry.page_size());
        let ages = (settings.flush_age_ns > 0)
            .then(|| Ages::new(settings.flush_age_ns, geometry.logical_pages()));
        Self {
            policy: new_policy(params),
            settings,
            resident: Resident::new(geometry.logical_pages(), geometry.page_size()),
            ages,
            capacity: params.buffer_pages,
            pages_per_block: geometry.pages_per_block(),
            now_ns: 0,
            padding: vec![
                Padding {
                    was_read: false,
                    page: blank.clone()
                };
                geometry.pages_per_block() as usize
            ],
            blank,
        }
    }

    /// How many more pages of this block fit. To be asked anew after each eviction: that may take the header along.
    #[inline]
    pub(super) fn room(&self, lbn: Lbn) -> u64 {
        if !B::BOUNDED {
            return u64::MAX;
        }
        let mut taken = u64::from(self.resident.pages());
        if self.settings.count_headers {
            taken += u64::from(self.policy.headers()) + u64::from(self.policy.needs_header(lbn));
        }
        self.capacity.saturating_sub(taken)
    }

    #[inline(always)]
    fn enter<M: Media<Page = P>>(
        &mut self,
        core: &mut Core<M>,
        page: Page,
        access: Access,
        data: Option<&P>,
    ) -> Result<(), FtlError> {
        while self.room(page.lbn) == 0 {
            self.evict(core)?;
        }
        self.policy.enter(page, access);
        let dirty = access == Access::Write;
        self.resident
            .insert(page.lpn, dirty, data.unwrap_or(&self.blank));
        if dirty {
            self.turned_dirty(page.lpn);
        }
        Ok(())
    }

    #[inline(always)]
    fn write_page<M: Media<Page = P>>(
        &mut self,
        core: &mut Core<M>,
        page: Page,
        data: &mut dyn HostData<P>,
    ) -> Result<(), FtlError> {
        if !self.resident.holds(page.lpn) {
            let data = (!P::NOTHING).then(|| data.written(page.lpn));
            return self.enter(core, page, Access::Write, data);
        }
        core.counters.buffer_write_hits += 1;
        self.policy.hit(page, Access::Write);
        if !P::NOTHING {
            self.resident.overwrite(page.lpn, data.written(page.lpn));
        }
        if self.resident.make_dirty(page.lpn) {
            self.turned_dirty(page.lpn);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn turned_dirty(&mut self, lpn: Lpn) {
        if let Some(ages) = &mut self.ages {
            ages.turned_dirty(lpn, self.now_ns, &self.resident);
        }
    }

    /// Does anybody want to know when pages turn dirty?
    pub(super) fn has_ages(&self) -> bool {
        self.ages.is_some()
    }

    #[inline(always)]
    pub(super) fn evict<M: Media<Page = P>>(&mut self, core: &mut Core<M>) -> Result<(), FtlError> {
        core.counters.evictions += 1;
        match self.policy.victim() {
            Victim::Page(lpn) => {
                let page = core.geometry().page(lpn);
                self.log_eviction(core, lpn.0..lpn.0 + 1, false);
                self.leave(core, page, false)
            }
            Victim::Block { lbn, pad } => self.evict_whole(core, lbn, pad),
        }
    }

    #[inline(never)]
    fn evict_whole<M: Media<Page = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
        pad: bool,
    ) -> Result<(), FtlError> {
        let first = lbn.0 * self.pages_per_block;
        let end = first + self.pages_per_block;
        let pad = pad && self.resident.first_dirty_in(first, end).is_some();
        self.log_eviction(core, first..end, pad);
        match (pad, core.runs) {
            (true, true) if self.evict_padded_run(core, lbn)? => Ok(()),
            (true, _) => self.evict_padded(core, lbn),
            (false, true) => self.evict_block_runs(core, lbn),
            (false, false) => self.evict_block(core, lbn),
        }
    }

    fn evict_block<M: Media<Page = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
    ) -> Result<(), FtlError> {
        for offset in 0..self.pages_per_block {
            let page = core.geometry().page_at(lbn, offset);
            if self.resident.holds(page.lpn) {
                self.leave(core, page, false)?;
            }
        }
        Ok(())
    }

    /// Reads what is missing, then writes the whole block in order, whatever is cleaned on the way.
    fn evict_padded<M: Media<Page = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
    ) -> Result<(), FtlError> {
        let first = core.geometry().page_at(lbn, 0);
        for (lpn, padding) in (first.lpn.0..).map(Lpn).zip(&mut self.padding) {
            padding.was_read =
                !self.resident.holds(lpn) && core.read_padding(lpn, &mut padding.page)?;
        }
        for offset in 0..self.pages_per_block {
            let page = first.plus(offset);
            if self.resident.holds(page.lpn) {
                self.leave(core, page, true)?;
                continue;
            }
            let padding = &self.padding[offset as usize];
            if padding.was_read {
                core.write(page.lpn, &padding.page)?;
            }
        }
        Ok(())
    }

    /// One page leaves; it is written if it is dirty at this moment, as one of a padded victim in any case.
    #[inline(always)]
    fn leave<M: Media<Page = P>>(
        &mut self,
        core: &mut Core<M>,
        page: Page,
        padded: bool,
    ) -> Result<(), FtlError> {
        let (dirty, slot) = self.resident.take(page.lpn);
        self.policy.left(page);
        if dirty {
            core.counters.evicted_dirty_pages += 1;
        } else {
            core.counters.evicted_clean_pages += 1;
            core.padded_clean_pages += u64::from(padded);
        }
        if dirty || padded {
            core.write(page.lpn, self.resident.in_slot(slot))?;
        }
        self.resident.free(slot);
        Ok(())
    }

    /// Reports the victim to whoever listens.
    #[inline]
    fn log_eviction<M: Media>(&self, core: &mut Core<M>, pages: Range<u32>, pad: bool) {
        if core.events.wanted() {
            let event = self.eviction(core, pages, pad);
            core.events.log(|| event);
        }
    }

    #[cold]
    fn eviction<M: Media>(&self, core: &Core<M>, pages: Range<u32>, pad: bool) -> Event {
        let missing = |&lpn: &Lpn| pad && !self.resident.holds(lpn) && core.is_mapped(lpn);
        let padding = pages.clone().map(Lpn).filter(missing).collect();
        let held = self.resident.held_in(pages.start, pages.end);
        let (dirty, clean) = held.partition(|&lpn| self.resident.is_dirty(lpn));
        Event::Evict {
            dirty,
            clean,
            padding,
        }
    }
}

impl<B: BufferPolicy, M: Media> Stage<M> for WriteBuffer<B, M::Page> {
    fn age(&mut self, core: &mut Core<M>, time_ns: u64) -> Result<(), FtlError> {
        self.now_ns = time_ns;
        while let Some(oldest) = self
            .ages
            .as_mut()
            .and_then(|ages| ages.due(time_ns, &self.resident))
        {
            let first = core.geometry().page(oldest).lbn.0 * self.pages_per_block;
            for lpn in (first..first + self.pages_per_block).map(Lpn) {
                if self.resident.is_dirty(lpn) {
                    core.counters.aged_pages += 1;
                    core.write(lpn, self.resident.data(lpn))?;
                    self.resident.make_clean(lpn);
                    self.policy.cleaned(core.geometry().page(lpn));
                }
            }
        }
        Ok(())
    }

    fn write(
        &mut self,
        core: &mut Core<M>,
        span: Span,
        data: &mut dyn HostData<M::Page>,
    ) -> Result<(), FtlError> {
        let partial = span.partial_head || span.partial_tail;
        let blocks = core.geometry().by_block(Lpn(span.first), span.count);
        for (first, count) in blocks {
            // a few single pages come and go faster one by one
            let worth_it = !B::ENTERS_LAST || count > 4;
            if core.runs && !partial && worth_it {
                self.write_run(core, first, count)?;
                continue;
            }
            for page in (0..count).map(|i| first.plus(i)) {
                if partial && !self.resident.holds(page.lpn) && span.is_partial(page.lpn) {
                    core.read_modify(page.lpn);
                }
                self.write_page(core, page, data)?;
            }
        }
        Ok(())
    }

    fn read(
        &mut self,
        core: &mut Core<M>,
        span: Span,
        data: &mut dyn HostData<M::Page>,
    ) -> Result<(), FtlError> {
        for lpn in span.pages() {
            let page = core.geometry().page(lpn);
            if self.resident.holds(lpn) {
                core.counters.buffer_read_hits += 1;
                if self.settings.cache_reads {
                    self.policy.hit(page, Access::Read);
                }
                if !M::Page::NOTHING {
                    data.read(lpn, Some(self.resident.data(lpn)));
                }
                continue;
            }
            let enters = !core.has_read_buffer();
            core.counters.buffer_read_misses += u64::from(enters);
            let found = core.read(lpn)?;
            if !M::Page::NOTHING {
                data.read(lpn, found);
            }
            if self.settings.cache_reads && enters {
                let found = found.cloned();
                self.enter(core, page, Access::Read, found.as_ref())?;
            }
        }
        Ok(())
    }

    fn discard(&mut self, core: &mut Core<M>, span: Span) -> Result<(), FtlError> {
        for lpn in span.pages() {
            if self.resident.holds(lpn) {
                let (_, slot) = self.resident.take(lpn);
                self.resident.free(slot);
                self.policy.left(core.geometry().page(lpn));
            }
            core.discard(lpn)?;
        }
        Ok(())
    }

    fn flush(&mut self, core: &mut Core<M>) -> Result<(), FtlError> {
        if self.settings.protected {
            Ok(())
        } else {
            self.drain(core)
        }
    }

    fn drain(&mut self, core: &mut Core<M>) -> Result<(), FtlError> {
        if B::ENTERS_LAST && core.runs && !core.events.wanted() {
            self.drain_runs(core)?;
        }
        while self.resident.dirty_pages() > 0 {
            self.evict(core)?;
        }
        Ok(core.barrier()?)
    }

    fn check(&self) -> Result<(), String> {
        self.resident.check()?;
        let pages = u64::from(self.resident.pages());
        let headers = u64::from(self.policy.headers());
        let size = pages
            + if self.settings.count_headers {
                headers
            } else {
                0
            };
        if B::BOUNDED && size > self.capacity {
            return Err(format!(
                "buffer: {size} of {} places are taken",
                self.capacity
            ));
        }
        let blocks = self.resident.blocks_held(self.pages_per_block);
        match self.policy.headers() {
            0 => Ok(()),
            headers if headers == blocks => Ok(()),
            headers => Err(format!("buffer: {headers} headers for {blocks} blocks")),
        }
    }
}
