//! Near moves, by time. Time is divided into cells as long as a move, so at most one move begins in each, and a page looks at
//! three cells only. Two moves that begin in neighbouring cells have no room for a third one between them.

/// What a cell holds: 0 if no move begins there, otherwise 1 more than the time from its begin to that of the move. Two
/// bytes, so that the cells of many lanes stay in the CPU cache.
type Cell = u16;

/// The moves that begin in a window of time.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// The length of a move.
    length: u64,
    /// 2^64 / `length`, rounded up: finds the cell of each time of a window.
    per_ns: u64,
    /// The begin of the second cell. No move will begin before it.
    origin: u64,
    /// The cells of the window.
    cells: Vec<Cell>,
    /// No move begins in this cell or later.
    used: usize,
    /// A stretch without room for a move: no move that is ready in it begins before its end.
    full: (u64, u64),
}

/// The least and the most cells of a window.
const LEAST: usize = 1 << 10;
const MOST: usize = 1 << 19;

/// A window does not widen where fewer than one in so many cells has a move: few intervals are faster than many cells.
const SPARSE: usize = 64;

/// The longest move that cells keep.
const LONGEST: u64 = Cell::MAX as u64;

/// Times behind this one are not near.
const END: u64 = 1 << 62;

impl Cells {
    /// None if moves of this length cannot be kept in cells: a slow lane has few moves ahead.
    pub fn new(length: u64) -> Option<Self> {
        if !(2..=LONGEST).contains(&length) {
            return None;
        }
        Some(Self {
            length,
            per_ns: u64::MAX / length + 1,
            origin: 0,
            cells: vec![0; LEAST],
            used: 0,
            full: (0, 0),
        })
    }

    /// An upper bound of the memory in bytes.
    pub fn bytes() -> u64 {
        // while the window widens, its old cells exist beside the new ones
        (size_of::<Cell>() * (MOST + MOST / 2)) as u64
    }

    /// The cell before that of a time, and the time since the begin of its own cell.
    #[inline(always)]
    fn before(&self, at: u64) -> (usize, u64) {
        let since = at - self.origin;
        let cell = ((u128::from(since) * u128::from(self.per_ns)) >> 64) as u64;
        // far behind the window, the cell may be a later one
        (cell as usize, since.wrapping_sub(cell * self.length))
    }

    /// A time in the cell behind this one.
    fn time_behind(&self, cell: usize, offset: u64) -> u64 {
        self.origin + cell as u64 * self.length + offset
    }

    /// Moves a page at the earliest time from `ready` on, and returns the end of the move. `None` if that is not near.
    #[inline(always)]
    pub fn move_page(&mut self, ready: u64, now: u64) -> Option<u64> {
        let (before, offset) = self.before(ready);
        if before + 3 <= self.cells.len() {
            let cells = &self.cells[before..before + 3];
            if is_free(cells, offset) {
                self.take(before + 1, offset);
                return Some(ready + self.length);
            }
        }
        self.move_later(ready, now)
    }

    #[inline(always)]
    fn take(&mut self, cell: usize, offset: u64) {
        self.cells[cell] = offset as Cell + 1;
        self.used = self.used.max(cell + 1);
    }

    /// Moves a page whose time is not free, or does not lie in the window.
    #[inline(never)]
    fn move_later(&mut self, ready: u64, now: u64) -> Option<u64> {
        let mut start = ready;
        let end = loop {
            if self.full.0 <= start && start < self.full.1 {
                start = self.full.1;
            }
            let (mut before, mut offset) = self.before(start);
            if before + 3 > self.cells.len() {
                (before, offset) = self.make_room(start, now)?;
            }
            let cells = &self.cells[before..before + 3];
            if is_free(cells, offset) {
                self.take(before + 1, offset);
                break start + self.length;
            }
            // behind the last of the moves in the way
            let [first, here, after] = [cells[0], cells[1], cells[2]].map(u64::from);
            start = if after > 0 && after - 1 < offset {
                self.time_behind(before + 2, after - 1)
            } else if here > 0 {
                self.time_behind(before + 1, here - 1)
            } else {
                self.time_behind(before, first - 1)
            };
        };
        // there was no room between
        self.full = if self.full.1 < ready || end < self.full.0 {
            (ready, end)
        } else {
            (ready.min(self.full.0), end.max(self.full.1))
        };
        Some(end)
    }

    /// Moves the window, and widens it if it must, until a time lies in it, and finds it there. `None` if intervals are better.
    #[cold]
    fn make_room(&mut self, at: u64, now: u64) -> Option<(usize, u64)> {
        if at >= END {
            return None;
        }
        self.forget_before(now);
        let found @ (before, _) = self.before(at);
        // so much stays free that the window seldom moves
        let size = (before + before / 2 + 3).next_power_of_two();
        if size > self.cells.len() {
            let moves = self.cells[..self.used]
                .iter()
                .filter(|&&cell| cell > 0)
                .count();
            if size > MOST || moves < self.used / SPARSE {
                return None;
            }
            self.cells.resize(size, 0);
        }
        Some(found)
    }

    /// Forgets cells whose moves are past; no move will begin before `now`.
    fn forget_before(&mut self, now: u64) {
        let (past, _) = self.before(now);
        let kept = self.used.saturating_sub(past);
        self.cells.copy_within(self.used - kept..self.used, 0);
        self.cells[kept..self.used].fill(0);
        self.used = kept;
        self.origin = if kept > 0 {
            self.origin + past as u64 * self.length
        } else {
            now
        };
    }

    /// When the moves begin that end after `now`, ascending.
    pub fn starts_of_ends_after(&self, now: u64) -> impl Iterator<Item = u64> {
        let begins = (0..).map(|cell| self.origin + cell * self.length);
        let cells = self.cells[..self.used].iter().zip(begins);
        // cells begin a cell before the origin, and offsets are 1 less
        let ends = cells.filter_map(|(&cell, begin)| match u64::from(cell) {
            0 => None,
            offset => Some(begin + offset - 1),
        });
        ends.filter(move |&end| end > now)
            .map(|end| end - self.length)
    }
}

/// Whether a move that begins in the second one of three cells overlaps no other.
#[inline(always)]
fn is_free(cells: &[Cell], offset: u64) -> bool {
    let [before, here, after] = [cells[0], cells[1], cells[2]].map(u64::from);
    before <= offset + 1 && here == 0 && after.wrapping_sub(1) >= offset
}
