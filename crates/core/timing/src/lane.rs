//! A channel or the bus: the times at which it moves pages.

use std::collections::VecDeque;

/// A resource that moves one page at a time. All moves take equally long, so a gap that is shorter than one is lost
/// for ever and counts as busy; all gaps that are kept can be filled, and none has to be searched.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    move_ns: u64,
    /// The last busy interval [start, end), at first an empty one at 0. Most moves extend it.
    last: (u64, u64),
    /// The busy intervals before it, in order. The gaps between all of them are at least one move long.
    before: VecDeque<(u64, u64)>,
    /// No move is ready before.
    now: u64,
    /// Time spent with moves.
    moved_ns: u64,
}

impl Lane {
    pub fn new(move_ns: u64) -> Self {
        Self {
            move_ns,
            last: (0, 0),
            before: VecDeque::new(),
            now: 0,
            moved_ns: 0,
        }
    }

    /// The time that a move takes.
    pub fn move_ns(&self) -> u64 {
        self.move_ns
    }

    /// Moves a page at the earliest time from `ready` on, and returns the end of the move. A move without length
    /// happens at once.
    #[inline]
    pub fn move_page(&mut self, ready: u64) -> u64 {
        let length = self.move_ns;
        if length == 0 {
            return ready;
        }
        self.moved_ns += length;
        let (first, last) = self.last;
        if ready < first && ready.saturating_add(length) <= first {
            return self.move_before(ready);
        }
        let start = ready.max(last);
        if start - last >= length {
            if last > self.now {
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

    /// Counts moves that happened where the lane is known to be free whenever a page is ready.
    pub fn count_moves(&mut self, moves: u64) {
        self.moved_ns += moves * self.move_ns;
    }

    /// Like [`Lane::move_page`], where the move ends before the last interval begins.
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
        self.now = now;
        if self.last.1 <= now {
            // so are all before
            self.before.clear();
        }
        while self.before.front().is_some_and(|&(_, end)| end <= now) {
            self.before.pop_front();
        }
        self.before.len()
    }

    /// The time spent with moves since the last call.
    pub fn take_moved_ns(&mut self) -> u64 {
        std::mem::take(&mut self.moved_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The earliest free interval, by a look at all moves so far.
    fn earliest(moves: &[u64], length: u64, ready: u64) -> u64 {
        let free = |start: u64| {
            let apart = |&at: &u64| at + length <= start || start + length <= at;
            start >= ready && moves.iter().all(apart)
        };
        let ends = moves.iter().map(|at| at + length);
        let starts = ends.chain([ready]).filter(|&start| free(start));
        starts.min().expect("a start behind all moves")
    }

    // planted bugs: a gap that is never filled; a gap filled by a move that is too long; two moves that overlap; a
    // move that begins too late because a lost gap was joined with a free one; a move forgotten too early
    #[test]
    fn moves_take_the_earliest_gap() {
        let mut random = fastrand::Rng::with_seed(1);
        for length in [1, 2, 5, 9] {
            let mut lane = Lane::new(length);
            let (mut moves, mut now) = (Vec::new(), 0);
            for _ in 0..400 {
                if random.u32(..8) == 0 {
                    now += random.u64(..30);
                    lane.forget_before(now);
                }
                let ready = now + random.u64(..60);
                let start = earliest(&moves, length, ready);
                assert_eq!(lane.move_page(ready), start + length, "from {ready}");
                moves.push(start);
            }
            assert_eq!(lane.take_moved_ns(), 400 * length);
        }
        assert_eq!(Lane::new(0).move_page(7), 7);
    }
}
