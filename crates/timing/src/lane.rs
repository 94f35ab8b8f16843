//! A channel or the bus: the times at which it moves pages.

use std::collections::VecDeque;

/// A resource that moves one page at a time. All moves take equally long, so a gap that is shorter than one is lost
/// for ever and counts as busy; all gaps that are kept can be filled, and none has to be searched.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    move_ns: u64,
    /// The busy intervals [start, end) in order. The gaps between them are at least one move long.
    busy: VecDeque<(u64, u64)>,
    /// Time spent with moves.
    moved_ns: u64,
}

impl Lane {
    pub fn new(move_ns: u64) -> Self {
        Self {
            move_ns,
            busy: VecDeque::new(),
            moved_ns: 0,
        }
    }

    /// The length of a move.
    pub fn move_ns(&self) -> u64 {
        self.move_ns
    }

    /// Moves a page at the earliest time from `ready` on, and returns the end of the move. A move without length
    /// happens at once.
    pub fn move_page(&mut self, ready: u64) -> u64 {
        let length = self.move_ns;
        if length == 0 {
            return ready;
        }
        self.moved_ns += length;
        let next = self.busy.partition_point(|&(_, end)| end <= ready);
        match self.busy.get(next) {
            // the gap before this interval is too late or too short; the one behind it is long enough
            Some(&(start, end)) if start < ready.saturating_add(length) => self.fill(next + 1, end),
            _ => self.fill(next, ready),
        }
    }

    /// Occupies a gap from `start` on; `next` is the place of the interval behind it.
    fn fill(&mut self, next: usize, start: u64) -> u64 {
        let length = self.move_ns;
        let end = start.saturating_add(length);
        let joins = |gap: u64| gap < length;
        let before = next
            .checked_sub(1)
            .filter(|&at| joins(start - self.busy[at].1));
        let after = self.busy.get(next).map(|interval| interval.0);
        let after = after.is_some_and(|start| joins(start - end));
        match (before, after) {
            (Some(before), true) => {
                self.busy[before].1 = self.busy[next].1;
                self.busy.remove(next);
            }
            (Some(before), false) => self.busy[before].1 = end,
            (None, true) => self.busy[next].0 = start,
            (None, false) => self.busy.insert(next, (start, end)),
        }
        end
    }

    /// No move will be ready before `now`: forgets what lies before. Returns the number of busy intervals left.
    pub fn forget_before(&mut self, now: u64) -> usize {
        while self.busy.front().is_some_and(|&(_, end)| end <= now) {
            self.busy.pop_front();
        }
        self.busy.len()
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
