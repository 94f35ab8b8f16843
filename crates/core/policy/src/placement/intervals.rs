//! The update intervals of pages, and the heads of similar intervals, for `tt` and `2a`.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lpn};

/// The times that are kept of each page.
const TIMES: usize = 3;
/// The pages whose intervals place the borders.
const SAMPLED: u64 = 10_000;
/// No time.
const NONE: u64 = u64::MAX;

/// The most bytes beside the times.
pub(super) const FIXED_BYTES: u64 = 8 * SAMPLED + (1 << 12);
/// The bytes of the times of a page.
pub(super) const PAGE_BYTES: u64 = 8 * TIMES as u64;

/// The times of the last writes of all pages, and the borders between the heads.
pub(super) struct Intervals {
    heads: u32,
    /// For each LPN, the times of its last host writes, the last one first.
    times: Vec<[u64; TIMES]>,
    /// The upper ends of the intervals of all heads but the last, ascending; empty before the first update.
    borders: Vec<u64>,
    /// When the borders were placed.
    updated: u64,
    /// The time between two updates.
    period: u64,
    /// Room for the sampled intervals.
    sample: Vec<u64>,
}

impl Intervals {
    pub fn new(geometry: &Geometry, heads: u32) -> Self {
        let pages = geometry.logical_pages();
        Self {
            heads,
            times: vec![[NONE; TIMES]; pages as usize],
            borders: Vec::with_capacity(heads as usize),
            updated: 0,
            period: period(geometry),
            sample: Vec::with_capacity(u64::from(pages).min(SAMPLED) as usize),
        }
    }

    /// The head of pages without a time.
    pub fn unknown(&self) -> u32 {
        self.heads / 2
    }

    /// The head of a page; places the borders anew from time to time.
    pub fn classify(&mut self, lpn: Lpn, now: u64) -> u32 {
        if self.times[lpn.index()][0] == NONE {
            return self.unknown();
        }
        if self.updated + self.period < now {
            self.place_borders(now);
            self.updated = now;
        }
        let interval = interval(&self.times[lpn.index()], now);
        let below = self.borders.iter().take_while(|&&border| border < interval);
        below.count() as u32
    }

    /// The host has written a page.
    pub fn written(&mut self, lpn: Lpn, now: u64) {
        let times = &mut self.times[lpn.index()];
        times.rotate_right(1);
        times[0] = now;
    }

    /// A page is as if never written.
    pub fn discarded(&mut self, lpn: Lpn) {
        self.times[lpn.index()] = [NONE; TIMES];
    }

    /// Divides a sample of all pages into heads of equal size.
    #[inline(never)]
    fn place_borders(&mut self, now: u64) {
        let pages = self.times.len() as u64;
        let sampled = pages.min(SAMPLED);
        let places = (0..sampled).map(|i| (i * pages / sampled) as usize);
        let known = places.map(|page| &self.times[page]);
        let known = known.filter(|times| times[0] != NONE);
        self.sample.clear();
        self.sample.extend(known.map(|times| interval(times, now)));
        let (all, heads) = (self.sample.len(), self.heads as usize);
        self.borders.clear();
        // each border is sought among the intervals above the one before
        let mut from = 0;
        for head in 1..heads {
            let at = head * all / heads;
            let Some(rest) = self.sample.get_mut(from..).filter(|_| at < all) else {
                break;
            };
            let (_, border, _) = rest.select_nth_unstable(at - from);
            self.borders.push(*border);
            from = at;
        }
    }
}

/// The mean interval of a page with a time: from the oldest kept time until now.
#[inline]
fn interval(times: &[u64; TIMES], now: u64) -> u64 {
    let known = times.iter().take_while(|&&time| time != NONE).count();
    (now - times[known - 1]) / known as u64
}

/// The time between two updates, in pages written.
pub(super) fn period(geometry: &Geometry) -> u64 {
    10 * u64::from(geometry.pages_per_block())
}
