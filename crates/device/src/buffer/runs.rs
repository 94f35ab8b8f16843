//! The fast path: whole runs of pages instead of single ones.
//!
//! It serves where pages carry nothing and the FTL asks nothing back, and changes no counter: page by page, the same
//! happens in the same order. `SSDLAB_PLAIN=1` switches it off; tests compare both.

use std::ops::Range;

use ssdlab_flash::{Lbn, Lpn, Media, Payload};
use ssdlab_ftl::FtlError;
use ssdlab_policy::buffer::{Access, BufferPolicy, Victim};

use super::write_buffer::WriteBuffer;
use crate::core::Core;

/// May runs be used for pages of this kind?
pub(crate) fn allowed<P: Payload>() -> bool {
    P::NOTHING && std::env::var_os("SSDLAB_PLAIN").is_none_or(|value| value != "1")
}

impl<B: BufferPolicy, P: Payload> WriteBuffer<B, P> {
    /// As `enter` for consecutive missing pages that are written: first all evictions, then all entries. Returns how
    /// many pages entered; 0 if they must enter one by one.
    pub(super) fn enter_run<M: Media<Page = P>>(
        &mut self,
        core: &mut Core<M>,
        first: u32,
        end: u32,
    ) -> Result<u32, FtlError> {
        let count = self.resident.missing_until(first, end) - first;
        let held = u64::from(self.resident.pages());
        let evictions = (held + u64::from(count)).saturating_sub(self.capacity);
        // a page must not be the victim of its own run; listeners want to see each step in its place
        if count < 2 || evictions > held || core.events.wanted() {
            return Ok(0);
        }
        self.evict_pages(core, evictions)?;
        for lpn in (first..first + count).map(Lpn) {
            self.policy.enter(core.geometry().page(lpn), Access::Write);
        }
        self.resident.insert_run(first, count);
        (first..first + count).for_each(|lpn| self.turned_dirty(Lpn(lpn)));
        Ok(count)
    }

    /// As `evict`, so often, for single pages: each run of consecutive dirty pages of one block is one write.
    fn evict_pages<M: Media<Page = P>>(
        &mut self,
        core: &mut Core<M>,
        count: u64,
    ) -> Result<(), FtlError> {
        let mut run = 0..0;
        let mut dirty_pages = 0;
        for _ in 0..count {
            let Victim::Page(lpn) = self.policy.victim() else {
                unreachable!("a policy with ENTERS_LAST evicts single pages");
            };
            let page = core.geometry().page(lpn);
            let (dirty, _) = self.resident.take(lpn);
            self.policy.left(page);
            if !dirty {
                continue;
            }
            dirty_pages += 1;
            if lpn.0 != run.end || page.offset == 0 {
                self.write_out(core, run)?;
                run = lpn.0..lpn.0;
            }
            run.end += 1;
        }
        core.counters.evictions += count;
        core.counters.evicted_dirty_pages += dirty_pages;
        core.counters.evicted_clean_pages += count - dirty_pages;
        self.write_out(core, run)
    }

    fn write_out<M: Media<Page = P>>(
        &self,
        core: &mut Core<M>,
        run: Range<u32>,
    ) -> Result<(), FtlError> {
        match run.len() as u32 {
            0 => Ok(()),
            count => core.write_run(Lpn(run.start), count, &self.blank),
        }
    }

    /// As `evict_block`: each run of consecutive dirty pages is one write.
    pub(super) fn evict_block_runs<M: Media<Page = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
    ) -> Result<(), FtlError> {
        let (first, end) = self.range_of(lbn);
        let mut at = first;
        while let Some(Lpn(start)) = self.resident.first_dirty_in(at, end) {
            at = start + 1;
            while at < end && self.resident.is_dirty(Lpn(at)) {
                at += 1;
            }
            core.write_run(Lpn(start), at - start, &self.blank)?;
        }
        self.leave_all(core, lbn);
        Ok(())
    }

    /// As `evict_padded`, for a block whose offsets are all held or mapped; false, with nothing done, for others.
    pub(super) fn evict_padded_run<M: Media<Page = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
    ) -> Result<bool, FtlError> {
        let (first, end) = self.range_of(lbn);
        let mut missing = 0;
        let mut at = first;
        for held in self
            .resident
            .held_in(first, end)
            .map(|held| held.0)
            .chain([end])
        {
            let gap = held - at;
            if gap > 0 && core.ftl.count_mapped(Lpn(at), gap) < gap {
                return Ok(false);
            }
            missing += u64::from(gap);
            at = held + 1;
        }
        let clean = self.leave_all(core, lbn);
        core.counters.flash_reads += missing;
        core.counters.padding_reads += missing;
        core.padding_programs += missing + clean;
        core.write_run(Lpn(first), self.pages_per_block, &self.blank)?;
        Ok(true)
    }

    fn range_of(&self, lbn: Lbn) -> (u32, u32) {
        let first = lbn.0 * self.pages_per_block;
        (first, first + self.pages_per_block)
    }

    /// All pages of a block leave, written or about to be; returns how many were clean.
    fn leave_all<M: Media<Page = P>>(&mut self, core: &mut Core<M>, lbn: Lbn) -> u64 {
        let (first, end) = self.range_of(lbn);
        let (pages, dirty) = self.resident.take_range(first, end);
        self.policy.left_together(lbn, pages);
        let clean = u64::from(pages - dirty);
        core.counters.evicted_dirty_pages += u64::from(dirty);
        core.counters.evicted_clean_pages += clean;
        clean
    }
}
