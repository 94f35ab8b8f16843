//! No buffer: each host page goes straight to the FTL.

use ssdlab_flash::{Lpn, Media, Payload};
use ssdlab_ftl::FtlError;

use super::{Span, Stage, runs};
use crate::HostData;
use crate::core::Core;

pub(crate) struct NoBuffer<P> {
    blank: P,
    /// Write whole runs at once.
    runs: bool,
}

impl<P: Payload> NoBuffer<P> {
    pub fn new(page_size: u32) -> Self {
        Self {
            blank: P::blank(page_size),
            runs: runs::allowed::<P>(),
        }
    }
}

impl<P: Payload> NoBuffer<P> {
    /// One run for each logical block.
    fn write_runs<M: Media<Page = P>>(
        &self,
        core: &mut Core<M>,
        span: Span,
    ) -> Result<(), FtlError> {
        let mut at = span.first;
        let end = span.first + span.count;
        while at < end {
            let geometry = core.geometry();
            let rest = geometry.pages_per_block() - geometry.page(Lpn(at)).offset;
            let count = rest.min(end - at);
            core.write_run(Lpn(at), count, &self.blank)?;
            at += count;
        }
        Ok(())
    }
}

impl<M: Media> Stage<M> for NoBuffer<M::Page> {
    fn age(&mut self, _: &mut Core<M>, _: u64) -> Result<(), FtlError> {
        Ok(())
    }

    fn write(
        &mut self,
        core: &mut Core<M>,
        span: Span,
        data: &mut dyn HostData<M::Page>,
    ) -> Result<(), FtlError> {
        if self.runs && !span.partial_head && !span.partial_tail {
            return self.write_runs(core, span);
        }
        for lpn in span.pages() {
            if span.is_partial(lpn) {
                core.read_modify(lpn);
            }
            core.write(
                lpn,
                if M::Page::NOTHING {
                    &self.blank
                } else {
                    data.written(lpn)
                },
            )?;
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
            let page = core.read(lpn)?;
            if !M::Page::NOTHING {
                data.read(lpn, page);
            }
        }
        Ok(())
    }

    fn discard(&mut self, core: &mut Core<M>, span: Span) -> Result<(), FtlError> {
        span.pages().try_for_each(|lpn| core.discard(lpn))
    }

    fn flush(&mut self, core: &mut Core<M>) -> Result<(), FtlError> {
        Ok(core.media.barrier()?)
    }

    fn drain(&mut self, core: &mut Core<M>) -> Result<(), FtlError> {
        Ok(core.media.barrier()?)
    }

    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}
