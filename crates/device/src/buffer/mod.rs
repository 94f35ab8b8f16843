//! The write buffer: the stage between host and FTL. It owns residency, dirty marks and data; its policy owns an order.

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

/// The pages of one request, or of one part of it where it wraps around.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// First page.
    pub first: u32,
    /// Pages.
    pub count: u32,
    /// Nothing of the request came before.
    pub begins: bool,
    /// The request covers only a part of the first page, and pays for a read-modify-write.
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

/// What stands between the host and the FTL.
pub(crate) trait Stage<M: Media> {
    /// Called before each request with its time stamp.
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

    /// The end of the trace: writes whatever is dirty.
    fn drain(&mut self, core: &mut Core<M>) -> Result<(), FtlError>;

    /// Recounts what is kept in numbers.
    fn check(&self) -> Result<(), String>;
}
