//! FAB (flash-aware buffer): evicts all pages of the block with the most pages in the buffer together.

use alloc::vec::Vec;

use ssdlab_flash::{Lbn, Page};

use super::by_held::ByHeld;
use super::{Access, BufferKind, BufferPolicy, COUNT_HEADERS, Nature, SIZE, Shape, Victim};
use crate::{About, Entry, Settings, Source, papers};

/// Blocks sorted by pages held, then by last use.
pub struct Fab {
    blocks: ByHeld,
}

impl BufferKind for Fab {
    const ENTRY: Entry = Entry {
        name: "fab",
        rule: "evicts all pages of the block with the most pages held; among equals, the least recently used block",
        source: Source::of("{}, section 2.4 ({})", &[&papers::BPLRU, &papers::FAB]),
        keys: &[SIZE.key, COUNT_HEADERS.key],
        about: About {
            file: file!(),
            lines: [
                "The pages held of each block are counted. Pages that the host reads enter and count too, as clean \
                 pages.",
                "When room is needed, all pages of the block with the most pages are evicted together.",
                "Among equals, the least recently used block.",
            ],
            cost: "O(1) for each page; 20 bytes for each logical block. A discard of a single page walks the blocks \
                   that hold the same number of pages.",
            wins: "Random writes and many small files: each merge serves as many pages as possible. The gain grows \
                   with the buffer.",
            loses: "Small buffers with long sequential writes: the block with the most pages is the one being written, \
                    and it is evicted half complete. FAB can then be slower than no buffer at all.",
        },
    };

    const NATURE: Nature = Nature::block_level([0, 0, ByHeld::BYTES]).caching_reads();

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(shape: &Shape, (): &()) -> Self {
        Self {
            blocks: ByHeld::new(shape),
        }
    }
}

impl BufferPolicy for Fab {
    fn hit(&mut self, page: Page, _: Access) {
        self.blocks.hit(page.lbn, 1);
    }

    fn enter(&mut self, page: Page, _: Access) {
        self.blocks.enter(page.lbn, 1);
    }

    fn left(&mut self, page: Page) {
        self.blocks.left(page.lbn);
    }

    fn victim(&mut self) -> Victim {
        let most = self.blocks.most();
        let lbn = self
            .blocks
            .oldest(most.expect("called only while a page is held"));
        self.blocks.begin_to_leave(lbn);
        Victim::Block(lbn)
    }

    fn outlook(&self, most: usize) -> Option<Vec<Victim>> {
        Some(self.blocks.outlook(most))
    }

    fn hit_run(&mut self, first: Page, count: u32, _: Access) {
        self.blocks.hit(first.lbn, count);
    }

    fn enter_run(&mut self, first: Page, count: u32, _: Access) {
        self.blocks.enter(first.lbn, count);
    }

    fn left_together(&mut self, lbn: Lbn, count: u32, _: impl Iterator<Item = Page>) {
        self.blocks.left_together(lbn, count);
    }

    fn headers(&self) -> u32 {
        self.blocks.headers()
    }

    fn needs_header(&self, lbn: Lbn) -> bool {
        self.blocks.held(lbn) == 0
    }
}
