//! The bound without a size: nothing leaves for room. What a flush or the end of the trace writes, it writes in
//! ascending order of addresses; clean pages stay.

use ssdlab_flash::{Lpn, Page};

use super::{Access, BufferPolicy, Params, Victim};
use crate::{About, BitTree, Entry};

/// The dirty pages in the order of their addresses.
pub struct Unbounded(BitTree);

impl BufferPolicy for Unbounded {
    const ENTRY: Entry = Entry {
        name: "unbounded",
        rule: "a bound: never evicts for room, writes dirty pages in ascending LPN on flushes only",
        paper: "",
        keys: &[],
        about: About {
            file: file!(),
            lines: [
                "Nothing ever leaves to make room.",
                "A flush, and the end of the trace, writes all dirty pages in ascending order of addresses.",
                "Clean pages stay.",
            ],
            cost: "Three or four words of a bit tree for each page; one bit for each logical page.",
            wins: "It is a bound of what a buffer can absorb: no larger one has more hits.",
            loses: "It bounds neither merges nor time: where flushes come often it holds as little as others, and a \
                    policy that pads, or that writes in a better order, can be faster.",
        },
    };

    const BOUNDED: bool = false;

    fn new(params: &Params) -> Self {
        Self(BitTree::new(params.geometry.logical_pages()))
    }

    fn hit(&mut self, page: Page, access: Access) {
        self.enter(page, access);
    }

    fn enter(&mut self, page: Page, access: Access) {
        if access == Access::Write {
            self.0.insert(page.lpn.0);
        }
    }

    fn left(&mut self, page: Page) {
        self.0.remove(page.lpn.0);
    }

    fn cleaned(&mut self, page: Page) {
        self.0.remove(page.lpn.0);
    }

    fn victim(&mut self) -> Victim {
        Victim::Page(Lpn(self
            .0
            .first()
            .expect("asked only while a page is dirty")))
    }
}
