//! Times of the versions of all pages.
//!
//! They are the largest table of a placement, and most of them are in no CPU cache. So a time takes four bytes until the first one
//! does not fit, which is after 2^32 writes; then each takes eight.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lpn, Ppn};

use crate::prefetch;

/// For each valid PPN, `N` times of its page.
pub(super) struct Times<const N: usize> {
    /// Empty once a time did not fit. The last number stands for no time.
    small: Vec<[u32; N]>,
    large: Vec<[u64; N]>,
}

impl<const N: usize> Times<N> {
    /// No time.
    pub const NONE: u64 = u64::MAX;

    /// The most bytes for each place: both tables exist while times are moved.
    pub const PAGE_BYTES: u64 = 12 * N as u64;

    /// This time, or none, at all places.
    pub fn new(pages: u32, time: u64) -> Self {
        Self {
            small: vec![[time as u32; N]; pages as usize],
            large: Vec::new(),
        }
    }

    #[inline]
    pub fn get(&self, at: Ppn) -> [u64; N] {
        match self.small.get(at.index()) {
            Some(times) => times.map(wide),
            None => self.large[at.index()],
        }
    }

    #[inline]
    pub fn set(&mut self, at: Ppn, times: [u64; N]) {
        match self.small.get_mut(at.index()) {
            Some(small) if times.iter().all(|&time| fits(time)) => {
                *small = times.map(|time| time as u32);
            }
            _ => self.set_large(at, times),
        }
    }

    #[cold]
    #[inline(never)]
    fn set_large(&mut self, at: Ppn, times: [u64; N]) {
        if self.large.is_empty() {
            let small = core::mem::take(&mut self.small);
            self.large = small.iter().map(|times| times.map(wide)).collect();
        }
        self.large[at.index()] = times;
    }

    /// Pages were copied to consecutive places.
    #[inline]
    pub fn copied(&mut self, pages: &[(Ppn, Lpn)], to: Ppn) {
        for (&(at, _), to) in pages.iter().zip(to.0..) {
            self.set(Ppn(to), self.get(at));
        }
    }

    /// Prefetches the times at these places; those of one may lie in two lines of the cache.
    pub fn foresee(&self, places: &[Ppn]) {
        let times = self.small.as_flattened();
        for at in places {
            prefetch(times, at.index() * N);
            if N > 1 {
                prefetch(times, at.index() * N + N - 1);
            }
        }
    }
}

/// Whether four bytes hold a time, or that there is none.
#[inline]
fn fits(time: u64) -> bool {
    time < u64::from(u32::MAX) || time == u64::MAX
}

#[inline]
fn wide(time: u32) -> u64 {
    if time == u32::MAX {
        u64::MAX
    } else {
        time.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: the last number of four bytes is a time; the other pages lose theirs when one does not fit
    #[test]
    fn times_take_eight_bytes_once_one_does_not_fit() {
        const LAST: u64 = u32::MAX as u64;
        for large in [LAST, LAST + 1, 1 << 40] {
            let mut times = Times::<2>::new(3, Times::<2>::NONE);
            times.set(Ppn(0), [LAST - 1, 7]);
            assert_eq!(times.get(Ppn(0)), [LAST - 1, 7]);
            times.set(Ppn(1), [large, LAST - 1]);
            let none = [u64::MAX; 2];
            assert_eq!(
                [0, 1, 2].map(|page| times.get(Ppn(page))),
                [[LAST - 1, 7], [large, LAST - 1], none]
            );
            times.set(Ppn(2), [large + 1, large]);
            times.set(Ppn(0), none);
            assert_eq!(
                [0, 1, 2].map(|page| times.get(Ppn(page))),
                [none, [large, LAST - 1], [large + 1, large]]
            );
        }
    }
}
