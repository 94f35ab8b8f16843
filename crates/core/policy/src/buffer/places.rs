//! For each held page, a number below the size of the buffer, such as its node in a list.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::Lpn;

use crate::prefetch;

/// Up to this many logical pages, a table of all of them is worth its memory: it needs the fewest steps.
const DENSE: u64 = 1 << 24;

/// The numbers of the held pages.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// For each LPN, its number; valid only while the page is held. Empty on larger devices.
    dense: Vec<u32>,
    /// For larger devices: a hash table of the held pages.
    hashed: Hashed,
}

impl Places {
    /// Numbers for at most `held` pages at once, at least 1.
    pub fn new(logical_pages: u32, held: u32) -> Self {
        if is_dense(logical_pages.into(), held.into()) {
            Self {
                dense: vec![0; logical_pages as usize],
                hashed: Hashed::new(1),
            }
        } else {
            Self::hashed(held)
        }
    }

    fn hashed(held: u32) -> Self {
        Self {
            dense: Vec::new(),
            hashed: Hashed::new(held),
        }
    }

    /// An upper bound of the memory in bytes.
    pub fn bytes(logical_pages: u64, held: u64) -> u64 {
        if is_dense(logical_pages, held) {
            4 * logical_pages + 8 * most_entries(1)
        } else {
            8 * most_entries(held)
        }
    }

    /// The number of a page that is held.
    #[inline]
    pub fn get(&self, lpn: Lpn) -> u32 {
        // the check of the bound decides between the tables, so the dense one costs no further step
        match self.dense.get(lpn.index()) {
            Some(&number) => number,
            None => self.hashed.get(lpn),
        }
    }

    /// Prefetches the place of the number of a page.
    #[inline]
    pub fn foresee(&self, lpn: Lpn) {
        prefetch(&self.dense, lpn.index());
    }

    /// A page that was not held enters with its number.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn, number: u32) {
        match self.dense.get_mut(lpn.index()) {
            Some(place) => *place = number,
            None => self.hashed.insert(lpn, number),
        }
    }

    /// The places of consecutive pages, if all are in the dense table.
    #[inline]
    pub fn dense_run(&mut self, first: Lpn, count: u32) -> Option<&mut [u32]> {
        let first = first.index();
        self.dense.get_mut(first..first + count as usize)
    }

    /// Consecutive pages leave.
    #[inline]
    pub fn remove_run(&mut self, first: Lpn, count: u32) {
        if self.dense.is_empty() {
            (0..count).for_each(|page| self.hashed.remove(first.plus(page)));
        }
    }

    /// A held page leaves.
    #[inline]
    pub fn remove(&mut self, lpn: Lpn) {
        if self.dense.is_empty() {
            self.hashed.remove(lpn);
        }
    }
}

/// Whether a table of all pages is faster, or smaller.
fn is_dense(logical_pages: u64, held: u64) -> bool {
    logical_pages <= DENSE || 4 * logical_pages <= 8 * most_entries(held)
}

/// A bound of the entries of a table for this many held pages.
fn most_entries(held: u64) -> u64 {
    4 * held + 8
}

/// A hash table. A page is at the first entry from its hash on that is not taken by others, without a vacant entry
/// between.
#[derive(Clone, Debug)]
pub(super) struct Hashed {
    /// A power of two; at most half are taken.
    entries: Vec<(Lpn, u32)>,
    /// The hash is the upper bits of a product: these are cut off.
    cut: u32,
}

const VACANT: (Lpn, u32) = (Lpn::NONE, 0);

impl Hashed {
    #[inline(never)]
    fn new(held: u32) -> Self {
        let entries = (2 * held as usize).next_power_of_two().max(4);
        Self {
            entries: vec![VACANT; entries],
            cut: u32::BITS - entries.trailing_zeros().min(31),
        }
    }

    #[inline]
    fn hash(&self, lpn: Lpn) -> usize {
        // 2^32 / golden ratio spreads pages in sequence evenly
        (lpn.0.wrapping_mul(0x9e37_79b9) >> self.cut) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        (at + 1) & (self.entries.len() - 1)
    }

    /// The entry of a page, or a vacant one.
    #[inline]
    fn find(&self, lpn: Lpn) -> usize {
        let mut at = self.hash(lpn);
        while self.entries[at].0 != lpn && self.entries[at] != VACANT {
            at = self.after(at);
        }
        at
    }

    #[cold]
    #[inline(never)]
    fn get(&self, lpn: Lpn) -> u32 {
        self.entries[self.find(lpn)].1
    }

    #[cold]
    #[inline(never)]
    fn insert(&mut self, lpn: Lpn, number: u32) {
        let at = self.find(lpn);
        self.entries[at] = (lpn, number);
    }

    /// Removes a page, and moves entries behind it forward where its gap would hide them.
    #[cold]
    #[inline(never)]
    fn remove(&mut self, lpn: Lpn) {
        let mut gap = self.find(lpn);
        let mut at = gap;
        let mask = self.entries.len() - 1;
        loop {
            at = self.after(at);
            let entry = self.entries[at];
            if entry == VACANT {
                break;
            }
            let way = |to: usize| at.wrapping_sub(to) & mask;
            if way(self.hash(entry.0)) >= way(gap) {
                self.entries[gap] = entry;
                gap = at;
            }
        }
        self.entries[gap] = VACANT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a page that is hidden behind a gap; one that is moved before its hash; a table that is too small
    #[test]
    fn both_tables_know_all_held_pages() {
        let mut random = fastrand::Rng::with_seed(1);
        for most in [1, 2, 3, 7, 64, 1000] {
            let dense = Places::new(100_000, most);
            for mut places in [dense, Places::hashed(most)] {
                let mut held: Vec<(Lpn, u32)> = Vec::new();
                for number in 0..20 * most {
                    if held.len() == most as usize || random.u32(..3) == 0 && !held.is_empty() {
                        let (lpn, _) = held.swap_remove(random.usize(..held.len()));
                        places.remove(lpn);
                    }
                    // some pages in sequence, some far apart
                    let lpn = Lpn(random.u32(..300) * [1, 300][random.usize(..2)]);
                    if held.iter().all(|&(other, _)| other != lpn) {
                        places.insert(lpn, number);
                        held.push((lpn, number));
                    }
                    for &(lpn, number) in &held {
                        assert_eq!(places.get(lpn), number, "{lpn:?} of {held:?}");
                    }
                }
                if places.dense.is_empty() {
                    let table = &places.hashed;
                    let taken = table.entries.iter().filter(|&&entry| entry != VACANT);
                    assert_eq!(taken.count(), held.len());
                    assert!(table.entries.len() as u64 <= most_entries(most.into()));
                }
            }
        }
    }
}
