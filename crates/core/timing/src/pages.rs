//! The times of the logical pages that are held, or on their way to flash.

use ssdlab_flash::Lpn;

use crate::ahead::{Ahead, Until};

/// The times of a page.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Page {
    /// Its data are in memory from here on.
    pub there: u64,
    /// Its slot is in use at least until here; not before `there`.
    pub kept: u64,
}

impl Until for Page {
    fn until(&self) -> u64 {
        self.kept
    }
}

/// Pages in ascending order, with their times. Requests and victims are runs of pages. Most pages of a run leave in the
/// same order, or their times are past before anyone asks for them, and never reach the table.
#[derive(Clone, Debug)]
struct Run {
    pages: Vec<(Lpn, Page)>,
    /// The pages before this place have been taken.
    begin: usize,
    /// The first page that was not taken; none without one.
    first: Lpn,
    /// All pages lie before this one.
    end: Lpn,
    /// All times are past at this one.
    until: u64,
}

/// The most pages of a run.
const MOST: usize = 256;

impl Run {
    fn new() -> Self {
        Self {
            pages: Vec::with_capacity(MOST),
            begin: 0,
            first: Lpn::NONE,
            end: Lpn(0),
            until: 0,
        }
    }

    #[inline]
    fn clear(&mut self) {
        self.pages.clear();
        (self.begin, self.until) = (0, 0);
        (self.first, self.end) = (Lpn::NONE, Lpn(0));
    }

    /// Whether the page may be one of them.
    #[inline]
    fn spans(&self, page: Lpn) -> bool {
        page < self.end && page >= self.first
    }

    /// Takes the first page, if there is one.
    #[inline]
    fn take_first(&mut self) -> Page {
        let times = self.pages.get(self.begin).map(|&(_, times)| times);
        self.begin += 1;
        match self.pages.get(self.begin) {
            Some(&(next, _)) => self.first = next,
            None => self.clear(),
        }
        times.unwrap_or_default()
    }

    /// Adds a page, which is nowhere else. If it does not continue the run, the table gets the others.
    #[inline]
    fn push(&mut self, page: Lpn, times: Page, table: &mut Ahead<Page>, now: u64) {
        if page < self.end || self.pages.len() == MOST {
            self.settle(table, now);
        }
        self.first = self.first.min(page);
        self.end = page.plus(1);
        self.until = self.until.max(times.kept);
        self.pages.push((page, times));
    }

    /// Moves the pages to the table.
    #[inline(never)]
    fn settle(&mut self, table: &mut Ahead<Page>, now: u64) {
        for &(page, times) in &self.pages[self.begin..] {
            if times.kept > now {
                table.set(page.0.into(), times, now);
            }
        }
        self.clear();
    }

    /// Nothing happens before `now`: the pages move to the table, unless all their times are past.
    #[inline]
    fn end_by(&mut self, table: &mut Ahead<Page>, now: u64) {
        if self.until > now {
            self.settle(table, now);
        } else if !self.pages.is_empty() {
            self.clear();
        }
    }
}

/// The times of all pages. Each page whose times lie ahead is in one of the runs or in the table.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    table: Ahead<Page>,
    /// Pages that the current request wrote to a buffer.
    written: Run,
    /// Pages that were programmed during the current request and have not left yet.
    leaving: Run,
}

impl Pages {
    /// An upper bound of the memory while the times of at most `pages` pages lie ahead.
    pub fn bytes(pages: u64) -> u64 {
        Ahead::<Page>::bytes(pages) + (2 * MOST * size_of::<(Lpn, Page)>()) as u64
    }

    pub fn new() -> Self {
        Self {
            table: Ahead::new(),
            written: Run::new(),
            leaving: Run::new(),
        }
    }

    /// A request begins; nothing happens before `now`.
    #[inline]
    pub fn begin(&mut self, now: u64) {
        self.written.end_by(&mut self.table, now);
        self.leaving.end_by(&mut self.table, now);
    }

    /// The number of pages whose times lie ahead, as far as it is known.
    pub fn ahead(&self) -> usize {
        self.table.ahead()
    }

    /// The times of a page; the default where all are past.
    pub fn get(&mut self, page: Lpn, now: u64) -> Page {
        self.search(page, now);
        self.table.get(page.0.into(), now)
    }

    /// Like [`Pages::get`]; then all times of the page are past.
    #[inline(always)]
    pub fn take(&mut self, page: Lpn, now: u64) -> Page {
        if self.leaving.spans(page) || self.written.spans(page) {
            return self.find(page, now);
        }
        self.table.take(page.0.into(), now)
    }

    #[inline(never)]
    fn find(&mut self, page: Lpn, now: u64) -> Page {
        if self.written.first == page {
            return self.written.take_first();
        }
        self.search(page, now);
        self.table.take(page.0.into(), now)
    }

    /// Like [`Pages::take`], for a page that was most likely programmed before all others that have not left.
    #[inline]
    pub fn leave(&mut self, page: Lpn, now: u64) -> Page {
        if self.leaving.first == page {
            self.leaving.take_first()
        } else {
            self.take(page, now)
        }
    }

    /// Moves the runs that may have this page to the table.
    fn search(&mut self, page: Lpn, now: u64) {
        for run in [&mut self.leaving, &mut self.written] {
            if run.spans(page) {
                run.settle(&mut self.table, now);
            }
        }
    }

    /// The host wrote a page, or it was read into the buffer; its times were taken before, or are past.
    #[inline]
    pub fn written(&mut self, page: Lpn, times: Page, now: u64) {
        self.written.push(page, times, &mut self.table, now);
    }

    /// A page was programmed; its times were taken before.
    #[inline]
    pub fn programmed(&mut self, page: Lpn, times: Page, now: u64) {
        self.leaving.push(page, times, &mut self.table, now);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    // planted bugs: a run that forgets its pages when the request ends; a page in the middle of a run that is not
    // found; a page that was taken comes back; a run that is not ended by a page before its last one
    #[test]
    fn every_time_that_lies_ahead_is_found() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut pages = Pages::new();
        let mut all = BTreeMap::new();
        let mut now = 0;
        for _ in 0..30_000 {
            now += random.u64(..20);
            pages.begin(now);
            let first = random.u32(..200);
            // a few requests are longer than a run may be
            let most = [12, 600][usize::from(random.u32(..100) == 0)];
            let mut request: Vec<u32> = (first..first + random.u32(..most)).collect();
            let again = request.clone();
            if random.bool() {
                request.extend(again);
            } else {
                request.extend(again.iter().rev());
            }
            for lpn in request.into_iter().map(Lpn) {
                let kept = now + random.u64(..60);
                let page = Page { there: now, kept };
                let expected: u64 = all.insert(lpn, kept).unwrap_or(0);
                let found = match random.u32(..8) {
                    0 => pages.get(lpn, now).kept.max(pages.take(lpn, now).kept),
                    1..=3 => pages.leave(lpn, now).kept,
                    _ => pages.take(lpn, now).kept,
                };
                assert_eq!(found.max(now), expected.max(now), "page {lpn:?}");
                match random.u32(..4) {
                    0 => pages.written(lpn, page, now),
                    1 | 2 => pages.programmed(lpn, page, now),
                    _ => _ = all.remove(&lpn),
                }
            }
        }
    }
}
