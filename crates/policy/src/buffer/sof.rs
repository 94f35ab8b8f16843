//! SOF (smallest offset first): the page with the smallest address leaves first.

use ssdlab_flash::{Lpn, Page};

use super::{Access, BufferPolicy, Params, Victim};
use crate::{About, BitTree, Entry};

/// Pages in the order of their addresses.
pub struct Sof(BitTree);

impl BufferPolicy for Sof {
    const ENTRY: Entry = Entry {
        name: "sof",
        rule: "evicts the page with the smallest LPN",
        paper: "LFS buffers 2010",
        keys: &["buffer.size"],
        about: About {
            file: file!(),
            lines: [
                "Pages have no order but their address.",
                "When room is needed, the page with the smallest LPN leaves, alone.",
                "So pages leave in ascending order, block after block, as long as nothing is written below.",
            ],
            cost: "Three or four words of a bit tree for each page; one bit for each logical page.",
            wins: "Scattered writes with a large buffer: the pages of a block follow each other into one log block. \
                   Over page mapping it is first more often than any other on the traces of this repository. As a \
                   read buffer it is ahead of LRU in the LFS paper.",
            loses: "Where what is written most has low addresses, as tables of file systems have: it leaves first, \
                    however often it is written.",
        },
    };

    fn new(params: &Params) -> Self {
        Self(BitTree::new(params.geometry.logical_pages()))
    }

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
            .expect("asked only while a page is held")))
    }
}
