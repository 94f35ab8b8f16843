//! FIFO: the page that entered first leaves first, however often it was used since.

use ssdlab_flash::{Lpn, Page};

use super::pages::PageList;
use super::{Access, BufferPolicy, Params, Victim};
use crate::Entry;

/// Pages in the order of entry.
pub struct Fifo(PageList);

impl BufferPolicy for Fifo {
    const ENTRY: Entry = Entry {
        name: "fifo",
        rule: "evicts the page that entered first",
        paper: "LFS buffers 2010",
        keys: &["buffer.size"],
    };

    const ENTERS_LAST: bool = true;

    fn new(params: &Params) -> Self {
        Self(PageList::new(params))
    }

    #[inline]
    fn hit(&mut self, _: Page, _: Access) {}

    #[inline]
    fn enter(&mut self, page: Page, _: Access) {
        self.0.push_front(page.lpn);
    }

    #[inline]
    fn left(&mut self, page: Page) {
        self.0.remove(page.lpn);
    }

    #[inline]
    fn leave_run(&mut self, most: u32) -> (Lpn, u32) {
        self.0.pop_run(most)
    }

    #[inline]
    fn victim(&mut self) -> Victim {
        Victim::Page(self.0.back())
    }
}
