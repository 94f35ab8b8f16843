//! No buffer: each host page goes directly to the FTL.

use std::ops::Range;

use ssdlab_flash::{Lpn, Media, Payload};
use ssdlab_ftl::FtlError;

use super::stage::Stage;
use crate::HostData;
use crate::core::Core;
use crate::span::Span;

pub(crate) struct NoBuffer<P> {
    /// The page that is being written.
    page: P,
}

impl<P: Payload> NoBuffer<P> {
    pub fn new(page_size: u32) -> Self {
        Self {
            page: P::blank(page_size),
        }
    }

    /// One run for each logical block.
    fn write_runs<M: Media<Data = P>>(
        &self,
        core: &mut Core<M>,
        span: Span,
    ) -> Result<(), FtlError> {
        let blocks = core.geometry().by_block(Lpn(span.first), span.count);
        blocks
            .into_iter()
            .try_for_each(|(first, count)| core.write_run(first, count, &self.page))
    }
}

impl<M: Media> Stage<M> for NoBuffer<M::Data> {
    fn age(&mut self, _: &mut Core<M>, _: u64) -> Result<(), FtlError> {
        Ok(())
    }

    fn clean_in_gap(&mut self, core: &mut Core<M>, gaps: [Range<u64>; 2]) -> Result<(), FtlError> {
        core.clean_in_gap(None, gaps)
    }

    fn foresee(&self, core: &Core<M>, pages: &[Lpn]) {
        core.foresee(pages);
    }

    fn write(
        &mut self,
        core: &mut Core<M>,
        span: Span,
        data: &mut dyn HostData<M::Data>,
    ) -> Result<(), FtlError> {
        if core.has_runs() && span.count > 1 && span.is_whole() {
            return self.write_runs(core, span);
        }
        for lpn in span.pages() {
            core.renew(span, lpn, &mut self.page, data)?;
            core.tell_clocks(|clocks| clocks.arrive(lpn));
            core.write_alone(lpn, &self.page)?;
            core.cache_written(lpn, &self.page, false);
        }
        Ok(())
    }

    fn read(
        &mut self,
        core: &mut Core<M>,
        span: Span,
        data: &mut dyn HostData<M::Data>,
    ) -> Result<(), FtlError> {
        for lpn in span.pages() {
            let page = core.read(lpn)?;
            span.hand(lpn, page, data);
        }
        Ok(())
    }

    fn discard(&mut self, core: &mut Core<M>, span: Span) -> Result<(), FtlError> {
        span.pages().try_for_each(|lpn| core.discard(lpn))
    }

    fn flush(&mut self, core: &mut Core<M>) -> Result<(), FtlError> {
        core.tell_clocks(|clocks| clocks.flushed());
        Ok(core.barrier()?)
    }

    fn drain(&mut self, core: &mut Core<M>) -> Result<(), FtlError> {
        Ok(core.barrier()?)
    }

    fn each_held(&self, _: &mut dyn FnMut(Lpn, bool, &M::Data)) {}

    fn buffered(&self) -> (u32, u32) {
        (0, 0)
    }

    fn holds(&self, _: Lpn) -> bool {
        false
    }

    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}
