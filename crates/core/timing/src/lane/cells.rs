//! Near moves, by time. Time is divided into cells as long as a move, so at most one move begins in each: a page looks at
//! three cells only. Two moves that begin in neighbouring cells have no room for a third one between them.

/// The moves that begin in a window of time.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// The length of a move and of a cell.
    length: u64,
    /// 2^64 / `length`, rounded down.
    per_ns: u64,
    /// For each cell, how far behind its begin a move begins, or [`FREE`]. A ring: cell `c` is at place `c` mod size + 1.
    /// The first place is that of the last cell again, and the last one that of the first, so neighbours are side by side.
    offsets: Vec<u32>,
    /// The first cell of the window. All moves before it are past.
    first: u64,
    /// A stretch without room for a move, behind which no move begins.
    last: (u64, u64),
}

/// No move begins in the cell.
const FREE: u32 = u32::MAX;

/// The least and the most cells of a window.
const LEAST: u64 = 1 << 10;
const MOST: u64 = 1 << 16;

/// Times behind this one are not near.
const END: u64 = 1 << 62;

impl Cells {
    /// None if moves of this length cannot be kept in cells.
    pub fn new(length: u64) -> Option<Self> {
        if !(2..u64::from(FREE)).contains(&length) {
            return None;
        }
        Some(Self {
            length,
            per_ns: u64::MAX / length,
            offsets: vec![FREE; LEAST as usize + 2],
            first: 0,
            last: (0, 0),
        })
    }

    /// An upper bound of the memory in bytes.
    pub fn bytes() -> u64 {
        // while it grows, the old cells exist beside the new ones
        4 * (MOST + MOST / 2 + 4)
    }

    #[inline(always)]
    fn size(&self) -> u64 {
        self.offsets.len() as u64 - 2
    }

    /// The cell in which a time lies; the first one is 1.
    #[inline(always)]
    fn cell_of(&self, at: u64) -> u64 {
        let cell = (u128::from(at) * u128::from(self.per_ns) >> 64) as u64;
        // it may be one too few
        cell + 1 + u64::from(at - cell * self.length >= self.length)
    }

    #[inline(always)]
    fn begin_of(&self, cell: u64) -> u64 {
        (cell - 1) * self.length
    }

    /// The place of the cell before this one; those of this cell and of the next one follow.
    #[inline(always)]
    fn place_before(&self, cell: u64) -> usize {
        (cell & (self.size() - 1)) as usize
    }

    /// Moves a page at the earliest time from `ready` on, and returns the end of the move. `None` if that is not near.
    #[inline(always)]
    pub fn move_page(&mut self, ready: u64, now: u64) -> Option<u64> {
        if ready >= self.last.0 {
            return self.move_last(ready, now);
        }
        let cell = self.cell_of(ready);
        let offset = (ready - self.begin_of(cell)) as u32;
        let place = self.place_before(cell);
        // a cell before the last move lies in the window
        let &[before, here, after] = &self.offsets[place..place + 3] else {
            return None;
        };
        // a free cell is the largest offset, and the smallest one after the addition
        let fits = here == FREE && after >= offset && before.wrapping_add(1) <= offset + 1;
        if fits {
            self.take(cell, offset);
            return Some(ready + self.length);
        }
        self.move_behind(cell, offset, now)
    }

    /// Moves a page behind the last stretch, or later.
    #[inline]
    fn move_last(&mut self, ready: u64, now: u64) -> Option<u64> {
        let start = ready.max(self.last.1);
        if start >= END {
            return None;
        }
        let cell = self.cell_of(start);
        // all that looks at cells stays within the window
        if cell + 2 >= self.first + self.size() && !self.make_room(cell + 2, now) {
            return None;
        }
        let offset = (start - self.begin_of(cell)) as u32;
        self.take(cell, offset);
        if start - self.last.1 >= self.length {
            self.last.0 = start;
        }
        self.last.1 = start + self.length;
        Some(self.last.1)
    }

    /// Moves a page in the first gap from a time on that is not free itself.
    #[inline(never)]
    fn move_behind(&mut self, mut cell: u64, mut offset: u32, now: u64) -> Option<u64> {
        loop {
            let place = self.place_before(cell);
            let &[before, here, after] = &self.offsets[place..place + 3] else {
                return None;
            };
            if before != FREE {
                offset = offset.max(before);
            }
            let run = match () {
                () if here != FREE => cell,
                () if after < offset => cell + 1,
                () => break,
            };
            // behind the last of the moves without room between them
            cell = run;
            while self.offsets[self.place_before(cell) + 1] != FREE {
                cell += 1;
            }
            offset = self.offsets[self.place_before(cell)];
        }
        let start = self.begin_of(cell) + u64::from(offset);
        if start >= self.last.0 {
            return self.move_last(start, now);
        }
        self.take(cell, offset);
        Some(start + self.length)
    }

    #[inline(always)]
    fn take(&mut self, cell: u64, offset: u32) {
        let place = self.place_before(cell) + 1;
        self.offsets[place] = offset;
        let size = self.size() as usize;
        if place == 1 {
            self.offsets[size + 1] = offset;
        } else if place == size {
            self.offsets[0] = offset;
        }
    }

    /// Moves and widens the window until the cell lies in it. Returns whether it does.
    #[cold]
    fn make_room(&mut self, cell: u64, now: u64) -> bool {
        let first = self.cell_of(now) - 1;
        self.forget(first);
        // half of the window stays free, so that it seldom moves
        while cell >= self.first + self.size() / 2 {
            if self.size() == MOST {
                return false;
            }
            self.widen();
        }
        true
    }

    /// The window begins at a later cell.
    fn forget(&mut self, first: u64) {
        let passed = first.saturating_sub(self.first).min(self.size());
        let from = self.place_before(self.first) + 1;
        let (to, size) = (from + passed as usize, self.size() as usize);
        self.offsets[from..to.min(size + 1)].fill(FREE);
        self.offsets[1..(to.max(size + 1) - size)].fill(FREE);
        self.first = first.max(self.first);
        self.offsets[0] = self.offsets[size];
        self.offsets[size + 1] = self.offsets[1];
    }

    fn widen(&mut self) {
        let size = 2 * self.size();
        let mut wide = Self {
            offsets: vec![FREE; size as usize + 2],
            ..*self
        };
        for (cell, offset) in self.taken() {
            wide.take(cell, offset);
        }
        *self = wide;
    }

    fn taken(&self) -> impl Iterator<Item = (u64, u32)> {
        let cells = self.first..self.first + self.size();
        let cells = cells.map(|cell| (cell, self.offsets[self.place_before(cell) + 1]));
        cells.filter(|&(_, offset)| offset != FREE)
    }

    /// When the moves begin that end after `now`, ascending.
    pub fn starts_of_ends_after(&self, now: u64) -> impl Iterator<Item = u64> {
        let starts = self
            .taken()
            .map(|(cell, offset)| self.begin_of(cell) + u64::from(offset));
        starts.filter(move |start| start + self.length > now)
    }
}
