//! LRU: the page that was not used for the longest time leaves first.

use ssdlab_flash::{Lpn, Page};

use super::pages::PageList;
use super::{Access, BufferPolicy, Params, Victim};
use crate::Entry;

/// Pages in the order of their last use.
pub struct Lru(PageList);

impl BufferPolicy for Lru {
    const ENTRY: Entry = Entry {
        name: "lru",
        rule: "evicts the least recently used page",
        paper: "BPLRU 2008, section 4 (baseline)",
        keys: &["buffer.size"],
    };

    const ENTERS_LAST: bool = true;

    fn new(params: &Params) -> Self {
        Self(PageList::new(params))
    }

    #[inline]
    fn hit(&mut self, page: Page, _: Access) {
        self.0.move_to_front(page.lpn);
    }

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
