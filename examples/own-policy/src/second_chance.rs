//! Second chance: FIFO, but a page that was used again since its last turn gets another turn. Its own key says how many.

use std::collections::{HashMap, VecDeque};

use ssdlab_flash::{Lpn, Page};
use ssdlab_policy::buffer::{Access, BufferPolicy, SIZE, Shape, Victim};
use ssdlab_policy::{About, Count, Entry, Source};

/// `buffer.chances`: a key of this policy, in files, `--set`, `--vary` and images like every other one.
pub const CHANCES: Count = Count::new(
    "buffer.chances",
    [1, 255],
    1,
    "turns that a page gets at most for its uses",
);

/// The description of the policy.
pub const ENTRY: Entry = Entry {
    name: "second-chance",
    rule: "evicts the oldest page that has no more turns for its uses",
    source: Source::words("Corbato 1968"),
    keys: &[SIZE.key, CHANCES.key],
    about: About {
        file: file!(),
        lines: [
            "Pages wait in the order in which they entered.",
            "The first page in the queue is evicted, unless it was used again.",
            "Such a page goes to the end of the queue, once for each use, up to `buffer.chances` times.",
        ],
        cost: "O(1) on average; a queue and a hash set of the held pages.",
        wins: "Like LRU, with less work for each hit.",
        loses: "Like LRU.",
    },
};

/// Pages in the order of their turns.
pub struct SecondChance {
    queue: VecDeque<Lpn>,
    /// The turns of each used page.
    turns: HashMap<u32, u8>,
    chances: u8,
}

impl SecondChance {
    /// An empty buffer.
    pub fn new(shape: &Shape, chances: u8) -> Self {
        Self {
            queue: VecDeque::with_capacity(shape.most_pages() as usize),
            turns: HashMap::new(),
            chances,
        }
    }
}

impl BufferPolicy for SecondChance {
    fn enter(&mut self, page: Page, _: Access) {
        self.queue.push_back(page.lpn);
    }

    fn hit(&mut self, page: Page, _: Access) {
        let turns = self.turns.entry(page.lpn.0).or_default();
        *turns = self.chances.min(*turns + 1);
    }

    fn left(&mut self, page: Page) {
        self.turns.remove(&page.lpn.0);
        // an evicted page is the first one; a discarded page may be anywhere
        match self.queue.front() {
            Some(&first) if first == page.lpn => drop(self.queue.pop_front()),
            _ => self.queue.retain(|&lpn| lpn != page.lpn),
        }
    }

    fn victim(&mut self) -> Victim {
        while let Some(first) = self.queue.front()
            && let Some(turns) = self.turns.get_mut(&first.0)
            && *turns > 0
        {
            *turns -= 1;
            self.queue.rotate_left(1);
        }
        Victim::Page(self.queue[0])
    }
}
