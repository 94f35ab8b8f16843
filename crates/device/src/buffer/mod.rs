//! The write buffer: the stage between the host and the FTL. It keeps residency, dirty marks and data; its policy keeps
//! an order.

mod ages;
mod marks;
mod none;
mod read_buffer;
mod resident;
mod runs;
mod view;
mod write_buffer;

use ssdlab_flash::{Lpn, Media};
use ssdlab_ftl::FtlError;

use crate::HostData;
use crate::core::Core;

pub(crate) use none::NoBuffer;
pub(crate) use read_buffer::{ReadBuffer, ReadStage};
pub(crate) use runs::allowed as runs_allowed;
pub(crate) use write_buffer::{Settings, WriteBuffer};

/// The pages of a request, or of a part of it if it wraps around.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// The first page.
    pub first: u32,
    /// The number of pages.
    pub count: u32,
    /// This is the first part of the request.
    pub begins: bool,
    /// The request covers only a part of the first page, and needs a read-modify-write.
    pub partial_head: bool,
    /// The same for the last page.
    pub partial_tail: bool,
}

impl Span {
    #[inline]
    pub fn pages(self) -> impl Iterator<Item = Lpn> {
        (self.first..self.first + self.count).map(Lpn)
    }

    #[inline]
    pub fn is_partial(self, lpn: Lpn) -> bool {
        self.partial_head && lpn.0 == self.first
            || self.partial_tail && lpn.0 == self.first + self.count - 1
    }
}

/// The stage between the host and the FTL.
pub(crate) trait Stage<M: Media> {
    /// Called before each request, with its time stamp.
    fn age(&mut self, core: &mut Core<M>, time_ns: u64) -> Result<(), FtlError>;

    fn write(
        &mut self,
        core: &mut Core<M>,
        span: Span,
        data: &mut dyn HostData<M::Page>,
    ) -> Result<(), FtlError>;

    fn read(
        &mut self,
        core: &mut Core<M>,
        span: Span,
        data: &mut dyn HostData<M::Page>,
    ) -> Result<(), FtlError>;

    fn discard(&mut self, core: &mut Core<M>, span: Span) -> Result<(), FtlError>;

    /// A flush command.
    fn flush(&mut self, core: &mut Core<M>) -> Result<(), FtlError>;

    /// The end of the trace: writes all dirty pages.
    fn drain(&mut self, core: &mut Core<M>) -> Result<(), FtlError>;

    /// Compares the counts with recounts.
    fn check(&self) -> Result<(), String>;
}
