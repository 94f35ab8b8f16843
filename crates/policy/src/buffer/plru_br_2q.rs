//! PLRU-BR-2Q: as PLRU-BR, but pages written lately are hot and stay when the rest of their block leaves.
//!
//! The hot list holds a fixed share of the buffer. Every access puts a page first there, and the page that this pushes
//! out becomes the first of the cold list.

use ssdlab_flash::{Geometry, Lpn, Page};

use super::pages::PageList;
use super::{Access, BufferPolicy, Params, Victim};
use crate::{About, BitSet, Entry};

/// Hot and cold pages, each in the order in which they came to their list.
pub struct PlruBr2q {
    hot: PageList,
    cold: PageList,
    is_hot: BitSet,
    /// H.
    most_hot: u32,
    geometry: Geometry,
}

impl PlruBr2q {
    fn cool_last(&mut self) {
        let last = self.hot.back();
        self.hot.remove(last);
        self.is_hot.remove(last.0);
        self.cold.push_front(last);
    }
}

impl BufferPolicy for PlruBr2q {
    const ENTRY: Entry = Entry {
        name: "plru-br-2q",
        rule: "as plru-br, but the pages written last, a share of the buffer, stay when their block leaves",
        paper: "PLRU-BR-2Q, section 3",
        keys: &["buffer.size", "buffer.hot"],
        about: About {
            file: file!(),
            lines: [
                "The pages used last, the share `buffer.hot` of the buffer, are hot; a page that falls behind them \
                 becomes cold.",
                "When room is needed, the least recent cold page leaves, and with it all cold pages of its block.",
                "Hot pages stay when the rest of their block leaves.",
            ],
            cost: "O(1) for each page, and for an eviction the marks of one block; up to 24 bytes for each page \
                   held, 8 for each logical page.",
            wins: "Nowhere clearly, as the paper itself found for desktop traces: it is level with PLRU-BR at best.",
            loses: "Over log blocks: the hot pages that stay are missing in their block's victim, and the block is \
                    merged once more when they leave.",
        },
    };

    fn new(params: &Params) -> Self {
        let most_hot = ((params.hot * params.buffer_pages as f64).floor() as u32).max(1);
        // one more comes in before the last goes out
        let hot_room = most_hot.saturating_add(1).min(params.most_pages());
        Self {
            hot: PageList::with_room(params, hot_room),
            cold: PageList::new(params),
            is_hot: BitSet::new(params.geometry.logical_pages(), false),
            most_hot,
            geometry: params.geometry.clone(),
        }
    }

    fn hit(&mut self, page: Page, access: Access) {
        if self.is_hot.contains(page.lpn.0) {
            self.hot.move_to_front(page.lpn);
        } else {
            self.cold.remove(page.lpn);
            self.enter(page, access);
        }
    }

    fn enter(&mut self, page: Page, _: Access) {
        self.hot.push_front(page.lpn);
        self.is_hot.insert(page.lpn.0);
        if self.hot.len() > self.most_hot {
            self.cool_last();
        }
    }

    fn left(&mut self, page: Page) {
        if self.is_hot.contains(page.lpn.0) {
            self.is_hot.remove(page.lpn.0);
            self.hot.remove(page.lpn);
        } else {
            self.cold.remove(page.lpn);
        }
    }

    /// Without a cold page, the last hot one leaves alone: it is then the only cold one.
    fn victim(&mut self) -> Victim {
        if self.cold.len() == 0 {
            self.cool_last();
        }
        let Page { lbn, .. } = self.geometry.page(self.cold.back());
        Victim::Block(lbn)
    }

    fn first_staying(&self, first: Lpn, end: Lpn) -> Lpn {
        Lpn(self.is_hot.member_in(first.0, end.0))
    }
}
