//! PLRU-BR-2Q: PLRU-BR, but the most recently used pages are hot and stay when the rest of their block is evicted.
//!
//! The hot list holds a fixed share of the buffer. Each access moves its page to the head of the hot list. If that list
//! is full, its last page moves to the head of the cold list.

use ssdlab_flash::{Geometry, Lpn, Page};

use super::pages::PageList;
use super::{Access, BufferKind, BufferPolicy, Nature, SIZE, Shape, Victim};
use crate::{About, BitSet, Entry, Number, Settings, Source, papers};

/// `buffer.hot`.
pub const HOT: Number = Number::new(
    "buffer.hot",
    [0.0, 1.0],
    0.1,
    "fraction of the buffer that is hot",
);

/// The parameters of PLRU-BR-2Q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlruBr2qConfig {
    /// `buffer.hot`: the share of the buffer that is hot, 0 to 1.
    pub hot: f64,
}

impl Default for PlruBr2qConfig {
    fn default() -> Self {
        Self { hot: 0.1 }
    }
}

/// Hot and cold pages, each in the order in which they joined their list.
pub struct PlruBr2q {
    hot: PageList,
    cold: PageList,
    is_hot: BitSet,
    /// H: the maximum number of hot pages.
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

impl BufferKind for PlruBr2q {
    const ENTRY: Entry = Entry {
        name: "plru-br-2q",
        rule: "as plru-br, but the most recently used pages (a share of the buffer) stay when their block is evicted",
        source: Source::of("{}, section 3", &[&papers::PLRU_BR_2Q]),
        keys: &[SIZE.key, HOT.key],
        about: About {
            file: file!(),
            lines: [
                "The most recently used pages, the share `buffer.hot` of the buffer, are hot. A page that falls behind \
                 them becomes cold.",
                "When room is needed, the least recent cold page is evicted with all cold pages of its block.",
                "The hot pages of the block stay.",
            ],
            cost: "O(1) for each page, plus a scan of the marks of one block for each eviction; up to 24 bytes for each page \
                   held, 8 for each logical page.",
            wins: "No clear case, as the paper itself found for desktop traces: it equals PLRU-BR at best.",
            loses: "Log blocks: the victim lacks its hot pages, and their block is merged again when they are evicted.",
        },
    };

    const NATURE: Nature = Nature::page_level([1, 0, 0]).listing(2).evicting_blocks();

    type Config = PlruBr2qConfig;

    fn configure(settings: &dyn Settings) -> PlruBr2qConfig {
        PlruBr2qConfig {
            hot: HOT.of(settings),
        }
    }

    fn new(shape: &Shape, config: &Self::Config) -> Self {
        // the conversion rounds down
        let most_hot = ((config.hot * shape.pages as f64) as u32).max(1);
        // a page enters the hot list before the last one leaves it
        let hot_room = most_hot.saturating_add(1).min(shape.most_pages());
        Self {
            hot: PageList::with_room(shape, hot_room),
            cold: PageList::new(shape),
            is_hot: BitSet::new(shape.geometry.logical_pages(), false),
            most_hot,
            geometry: shape.geometry.clone(),
        }
    }
}

impl BufferPolicy for PlruBr2q {
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

    /// If there is no cold page, the last hot page becomes cold and is evicted alone.
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
