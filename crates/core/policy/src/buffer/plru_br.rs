//! PLRU-BR (page-level LRU, block replacement): orders pages by their last use and evicts the least recently used page
//! together with all other pages of its block, even recent ones.

use ssdlab_flash::{Geometry, Page};

use super::pages::PageList;
use super::{Access, BufferKind, BufferPolicy, Nature, SIZE, Shape, Victim};
use crate::{About, Entry, Settings, Source, papers};

/// Pages in the order of their last use.
pub struct PlruBr {
    pages: PageList,
    geometry: Geometry,
}

impl BufferKind for PlruBr {
    const ENTRY: Entry = Entry {
        name: "plru-br",
        rule: "evicts all pages of the block of the least recently used page",
        source: Source::of("{}, section 2 (PLRU-BR)", &[&papers::PLRU_BR_2Q]),
        keys: &[SIZE.key],
        about: About {
            file: file!(),
            lines: [
                "Pages are ordered by their last use.",
                "When room is needed, the least recently used page is evicted together with all other held pages of \
                 its block.",
                "The last use of the other pages does not matter.",
            ],
            cost: "O(1) for each page, plus a scan of the marks of one block for each eviction; 12 bytes for each page held, 4 \
                   for each logical page (with more than 2^24 logical pages, up to 32 for each page held instead).",
            wins: "Scattered writes over log blocks: a hot page does not keep the other pages of its block in the \
                   buffer, as it does under BLRU.",
            loses: "Blocks with both hot and cold pages: the hot pages are evicted with the first cold one and soon \
                    return.",
        },
    };

    const NATURE: Nature = Nature::page_level([0; 3]).listing(1).evicting_blocks();

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(shape: &Shape, (): &()) -> Self {
        Self {
            pages: PageList::new(shape),
            geometry: shape.geometry.clone(),
        }
    }
}

impl BufferPolicy for PlruBr {
    fn hit(&mut self, page: Page, _: Access) {
        self.pages.move_to_front(page.lpn);
    }

    fn enter(&mut self, page: Page, _: Access) {
        self.pages.push_front(page.lpn);
    }

    fn left(&mut self, page: Page) {
        self.pages.remove(page.lpn);
    }

    fn victim(&mut self) -> Victim {
        let Page { lbn, .. } = self.geometry.page(self.pages.back());
        Victim::Block(lbn)
    }
}
