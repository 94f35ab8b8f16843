//! The stage between the host and the FTL, as the device sees it.

use std::ops::Range;

use ssdlab_flash::{Lpn, Media};
use ssdlab_ftl::FtlError;
use ssdlab_policy::buffer::Victim;

use crate::HostData;
use crate::core::Core;
use crate::span::Span;

/// The write buffer, or its absence.
pub(crate) trait Stage<M: Media>: Send {
    /// Whether it wants to know what merges move; see
    /// [`BufferPolicy::LEARNS`](ssdlab_policy::buffer::BufferPolicy::LEARNS).
    fn learns(&self) -> bool {
        false
    }

    /// Called before each request, with its time stamp.
    fn age(&mut self, core: &mut Core<M>, time_ns: u64) -> Result<(), FtlError>;

    /// Cleaning in a gap between requests.
    fn clean_in_gap(&mut self, core: &mut Core<M>, gaps: [Range<u64>; 2]) -> Result<(), FtlError>;

    /// Reports the sizes of the regions of its policy as an event, if they have changed. Called behind each request while
    /// events are wanted.
    fn report_regions(&mut self, _core: &mut Core<M>) {}

    /// Announces that the host will soon write these pages, for prefetching. Changes nothing.
    fn foresee(&self, core: &Core<M>, pages: &[Lpn]);

    /// The host writes the pages of a span; `data` has its bytes.
    fn write(
        &mut self,
        core: &mut Core<M>,
        span: Span,
        data: &mut dyn HostData<M::Data>,
    ) -> Result<(), FtlError>;

    /// The host reads the pages of a span; `data` takes their bytes.
    fn read(
        &mut self,
        core: &mut Core<M>,
        span: Span,
        data: &mut dyn HostData<M::Data>,
    ) -> Result<(), FtlError>;

    /// The host discards the pages of a span.
    fn discard(&mut self, core: &mut Core<M>, span: Span) -> Result<(), FtlError>;

    /// A flush command.
    fn flush(&mut self, core: &mut Core<M>) -> Result<(), FtlError>;

    /// The end of the trace: writes all dirty pages.
    fn drain(&mut self, core: &mut Core<M>) -> Result<(), FtlError>;

    /// Calls `each` for every page that the buffer holds, in ascending order, and whether it is dirty.
    fn each_held(&self, each: &mut dyn FnMut(Lpn, bool, &M::Data));

    /// The pages that the buffer holds, and the dirty ones among them.
    fn buffered(&self) -> (u32, u32);

    /// The held pages of a range in ascending order, at most `most`, and whether each is dirty.
    fn held_in(&self, _pages: Range<u32>, _most: usize) -> Vec<(Lpn, bool)> {
        Vec::new()
    }

    /// The places of the buffer: pages, and headers if they are counted; `u64::MAX` without a bound, `None` without a buffer.
    fn places(&self) -> Option<u64> {
        None
    }

    /// What the policy would evict next; see [`BufferPolicy::outlook`](ssdlab_policy::buffer::BufferPolicy::outlook).
    fn outlook(&self, _most: usize) -> Option<Vec<Victim>> {
        None
    }

    /// Whether the buffer holds the page.
    fn holds(&self, lpn: Lpn) -> bool;

    /// Compares the counts with recounts. For tests; slow.
    fn check(&self) -> Result<(), String>;
}
