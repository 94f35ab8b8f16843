//! The flash under an FTL: its blocks, the free list, and the counters of each operation (sections 3, 4 and
//! 9.1).

use ssdlab_device::Precondition;
use ssdlab_ftl::FreeLists;

use super::clock::Step;
use super::config::{BlockKind, ModelConfig, ModelFtl};
use super::number::{Lbn, Lpn, Pbn, Place};
use super::record::Record;

/// A programmed page of flash. At most one page of each LPN is valid.
#[derive(Clone, Copy)]
struct Page {
    lpn: Lpn,
    valid: bool,
}

/// A physical block: its pages by position (`None` where erased) and its number of erases.
#[derive(Clone)]
struct Block {
    pages: Vec<Option<Page>>,
    erases: u32,
}

/// The flash of one chip, or of all chips that share an FTL.
pub(super) struct Flash {
    /// N.
    pub(super) pages_per_block: u64,
    planes: u64,
    line_chips: u64,
    /// G.
    group: u64,
    copy_back: bool,
    free_lists: FreeLists,
    /// The plane whose free block is taken next where the plane does not matter.
    turn: u64,
    /// Whether the pages of a block must be programmed in ascending order.
    ascending: bool,
    /// All physical blocks.
    blocks: Vec<Block>,
    /// The free list, head first.
    free: Vec<Pbn>,
    /// The first block with a free list of its own, and this list.
    apart: (Pbn, Vec<Pbn>),
    map: Option<MapLog>,
}

/// The blocks of the block map, if it is written (section 9.11): the pages programmed in them since they were full of
/// nothing but the map.
struct MapLog {
    /// M.
    pages: u64,
    programmed: u64,
}

impl Flash {
    /// The flash under `ideal`.
    pub(super) fn without_blocks(config: &ModelConfig) -> Self {
        let is_replacement = matches!(&config.ftl, ModelFtl::Blocks(blocks) if blocks.kind == BlockKind::Replacement);
        Self {
            pages_per_block: config.pages_per_block(),
            planes: config.flash.planes.into(),
            line_chips: config.line_chips(),
            group: config.timing.today.group_pages.into(),
            copy_back: config.flash.copy_back,
            free_lists: config.free_lists,
            turn: 0,
            ascending: !is_replacement,
            blocks: Vec::new(),
            free: Vec::new(),
            apart: (Pbn::MAX, Vec::new()),
            map: MapLog::new(config),
        }
    }

    /// The logical blocks and `further` ones. Preconditioned, logical block b is physical block b.
    pub(super) fn new(config: &ModelConfig, further: u64) -> Self {
        let mut flash = Self::without_blocks(config);
        let erased = Block {
            pages: vec![None; config.pages_per_block() as usize],
            erases: 0,
        };
        let physical = config.blocks_per_chip() + further;
        flash.blocks = vec![erased; physical as usize];
        flash.free = (0..physical).collect();
        for pbn in data_blocks(config).into_iter().flatten() {
            flash.free.retain(|&free| free != pbn);
            for offset in 0..config.pages_per_block() {
                flash.program(pbn, offset, pbn * config.pages_per_block() + offset);
            }
        }
        flash
    }

    /// A logical block has another data block.
    pub(super) fn remap(&mut self, record: &mut Record) {
        let n = self.pages_per_block;
        let Some(map) = &mut self.map else {
            return;
        };
        let home = map.pages.div_ceil(n);
        let mut programs = 1;
        if map.programmed == (home + 1) * n {
            (programs, map.programmed) = (map.pages, 0);
        }
        for _ in 0..programs {
            record.steps.push(Step::ProgramMap(map.programmed % n));
            map.programmed += 1;
        }
        record.counters.table_programs += programs;
        if map.programmed == map.pages {
            (0..home + 1).for_each(|_| record.steps.push(Step::Erase(None)));
            record.counters.table_erases += home + 1;
        }
    }

    /// The last blocks have a free list of their own from now on. Returns the number of the others.
    pub(super) fn set_apart(&mut self, blocks: u64) -> u64 {
        let first = self.blocks.len() as u64 - blocks;
        self.free.retain(|&pbn| pbn < first);
        self.apart = (first, (first..first + blocks).collect());
        first
    }

    pub(super) fn is_apart(&self, pbn: Pbn) -> bool {
        pbn >= self.apart.0
    }

    /// The free blocks that were set apart, head first.
    pub(super) fn apart(&self) -> &[Pbn] {
        &self.apart.1
    }

    pub(super) fn take_apart(&mut self) -> Option<Pbn> {
        (!self.apart.1.is_empty()).then(|| self.apart.1.remove(0))
    }

    /// The free list, head first.
    pub(super) fn free(&self) -> &[Pbn] {
        &self.free
    }

    /// The erases of a block.
    pub(super) fn erases(&self, pbn: Pbn) -> u32 {
        self.blocks[pbn as usize].erases
    }

    /// The erases of each block.
    pub(super) fn erase_counts(&self) -> Vec<u32> {
        self.blocks.iter().map(|block| block.erases).collect()
    }

    /// Block and position of the valid page of an LPN.
    pub(super) fn locate(&self, lpn: Lpn) -> Option<(Pbn, u64)> {
        for (pbn, block) in (0..).zip(&self.blocks) {
            for (position, page) in (0..).zip(&block.pages) {
                if page.is_some_and(|page| page.valid && page.lpn == lpn) {
                    return Some((pbn, position));
                }
            }
        }
        None
    }

    pub(super) fn is_programmed(&self, pbn: Pbn, position: u64) -> bool {
        self.blocks[pbn as usize].pages[position as usize].is_some()
    }

    /// The position behind the last programmed page.
    pub(super) fn end(&self, pbn: Pbn) -> u64 {
        let last = self.blocks[pbn as usize]
            .pages
            .iter()
            .rposition(Option::is_some);
        last.map_or(0, |last| last as u64 + 1)
    }

    /// Whether the block is full.
    pub(super) fn is_full(&self, pbn: Pbn) -> bool {
        self.end(pbn) == self.pages_per_block
    }

    /// The LPNs of all programmed pages, in page order.
    pub(super) fn programmed_pages(&self, pbn: Pbn) -> Vec<Lpn> {
        let pages = self.blocks[pbn as usize].pages.iter().flatten();
        pages.map(|page| page.lpn).collect()
    }

    /// The LPNs of the valid pages, in page order.
    pub(super) fn valid_pages(&self, pbn: Pbn) -> Vec<Lpn> {
        let pages = self.blocks[pbn as usize].pages.iter().flatten();
        pages
            .filter(|page| page.valid)
            .map(|page| page.lpn)
            .collect()
    }

    /// The number of valid pages.
    pub(super) fn valid(&self, pbn: Pbn) -> u64 {
        let pages = self.blocks[pbn as usize].pages.iter().flatten();
        pages.filter(|page| page.valid).count() as u64
    }

    /// Whether each programmed page is valid.
    pub(super) fn is_all_valid(&self, pbn: Pbn) -> bool {
        let mut pages = self.blocks[pbn as usize].pages.iter().flatten();
        pages.all(|page| page.valid)
    }

    /// Takes a free block that belongs to no logical block: the head of the free list, or of the list of the plane whose
    /// turn it is.
    pub(super) fn take_free(&mut self) -> Pbn {
        let at = self.position(&self.free, self.turn);
        let pbn = self.free.remove(at.expect("a free block is left"));
        self.turn = (pbn + 1) % self.planes;
        pbn
    }

    /// Takes a free block for a logical block: the head of the free list, or of the list of its plane.
    pub(super) fn take_free_for(&mut self, lbn: Lbn) -> Pbn {
        let at = self.position(&self.free, lbn);
        self.free.remove(at.expect("a free block is left"))
    }

    /// The block that `take_free` would take.
    pub(super) fn next_free(&self) -> Option<Pbn> {
        let at = self.position(&self.free, self.turn);
        at.map(|at| self.free[at])
    }

    /// The blocks that would be taken for these logical blocks, one after the other.
    pub(super) fn free_for(&self, lbns: &[Lbn]) -> Vec<Option<Pbn>> {
        let mut free = self.free.clone();
        let mut take = |&lbn: &Lbn| {
            let at = self.position(&free, lbn);
            at.map(|at| free.remove(at))
        };
        lbns.iter().map(&mut take).collect()
    }

    /// The place of the head of the list of this plane in a free list, or of the next plane that has a block.
    fn position(&self, free: &[Pbn], plane: u64) -> Option<usize> {
        if self.free_lists == FreeLists::One || !self.copy_back {
            return (!free.is_empty()).then_some(0);
        }
        let planes = (0..self.planes).map(|i| (plane + i) % self.planes);
        let mut heads = planes.map(|plane| free.iter().position(|pbn| pbn % self.planes == plane));
        heads.find_map(|head| head)
    }

    /// Programs a page of the host or the buffer; its older version becomes invalid.
    pub(super) fn write(&mut self, lpn: Lpn, target: Pbn, position: u64, record: &mut Record) {
        self.invalidate(lpn);
        self.program(target, position, lpn);
        record.steps.push(Step::Program(lpn, (target, position)));
        record.counters.flash_programs += 1;
    }

    /// Programs a page that a merge takes from the buffer; its older version becomes invalid.
    pub(super) fn merge_program(
        &mut self,
        lpn: Lpn,
        target: Pbn,
        position: u64,
        record: &mut Record,
    ) {
        self.invalidate(lpn);
        self.program(target, position, lpn);
        record
            .steps
            .push(Step::MergeProgram(lpn, (target, position)));
        record.counters.merge_programs += 1;
    }

    /// Whether the valid page of an LPN can move to a place inside its plane and chip.
    pub(super) fn can_copy_back(&self, lpn: Lpn, (target, position): Place) -> bool {
        let in_plane = |(source, at)| {
            source % self.planes == target % self.planes
                && at % self.line_chips == position % self.line_chips
        };
        self.copy_back && self.locate(lpn).is_some_and(in_plane)
    }

    /// Moves the valid page of an LPN; returns whether there is one.
    pub(super) fn copy(
        &mut self,
        lpn: Lpn,
        target: Pbn,
        position: u64,
        record: &mut Record,
    ) -> bool {
        let Some(from) = self.locate(lpn) else {
            return false;
        };
        let to = (target, position);
        if self.can_copy_back(lpn, (target, position)) {
            record.steps.push(Step::CopyBack(from, to));
            record.counters.copy_backs += 1;
        } else {
            let valid = self.valid_in_group(from);
            record.steps.push(Step::Copy(from, to, valid));
            record.counters.flash_copies += 1;
        }
        record.moved.push(lpn);
        self.invalidate(lpn);
        self.program(target, position, lpn);
        true
    }

    /// The valid pages that are sensed together with this one.
    fn valid_in_group(&self, (pbn, position): Place) -> u64 {
        let pages = self.blocks[pbn as usize].pages.iter();
        let first = position / self.group * self.group;
        let group = pages.skip(first as usize).take(self.group as usize);
        group.flatten().filter(|page| page.valid).count() as u64
    }

    /// Invalidates the valid page of an LPN, if there is one.
    pub(super) fn invalidate(&mut self, lpn: Lpn) {
        if let Some((pbn, position)) = self.locate(lpn) {
            let page = &mut self.blocks[pbn as usize].pages[position as usize];
            *page = Some(Page { lpn, valid: false });
        }
    }

    /// Erases a block, which goes to the tail of its free list.
    pub(super) fn erase(&mut self, pbn: Pbn, record: &mut Record) {
        assert_eq!(self.valid(pbn), 0, "valid pages are erased");
        assert!(!self.free.contains(&pbn), "a free block is erased");
        let block = &mut self.blocks[pbn as usize];
        block.pages.fill(None);
        block.erases += 1;
        match self.is_apart(pbn) {
            true => self.apart.1.push(pbn),
            false => self.free.push(pbn),
        }
        record.steps.push(Step::Erase(Some(pbn)));
        record.counters.erases += 1;
    }

    fn program(&mut self, pbn: Pbn, position: u64, lpn: Lpn) {
        assert!(!self.free.contains(&pbn), "a free block is programmed");
        let rest = &mut self.blocks[pbn as usize].pages[position as usize..];
        let must_be_erased = if self.ascending { rest.len() } else { 1 };
        assert!(
            rest[..must_be_erased].iter().all(Option::is_none),
            "a page is programmed twice or out of order"
        );
        rest[0] = Some(Page { lpn, valid: true });
    }
}

impl MapLog {
    fn new(config: &ModelConfig) -> Option<Self> {
        let pages = (4 * config.blocks_per_chip()).div_ceil(config.page_size());
        let is_written = matches!(&config.ftl, ModelFtl::Blocks(blocks) if blocks.map_is_written);
        is_written.then_some(Self {
            pages,
            programmed: pages,
        })
    }
}

/// The data block of each logical block before the trace starts.
pub(super) fn data_blocks(config: &ModelConfig) -> Vec<Option<Pbn>> {
    let is_full = config.precondition == Precondition::Full;
    let blocks = 0..config.blocks_per_chip();
    blocks.map(|block| is_full.then_some(block)).collect()
}
