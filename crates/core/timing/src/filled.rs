//! The ends of programs by place, for reads that wait for their own page only.

use ssdlab_flash::Ppn;

/// The ends of the programs that lie ahead. Blocks are programmed page by page, so the ends of one block follow each other
/// in memory; an end that is past is as good as none.
#[derive(Clone, Debug)]
pub(crate) struct Filled {
    pages_per_block: u64,
    /// 2^64 / `pages_per_block`, rounded up: exact for places of 32 bits.
    per_page: u64,
    ftls: u64,
    /// For each block, its entry or [`NONE`].
    entry_of: Vec<u32>,
    entries: Vec<Block>,
    /// The last programs, which are not in the entries yet. Most are past before a read asks.
    last: Vec<Program>,
    /// The entry at which the search for a vacant one goes on.
    hand: usize,
}

/// The ends of a block.
#[derive(Clone, Debug)]
struct Block {
    number: usize,
    /// The position of the page with the first end.
    first: usize,
    ends: Vec<u64>,
    /// All ends are past at this time.
    latest: u64,
}

/// The program of a page.
#[derive(Clone, Copy, Debug)]
struct Program {
    ftl: u32,
    at: Ppn,
    end: u64,
}

/// The most programs that are not in the entries.
const LAST: usize = 1 << 13;

/// No entry.
const NONE: u32 = u32::MAX;

/// The entries that a search for a vacant one looks at.
const LOOKS: usize = 4;

impl Filled {
    /// Nothing was programmed on FTLs with this many blocks.
    pub fn new(ftls: u32, blocks: u32, pages_per_block: u32) -> Self {
        Self {
            pages_per_block: pages_per_block.into(),
            per_page: (u64::MAX / u64::from(pages_per_block)).wrapping_add(1),
            ftls: ftls.into(),
            entry_of: vec![NONE; ftls as usize * blocks as usize],
            entries: Vec::new(),
            last: Vec::with_capacity(LAST),
            hand: 0,
        }
    }

    /// An upper bound of the memory while at most `ends` ends lie ahead, in bytes.
    pub fn bytes(blocks: u64, ends: u64) -> u64 {
        // vectors grow by doubling
        let last = (LAST * size_of::<Program>()) as u64;
        last + 4 * blocks + ends * (2 * 8 + 2 * size_of::<Block>() as u64)
    }

    /// The blocks whose ends are kept.
    pub fn blocks(&self) -> usize {
        self.entries.len()
    }

    /// The number of the block of a place, and the position in it.
    #[inline]
    fn find(&self, ftl: u32, Ppn(at): Ppn) -> (usize, usize) {
        let at = u64::from(at);
        let block = if self.per_page == 0 {
            at
        } else {
            ((u128::from(at) * u128::from(self.per_page)) >> 64) as u64
        };
        let position = at - block * self.pages_per_block;
        (
            (block * self.ftls + u64::from(ftl)) as usize,
            position as usize,
        )
    }

    /// The end of the program of a page; 0 where it is past.
    pub fn get(&mut self, ftl: u32, at: Ppn, now: u64) -> u64 {
        self.settle(now);
        let (number, position) = self.find(ftl, at);
        match self.entries.get(self.entry_of[number] as usize) {
            Some(block) if block.latest > now => {
                let end = position
                    .checked_sub(block.first)
                    .and_then(|i| block.ends.get(i));
                end.copied().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// The page at a place is none that was programmed from the controller's memory.
    pub fn clear(&mut self, ftl: u32, at: Ppn, now: u64) {
        if self.get(ftl, at, now) > 0 {
            let (number, position) = self.find(ftl, at);
            let block = &mut self.entries[self.entry_of[number] as usize];
            block.ends[position - block.first] = 0;
        }
    }

    /// A page was programmed.
    #[inline(always)]
    pub fn set(&mut self, ftl: u32, at: Ppn, end: u64, now: u64) {
        if self.last.len() == LAST {
            self.settle(now);
        }
        self.last.push(Program { ftl, at, end });
    }

    /// Adds the last programs to the entries, unless they are past.
    #[inline(never)]
    fn settle(&mut self, now: u64) {
        for at in 0..self.last.len() {
            let program = self.last[at];
            if program.end > now {
                self.keep(program, now);
            }
        }
        self.last.clear();
    }

    fn keep(&mut self, Program { ftl, at, end }: Program, now: u64) {
        let (number, position) = self.find(ftl, at);
        let mut entry = self.entry_of[number];
        if entry == NONE {
            entry = self.enter(number, now);
        }
        let block = &mut self.entries[entry as usize];
        if block.latest <= now {
            block.ends.clear();
            block.first = position;
        }
        block.latest = block.latest.max(end);
        if position == block.first + block.ends.len() {
            block.ends.push(end);
        } else {
            block.set(position, end);
        }
    }

    /// Gives a block an entry: one of those whose ends are past, if it is found soon.
    #[inline(never)]
    fn enter(&mut self, number: usize, now: u64) -> u32 {
        let mut found = None;
        for _ in 0..LOOKS.min(self.entries.len()) {
            self.hand = (self.hand + 1) % self.entries.len();
            if self.entries[self.hand].latest <= now {
                found = Some(self.hand);
                break;
            }
        }
        let entry = found.unwrap_or_else(|| {
            self.entries.push(Block {
                number,
                first: 0,
                ends: Vec::new(),
                latest: 0,
            });
            self.entries.len() - 1
        });
        let block = &mut self.entries[entry];
        self.entry_of[block.number] = NONE;
        block.number = number;
        self.entry_of[number] = entry as u32;
        entry as u32
    }
}

impl Block {
    /// A page that does not follow the one before.
    #[cold]
    fn set(&mut self, position: usize, end: u64) {
        if position < self.first {
            let missing = self.first - position;
            self.ends.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = position;
        }
        let at = position - self.first;
        if at >= self.ends.len() {
            self.ends.resize(at + 1, 0);
        }
        self.ends[at] = end;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    // planted bugs: an entry taken from a block whose ends lie ahead; a page out of order at a wrong place; the blocks of
    // two FTLs mixed up; an end that is forgotten when a later one of its block is past
    #[test]
    fn every_end_that_lies_ahead_is_found() {
        let mut random = fastrand::Rng::with_seed(1);
        for pages_per_block in [1, 3, 8, 100] {
            let (ftls, blocks) = (3, 40);
            let mut filled = Filled::new(ftls, blocks, pages_per_block);
            let (mut all, mut now) = (BTreeMap::new(), 0);
            let (mut next, mut free) = ([0; 3], [0; 3]);
            for _ in 0..20_000 {
                now += random.u64(..10);
                let ftl = random.u32(..ftls);
                let at = match random.u32(..5) {
                    0 => random.u32(..blocks * pages_per_block),
                    _ => (next[ftl as usize] + 1) % (blocks * pages_per_block),
                };
                next[ftl as usize] = at;
                // the programs of a chip end one after the other
                let end = now.max(free[ftl as usize]) + random.u64(..40);
                free[ftl as usize] = end;
                filled.set(ftl, Ppn(at), end, now);
                all.insert((ftl, at), end);
                let place = (random.u32(..ftls), random.u32(..blocks * pages_per_block));
                let expected = all.get(&place).copied().unwrap_or(0);
                if random.u32(..4) == 0 {
                    let found = filled.get(place.0, Ppn(place.1), now);
                    assert_eq!(found.max(now), expected.max(now), "{place:?}");
                }
            }
            assert!(filled.blocks() <= 3 * blocks as usize);
        }
    }
}
