//! Ageing (`flush_age_s`): the time since which each page is dirty, and the writes of blocks with a page that is dirty
//! for too long.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ssdlab_flash::{Lbn, Lpn, Media, Payload};
use ssdlab_ftl::FtlError;
use ssdlab_policy::buffer::Buffering;

use super::marks::Marks;
use super::write_buffer::WriteBuffer;
use crate::core::Core;

/// The dirty pages by age. Entries of pages that became clean or left are dropped when they reach the top, or when they
/// outnumber the others.
pub(crate) struct Ages {
    age_ns: u64,
    /// For each LPN, the time at which it last became dirty.
    since: Vec<u64>,
    /// (since, LPN), the oldest on top. Among equal times, the smallest LPN is on top.
    oldest: BinaryHeap<Reverse<(u64, u32)>>,
    /// The length at which the heap is swept: twice its length after the last sweep.
    sweep_at: usize,
}

const FIRST_SWEEP: usize = 1024;

impl Ages {
    pub fn new(age_ns: u64, logical_pages: u32) -> Self {
        Self {
            age_ns,
            since: vec![0; logical_pages as usize],
            oldest: BinaryHeap::new(),
            sweep_at: FIRST_SWEEP,
        }
    }

    /// A page became dirty. Trace times need not ascend.
    pub fn turned_dirty(&mut self, lpn: Lpn, now_ns: u64, marks: &Marks) {
        if self.oldest.len() >= self.sweep_at {
            self.sweep(lpn, marks);
        }
        self.since[lpn.index()] = now_ns;
        self.oldest.push(Reverse((now_ns, lpn.0)));
    }

    /// Drops outdated entries. All entries of `newcomer` are outdated, because it was not dirty until now.
    fn sweep(&mut self, newcomer: Lpn, marks: &Marks) {
        let since = &self.since;
        self.oldest.retain(|&Reverse((time, page))| {
            page != newcomer.0 && marks.is_dirty(Lpn(page)) && since[page as usize] == time
        });
        self.sweep_at = FIRST_SWEEP.max(2 * self.oldest.len());
    }

    /// The page that has been dirty for the longest time, if its age has reached the limit at `now_ns`.
    pub fn due(&mut self, now_ns: u64, marks: &Marks) -> Option<Lpn> {
        let limit = now_ns.checked_sub(self.age_ns)?;
        while let Some(&Reverse((time, page))) = self.oldest.peek() {
            let current = marks.is_dirty(Lpn(page)) && self.since[page as usize] == time;
            if current {
                return (time <= limit).then_some(Lpn(page));
            }
            self.oldest.pop();
        }
        None
    }
}

impl<B: Buffering, P: Payload> WriteBuffer<B, P> {
    /// Writes the dirty pages of a block because of their age; with padding, writes the whole block. Held pages stay as
    /// clean pages.
    pub(super) fn age_block<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
    ) -> Result<(), FtlError> {
        let pads = self.policy.pads();
        if pads {
            if core.runs && self.age_padded_run(core, lbn)? {
                return Ok(());
            }
            self.read_gaps(core, lbn)?;
        }
        let (first, end) = self.range_of(lbn);
        for lpn in (first..end).map(Lpn) {
            let marks = &self.resident.marks;
            if marks.is_dirty(lpn) || pads && marks.holds(lpn) {
                self.write_held(core, lpn)?;
            } else if pads {
                let gap = self.offsets(lbn, lpn.0..lpn.0 + 1);
                let page = core.geometry().page(lpn);
                let (mut view, leaving) = self.lend();
                core.write_found(&mut view, page, &leaving[gap])?;
            }
        }
        Ok(())
    }

    /// Writes a held page because of the age of its block. It stays as a clean page. Merges do not see it during the
    /// write.
    fn write_held<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lpn: Lpn,
    ) -> Result<(), FtlError> {
        let (dirty, slot) = self.resident.take(lpn);
        core.counters.aged_pages += u64::from(dirty);
        core.padded_clean_pages += u64::from(!dirty);
        self.write_taken(core, lpn, slot)?;
        self.resident.marks.insert(lpn, false);
        if dirty {
            self.policy.cleaned(core.geometry().page(lpn));
        }
        Ok(())
    }
}
