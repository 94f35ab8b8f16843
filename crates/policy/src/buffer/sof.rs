//! SOF (smallest offset first): the page with the smallest address leaves first.

use ssdlab_flash::{Lpn, Page};

use super::{Access, BufferPolicy, Params, Victim};
use crate::{BitTree, Entry};

/// Pages in the order of their addresses.
pub struct Sof(BitTree);

impl BufferPolicy for Sof {
    const ENTRY: Entry = Entry {
        name: "sof",
        rule: "evicts the page with the smallest LPN",
        paper: "LFS buffers 2010",
        keys: &["buffer.size"],
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
