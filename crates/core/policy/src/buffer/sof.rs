//! SOF (smallest offset first): evicts the page with the smallest address.

use ssdlab_flash::{Lpn, Page};

use super::{Access, BufferKind, BufferPolicy, Nature, SIZE, Shape, Victim};
use crate::{About, BitTree, Entry, Settings, Source, papers};

/// Pages in the order of their addresses.
pub struct Sof(BitTree);

impl BufferKind for Sof {
    const ENTRY: Entry = Entry {
        name: "sof",
        rule: "evicts the page with the smallest LPN",
        source: Source::of("{}", &[&papers::LFS_BUFFERS]),
        keys: &[SIZE.key],
        about: About {
            file: file!(),
            lines: [
                "Pages are ordered by address only.",
                "When room is needed, the page with the smallest LPN is evicted alone.",
                "Pages are therefore evicted in ascending order, block by block, until a smaller address is written.",
            ],
            cost: "Three or four words of a bit tree for each page; one bit for each logical page.",
            wins: "Scattered writes with a large buffer: the pages of a block go to one log block in order. Over page \
                   mapping it is first more often than any other policy on the traces of this repository. As a read \
                   buffer it beats LRU in the LFS paper.",
            loses: "Hot data at low addresses, such as file system tables: it is evicted first, however often it is \
                    written.",
        },
    };

    const NATURE: Nature = Nature::page_level([1, 0, 0]).serving_reads();

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(shape: &Shape, (): &()) -> Self {
        Self(BitTree::new(shape.geometry.logical_pages()))
    }
}

impl BufferPolicy for Sof {
    fn hit(&mut self, _: Page, _: Access) {}

    fn enter(&mut self, page: Page, _: Access) {
        self.0.insert(page.lpn.0);
    }

    fn left(&mut self, page: Page) {
        self.0.remove(page.lpn.0);
    }

    fn victim(&mut self) -> Victim {
        Victim::Page(Lpn(self
            .0
            .first()
            .expect("called only while a page is held")))
    }
}
