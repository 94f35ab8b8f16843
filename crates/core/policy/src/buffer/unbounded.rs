//! A buffer without a size limit, as a bound: nothing is evicted to make room. A flush and the end of the trace write
//! the dirty pages in ascending order of addresses; clean pages stay.

use ssdlab_flash::{Lpn, Page};

use super::{Access, BufferKind, BufferPolicy, Nature, Shape, Victim};
use crate::{About, BitTree, Entry, Settings, Source};

/// The dirty pages in the order of their addresses.
pub struct Unbounded(BitTree);

impl BufferKind for Unbounded {
    const ENTRY: Entry = Entry {
        name: "unbounded",
        rule: "a bound: never evicts to make room; writes dirty pages in ascending LPN, only on flushes",
        source: Source::none(""),
        keys: &[],
        about: About {
            file: file!(),
            lines: [
                "No page is ever evicted to make room.",
                "A flush, and the end of the trace, writes all dirty pages in ascending order of addresses.",
                "Clean pages stay.",
            ],
            cost: "Three or four words of a bit tree for each page; one bit for each logical page.",
            wins: "It bounds the writes that a buffer can absorb: no larger buffer has more hits.",
            loses: "It bounds neither merges nor time: with frequent flushes it holds no more than other buffers, and \
                    a policy that pads or writes in a better order can be faster.",
        },
    };

    const NATURE: Nature = Nature::page_level([1, 0, 0]).unbounded();

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(shape: &Shape, (): &()) -> Self {
        Self(BitTree::new(shape.geometry.logical_pages()))
    }
}

impl BufferPolicy for Unbounded {
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
            .expect("called only while a page is dirty")))
    }
}
