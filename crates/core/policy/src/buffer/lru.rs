//! LRU: evicts the least recently used page.

use alloc::vec::Vec;

use ssdlab_flash::{Lpn, Page};

use super::pages::PageList;
use super::{Access, BufferKind, BufferPolicy, Nature, SIZE, Shape, Victim};
use crate::{About, Entry, Settings, Source, papers};

/// Pages in the order of their last use.
pub struct Lru(PageList);

impl BufferKind for Lru {
    const ENTRY: Entry = Entry {
        name: "lru",
        rule: "evicts the least recently used page",
        source: Source::of("{}, section 4 (baseline)", &[&papers::BPLRU]),
        keys: &[SIZE.key],
        about: About {
            file: file!(),
            lines: [
                "A write moves its page to the most-recent end of the list; so does a read with \
                 `buffer.reads = \"cache\"`.",
                "When room is needed, the page at the least-recent end is evicted alone.",
                "The policy ignores the block of a page.",
            ],
            cost: "O(1) for each page; 12 bytes for each page held, 4 for each logical page (with more than 2^24 \
                   logical pages, up to 32 for each page held instead).",
            wins: "Page mapping, where pages are soon rewritten and their blocks do not matter.",
            loses: "Log blocks, as with FIFO: the victims are scattered over many blocks, so most evictions end in a \
                    full merge. Page mapping under Postmark on FAT16 and NTFS: pages are evicted in a different order \
                    than they were written, and no buffer at all is faster.",
        },
    };

    const NATURE: Nature = Nature::page_level([0; 3]).listing(1).serving_reads();

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(shape: &Shape, (): &()) -> Self {
        Self(PageList::new(shape))
    }
}

impl BufferPolicy for Lru {
    const ENTERS_LAST: bool = true;

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
