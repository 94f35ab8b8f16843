//! Any number of moves, as the intervals in which the lane is busy.

use std::collections::VecDeque;

/// The busy intervals. All moves take equally long, so a gap that is shorter than one is lost for ever and counts as busy;
/// all gaps that are kept can be filled, and none has to be searched.
#[derive(Clone, Debug)]
pub(super) struct Intervals {
    move_ns: u64,
    /// The last busy interval [start, end), at first an empty one at 0. Most moves extend it.
    last: (u64, u64),
    /// The busy intervals before it, in order. The gaps between all of them are at least one move long.
    before: VecDeque<(u64, u64)>,
}

impl Intervals {
    pub fn new(move_ns: u64) -> Self {
        Self {
            move_ns,
            last: (0, 0),
            before: VecDeque::new(),
        }
    }

    /// Moves a page at the earliest time from `ready` on, and returns the end of the move. No move is ready before `now`.
    #[inline]
    pub fn move_page(&mut self, ready: u64, now: u64) -> u64 {
        self.forget_before(now);
        let length = self.move_ns;
        let (first, last) = self.last;
        if ready < first && ready.saturating_add(length) <= first {
            return self.move_before(ready);
        }
        let start = ready.max(last);
        if start - last >= length {
            if last > now {
                self.keep_last();
            }
            self.last.0 = start;
        }
        self.last.1 = start.saturating_add(length);
        self.last.1
    }

    #[inline(never)]
    fn keep_last(&mut self) {
        self.before.push_back(self.last);
    }

    /// Like [`Intervals::move_page`], where the move ends before the last interval begins.
    #[inline(never)]
    fn move_before(&mut self, ready: u64) -> u64 {
        let length = self.move_ns;
        let next = self.before.partition_point(|&(_, end)| end <= ready);
        let (next, start) = match self.before.get(next) {
            // the gap before this interval is too late or too short; the one behind it is long enough
            Some(&(start, end)) if start < ready.saturating_add(length) => (next + 1, end),
            _ => (next, ready),
        };
        self.fill(next, start)
    }

    /// Occupies a gap from `start` on; `next` is the place of the interval behind it.
    fn fill(&mut self, next: usize, start: u64) -> u64 {
        let length = self.move_ns;
        let end = start.saturating_add(length);
        let joins = |gap: u64| gap < length;
        let before = next
            .checked_sub(1)
            .filter(|&at| joins(start - self.before[at].1));
        let after = self.before.get(next).unwrap_or(&self.last).0;
        match (before, joins(after - end)) {
            (Some(before), true) => {
                let start = self.before[before].0;
                self.begin_earlier(next, start);
                self.before.remove(before);
            }
            (Some(before), false) => self.before[before].1 = end,
            (None, true) => self.begin_earlier(next, start),
            (None, false) => self.before.insert(next, (start, end)),
        }
        end
    }

    fn begin_earlier(&mut self, interval: usize, start: u64) {
        self.before.get_mut(interval).unwrap_or(&mut self.last).0 = start;
    }

    /// No move will be ready before `now`: forgets what lies before. Returns the number of busy intervals left.
    #[inline]
    pub fn forget_before(&mut self, now: u64) -> usize {
        if self.last.1 <= now {
            // so are all before
            self.before.clear();
        }
        while self.before.front().is_some_and(|&(_, end)| end <= now) {
            self.before.pop_front();
        }
        self.before.len()
    }
}
