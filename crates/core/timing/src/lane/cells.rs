//! Near moves, by time. Time is divided into cells as long as a move, so at most one move begins in each: a page looks at
//! three cells only. Two moves that begin in neighbouring cells have no room for a third one between them.

/// The moves that begin in a window of time.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// The length of a move and of a cell.
    length: u64,
    /// 2^64 / `length`, rounded down.
    per_ns: u64,
    /// One bit for each cell: a move begins there. A ring; cell `c` is at `c` mod size.
    taken: Vec<u64>,
    /// For each cell, how far behind its begin the move begins.
    offsets: Vec<u32>,
    /// The first cell of the window, a multiple of 64. All moves before it are past.
    first: u64,
}

/// The least and the most cells of a window.
const LEAST: u64 = 1 << 10;
const MOST: u64 = 1 << 16;

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
            per_ns: u64::MAX / length,
            taken: vec![0; LEAST as usize / 64],
            offsets: vec![0; LEAST as usize],
            first: 0,
        })
    }

    /// An upper bound of the memory in bytes.
    pub fn bytes() -> u64 {
        // while it grows, the old cells exist beside the new ones
        (MOST + MOST / 2) * 4 + (MOST + MOST / 2) / 8
    }

    fn size(&self) -> u64 {
        self.offsets.len() as u64
    }

    /// The cell in which a time lies; the first one is 1.
    #[inline]
    fn cell_of(&self, at: u64) -> u64 {
        let cell = (u128::from(at) * u128::from(self.per_ns) >> 64) as u64;
        // it may be one too few
        cell + 1 + u64::from(at - cell * self.length >= self.length)
    }

    #[inline]
    fn begin_of(&self, cell: u64) -> u64 {
        (cell - 1) * self.length
    }

    #[inline]
    fn offset(&self, cell: u64) -> u64 {
        u64::from(self.offsets[(cell & (self.size() - 1)) as usize])
    }

    /// Whether a move begins in this cell, in the next one, and so on, by bits.
    #[inline]
    fn taken_from(&self, cell: u64) -> u64 {
        let words = self.taken.len() - 1;
        let (word, bit) = ((cell / 64) as usize, cell % 64);
        let low = self.taken[word & words] >> bit;
        let high = self.taken[(word + 1) & words];
        low | high << 1 << (63 - bit)
    }

    /// Moves a page at the earliest time from `ready` on, and returns the end of the move. `None` if that is not near.
    #[inline(always)]
    pub fn move_page(&mut self, ready: u64, now: u64) -> Option<u64> {
        if ready >= END {
            return None;
        }
        let mut cell = self.cell_of(ready);
        let mut offset = ready - self.begin_of(cell);
        loop {
            // the scan for a cell that is not taken looks at 64 of them
            if cell + 64 >= self.first + self.size() && !self.make_room(cell + 64, now) {
                return None;
            }
            let taken = self.taken_from(cell - 1);
            if taken & 1 != 0 {
                offset = offset.max(self.offset(cell - 1));
            }
            let is_free = taken & 2 == 0;
            if is_free && (taken & 4 == 0 || self.offset(cell + 1) >= offset) {
                let at = (cell & (self.size() - 1)) as usize;
                self.taken[at / 64] |= 1 << (at % 64);
                self.offsets[at] = offset as u32;
                return Some(self.begin_of(cell) + offset + self.length);
            }
            // behind the last of the moves without room between them
            let run = if is_free { cell + 1 } else { cell };
            cell = run + u64::from(self.taken_from(run).trailing_ones());
            offset = self.offset(cell - 1);
        }
    }

    /// Moves and widens the window until the cell lies in it. Returns whether it does.
    #[cold]
    fn make_room(&mut self, cell: u64, now: u64) -> bool {
        let first = self.cell_of(now) - 1;
        let words = self.taken.len() as u64;
        let (from, until) = (self.first / 64, first / 64);
        if until > from {
            self.first = 64 * until;
            for word in (from..until).take(words as usize) {
                self.taken[(word & (words - 1)) as usize] = 0;
            }
        }
        while cell >= self.first + self.size() {
            if self.size() == MOST {
                return false;
            }
            self.widen();
        }
        true
    }

    fn widen(&mut self) {
        let size = 2 * self.size();
        let mut wide = Self {
            taken: vec![0; size as usize / 64],
            offsets: vec![0; size as usize],
            ..*self
        };
        for cell in self.taken_cells() {
            let at = (cell & (size - 1)) as usize;
            wide.taken[at / 64] |= 1 << (at % 64);
            wide.offsets[at] = self.offset(cell) as u32;
        }
        *self = wide;
    }

    fn taken_cells(&self) -> impl Iterator<Item = u64> {
        (self.first..self.first + self.size()).filter(|&cell| self.taken_from(cell) & 1 != 0)
    }

    /// When the moves begin that end after `now`, ascending.
    pub fn starts_of_ends_after(&self, now: u64) -> impl Iterator<Item = u64> {
        let starts = self
            .taken_cells()
            .map(|cell| self.begin_of(cell) + self.offset(cell));
        starts.filter(move |start| start + self.length > now)
    }
}
