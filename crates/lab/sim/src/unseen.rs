//! Data that a short trace never wrote, though a longer one would: while a trace ages a device, a part of its writes goes there.
//!
//! How much, the pages that it wrote just once tell: by the estimator of Good (1953), their share of all writes is the share of
//! the next writes that go to what was not seen before; there must be as many pages to see.

use ssdlab_config::Config;
use ssdlab_device::Resampling;
use ssdlab_host::{Op, Request};
use ssdlab_policy::SplitMix64;

/// Whether a write is moved, is drawn with so many steps.
const STEPS: u64 = 1 << 32;

/// A bit for each page of a range.
struct Bits(Vec<u64>);

impl Bits {
    fn new(pages: u64) -> Self {
        Self(vec![0; pages.div_ceil(64) as usize])
    }

    fn has(&self, page: u64) -> bool {
        self.0[(page / 64) as usize] >> (page % 64) & 1 == 1
    }

    fn set(&mut self, page: u64) {
        self.0[(page / 64) as usize] |= 1 << (page % 64);
    }

    /// The first page from `at` on that is not set; `None` without one. Pages from `end` on are no pages.
    fn first_unset(&self, at: u64, end: u64) -> Option<u64> {
        let mut word = (at / 64) as usize;
        let mut free = !self.0.get(word)? & u64::MAX << (at % 64);
        while free == 0 {
            word += 1;
            free = !*self.0.get(word)?;
        }
        let page = word as u64 * 64 + u64::from(free.trailing_zeros());
        (page < end).then_some(page)
    }
}

/// Moves a part of the writes of a trace to pages that it never writes.
pub(crate) struct Unseen {
    page_size: u64,
    /// Pages of the device; larger numbers wrap around.
    logical: u64,
    /// The pages from the first to the last one that the trace writes.
    first: u64,
    pages: u64,
    /// Of these, by their distance from the first: those that may be written, ended by the unused part of the device.
    usable: u64,
    written: Bits,
    /// Pages that more than one write touches.
    again: Bits,
    /// A write is moved if a number below [`STEPS`] is below this one.
    moved: u64,
    random: SplitMix64,
    /// The byte behind the last write.
    end: u64,
    /// Behind the last write, if it was moved: where one goes that continues it.
    next: Option<u64>,
}

impl Unseen {
    /// For the requests that age a device; `None` if nothing is moved.
    pub fn of(
        requests: &[Request],
        how: &Resampling,
        config: &Config,
        filled: f64,
    ) -> Option<Self> {
        let page_size = u64::from(config.flash.page_size);
        let logical = u64::from(config.logical_pages());
        let writes = || {
            let all = requests.iter();
            all.filter(|one| one.op() == Op::Write && one.size() > 0)
        };
        let of = |request: &Request| touched(request, page_size, logical);
        let first = writes().flat_map(of).min()?;
        let last = writes().flat_map(of).max()?;
        let pages = last - first + 1;
        let usable = ((filled * logical as f64) as u64).saturating_sub(first);
        let mut unseen = Self {
            page_size,
            logical,
            first,
            pages,
            usable: usable.min(pages),
            written: Bits::new(pages),
            again: Bits::new(pages),
            moved: 0,
            random: SplitMix64(!how.seed),
            end: u64::MAX,
            next: None,
        };
        let mut all = 0_u64;
        for page in writes().flat_map(of).map(|page| page - first) {
            all += 1;
            match unseen.written.has(page) {
                true => unseen.again.set(page),
                false => unseen.written.set(page),
            }
        }
        let never = (0..unseen.usable).filter(|&page| !unseen.written.has(page));
        let never = never.count() as u64;
        let (written, again) = (&unseen.written.0, &unseen.again.0);
        let once = written.iter().zip(again);
        let once: u64 = once
            .map(|(written, again)| u64::from((written & !again).count_ones()))
            .sum();
        let single = writes().filter(|request| unseen.is_single(request));
        let single: u64 = single.flat_map(of).count() as u64;
        if single == 0 || never == 0 {
            return None;
        }
        let share = (how.unseen).unwrap_or_else(|| once.min(never) as f64 / all as f64);
        let part = (share * all as f64 / single as f64).min(1.0);
        unseen.moved = (part * STEPS as f64) as u64;
        (unseen.moved > 0).then_some(unseen)
    }

    /// Whether the trace writes all pages of a write just once.
    fn is_single(&self, request: &Request) -> bool {
        let pages = touched(request, self.page_size, self.logical);
        let mut pages = pages.map(|page| page - self.first);
        pages.all(|page| !self.again.has(page))
    }

    /// The first page at or behind one, and behind the last the first, that the trace never writes.
    fn at_or_behind(&self, page: u64) -> u64 {
        let found = self.written.first_unset(page, self.usable);
        let found = found.or_else(|| self.written.first_unset(0, self.usable));
        found.expect("there is one")
    }

    /// Adds a request of the trace, perhaps moved, in as many parts as it takes.
    pub fn add(&mut self, request: Request, to: &mut Vec<Request>) {
        if request.op() != Op::Write || request.size() == 0 {
            return to.push(request);
        }
        let continues = request.offset == self.end;
        self.end = request.end();
        if !self.is_single(&request) {
            self.next = None;
            return to.push(request);
        }
        let begin = match self.next {
            Some(next) if continues => next,
            None if continues => return to.push(request),
            _ if self.random.next() / (u64::MAX / STEPS + 1) >= self.moved => {
                self.next = None;
                return to.push(request);
            }
            _ => self.random.below(self.pages as usize) as u64,
        };
        let page_size = self.page_size;
        let (mut page, mut offset) = (begin, request.offset % page_size);
        let mut left = request.size();
        while left > 0 {
            page = self.at_or_behind(page);
            let start = page * page_size + offset;
            let mut bytes = 0;
            // as many neighbours as there are
            loop {
                let part = (page_size - offset).min(left);
                (bytes, left, offset, page) = (bytes + part, left - part, 0, page + 1);
                if left == 0 || page >= self.usable || self.written.has(page) {
                    break;
                }
            }
            let start = self.first * page_size + start;
            let moved = Request::new(request.time_ns, Op::Write, start, bytes);
            to.extend(moved.map(|moved| moved.in_stream(request.stream())));
        }
        // a write that begins inside of the last page goes on there
        let inside = !request.end().is_multiple_of(page_size);
        self.next = Some(page - u64::from(inside));
    }
}

/// The pages of a write.
fn touched(request: &Request, page_size: u64, logical: u64) -> impl Iterator<Item = u64> + use<> {
    let (first, last) = (request.offset / page_size, (request.end() - 1) / page_size);
    (first..=last).map(move |page| page % logical)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lab;

    const PAGE: u64 = 2048;

    /// Bytes of each write, from where.
    type Writes<'a> = &'a [(u64, u64)];

    fn written(writes: Writes) -> Vec<Request> {
        let request = |&(at, size)| Request::new(7, Op::Write, at, size).expect("a request");
        writes.iter().map(request).collect()
    }

    /// What becomes of more writes on a device that this trace ages: all that may be moved is moved.
    fn moved(trace: Writes, filled: f64, more: Writes) -> Vec<(u64, u64)> {
        let mut resolver = Lab::new().resolver();
        resolver.set("flash.capacity=1MiB").expect("a key");
        resolver.set("flash.pages_per_block=4").expect("a key");
        let config = resolver.resolve().expect("a device");
        let how = Resampling {
            segment: 1,
            limit: 3.0,
            seed: 1,
            unseen: Some(1.0),
        };
        let unseen = Unseen::of(&written(trace), &how, &config, filled);
        let mut unseen = unseen.expect("pages that are never written");
        let mut to = Vec::new();
        written(more)
            .into_iter()
            .for_each(|request| unseen.add(request, &mut to));
        to.iter().map(|one| (one.offset, one.size())).collect()
    }

    // Planted bugs: a page that the trace writes, or an unused one, as a place; a write that is moved in part though another
    // page of it was written twice; one that does not go on where the write before it went; bytes that are lost where a
    // moved write is cut, or at its edges.
    #[test]
    fn writes_go_on_where_they_were_moved_to() {
        // pages 0 and 9 once, 1 to 3 once, 5 twice; the others up to 9 never
        let trace = [
            (0, PAGE),
            (PAGE, 3 * PAGE),
            (5 * PAGE, PAGE),
            (5 * PAGE + 512, 512),
            (9 * PAGE, PAGE),
        ];
        let unseen = [4, 6, 7, 8].map(|page| page * PAGE);
        let whole = moved(&trace, 1.0, &[(PAGE, 3 * PAGE)]);
        assert_eq!(whole.iter().map(|(_, size)| size).sum::<u64>(), 3 * PAGE);
        for (at, size) in whole {
            let all = (at..at + size).step_by(PAGE as usize);
            all.for_each(|page| assert!(unseen.contains(&page), "{page}"));
        }
        // two writes of a page and a half go on; the half page is written by both
        let half = PAGE / 2;
        let parts = moved(
            &trace,
            1.0,
            &[(0, PAGE + half), (PAGE + half, half), (2 * PAGE, PAGE)],
        );
        let ends = parts
            .windows(2)
            .filter(|two| two[0].0 + two[0].1 == two[1].0);
        assert_eq!(parts.iter().map(|(_, size)| size).sum::<u64>(), 3 * PAGE);
        assert!(ends.count() >= 1, "{parts:?}");
        // nothing of what was written twice is moved, nor what follows it
        let twice = [(4 * PAGE, 2 * PAGE), (6 * PAGE, PAGE), (5 * PAGE, PAGE)];
        assert_eq!(moved(&trace, 1.0, &twice), twice);
        // of 512 pages the first seven are in use
        let used = moved(
            &trace,
            7.0 / 512.0,
            &[(0, PAGE), (2 * PAGE, PAGE), (9 * PAGE, PAGE)],
        );
        let places = [4 * PAGE, 6 * PAGE];
        assert!(used.iter().all(|(at, _)| places.contains(at)), "{used:?}");
    }
}
