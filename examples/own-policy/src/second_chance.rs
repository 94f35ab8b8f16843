//! Second chance: FIFO, but a page that was used again since its last turn gets another turn.

use std::collections::{HashSet, VecDeque};

use ssdlab_flash::{Lpn, Page};
use ssdlab_policy::buffer::{Access, Shape, SmallPolicy, Victim};
use ssdlab_policy::{About, Entry};

/// The description of the policy.
pub const ENTRY: Entry = Entry {
    name: "second-chance",
    rule: "evicts the oldest page that was not used again since its last turn",
    paper: "Corbato 1968",
    keys: &["buffer.size"],
    about: About {
        file: file!(),
        lines: [
            "Pages wait in the order in which they entered.",
            "The first page in the queue is evicted, unless it was used again.",
            "Such a page goes to the end of the queue once.",
        ],
        cost: "O(1) on average; a queue and a hash set of the held pages.",
        wins: "Like LRU, with less work for each hit.",
        loses: "Like LRU.",
    },
};

/// Pages in the order of their turns.
pub struct SecondChance {
    queue: VecDeque<Lpn>,
    used: HashSet<u32>,
}

impl SecondChance {
    /// An empty buffer.
    pub fn new(shape: &Shape) -> Self {
        Self {
            queue: VecDeque::with_capacity(shape.most_pages() as usize),
            used: HashSet::new(),
        }
    }
}

impl SmallPolicy for SecondChance {
    fn enter(&mut self, page: Page, _: Access) {
        self.queue.push_back(page.lpn);
    }

    fn hit(&mut self, page: Page, _: Access) {
        self.used.insert(page.lpn.0);
    }

    fn left(&mut self, page: Page) {
        self.used.remove(&page.lpn.0);
        // an evicted page is the first one; a discarded page may be anywhere
        match self.queue.front() {
            Some(&first) if first == page.lpn => drop(self.queue.pop_front()),
            _ => self.queue.retain(|&lpn| lpn != page.lpn),
        }
    }

    fn victim(&mut self) -> Victim {
        while let Some(&first) = self.queue.front()
            && self.used.remove(&first.0)
        {
            self.queue.rotate_left(1);
        }
        Victim::Page(self.queue[0])
    }
}
