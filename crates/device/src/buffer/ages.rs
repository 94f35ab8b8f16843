//! Since when pages are dirty (`flush_age_s`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ssdlab_flash::{Lpn, Payload};

use super::resident::Resident;

/// The dirty pages by age. Entries of pages that were cleaned or left in the meantime are dropped when they come up.
pub(crate) struct Ages {
    age_ns: u64,
    /// Per LPN, the time at which it last turned dirty.
    since: Vec<u64>,
    /// (since, LPN), the oldest on top; equal times by address, which puts the lower block first.
    oldest: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Ages {
    pub fn new(age_ns: u64, logical_pages: u32) -> Self {
        Self {
            age_ns,
            since: vec![0; logical_pages as usize],
            oldest: BinaryHeap::new(),
        }
    }

    /// A page turned dirty. Trace times need not ascend.
    pub fn turned_dirty<P: Payload>(&mut self, lpn: Lpn, now_ns: u64, resident: &Resident<P>) {
        if self.oldest.len() > 64 + 2 * resident.dirty_pages() as usize {
            let since = &self.since;
            self.oldest.retain(|&Reverse((time, p))| {
                resident.is_dirty(Lpn(p)) && since[p as usize] == time
            });
        }
        self.since[lpn.index()] = now_ns;
        self.oldest.push(Reverse((now_ns, lpn.0)));
    }

    /// The page that has been dirty for the longest time, if that is long enough at `now_ns`.
    pub fn due<P: Payload>(&mut self, now_ns: u64, resident: &Resident<P>) -> Option<Lpn> {
        let limit = now_ns.checked_sub(self.age_ns)?;
        while let Some(&Reverse((time, page))) = self.oldest.peek() {
            let current = resident.is_dirty(Lpn(page)) && self.since[page as usize] == time;
            if current {
                return (time <= limit).then_some(Lpn(page));
            }
            self.oldest.pop();
        }
        None
    }
}
