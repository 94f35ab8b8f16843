//! The update intervals of pages, and the heads of similar intervals, for `tt` and `2a`.

use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lpn};

use super::times::Times;

/// The times that are kept of each page.
const TIMES: usize = 3;
/// The pages whose intervals place the borders.
const SAMPLED: u64 = 10_000;
/// No time.
const NONE: u64 = Times::<TIMES>::NONE;

/// The most bytes beside the times.
pub(super) const FIXED_BYTES: u64 = 12 * SAMPLED + (1 << 12);
/// The most bytes of the times of a page.
pub(super) const PAGE_BYTES: u64 = Times::<TIMES>::PAGE_BYTES;

/// The times of the last writes of all pages, and the borders between the heads.
pub(super) struct Intervals {
    heads: u32,
    /// For each LPN, the times of its last host writes, the last one first.
    times: Times<TIMES>,
    /// The borders between the heads, ascending, for pages with one known time, with two and with three: the least time since
    /// the oldest of them with which a page is above the border. Empty before the first update.
    borders: [Vec<u64>; TIMES],
    /// When the borders were placed.
    updated: u64,
    /// The time between two updates.
    period: u64,
    /// The sampled pages.
    sampled: Vec<Lpn>,
    /// Room for their intervals.
    sample: Vec<u64>,
}

impl Intervals {
    pub fn new(geometry: &Geometry, heads: u32) -> Self {
        let pages = u64::from(geometry.logical_pages());
        let sampled = pages.min(SAMPLED);
        let places = (0..sampled).map(|i| Lpn((i * pages / sampled) as u32));
        let borders = || Vec::with_capacity(heads as usize);
        Self {
            heads,
            times: Times::new(geometry.logical_pages()),
            borders: [borders(), borders(), borders()],
            updated: 0,
            period: period(geometry),
            sampled: places.collect(),
            sample: Vec::with_capacity(sampled as usize),
        }
    }

    /// The head of pages without a time.
    pub fn unknown(&self) -> u32 {
        self.heads / 2
    }

    /// The head of a page; places the borders anew from time to time.
    pub fn classify(&mut self, lpn: Lpn, now: u64) -> u32 {
        let times = self.times.get(lpn);
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

    /// Prefetches the times of a page.
    pub fn foresee(&self, lpn: Lpn) {
        self.times.foresee(lpn);
    }

    /// The host has written a page.
    pub fn written(&mut self, lpn: Lpn, now: u64) {
        let [last, before, _] = self.times.get(lpn);
        self.times.set(lpn, [now, last, before]);
    }

    /// A page is as if never written.
    pub fn discarded(&mut self, lpn: Lpn) {
        self.times.set(lpn, [NONE; TIMES]);
    }

    /// Divides a sample of all pages into heads of equal size.
    #[inline(never)]
    fn place_borders(&mut self, now: u64) {
        let known = self.sampled.iter().map(|&page| self.times.get(page));
        let known = known.filter(|times| times[0] != NONE);
        self.sample.clear();
        self.sample.extend(known.map(|times| interval(&times, now)));
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
fn since_oldest(times: &[u64; TIMES], now: u64) -> (usize, u64) {
    let known = times.iter().filter(|&&time| time != NONE).count();
    (known, now - times[known - 1])
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
