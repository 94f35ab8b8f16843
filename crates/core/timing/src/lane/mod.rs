//! A channel or the bus: the times at which it moves pages.

mod cells;
mod intervals;

use self::cells::Cells;
use self::intervals::Intervals;

/// A resource that moves one page at a time. All moves take equally long; each takes the earliest gap from the time on
/// at which its page is ready.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    move_ns: u64,
    moves: Moves,
    /// Time spent with moves.
    moved_ns: u64,
}

/// The moves that are not past.
#[derive(Clone, Debug)]
enum Moves {
    /// Near ones: each takes constant time.
    Near(Cells),
    /// Any.
    Any(Intervals),
}

impl Lane {
    pub fn new(move_ns: u64) -> Self {
        Self {
            move_ns,
            moves: match Cells::new(move_ns) {
                Some(cells) => Moves::Near(cells),
                None => Moves::Any(Intervals::new(move_ns)),
            },
            moved_ns: 0,
        }
    }

    /// An upper bound of the memory of a lane with near moves, in bytes.
    pub fn bytes() -> u64 {
        Cells::bytes()
    }

    /// The time that a move takes.
    pub fn move_ns(&self) -> u64 {
        self.move_ns
    }

    /// Moves a page at the earliest time from `ready` on, and returns the end of the move. A move without length
    /// happens at once. No page will be ready before `now`, which never falls.
    #[inline(always)]
    pub fn move_page(&mut self, ready: u64, now: u64) -> u64 {
        if self.move_ns == 0 {
            return ready;
        }
        self.moved_ns += self.move_ns;
        match &mut self.moves {
            Moves::Near(cells) => match cells.move_page(ready, now) {
                Some(end) => end,
                None => self.move_far(ready, now),
            },
            Moves::Any(intervals) => intervals.move_page(ready, now),
        }
    }

    /// The first move that is not near.
    #[cold]
    fn move_far(&mut self, ready: u64, now: u64) -> u64 {
        let mut intervals = Intervals::new(self.move_ns);
        if let Moves::Near(cells) = &self.moves {
            for start in cells.starts_of_ends_after(now) {
                intervals.move_page(start, now);
            }
        }
        let end = intervals.move_page(ready, now);
        self.moves = Moves::Any(intervals);
        end
    }

    /// Counts moves that happened where the lane is known to be free whenever a page is ready.
    pub fn count_moves(&mut self, moves: u64) {
        self.moved_ns += moves * self.move_ns;
    }

    /// The number of busy intervals that lie ahead, if their number has no other limit.
    pub fn backlog(&mut self, now: u64) -> usize {
        match &mut self.moves {
            Moves::Near(_) => 0,
            Moves::Any(intervals) => intervals.forget_before(now),
        }
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
    // move that begins too late because a lost gap was joined with a free one; a move forgotten too early; moves lost
    // when the first one is far; a window that begins too late after a long pause
    #[test]
    fn moves_take_the_earliest_gap() {
        let mut random = fastrand::Rng::with_seed(1);
        for length in [1, 2, 5, 9, 65_535, 70_000] {
            let scale = u64::div_ceil(length, 10);
            for far in [60, 4000, 40_000_000] {
                let mut lane = Lane::new(length);
                let (mut moves, mut now) = (Vec::new(), 0);
                for turn in 0..400 {
                    now += match random.u32(..100) {
                        0 => 1 << random.u32(..52),
                        1..13 => scale * random.u64(..30),
                        _ => 0,
                    };
                    let ahead = if turn < 200 { 60 } else { far };
                    let ready = now + random.u64(..scale * ahead);
                    let start = earliest(&moves, length, ready);
                    assert_eq!(lane.move_page(ready, now), start + length, "from {ready}");
                    moves.push(start);
                }
                assert_eq!(lane.take_moved_ns(), 400 * length);
                let is_far = matches!(lane.moves, Moves::Any(_));
                let is_kept = (2..70_000).contains(&length);
                assert_eq!(is_far, !is_kept || far == 40_000_000);
            }
        }
        assert_eq!(Lane::new(0).move_page(7, 0), 7);
    }
}
