//! The SLC cache of page mapping, as simply as possible: a second model beside that of all FTLs, of one chip with whole cleaning and
//! neither buffer nor copy-backs (section 9.13 of `docs/semantics.md`).

use std::collections::VecDeque;

/// What the host does when the cache has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// It writes past the cache.
    Direct,
    /// The same while the cache is emptied, so many thousandths of a page for each page.
    Beside(u64),
    /// It waits for a fold.
    Fold,
}

/// A drive.
#[derive(Clone, Debug)]
pub struct Drive {
    /// Logical blocks, all blocks, and those that are always in SLC mode.
    pub blocks: [usize; 3],
    /// Pages of a block in native mode and in SLC mode.
    pub pages: [usize; 2],
    /// `ftl.gc_low` and `ftl.slc_keep`.
    pub free: [usize; 2],
    /// The most dynamic blocks; `None`: the cache has none.
    pub dynamic: Option<usize>,
    /// The pages in native blocks at which there is none any more; 0: they stay.
    pub gone: usize,
    /// Full blocks that folding beside leaves.
    pub rest: usize,
    /// What the host does when the cache has no room.
    pub full: Full,
    /// The fullest fold is last, not the latest one.
    pub greedy_folds: bool,
    /// The emptiest block is cleaned, not the one filled first.
    pub greedy_cleaning: bool,
    /// Folded and cleaned pages share a frontier.
    pub shares_frontier: bool,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pages programmed into the cache, and past it.
    pub programs: [u64; 2],
    /// Reads of blocks in SLC mode by the host.
    pub slc_reads: u64,
    /// Pages folded, and pages copied by cleaning.
    pub copies: [u64; 2],
    /// Native blocks that were cleaned.
    pub victims: u64,
    /// Erases of blocks in SLC mode: dropped, for space, for room, beside.
    pub erases: [u64; 4],
    /// At the end: pages in the cache, and those that it could take.
    pub now: [u64; 2],
}

/// Places in [`Counts::erases`].
const DROPPED: usize = 0;
const SPACE: usize = 1;
const ROOM: usize = 2;
const BESIDE: usize = 3;

/// The pages of a block in the order of programming: their number, and whether this is the newest version.
type Block = Vec<(usize, bool)>;

/// A drive in use.
#[derive(Clone, Debug)]
pub struct Used {
    drive: Drive,
    blocks: Vec<Block>,
    free: VecDeque<usize>,
    fixed_free: VecDeque<usize>,
    /// S.
    open: Option<usize>,
    /// The full blocks of the cache and the native ones, the one filled first at the head.
    full_slc: Vec<usize>,
    full: Vec<usize>,
    /// The frontiers of the host and of copies.
    frontiers: [Option<usize>; 2],
    is_emptying: bool,
    debt: u64,
    counts: Counts,
}

impl Used {
    /// A new drive, whose logical blocks are full or erased.
    pub fn new(drive: Drive, is_full: bool) -> Self {
        let [logical, all, fixed] = drive.blocks;
        let pages = drive.pages[0];
        let full = if is_full { logical } else { 0 };
        let block = |pbn: usize| match pbn < full {
            true => (pbn * pages..(pbn + 1) * pages)
                .map(|lpn| (lpn, true))
                .collect(),
            false => Block::new(),
        };
        Self {
            blocks: (0..all).map(block).collect(),
            free: (full..all - fixed).collect(),
            fixed_free: (all - fixed..all).collect(),
            open: None,
            full_slc: Vec::new(),
            full: (0..full).collect(),
            frontiers: [None; 2],
            is_emptying: false,
            debt: 0,
            counts: Counts::default(),
            drive,
        }
    }

    /// What was done so far.
    pub fn counts(&self) -> Counts {
        let in_slc = |pbn: &usize| self.valid(*pbn) as u64;
        let slc = self.full_slc.iter().chain(&self.open);
        let m = self.drive.pages[1];
        let rest = self.open.map_or(0, |pbn| m - self.blocks[pbn].len());
        let dynamic = self.cap().saturating_sub(self.used());
        let spare = self.free.len().saturating_sub(self.drive.free[1]);
        let room = rest + m * (self.fixed_free.len() + dynamic.min(spare));
        Counts {
            now: [slc.map(in_slc).sum(), room as u64],
            ..self.counts.clone()
        }
    }

    fn is_fixed(&self, pbn: usize) -> bool {
        let [_, all, fixed] = self.drive.blocks;
        pbn >= all - fixed
    }

    fn valid(&self, pbn: usize) -> usize {
        self.blocks[pbn].iter().filter(|page| page.1).count()
    }

    /// The dynamic blocks in use.
    fn used(&self) -> usize {
        let slc = self.full_slc.iter().chain(&self.open);
        slc.filter(|&&pbn| !self.is_fixed(pbn)).count()
    }

    fn cap(&self) -> usize {
        let Some(most) = self.drive.dynamic else {
            return 0;
        };
        match self.drive.gone {
            0 => most,
            gone => {
                let is_slc = |pbn: &usize| self.full_slc.contains(pbn) || self.open == Some(*pbn);
                let native = (0..self.blocks.len()).filter(|pbn| !is_slc(pbn));
                let mapped: usize = native.map(|pbn| self.valid(pbn)).sum();
                most * gone.saturating_sub(mapped) / gone
            }
        }
    }

    /// The page has no newest version any more.
    pub fn discard(&mut self, lpn: usize) {
        for page in self.blocks.iter_mut().flatten() {
            page.1 &= page.0 != lpn;
        }
    }

    /// Reads a page.
    pub fn read(&mut self, lpn: usize) {
        let slc = self.full_slc.iter().chain(&self.open);
        let holds = |pbn: &&usize| self.blocks[**pbn].contains(&(lpn, true));
        self.counts.slc_reads += slc.filter(holds).count() as u64;
    }

    fn program(&mut self, lpn: usize, pbn: usize) {
        self.discard(lpn);
        self.blocks[pbn].push((lpn, true));
    }

    fn erase(&mut self, pbn: usize) {
        assert_eq!(self.valid(pbn), 0);
        self.full_slc.retain(|&full| full != pbn);
        self.full.retain(|&full| full != pbn);
        self.blocks[pbn].clear();
        match self.is_fixed(pbn) {
            true => self.fixed_free.push_back(pbn),
            false => self.free.push_back(pbn),
        }
    }

    fn erase_slc(&mut self, pbn: usize, why: usize) {
        self.erase(pbn);
        self.counts.erases[why] += 1;
    }

    /// Writes a page of the host.
    pub fn write(&mut self, lpn: usize) {
        if self.open.is_none() {
            self.is_emptying &= self.full_slc.len() > self.drive.rest;
            if !self.is_emptying {
                self.open();
            }
        }
        if let Some(pbn) = self.open {
            self.program(lpn, pbn);
            self.counts.programs[0] += 1;
            if self.blocks[pbn].len() == self.drive.pages[1] {
                self.full_slc.push(pbn);
                self.open = None;
            }
            return;
        }
        if self.frontiers[0].is_none() {
            while self.is_low() {
                self.clean();
            }
        }
        self.append(lpn, 0);
        self.counts.programs[1] += 1;
        if let (Full::Beside(share), true) = (self.drive.full, self.is_emptying) {
            self.beside(share);
        }
    }

    fn is_low(&self) -> bool {
        self.free.len() <= self.drive.free[0]
    }

    /// Programs a page at a frontier.
    fn append(&mut self, lpn: usize, frontier: usize) {
        let frontier = if self.drive.shares_frontier {
            0
        } else {
            frontier
        };
        let pbn = match self.frontiers[frontier] {
            Some(pbn) => pbn,
            None => self.free.pop_front().expect("a free block is left"),
        };
        self.program(lpn, pbn);
        let is_full = self.blocks[pbn].len() == self.drive.pages[0];
        self.frontiers[frontier] = (!is_full).then_some(pbn);
        if is_full {
            self.full.push(pbn);
        }
    }

    fn open(&mut self) {
        loop {
            for pbn in self.full_slc.clone() {
                if self.valid(pbn) == 0 {
                    self.erase_slc(pbn, DROPPED);
                }
            }
            self.open = self.fixed_free.pop_front();
            if self.open.is_some() {
                return;
            }
            if self.used() < self.cap() {
                let keep = self.drive.free[1];
                while self.free.len() <= keep {
                    let empty = self.full.iter().find(|&&pbn| self.valid(pbn) == 0);
                    let Some(&pbn) = empty else { break };
                    self.erase(pbn);
                    self.counts.victims += 1;
                }
                if self.free.len() > keep {
                    self.open = self.free.pop_front();
                    return;
                }
            }
            match self.drive.full {
                Full::Fold if !self.full_slc.is_empty() => self.fold_for_room(),
                Full::Beside(_) => {
                    self.is_emptying = !self.full_slc.is_empty();
                    return;
                }
                _ => return,
            }
        }
    }

    /// The block to fold among these.
    fn fold_victim(&self, among: impl Fn(usize) -> bool) -> Option<usize> {
        let those: Vec<usize> = self
            .full_slc
            .iter()
            .copied()
            .filter(|&pbn| among(pbn))
            .collect();
        let empty = those.iter().copied().find(|&pbn| self.valid(pbn) == 0);
        let chosen = match self.drive.greedy_folds {
            true => those.iter().copied().min_by_key(|&pbn| self.valid(pbn)),
            false => those.first().copied(),
        };
        empty.or(chosen)
    }

    /// Whether so many pages need a block.
    fn need_a_block(&self, pages: usize) -> bool {
        let room = self.frontiers[0].map_or(0, |pbn| self.drive.pages[0] - self.blocks[pbn].len());
        room < pages
    }

    /// Moves the first valid pages of a block.
    fn fold(&mut self, pbn: usize, most: usize) {
        let valid = self.blocks[pbn].iter().filter(|page| page.1);
        let pages: Vec<usize> = valid.map(|page| page.0).take(most).collect();
        for lpn in pages {
            self.append(lpn, 0);
            self.counts.copies[0] += 1;
        }
    }

    fn fold_for_room(&mut self) {
        let pbn = self.fold_victim(|_| true).expect("a full block");
        if self.need_a_block(self.valid(pbn)) {
            while self.is_low() {
                self.clean();
            }
            if !self.full_slc.contains(&pbn) {
                return;
            }
        }
        self.fold(pbn, usize::MAX);
        self.erase_slc(pbn, ROOM);
    }

    fn beside(&mut self, share: u64) {
        self.debt += share;
        while self.debt >= 1000 {
            let victim = self.fold_victim(|_| true);
            let Some(pbn) = victim.filter(|_| self.full_slc.len() > self.drive.rest) else {
                self.debt = 0;
                return;
            };
            let pages = self.valid(pbn).min(1);
            if pages > 0 && self.need_a_block(pages) && self.is_low() {
                self.debt = 0;
                return;
            }
            self.fold(pbn, pages);
            self.debt -= 1000 * pages as u64;
            if self.valid(pbn) == 0 {
                self.erase_slc(pbn, BESIDE);
            }
        }
    }

    /// Cleans or folds one block to its end, for space.
    fn clean(&mut self) {
        let fold = self.fold_victim(|pbn| !self.is_fixed(pbn));
        let has_invalid = self
            .full
            .iter()
            .any(|&pbn| self.valid(pbn) < self.drive.pages[0]);
        let full = self.full.iter().copied();
        let native = match self.drive.greedy_cleaning {
            true => full.min_by_key(|&pbn| self.valid(pbn)),
            false => full.take(1).next(),
        };
        let native = native.filter(|_| has_invalid);
        if let Some(pbn) = fold
            && native.is_none_or(|native| self.valid(pbn) <= self.valid(native))
        {
            self.fold(pbn, usize::MAX);
            self.erase_slc(pbn, SPACE);
            return;
        }
        let pbn = native.expect("the drive is over-filled");
        self.counts.victims += 1;
        let valid = self.blocks[pbn].iter().filter(|page| page.1);
        let pages: Vec<usize> = valid.map(|page| page.0).collect();
        for lpn in pages {
            self.append(lpn, 1);
            self.counts.copies[1] += 1;
        }
        self.erase(pbn);
    }
}
