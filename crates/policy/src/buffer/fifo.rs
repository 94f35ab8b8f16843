//! FIFO: the page that entered first leaves first, however often it was used since.

use ssdlab_flash::{Lpn, Page};

use super::pages::PageList;
use super::{Access, BufferPolicy, Params, Victim};
use crate::{About, Entry};

/// Pages in the order of entry.
pub struct Fifo(PageList);

impl BufferPolicy for Fifo {
    const ENTRY: Entry = Entry {
        name: "fifo",
        rule: "evicts the page that entered first",
        paper: "LFS buffers 2010",
        keys: &["buffer.size"],
        about: About {
            file: file!(),
            lines: [
                "A page that enters goes to the end of a queue; when it is written again it is changed where it is.",
                "When room is needed, the page at the head of the queue leaves, alone.",
                "Neither its use nor its block plays a part.",
            ],
            cost: "O(1) for each page; 12 bytes for each page held, 4 for each logical page.",
            wins: "Over page mapping, and as a read buffer, where it does what LRU does with less work.",
            loses: "Over log blocks: its victims come from many blocks, and each of them takes a log block and a \
                    full merge. Pages that are written again and again leave as early as all others.",
        },
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
