//! LRU: the page that was not used for the longest time leaves first.

use ssdlab_flash::{Lpn, Page};

use super::pages::PageList;
use super::{Access, BufferPolicy, Params, Victim};
use crate::{About, Entry};

/// Pages in the order of their last use.
pub struct Lru(PageList);

impl BufferPolicy for Lru {
    const ENTRY: Entry = Entry {
        name: "lru",
        rule: "evicts the least recently used page",
        paper: "BPLRU 2008, section 4 (baseline)",
        keys: &["buffer.size"],
        about: About {
            file: file!(),
            lines: [
                "A page that is written goes to the most-recent end; so does one that is read, with `buffer.reads = \
                 \"cache\"`.",
                "When room is needed, the page at the least-recent end leaves, alone.",
                "Its block plays no part.",
            ],
            cost: "O(1) for each page; 12 bytes for each page held, 4 for each logical page.",
            wins: "Over page mapping, where pages are soon written again and the blocks that they belong to do not \
                   matter.",
            loses: "Over log blocks, as FIFO does: what leaves is scattered over many blocks, so that most evictions \
                    end in a full merge. Over page mapping, Postmark on FAT16 and NTFS: pages leave in another order \
                    than they came in, and no buffer at all is ahead.",
        },
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
