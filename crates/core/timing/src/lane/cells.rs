//! Near moves, by time. Time is divided into cells a little shorter than a move, so at most one move begins in each, and a
//! page looks at three cells only. Two moves that begin in neighbouring cells have no room for a third one between them.

/// The moves that begin in a window of time.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// The length of a move.
    length: u64,
    /// 2^64 / `length`, rounded up: a cell has `length` whole times, or one less.
    per_ns: u64,
    /// For each cell, the end of the last move that began there. A ring: cell `c` is at place `c` mod size + 1; what is in a
    /// cell of an earlier turn is past. The first place is that of the last cell again, and the last one that of the first,
    /// so neighbours are side by side.
    ends: Vec<u64>,
    /// The window begins with this cell. All moves before it are past.
    first: u64,
    /// A stretch without room for a move, behind which no move begins.
    last: (u64, u64),
}

/// The least and the most cells of a window.
const LEAST: usize = 1 << 10;
const MOST: usize = 1 << 16;

/// Times behind this one are not near.
const END: u64 = 1 << 62;

impl Cells {
    /// None if moves of this length cannot be kept in cells.
    pub fn new(length: u64) -> Option<Self> {
        if !(2..1 << 32).contains(&length) {
            return None;
        }
        Some(Self {
            length,
            per_ns: u64::MAX / length + 1,
            ends: vec![0; LEAST + 2],
            first: 0,
            last: (0, 0),
        })
    }

    /// An upper bound of the memory in bytes.
    pub fn bytes() -> u64 {
        // while it grows, the old cells exist beside the new ones
        8 * (MOST + MOST / 2 + 4) as u64
    }

    #[inline(always)]
    fn size(&self) -> usize {
        self.ends.len() - 2
    }

    /// The cell in which a time lies; the first one is 1.
    #[inline(always)]
    fn cell_of(&self, at: u64) -> u64 {
        ((u128::from(at) * u128::from(self.per_ns)) >> 64) as u64 + 1
    }

    /// The place of the cell before this one; those of this cell and of the next one follow.
    #[inline(always)]
    fn place_before(&self, cell: u64) -> usize {
        cell as usize & (self.size() - 1)
    }

    /// Moves a page at the earliest time from `ready` on, and returns the end of the move. `None` if that is not near.
    #[inline(always)]
    pub fn move_page(&mut self, ready: u64, now: u64) -> Option<u64> {
        if ready >= self.last.0 {
            return self.move_last(ready, now);
        }
        let end = ready + self.length;
        // a cell before the last move lies in the window
        let place = self.place_before(self.cell_of(ready));
        let [before, here, after] = self.around(place);
        if before.max(here) > ready || self.overlaps(after, end) {
            return self.move_behind(ready, now);
        }
        self.take(place + 1, end);
        Some(end)
    }

    #[inline(always)]
    fn around(&self, place: usize) -> [u64; 3] {
        let cells = &self.ends[place..place + 3];
        [cells[0], cells[1], cells[2]]
    }

    /// Moves a page behind the last stretch, or later.
    #[inline]
    fn move_last(&mut self, ready: u64, now: u64) -> Option<u64> {
        let start = ready.max(self.last.1);
        if start >= END {
            return None;
        }
        let cell = self.cell_of(start);
        // half of the window stays free, so that it seldom moves
        if cell >= self.first + self.size() as u64 / 2 && !self.make_room(cell, now) {
            return None;
        }
        let end = start + self.length;
        self.take(self.place_before(cell) + 1, end);
        if start - self.last.1 >= self.length {
            self.last.0 = start;
        }
        self.last.1 = end;
        Some(end)
    }

    /// Moves a page in the first gap behind a time that is not free itself.
    #[inline(never)]
    fn move_behind(&mut self, ready: u64, now: u64) -> Option<u64> {
        let mut start = ready;
        while start < self.last.0 {
            let place = self.place_before(self.cell_of(start));
            let [before, here, after] = self.around(place);
            let end = start + self.length;
            if before.max(here) > start {
                start = before.max(here);
            } else if self.overlaps(after, end) {
                start = after;
            } else {
                self.take(place + 1, end);
                return Some(end);
            }
        }
        self.move_last(start, now)
    }

    /// Whether a move that begins in the next cell, and ends at `after`, begins before `end`, where a move ends.
    #[inline(always)]
    fn overlaps(&self, after: u64, end: u64) -> bool {
        // what is past wraps around
        after.wrapping_sub(end + 1) < self.length - 1
    }

    #[inline(always)]
    fn take(&mut self, place: usize, end: u64) {
        let size = self.size();
        self.ends[place] = end;
        if place == 1 {
            self.ends[size + 1] = end;
        } else if place == size {
            self.ends[0] = end;
        }
    }

    /// Moves and widens the window until the cell lies in its first half. Returns whether it does.
    #[cold]
    fn make_room(&mut self, cell: u64, now: u64) -> bool {
        self.first = self.first.max(self.cell_of(now) - 1);
        while cell >= self.first + self.size() as u64 / 2 {
            if self.size() == MOST {
                return false;
            }
            self.widen(now);
        }
        true
    }

    fn widen(&mut self, now: u64) {
        let mut wide = Self {
            ends: vec![0; 2 * self.size() + 2],
            ..*self
        };
        for start in self.starts_of_ends_after(now) {
            let place = wide.place_before(wide.cell_of(start)) + 1;
            wide.take(place, start + self.length);
        }
        *self = wide;
    }

    /// When the moves begin that end after `now`, ascending.
    pub fn starts_of_ends_after(&self, now: u64) -> impl Iterator<Item = u64> {
        let cells = self.first..self.first + self.size() as u64;
        let ends = cells.map(|cell| self.ends[self.place_before(cell) + 1]);
        ends.filter(move |&end| end > now)
            .map(|end| end - self.length)
    }
}
