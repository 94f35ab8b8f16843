//! Block-level LRU: evicts all pages of the least recently used block together.

use alloc::vec::Vec;

use ssdlab_flash::{Lbn, Page};

use super::blocks::BlockList;
use super::{Access, BufferKind, BufferPolicy, COUNT_HEADERS, Nature, SIZE, Shape, Victim};
use crate::{About, Entry, Settings, Source, papers};

/// Blocks in the order of their last use.
pub struct Blru(BlockList);

impl BufferKind for Blru {
    const ENTRY: Entry = Entry {
        name: "blru",
        rule: "evicts all pages of the least recently used block",
        source: Source::of("{}, section 3.1", &[&papers::BPLRU]),
        keys: &[SIZE.key, COUNT_HEADERS.key],
        about: About {
            file: file!(),
            lines: [
                "A write moves its block to the most-recent end of the list.",
                "When room is needed, all pages of the least recently used block are evicted together, in ascending \
                 order.",
                "With `buffer.count_headers`, each block with pages in the buffer also takes the space of one page.",
            ],
            cost: "O(1) for each page, or for each run of pages of one block; 12 bytes for each logical block.",
            wins: "Several sequential writers at a time: blocks are complete when they are evicted and end in switch \
                   merges instead of full merges.",
            loses: "Scattered writes: each block has only one or two pages in the buffer, and one hot page keeps its \
                    whole block there.",
        },
    };

    const NATURE: Nature = Nature::block_level([0, 0, 16]);

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(shape: &Shape, (): &()) -> Self {
        Self(BlockList::new(shape))
    }
}

impl BufferPolicy for Blru {
    fn hit(&mut self, page: Page, _: Access) {
        self.0.move_to_front(page.lbn);
    }

    fn enter(&mut self, page: Page, _: Access) {
        self.0.enter(page.lbn, 1);
    }

    fn left(&mut self, page: Page) {
        self.0.left(page.lbn, 1);
    }

    fn victim(&mut self) -> Victim {
        Victim::Block(self.0.back())
    }

    fn outlook(&self, most: usize) -> Option<Vec<Victim>> {
        Some(self.0.outlook(most))
    }

    fn hit_run(&mut self, first: Page, _: u32, access: Access) {
        self.hit(first, access);
    }

    fn enter_run(&mut self, first: Page, count: u32, _: Access) {
        self.0.enter(first.lbn, count);
    }

    fn left_together(&mut self, lbn: Lbn, count: u32, _: impl Iterator<Item = Page>) {
        self.0.left(lbn, count);
    }

    fn headers(&self) -> u32 {
        self.0.headers()
    }

    fn needs_header(&self, lbn: Lbn) -> bool {
        !self.0.contains(lbn)
    }
}
