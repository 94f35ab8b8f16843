//! The time since which each page is dirty (`flush_age_s`).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

use ssdlab_flash::Lpn;

use super::marks::Marks;

/// The dirty pages by age. Entries of pages that became clean or left are dropped when they reach the top, or when they
/// outnumber the others.
pub(crate) struct Ages {
    age_ns: u64,
    /// For the LPN of each entry of the heap, the time at which it last became dirty. An array of all pages would take
    /// gigabytes on a drive of today.
    since: BTreeMap<u32, u64>,
    /// (since, LPN), the oldest on top. Among equal times, the smallest LPN is on top.
    oldest: BinaryHeap<Reverse<(u64, u32)>>,
    /// The length at which the heap is swept: twice its length after the last sweep.
    sweep_at: usize,
}

const FIRST_SWEEP: usize = 1024;

impl Ages {
    pub fn new(age_ns: u64) -> Self {
        Self {
            age_ns,
            since: BTreeMap::new(),
            oldest: BinaryHeap::new(),
            sweep_at: FIRST_SWEEP,
        }
    }

    /// A page became dirty. Trace times need not ascend.
    pub fn turned_dirty(&mut self, lpn: Lpn, now_ns: u64, marks: &Marks) {
        if self.oldest.len() >= self.sweep_at {
            self.sweep(lpn, marks);
        }
        self.since.insert(lpn.0, now_ns);
        self.oldest.push(Reverse((now_ns, lpn.0)));
    }

    /// Drops outdated entries. All entries of `newcomer` are outdated, because it was not dirty until now.
    fn sweep(&mut self, newcomer: Lpn, marks: &Marks) {
        self.since
            .retain(|&page, _| page != newcomer.0 && marks.is_dirty(Lpn(page)));
        let since = &self.since;
        self.oldest
            .retain(|Reverse((time, page))| since.get(page) == Some(time));
        self.sweep_at = FIRST_SWEEP.max(2 * self.oldest.len());
    }

    /// The page that has been dirty for the longest time, if its age has reached the limit at `now_ns`.
    pub fn due(&mut self, now_ns: u64, marks: &Marks) -> Option<Lpn> {
        let limit = now_ns.checked_sub(self.age_ns)?;
        while let Some(&Reverse((time, page))) = self.oldest.peek() {
            let latest = self.since.get(&page) == Some(&time);
            if latest && marks.is_dirty(Lpn(page)) {
                return (time <= limit).then_some(Lpn(page));
            }
            if latest {
                self.since.remove(&page);
            }
            self.oldest.pop();
        }
        None
    }

    /// The first dirty page of a range.
    pub fn first_dirty_in(&self, pages: Range<u32>, marks: &Marks) -> Option<Lpn> {
        let mut known = self.since.range(pages).map(|(&page, _)| Lpn(page));
        known.find(|&lpn| marks.is_dirty(lpn))
    }
}
