//! The update intervals of pages, and the heads of similar intervals, for `tt` and `2a`.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lpn, Ppn};

use super::times::Times;

/// The times that are kept of each page.
const TIMES: usize = 3;
/// The pages whose intervals place the borders.
const SAMPLED: u64 = 10_000;
/// No time.
const NONE: u64 = Times::<TIMES>::NONE;

/// The most bytes beside the times.
pub(super) const FIXED_BYTES: u64 = (8 * TIMES as u64 + 8) * SAMPLED + (1 << 12);
/// The most bytes of the times of a place.
pub(super) const PAGE_BYTES: u64 = Times::<TIMES>::PAGE_BYTES;

/// The times of the last writes of all pages, and the borders between the heads.
pub(super) struct Intervals {
    heads: u32,
    pages: u64,
    /// For each valid PPN, the times of the last host writes of its page, the last one first.
    times: Times<TIMES>,
    /// The borders between the heads, ascending, for pages with one known time, with two and with three: the least time since
    /// the oldest of them with which a page is above the border. Empty before the first update.
    borders: [Vec<u64>; TIMES],
    /// When the borders were placed.
    updated: u64,
    /// The time between two updates.
    period: u64,
    /// The times of the sampled pages once more, so that they follow each other.
    sampled: Vec<[u64; TIMES]>,
    /// Room for their intervals.
    sample: Vec<u64>,
}

impl Intervals {
    pub fn new(geometry: &Geometry, heads: u32) -> Self {
        let pages = u64::from(geometry.logical_pages());
        let sampled = pages.min(SAMPLED);
        let borders = || Vec::with_capacity(heads as usize);
        Self {
            heads,
            pages,
            times: Times::new(geometry.physical_pages(), NONE),
            borders: [borders(), borders(), borders()],
            updated: 0,
            period: period(geometry),
            sampled: vec![[NONE; TIMES]; sampled as usize],
            sample: Vec::with_capacity(sampled as usize),
        }
    }

    /// The head of pages without a time.
    pub fn unknown(&self) -> u32 {
        self.heads / 2
    }

    /// The head of a page with this version; places the borders anew from time to time.
    pub fn classify(&mut self, at: Ppn, now: u64) -> u32 {
        let times = self.times.get(at);
        if times[0] == NONE {
            return self.unknown();
        }
        if self.updated + self.period < now {
            self.place_borders(now);
            self.updated = now;
        }
        let (known, since) = since_oldest(&times, now);
        // all of them, without a branch, which would be hard to predict; and without a division
        let below = self.borders[known - 1].iter();
        below.map(|&border| u32::from(border <= since)).sum()
    }

    /// Prefetches the times of pages with these versions.
    pub fn foresee(&self, versions: &[Ppn]) {
        self.times.foresee(versions);
    }

    /// The host has written a page.
    pub fn written(&mut self, lpn: Lpn, older: Option<Ppn>, at: Ppn, now: u64) {
        let [last, before, _] = older.map_or([NONE; TIMES], |older| self.times.get(older));
        let times = [now, last, before];
        self.times.set(at, times);
        self.sample(lpn, times);
    }

    /// Cleaning has copied pages.
    pub fn copied(&mut self, pages: &[(Ppn, Lpn)], to: Ppn) {
        self.times.copied(pages, to);
    }

    /// A page is as if never written.
    pub fn discarded(&mut self, lpn: Lpn) {
        self.sample(lpn, [NONE; TIMES]);
    }

    /// A page has other times. Page i * pages / sampled is the one with number i of the sample.
    #[inline]
    fn sample(&mut self, lpn: Lpn, times: [u64; TIMES]) {
        let sampled = self.sampled.len() as u64;
        let at = u64::from(lpn.0) * sampled;
        let (number, behind) = (at / self.pages, at % self.pages);
        if behind == 0 {
            self.sampled[number as usize] = times;
        } else if self.pages - behind < sampled {
            self.sampled[number as usize + 1] = times;
        }
    }

    /// Divides a sample of all pages into heads of equal size.
    #[inline(never)]
    fn place_borders(&mut self, now: u64) {
        let known = self.sampled.iter().filter(|times| times[0] != NONE);
        self.sample.clear();
        self.sample.extend(known.map(|times| interval(times, now)));
        let (all, heads) = (self.sample.len(), self.heads as usize);
        self.borders.iter_mut().for_each(Vec::clear);
        // each border is sought among the intervals above the one before
        let mut from = 0;
        for head in 1..heads {
            let at = head * all / heads;
            let Some(rest) = self.sample.get_mut(from..).filter(|_| at < all) else {
                break;
            };
            let (_, border, _) = rest.select_nth_unstable(at - from);
            // a mean of n times is above the border from n times the next whole number on
            let above = *border + 1;
            for (borders, known) in self.borders.iter_mut().zip(1..) {
                borders.push(above * known);
            }
            from = at;
        }
    }
}

/// The number of known times of a page with one, and the time since the oldest of them.
#[inline]
fn since_oldest(&[last, before, first]: &[u64; TIMES], now: u64) -> (usize, u64) {
    let (has_before, has_first) = (before != NONE, first != NONE);
    let oldest = if has_before { before } else { last };
    let oldest = if has_first { first } else { oldest };
    let known = 1 + usize::from(has_before) + usize::from(has_first);
    (known, now - oldest)
}

/// The mean interval of a page with a time: from the oldest kept time until now.
#[inline]
fn interval(times: &[u64; TIMES], now: u64) -> u64 {
    match since_oldest(times, now) {
        // constants are divided by in a few instructions
        (3, since) => since / 3,
        (2, since) => since / 2,
        (_, since) => since,
    }
}

/// The time between two updates, in pages written.
pub(super) fn period(geometry: &Geometry) -> u64 {
    10 * u64::from(geometry.pages_per_block())
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bug: a page is not sampled if its number is not whole
    #[test]
    fn the_sample_is_pages_at_equal_distances() {
        for blocks in [3, 10_000, 10_001, 12_345, 20_000, 33_333] {
            let geometry = Geometry::new(512, 1, blocks, blocks + 1, 1);
            let mut intervals = Intervals::new(&geometry, 2);
            for page in 0..blocks {
                intervals.written(Lpn(page), None, Ppn(page), u64::from(page) + 1);
            }
            let sampled = u64::from(blocks).min(SAMPLED);
            let expected = (0..sampled).map(|i| i * u64::from(blocks) / sampled + 1);
            let found = intervals.sampled.iter().map(|times| times[0]);
            assert!(found.eq(expected), "{blocks} pages");
        }
    }
}
