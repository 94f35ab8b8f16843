//! The data of host requests.

use std::ops::Range;

use ssdlab_flash::{Bytes, Lpn};

/// The part of a page that a request covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The page.
    pub lpn: Lpn,
    /// These bytes of the page. Only the first and the last page of a request may be covered in part.
    pub bytes: Range<usize>,
    /// The place of the first of them in the request, in bytes from its start.
    pub at: u64,
}

impl Part {
    /// The place of the bytes in the data of the request.
    pub fn of_request(&self) -> Range<usize> {
        let at = self.at as usize;
        at..at + self.bytes.len()
    }
}

/// The data of the current request, page by page. Not called if the payload is `()`.
pub trait HostData<P> {
    /// The host writes: puts its bytes into a page at `part.bytes`. The other bytes are those that the page had before,
    /// and must stay.
    fn write(&mut self, part: &Part, page: &mut P);

    /// The host reads: takes `part.bytes` of a page. `None` means that the page was never written, or was discarded,
    /// and reads as zeros. Once a buffer that caches reads holds such a page, it reads as blank.
    fn read(&mut self, part: &Part, page: Option<&P>);
}

/// No data, for the simulator.
pub struct NoData;

impl HostData<()> for NoData {
    fn write(&mut self, _: &Part, (): &mut ()) {}

    fn read(&mut self, _: &Part, _: Option<&()>) {}
}

/// The data of a request in memory: those of a write, or the place for those of a read. As long as the request;
/// empty for a flush or a discard.
///
/// # Panics
/// A read or write panics if the slice is shorter than the request.
pub struct RequestBytes<'a>(pub &'a mut [u8]);

impl HostData<Bytes> for RequestBytes<'_> {
    fn write(&mut self, part: &Part, page: &mut Bytes) {
        page.0[part.bytes.clone()].copy_from_slice(&self.0[part.of_request()]);
    }

    fn read(&mut self, part: &Part, page: Option<&Bytes>) {
        let place = &mut self.0[part.of_request()];
        match page {
            Some(page) => place.copy_from_slice(&page.0[part.bytes.clone()]),
            None => place.fill(0),
        }
    }
}
