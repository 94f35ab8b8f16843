//! The fast path: handles whole runs of pages instead of single pages.
//!
//! Used if the payload is `()` and merges do not use the buffer. It changes no counter: the same operations happen in
//! the same order as page by page. [`Device::page_by_page`](crate::Device::page_by_page) switches it off; tests compare
//! both. Under clocks, pages only enter and hit in runs.

use std::ops::Range;

use ssdlab_flash::{Lbn, Lpn, Media, Page, Payload};
use ssdlab_ftl::FtlError;
use ssdlab_policy::buffer::{Access, BufferPolicy};

use super::write_buffer::WriteBuffer;
use crate::core::Core;

impl<B: BufferPolicy, P: Payload> WriteBuffer<B, P> {
    /// Like `write_page`, for consecutive pages of one block.
    pub(super) fn write_run<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        first: Page,
        count: u32,
    ) -> Result<(), FtlError> {
        let mut done = 0;
        while done < count {
            let page = first.plus(done);
            let end = first.lpn.0 + count;
            let missing = self.resident.marks.missing_until(page.lpn.0, end) - page.lpn.0;
            done += if missing > 0 {
                self.enter_run(core, page, missing)?
            } else {
                let held = self.resident.marks.held_until(page.lpn.0, end) - page.lpn.0;
                self.hit_run(core, page, held);
                held
            };
        }
        Ok(())
    }

    /// Writes held pages of one block.
    fn hit_run<M: Media<Data = P>>(&mut self, core: &mut Core<M>, first: Page, count: u32) {
        core.counters.buffer_write_hits += u64::from(count);
        self.policy.hit_run(first, count, Access::Write);
        for lpn in (0..count).map(|i| first.lpn.plus(i)) {
            core.tell_clocks(|clocks| clocks.hit(lpn));
            if self.resident.marks.make_dirty(lpn) {
                self.cleaned.dirtied(lpn, &mut core.counters);
                self.turned_dirty(lpn);
            }
        }
    }

    /// Like `enter`, for missing pages of one block that are written. Enters as many as fit at once, and returns their
    /// number.
    fn enter_run<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        first: Page,
        count: u32,
    ) -> Result<u32, FtlError> {
        let mut room = self.room(first.lbn);
        if room < u64::from(count) && B::ENTERS_LAST && !core.events.wanted() {
            // a page must not be a victim of its own run
            let victims = (u64::from(count) - room).min(u64::from(self.resident.marks.pages()));
            self.evict_pages(core, victims as u32)?;
            room += victims;
        }
        while room == 0 {
            self.make_room(core)?;
            room = self.room(first.lbn);
        }
        let count = room.min(u64::from(count)) as u32;
        self.header_enters(core, first.lbn);
        core.tell_clocks(|clocks| clocks.enter_run(first.lpn, count));
        self.policy.enter_run(first, count, Access::Write);
        self.resident.marks.insert_run(first.lpn.0, count);
        if self.has_ages() {
            (0..count).for_each(|i| self.turned_dirty(first.lpn.plus(i)));
        }
        Ok(count)
    }

    /// Like repeated calls of `evict`, for policies that evict single pages.
    fn evict_pages<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        count: u32,
    ) -> Result<(), FtlError> {
        core.counters.evictions += u64::from(count);
        let mut rest = count;
        while rest > 0 {
            let (Lpn(first), run) = self.policy.leave_run(rest);
            self.write_dirty(core, first, first + run)?;
            self.take_range(core, first, first + run);
            rest -= run;
        }
        Ok(())
    }

    /// Like `drain`, for policies that evict single pages. At least as many pages leave as are dirty.
    pub(super) fn drain_runs<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
    ) -> Result<(), FtlError> {
        while self.resident.marks.dirty_pages() > 0 {
            self.evict_pages(core, self.resident.marks.dirty_pages())?;
        }
        Ok(())
    }

    /// Like `evict_range`.
    pub(super) fn evict_range_runs<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
        range: Range<u32>,
    ) -> Result<(), FtlError> {
        self.write_dirty(core, range.start, range.end)?;
        self.leave_together(core, lbn, range);
        Ok(())
    }

    /// Writes each run of consecutive dirty pages of one block at once.
    #[inline]
    fn write_dirty<M: Media<Data = P>>(
        &self,
        core: &mut Core<M>,
        first: u32,
        end: u32,
    ) -> Result<(), FtlError> {
        let mut at = first;
        while let Some(start) = self.resident.marks.first_dirty_in(at, end) {
            at = self.resident.marks.dirty_until(start.0, end);
            for (page, count) in core.geometry().by_block(start, at - start.0) {
                core.write_run(page, count, &self.blank)?;
            }
        }
        Ok(())
    }

    /// Like `evict_padded`, for a block whose pages are all held or pad it. Returns false and does nothing for other
    /// blocks, and where FTL or media must see each read.
    pub(super) fn evict_padded_run<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
    ) -> Result<bool, FtlError> {
        let (first, end) = self.range_of(lbn);
        let Some([read, blank]) = self.gaps_of_whole(core, first, end) else {
            return Ok(false);
        };
        let all = self.pages_per_block;
        let (clean, _) = self.leave_together(core, lbn, first..end);
        core.count_padding(read.into());
        core.padded_unread_pages += u64::from(clean + blank);
        core.write_run(core.geometry().page_at(lbn, 0), all, &self.blank)?;
        Ok(true)
    }

    /// Like `age_block` with padding, for a block whose pages are all held or pad it. Returns false and does nothing
    /// for other blocks.
    pub(super) fn age_padded_run<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
    ) -> Result<bool, FtlError> {
        let (first, end) = self.range_of(lbn);
        let Some([read, blank]) = self.gaps_of_whole(core, first, end) else {
            return Ok(false);
        };
        let all = self.pages_per_block;
        let held = self.resident.marks.count_held(first, end);
        let mut dirty = 0;
        while let Some(lpn) = self.resident.marks.first_dirty_in(first, end) {
            self.resident.marks.make_clean(lpn);
            self.policy.cleaned(core.geometry().page(lpn));
            dirty += 1;
        }
        core.count_padding(read.into());
        core.counters.aged_pages += u64::from(dirty);
        core.padded_unread_pages += u64::from(held - dirty + blank);
        core.write_run(core.geometry().page_at(lbn, 0), all, &self.blank)?;
        Ok(true)
    }

    /// The numbers of mapped pages and of blank ones that complete a block to a whole one, if they do so and need no
    /// read of their own.
    fn gaps_of_whole<M: Media<Data = P>>(
        &self,
        core: &Core<M>,
        first: u32,
        end: u32,
    ) -> Option<[u32; 2]> {
        if !core.counts_padding {
            return None;
        }
        let all = end - first;
        let gaps = all - self.resident.marks.count_held(first, end);
        let mapped = match core.count_mapped(Lpn(first), all) {
            mapped if mapped == all => gaps,
            _ => self.mapped_in_gaps(core, first, end),
        };
        (mapped == gaps || self.policy.pads_blanks()).then_some([mapped, gaps - mapped])
    }

    /// The number of pages of a range that are mapped and not held.
    fn mapped_in_gaps<M: Media<Data = P>>(&self, core: &Core<M>, first: u32, end: u32) -> u32 {
        let mut at = first;
        let held_pages = self.resident.marks.held_in(first, end).map(|lpn| lpn.0);
        let gaps = held_pages.chain([end]).map(|gap_end| {
            let mapped = core.count_mapped(Lpn(at), gap_end - at);
            at = gap_end + 1;
            mapped
        });
        gaps.sum()
    }

    /// Like `take_range`, for pages of a victim block.
    fn leave_together<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
        range: Range<u32>,
    ) -> (u32, u32) {
        let Range { start, end } = range;
        let held_pages = self.resident.marks.held_in(start, end);
        let pages = held_pages.map(|lpn| core.geometry().page(lpn));
        let count = self.resident.marks.count_held(start, end);
        self.policy.left_together(lbn, count, pages);
        self.take_range(core, start, end)
    }

    /// Removes the held pages of a range, which are already written or will be written next. Returns the numbers of
    /// clean and dirty pages.
    fn take_range<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        first: u32,
        end: u32,
    ) -> (u32, u32) {
        let (clean, dirty) = self.resident.marks.take_range(first, end);
        core.counters.evicted_dirty_pages += u64::from(dirty);
        core.counters.evicted_clean_pages += u64::from(clean);
        (clean, dirty)
    }
}
