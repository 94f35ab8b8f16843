//! A host with a log-structured file system (LFS): what the device sees of file operations above it.
//!
//! The files and the operations are those of [`Postmark`], whose units are the blocks of files here. The log consists of
//! segments. Blocks that were written stay in memory until they fill a write; it goes to the head of the log, where the
//! last one ended or, behind the end of a segment, at the start of the next free one. A cleaner copies the live blocks of
//! old segments to the head and frees these segments. The page cache of the host absorbs reads of files and of the
//! cleaner.
//!
//! Simpler than a real one: the first block of a segment is its summary, written with the blocks behind it; the inode
//! blocks are those of Postmark and move like blocks of files, and the maps that find them (NILFS2's DAT, the inode map
//! of Sprite LFS) and checkpoint regions at fixed places are left out. The cleaner's reads do not enter the page cache.

use std::collections::{BTreeMap, HashSet, VecDeque};

use ssdlab_host::Op;

use super::access::{Access, Workload};
use super::page_cache::PageCache;
use super::postmark::{Postmark, PostmarkParams};
use super::random::Random;

/// Segments that are kept free for the cleaner: it may have to write all but one block of a segment beside a whole write
/// of the host.
const RESERVE: u64 = 2;

/// While very few segments are free, rounds come so many times as often and clean so many times as much. NILFS2's cleaner
/// then cleans 4 segments each second instead of 2 each five seconds.
const HURRY: (u64, u64) = (5, 2);

/// The stream of what the cleaner reads, writes and discards; everything else has stream 0.
const CLEANER: u16 = 1;

/// The parameters of the log and of its host. Sizes are in units, which are the blocks of the file system.
#[derive(Clone, Debug)]
pub struct LfsParams {
    /// A segment, at least 2.
    pub segment: u64,
    /// The largest write, 2 to `segment`.
    pub write: u64,
    /// The largest read, at least 1: it joins blocks side by side.
    pub read: u64,
    /// The page cache; 0: none.
    pub cache: u64,
    /// File operations from one round of the cleaner to the next, at least 1. A round begins with a write of all blocks
    /// in memory.
    pub interval: u64,
    /// Segments that a round cleans at most. While less than half of `below` is free, rounds come five times as often
    /// and clean twice as many.
    pub per_round: u64,
    /// Rounds clean only while less than this share of the segments is free; 1: always.
    pub below: f64,
    /// File operations for which a round does not clean a segment after its last write.
    pub protection: u64,
    /// The share of the log that files and inodes may fill, above 0, at most 1.
    pub fill: f64,
    /// Whether a segment is discarded when the cleaner frees it.
    pub discards: bool,
}

impl LfsParams {
    /// The blocks for files and inodes in a log of this many segments. Beyond these, there is always a segment to clean
    /// that gives room.
    fn blocks(&self, segments: u64) -> u64 {
        let others = segments.saturating_sub(RESERVE + 1);
        let most = (others * (self.segment - 1)).saturating_sub(1);
        (most as f64 * self.fill) as u64
    }

    /// The fewest units for these files. `None` if they exceed those of the largest device.
    pub fn least_units(&self, files: &PostmarkParams) -> Option<u64> {
        let needed = files.least_units().filter(|&n| n <= Lfs::MOST_UNITS)?;
        let most = Lfs::MOST_UNITS / self.segment;
        let (mut too_few, mut enough) = (0, most);
        while too_few + 1 < enough {
            let middle = too_few.midpoint(enough);
            if self.blocks(middle) >= needed {
                enough = middle;
            } else {
                too_few = middle;
            }
        }
        (self.blocks(enough) >= needed).then_some(enough * self.segment)
    }
}

/// An access and what it moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogAccess {
    /// The access.
    pub access: Access,
    /// The blocks that it reads or writes, as units of [`Postmark`], by address, without the summary of a segment.
    pub blocks: Vec<u64>,
}

/// The host and its log.
#[derive(Clone, Debug)]
pub struct Lfs {
    params: LfsParams,
    files: Postmark,
    /// For each block, 1 + its unit in the log; 0: it has none.
    place: Vec<u32>,
    /// For each unit of the log, 1 + the block that lives there; 0: none.
    owner: Vec<u32>,
    /// For each segment, its blocks that live.
    live: Vec<u32>,
    /// For each segment, the number of file operations before its last write.
    written: Vec<u64>,
    /// Whether a segment is the head or full.
    taken: Vec<bool>,
    /// The full segments by the order in which they became the head.
    full: BTreeMap<u64, u64>,
    free: u64,
    /// The segment that is written.
    head: u64,
    /// Units of it that are written.
    filled: u64,
    /// The number of segments that became the head before it.
    turn: u64,
    operations: u64,
    /// The number of operations before the last round.
    last_round: u64,
    /// Blocks in memory that the log must get, in order; the same blocks as a set.
    queue: VecDeque<u64>,
    dirty: HashSet<u64>,
    cache: PageCache,
    made: Vec<LogAccess>,
    pending: VecDeque<Access>,
}

impl Lfs {
    /// The largest device; memory holds 9 bytes for each unit.
    pub const MOST_UNITS: u64 = 1 << 26;

    /// A host with a log of `units` units; a rest of less than a segment is not used. `None` if the units exceed the
    /// largest device, or are fewer than the least for these files.
    pub fn new(units: u64, params: LfsParams, files: PostmarkParams) -> Option<Self> {
        if units > Self::MOST_UNITS {
            return None;
        }
        let segments = units / params.segment;
        let blocks = params.blocks(segments);
        let files = PostmarkParams {
            // the log must know which blocks are dead
            discards: true,
            ..files
        };
        let files = Postmark::new(blocks, files)?;
        let mut taken = vec![false; segments as usize];
        taken[0] = true;
        Some(Self {
            files,
            place: vec![0; blocks as usize],
            owner: vec![0; (segments * params.segment) as usize],
            live: vec![0; segments as usize],
            written: vec![0; segments as usize],
            taken,
            full: BTreeMap::new(),
            free: segments - 1,
            head: 0,
            filled: 0,
            turn: 0,
            operations: 0,
            last_round: 0,
            queue: VecDeque::new(),
            dirty: HashSet::new(),
            cache: PageCache::new(params.cache),
            made: Vec::new(),
            pending: VecDeque::new(),
            params,
        })
    }

    /// The blocks that files and inodes may fill.
    pub fn blocks(&self) -> u64 {
        self.place.len() as u64
    }

    /// Carries out one operation on a file, and the round of the cleaner if it is due. The accesses to the device.
    pub fn operation(&mut self, random: &mut Random) -> Vec<LogAccess> {
        for Access {
            op, first, count, ..
        } in self.files.operation(random)
        {
            let blocks = first..first + count;
            match op {
                Op::Read => self.read_file(blocks),
                Op::Write => blocks.for_each(|block| self.write_block(block)),
                Op::Discard => blocks.for_each(|block| self.delete(block)),
                Op::Flush => {}
            }
        }
        self.operations += 1;
        if self.is_round_due() {
            self.round();
        }
        std::mem::take(&mut self.made)
    }

    fn read_file(&mut self, blocks: impl Iterator<Item = u64>) {
        let mut run = Run::default();
        for block in blocks {
            if !self.cache.touch(block) && !self.dirty.contains(&block) {
                self.read_block(&mut run, block);
            }
        }
        self.made.extend(run.take());
    }

    /// Reads a block together with those before it, or apart from these.
    fn read_block(&mut self, run: &mut Run, block: u64) {
        let Some(place) = self.place_of(block) else {
            return;
        };
        if run.end() != place || run.blocks.len() as u64 == self.params.read {
            self.made.extend(run.take());
            run.first = place;
        }
        run.blocks.push(block);
    }

    fn place_of(&self, block: u64) -> Option<u64> {
        u64::from(self.place[block as usize]).checked_sub(1)
    }

    fn write_block(&mut self, block: u64) {
        self.cache.touch(block);
        self.queue_block(block);
        while self.is_write_due() {
            self.make_room();
            self.write();
        }
    }

    fn queue_block(&mut self, block: u64) {
        if self.dirty.insert(block) {
            self.queue.push_back(block);
        }
    }

    fn is_write_due(&self) -> bool {
        self.dirty.len() as u64 >= self.params.write
    }

    fn delete(&mut self, block: u64) {
        self.cache.remove(block);
        if self.dirty.remove(&block) {
            self.queue.retain(|&queued| queued != block);
        }
        self.vacate(block);
    }

    /// Makes the copy of a block in the log dead, if it has one.
    fn vacate(&mut self, block: u64) {
        if let Some(place) = self.place_of(block) {
            self.place[block as usize] = 0;
            self.owner[place as usize] = 0;
            self.live[(place / self.params.segment) as usize] -= 1;
        }
    }

    /// Writes blocks from memory to the head of the log, at most as many as a write takes and as the segment holds.
    fn write(&mut self) {
        if self.dirty.is_empty() {
            return;
        }
        if self.is_head_full() {
            self.open_segment();
        }
        let Self { params, filled, .. } = self;
        let first = self.head * params.segment + *filled;
        let most = params.write.min(params.segment - *filled);
        let summary = u64::from(*filled == 0);
        let count = self.queue.len().min((most - summary) as usize);
        let blocks: Vec<u64> = self.queue.drain(..count).collect();
        for (place, &block) in (first + summary..).zip(&blocks) {
            self.dirty.remove(&block);
            self.vacate(block);
            self.place[block as usize] = place as u32 + 1;
            self.owner[place as usize] = block as u32 + 1;
        }
        self.filled += summary + blocks.len() as u64;
        self.live[self.head as usize] += blocks.len() as u32;
        self.written[self.head as usize] = self.operations;
        self.made.push(LogAccess {
            access: Access::write(first, summary + blocks.len() as u64),
            blocks,
        });
    }

    fn is_head_full(&self) -> bool {
        self.filled == self.params.segment
    }

    /// Takes the next free segment by address as the head.
    fn open_segment(&mut self) {
        debug_assert!(self.free > 0, "the reserve is too small");
        self.full.insert(self.turn, self.head);
        let number = self.taken.len() as u64;
        while self.taken[self.head as usize] {
            self.head = (self.head + 1) % number;
        }
        self.taken[self.head as usize] = true;
        self.free -= 1;
        self.turn += 1;
        self.filled = 0;
    }

    /// The host leaves the reserve to the cleaner: before a write that would take it, the host waits until the cleaner has
    /// given room beyond it.
    fn make_room(&mut self) {
        while self.free < RESERVE + u64::from(self.is_head_full()) {
            self.clean(1, 0);
        }
    }

    /// Writes all blocks in memory, then cleans if few segments are free.
    fn round(&mut self) {
        while !self.dirty.is_empty() {
            self.make_room();
            self.write();
        }
        self.last_round = self.operations;
        let most = match self.share_free() {
            free if free >= self.params.below => return,
            _ if self.hurries() => self.params.per_round.saturating_mul(HURRY.1),
            _ => self.params.per_round,
        };
        // the copies of so many segments fit in the free ones
        let most = most.min(self.free - 1);
        self.clean(most, self.params.protection);
    }

    fn share_free(&self) -> f64 {
        self.free as f64 / self.taken.len() as f64
    }

    fn hurries(&self) -> bool {
        self.share_free() < self.params.below / 2.0
    }

    fn is_round_due(&self) -> bool {
        let interval = match self.params.interval {
            interval if self.hurries() => interval.div_ceil(HURRY.0),
            interval => interval,
        };
        self.operations - self.last_round >= interval
    }

    /// Cleans the oldest segments with dead blocks, at most `most`: copies their live blocks to the head of the log.
    fn clean(&mut self, most: u64, protection: u64) {
        let before = self.made.len();
        let victims = self.victims(most, protection);
        for &(_, victim) in &victims {
            self.copy_live(victim);
        }
        while !self.dirty.is_empty() {
            self.write();
        }
        // only now is every copy in the log
        for (turn, victim) in victims {
            self.full.remove(&turn);
            self.taken[victim as usize] = false;
            self.free += 1;
            if self.params.discards {
                let units = self.params.segment;
                self.made.push(LogAccess {
                    access: Access::discard(victim * units, units),
                    blocks: Vec::new(),
                });
            }
        }
        for made in &mut self.made[before..] {
            made.access.stream = CLEANER;
        }
    }

    /// The oldest full segments with dead blocks, each behind its place in the order.
    fn victims(&self, most: u64, protection: u64) -> Vec<(u64, u64)> {
        let may = |segment: u64| {
            u64::from(self.live[segment as usize]) < self.params.segment - 1
                && self.operations - self.written[segment as usize] >= protection
        };
        let by_age = self.full.iter().map(|(&turn, &segment)| (turn, segment));
        let victims = by_age.filter(|&(_, segment)| may(segment));
        victims.take(most as usize).collect()
    }

    fn copy_live(&mut self, victim: u64) {
        let mut run = Run::default();
        let first = victim * self.params.segment;
        for place in first..first + self.params.segment {
            let Some(block) = u64::from(self.owner[place as usize]).checked_sub(1) else {
                continue;
            };
            if self.dirty.contains(&block) {
                continue;
            }
            if !self.cache.holds(block) {
                self.read_block(&mut run, block);
            }
            self.queue_block(block);
            if self.is_write_due() {
                // what is written was read before
                self.made.extend(run.take());
                self.write();
            }
        }
        self.made.extend(run.take());
    }
}

/// Blocks side by side that are read together.
#[derive(Default)]
struct Run {
    first: u64,
    blocks: Vec<u64>,
}

impl Run {
    fn end(&self) -> u64 {
        self.first + self.blocks.len() as u64
    }

    /// The read of the run, if there is one; it is empty afterwards.
    fn take(&mut self) -> Option<LogAccess> {
        let blocks = std::mem::take(&mut self.blocks);
        (!blocks.is_empty()).then(|| LogAccess {
            access: Access::read(self.first, blocks.len() as u64),
            blocks,
        })
    }
}

impl Workload for Lfs {
    fn next(&mut self, random: &mut Random) -> Access {
        loop {
            if let Some(access) = self.pending.pop_front() {
                return access;
            }
            let made = self.operation(random);
            self.pending = made.into_iter().map(|made| made.access).collect();
        }
    }
}
