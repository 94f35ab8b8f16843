//! PLRU-BR (page-level LRU, block replacement): pages are kept by their last use, but with the least recent one leave
//! all pages of its block, those in use too.

use ssdlab_flash::{Geometry, Page};

use super::pages::PageList;
use super::{Access, BufferPolicy, Params, Victim};
use crate::{About, Entry};

/// Pages in the order of their last use.
pub struct PlruBr {
    pages: PageList,
    geometry: Geometry,
}

impl BufferPolicy for PlruBr {
    const ENTRY: Entry = Entry {
        name: "plru-br",
        rule: "evicts all pages of the block of the least recently used page",
        paper: "PLRU-BR-2Q, section 2 (PLRU-BR)",
        keys: &["buffer.size"],
        about: About {
            file: file!(),
            lines: [
                "Pages are kept by their last use.",
                "When room is needed, the least recent page leaves, and with it all pages held of its block.",
                "How recently these were used plays no part.",
            ],
            cost: "O(1) for each page, and for an eviction the marks of one block; 12 bytes for each page held, 4 \
                   for each logical page.",
            wins: "Scattered writes over log blocks: a page that is often written does not keep the others of its \
                   block, as it does under BLRU.",
            loses: "Where a block has hot pages and cold ones: the hot ones leave with the first cold one, and are \
                    soon back.",
        },
    };

    fn new(params: &Params) -> Self {
        Self {
            pages: PageList::new(params),
            geometry: params.geometry.clone(),
        }
    }

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
