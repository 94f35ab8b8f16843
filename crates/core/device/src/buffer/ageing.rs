//! The writes of blocks with a page that has been dirty for too long (`flush_age_s`).

use ssdlab_flash::{Lbn, Lpn, Media, Payload};
use ssdlab_ftl::FtlError;
use ssdlab_policy::buffer::BufferPolicy;

use super::write_buffer::WriteBuffer;
use crate::core::Core;

impl<B: BufferPolicy, P: Payload> WriteBuffer<B, P> {
    /// Writes the dirty pages of a block because of their age; with padding, writes the whole block. Held pages stay as
    /// clean pages.
    pub(super) fn age_block<M: Media<Data = P>>(
        &mut self,
        core: &mut Core<M>,
        lbn: Lbn,
    ) -> Result<(), FtlError> {
        let (first, end) = self.range_of(lbn);
        let pads = self.pads(core, lbn);
        if core.tells_ends() {
            let last = match pads {
                true => Lpn(end - 1),
                false => self.last_held(first..end, |_| true),
            };
            core.end_at(last);
        }
        if !pads {
            // a line of a large drive has more pages than the buffer
            let mut at = first;
            while let Some(lpn) = self.first_aged_in(at..end) {
                self.write_held(core, lpn)?;
                at = lpn.0 + 1;
            }
            return Ok(());
        }
        if core.has_runs() && self.age_padded_run(core, lbn)? {
            return Ok(());
        }
        self.read_gaps(core, lbn)?;
        for lpn in (first..end).map(Lpn) {
            if self.resident.marks.holds(lpn) {
                self.write_held(core, lpn)?;
            } else {
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
        self.cleaned.forget(lpn);
        let written = self.write_taken(core, lpn, slot);
        self.resident.marks.insert(lpn, dirty && written.is_err());
        written?;
        core.counters.aged_pages += u64::from(dirty);
        core.padded_unread_pages += u64::from(!dirty);
        if dirty {
            self.policy.cleaned(core.geometry().page(lpn));
        }
        Ok(())
    }
}
