//! The fast path: whole runs of pages instead of single ones.
//!
//! It serves where pages carry nothing and the FTL asks nothing back, and changes no counter: page by page, the same
//! happens in the same order. `SSDLAB_PLAIN=1` switches it off; tests compare both.

use ssdlab_flash::{Lbn, Lpn, Media, Payload};
use ssdlab_ftl::FtlError;
use ssdlab_policy::buffer::BufferPolicy;

use super::write_buffer::WriteBuffer;
use crate::core::Core;

/// May runs be used for pages of this kind?
pub(crate) fn allowed<P: Payload>() -> bool {
    P::NOTHING && std::env::var_os("SSDLAB_PLAIN").is_none_or(|value| value != "1")
}

impl<B: BufferPolicy, P: Payload> WriteBuffer<B, P> {
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
            if core.ftl.count_mapped(Lpn(at), held - at) < held - at {
                return Ok(false);
            }
            missing += u64::from(held - at);
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
        let mut dirty_pages = 0;
        let mut pages = 0;
        let mut at = first;
        while let Some(lpn) = self.resident.first_held_in(at, end) {
            let (dirty, _) = self.resident.take(lpn);
            self.policy.left(core.geometry().page(lpn));
            dirty_pages += u64::from(dirty);
            pages += 1;
            at = lpn.0 + 1;
        }
        core.counters.evicted_dirty_pages += dirty_pages;
        core.counters.evicted_clean_pages += pages - dirty_pages;
        pages - dirty_pages
    }
}
