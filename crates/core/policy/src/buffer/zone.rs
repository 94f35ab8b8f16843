//! Zone: evicts the page that the log of the host reaches next, as far as it can be seen below the file system.
//!
//! The LFS letter proposes it and leaves it open: to track "the valid data zone", from the last offset that was cleaned to
//! the current logging offset. Our reading:
//!
//! - The zone ends at the *head*: behind the last page that was written directly after the page before it. A write of one
//!   page elsewhere, such as a super block, is not the log.
//! - A device does not see how far the cleaner is, and need not: from the head on, around the end of the device, come the
//!   pages outside the zone, which are dead, and then the zone from its start, where the cleaner works next. Pages leave in
//!   this order. As long as the log has not turned around, it is that of SOF.

use ssdlab_flash::{Lpn, Page};

use super::{Access, BufferKind, BufferPolicy, Nature, SIZE, Shape, Victim};
use crate::{About, BitTree, Entry, Settings, Source, papers};

/// Pages in the order of their addresses, and the head of the log.
pub struct Zone {
    held: BitTree,
    /// The page before the head; none before the first two writes in sequence.
    newest: Option<Lpn>,
    /// The page that was written last.
    written: Option<Lpn>,
}

impl Zone {
    fn write(&mut self, Page { lpn, .. }: Page) {
        if self.written.is_some_and(|last| last.plus(1) == lpn) {
            self.newest = Some(lpn);
        }
        self.written = Some(lpn);
    }

    fn note(&mut self, page: Page, access: Access) {
        if access == Access::Write {
            self.write(page);
        }
    }
}

impl BufferKind for Zone {
    const ENTRY: Entry = Entry {
        name: "zone",
        rule: "evicts the first page from the head of the host's log on, around the device",
        source: Source::of(
            "{}, section 5 (future work); our reading",
            &[&papers::LFS_BUFFERS],
        ),
        keys: &[SIZE.key],
        about: About {
            file: file!(),
            lines: [
                "The head of the log is behind the last page that was written directly after the page before it.",
                "When room is needed, the first page held from the head on is evicted alone; behind the last page of the \
                 device comes its first.",
                "So dead pages before the zone of valid data leave first, then the zone from its oldest end; what was \
                 written last stays longest.",
            ],
            cost: "Three or four words of a bit tree for each page; one bit for each logical page.",
            wins: "A read buffer below a log-structured file system, where it beats LRU if it holds a good part of the zone. \
                   It hardly differs from SOF there.",
            loses: "A read buffer of up to 256 MiB that writes fill too, probably because what the cleaner reads next leaves \
                    first. Hosts without a log: each run of two pages moves the head, and the order means nothing.",
        },
    };

    const NATURE: Nature = Nature::page_level([1, 0, 0]).serving_reads();

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(shape: &Shape, (): &()) -> Self {
        Self {
            held: BitTree::new(shape.geometry.logical_pages()),
            newest: None,
            written: None,
        }
    }
}

impl BufferPolicy for Zone {
    fn hit(&mut self, page: Page, access: Access) {
        self.note(page, access);
    }

    fn enter(&mut self, page: Page, access: Access) {
        self.note(page, access);
        self.held.insert(page.lpn.0);
    }

    fn left(&mut self, page: Page) {
        self.held.remove(page.lpn.0);
    }

    fn written_past(&mut self, page: Page) {
        self.write(page);
    }

    fn victim(&mut self) -> Victim {
        let ahead = self.newest.and_then(|Lpn(newest)| self.held.after(newest));
        let next = ahead.or(self.held.first());
        Victim::Page(Lpn(next.expect("called only while a page is held")))
    }
}
