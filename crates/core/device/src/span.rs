//! The pages of a request.

use ssdlab_flash::{Lpn, Payload};
use ssdlab_ftl::ReadCause;

use crate::{HostData, Part};

/// The pages of a request, or of a part of it if it wraps around.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// The first page.
    pub first: u32,
    /// The number of pages.
    pub count: u32,
    /// This is the first part of the request.
    pub begins: bool,
    /// The last page of the request, or of its part that does not wrap around.
    pub end: u32,
    /// The bytes of the first page before the request; 0 if they do not matter.
    pub head: u32,
    /// The bytes of the last page after the request; 0 if they do not matter.
    pub tail: u32,
    /// The bytes of the request before this part of it.
    pub at: u64,
    /// Why the rest of a page that is written in part is read.
    pub rest: ReadCause,
    /// The size of a page in bytes.
    pub page_size: u32,
}

impl Span {
    #[inline]
    pub fn pages(self) -> impl Iterator<Item = Lpn> {
        (self.first..self.first + self.count).map(Lpn)
    }

    /// Whether all pages are covered as a whole.
    #[inline]
    pub fn is_whole(self) -> bool {
        self.head == 0 && self.tail == 0
    }

    /// Whether the request covers only a part of this page.
    #[inline]
    pub fn is_partial(self, lpn: Lpn) -> bool {
        self.head > 0 && lpn.0 == self.first
            || self.tail > 0 && lpn.0 == self.first + self.count - 1
    }

    /// The part of a page that the request covers.
    pub fn part(self, lpn: Lpn) -> Part {
        let is_last = lpn.0 == self.first + self.count - 1;
        let start = if lpn.0 == self.first { self.head } else { 0 };
        let end = self.page_size - if is_last { self.tail } else { 0 };
        let pages = u64::from(lpn.0 - self.first);
        Part {
            lpn,
            bytes: start as usize..end as usize,
            at: self.at + pages * u64::from(self.page_size) + u64::from(start)
                - u64::from(self.head),
        }
    }

    /// Puts the bytes of the host into a page, which keeps the rest.
    #[inline]
    pub fn overlay<P: Payload>(self, lpn: Lpn, page: &mut P, data: &mut dyn HostData<P>) {
        if !P::NOTHING {
            data.write(&self.part(lpn), page);
        }
    }

    /// Hands the bytes of a page to the host.
    #[inline]
    pub fn hand<P: Payload>(self, lpn: Lpn, page: Option<&P>, data: &mut dyn HostData<P>) {
        if !P::NOTHING {
            data.read(&self.part(lpn), page);
        }
    }
}
