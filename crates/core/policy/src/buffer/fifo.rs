//! FIFO: evicts the page that entered first, however often it was used since.

use alloc::vec::Vec;

use ssdlab_flash::{Lpn, Page};

use super::pages::PageList;
use super::{Access, BufferKind, BufferPolicy, Nature, SIZE, Shape, Victim};
use crate::{About, Entry, Settings, Source, papers};

/// Pages in the order in which they entered.
pub struct Fifo(PageList);

impl BufferKind for Fifo {
    const ENTRY: Entry = Entry {
        name: "fifo",
        rule: "evicts the page that entered first",
        source: Source::of("{}", &[&papers::LFS_BUFFERS]),
        keys: &[SIZE.key],
        about: About {
            file: file!(),
            lines: [
                "A new page goes to the end of a queue. A later write changes it in place and does not move it.",
                "When room is needed, the page at the head of the queue is evicted alone.",
                "The policy ignores the later use of a page, and its block.",
            ],
            cost: "O(1) for each page; 12 bytes for each page held, 4 for each logical page (with more than 2^24 \
                   logical pages, up to 32 for each page held instead).",
            wins: "Page mapping, and read buffers: it does about as well as LRU with less work.",
            loses: "Log blocks: the victims belong to many blocks, and each takes a log block and a full merge. Pages \
                    that are rewritten often are evicted as early as all others.",
        },
    };

    const NATURE: Nature = Nature::page_level([0; 3]).listing(1).serving_reads();

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(shape: &Shape, (): &()) -> Self {
        Self(PageList::new(shape))
    }
}

impl BufferPolicy for Fifo {
    const ENTERS_LAST: bool = true;

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
    fn victim(&mut self) -> Victim {
        Victim::Page(self.0.back())
    }

    fn outlook(&self, most: usize) -> Option<Vec<Victim>> {
        Some(self.0.outlook(most))
    }

    #[inline]
    fn enter_run(&mut self, first: Page, count: u32, _: Access) {
        self.0.push_run(first.lpn, count);
    }

    #[inline]
    fn foresee(&self, lpn: Lpn) {
        self.0.foresee(lpn);
    }

    fn next_victims(&self, victims: &mut [Lpn]) -> usize {
        self.0.oldest(victims)
    }

    #[inline]
    fn leave_run(&mut self, most: u32) -> (Lpn, u32) {
        self.0.pop_run(most)
    }
}
