//! The full blocks by weight, valid pages and age: what `cost-benefit` and `cat` share.
//!
//! Both clean the block with the smallest u/(1 − u) · weight / age. All ages grow, so that no order of blocks lasts; but
//! of those that have the same weight and as many valid pages, the one that changed first stays the best until it changes
//! again. So the blocks lie in classes of such equals, each a heap in the order of their last changes. A page that becomes
//! invalid moves its block to another class, and a choice compares the first blocks of all classes.
//!
//! Age is 1 at least, so that blocks of different times can be equally good. Then the one filled first counts, which is
//! not always the first of its class; see [`ByAge::settle`].

use std::cmp::Ordering;
use std::hint::black_box;

use ssdlab_flash::{Geometry, Pbn};

use crate::{BitSet, Pairing};

/// The order of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// When a page was programmed or became invalid last; 0 without a valid page, where age does not matter.
    changed: u64,
    /// How many blocks were filled before this one.
    filled: u64,
}

/// A class, or none: the full blocks of a weight with so many valid pages.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// Where the column of its weight is; [`OPEN`]: the block is not full.
    column: u32,
    valid: u32,
}

const OPEN: u32 = u32::MAX;

/// The full blocks of one weight.
#[derive(Clone, Debug)]
struct Column {
    weight: u32,
    blocks: u32,
    /// By number of valid pages.
    classes: Vec<Class>,
    /// The classes that are not empty.
    used: BitSet,
}

#[derive(Clone, Copy, Debug)]
struct Class {
    /// The first block of its heap.
    first: u32,
    /// No key of its blocks is later.
    newest: u64,
}

/// The full blocks.
pub(super) struct ByAge {
    pages_per_block: u32,
    blocks: Vec<Block>,
    heaps: Pairing<Key>,
    /// Those without a block wait for another weight.
    columns: Vec<Column>,
    /// The columns that have blocks, by weight.
    in_use: Vec<u32>,
    /// Blocks filled so far.
    filled: u64,
}

impl ByAge {
    pub(super) fn new(geometry: &Geometry) -> Self {
        let blocks = geometry.physical_blocks();
        let open = Block {
            column: OPEN,
            valid: 0,
        };
        Self {
            pages_per_block: geometry.pages_per_block(),
            blocks: vec![open; blocks as usize],
            heaps: Pairing::new(blocks),
            columns: Vec::new(),
            in_use: Vec::new(),
            filled: 0,
        }
    }

    /// See [`super::Cleaning::filled`]. The weight is at least 1, and stays until the block is erased.
    pub(super) fn filled(&mut self, block: Pbn, valid: u32, weight: u32, now: u64) {
        let column = self.column(weight);
        self.columns[column as usize].blocks += 1;
        self.blocks[block.index()] = Block { column, valid };
        let filled = self.filled;
        self.filled += 1;
        self.enter(block, now, filled);
    }

    /// See [`super::Cleaning::invalidated`].
    #[inline]
    pub(super) fn invalidated(&mut self, block: Pbn, now: u64) {
        if self.blocks[block.index()].column != OPEN {
            self.leave(block);
            self.blocks[block.index()].valid -= 1;
            self.enter(block, now, self.heaps.key(block.0).filled);
        }
    }

    /// See [`super::Cleaning::foresee`].
    pub(super) fn foresee(&self, blocks: &[Pbn]) {
        for block in blocks {
            let Key { filled, .. } = self.heaps.key(block.0);
            black_box(u64::from(self.blocks[block.index()].valid) ^ filled);
        }
    }

    /// See [`super::Cleaning::erased`].
    pub(super) fn erased(&mut self, block: Pbn) {
        self.leave(block);
        let number = std::mem::replace(&mut self.blocks[block.index()].column, OPEN);
        let column = &mut self.columns[number as usize];
        column.blocks -= 1;
        if column.blocks == 0 {
            self.in_use.retain(|&other| other != number);
        }
    }

    /// The column of a weight.
    fn column(&mut self, weight: u32) -> u32 {
        let weight_of = |&column: &u32| self.columns[column as usize].weight;
        match self.in_use.binary_search_by_key(&weight, weight_of) {
            Ok(at) => self.in_use[at],
            Err(at) => {
                let column = self.empty_column(weight);
                self.in_use.insert(at, column);
                column
            }
        }
    }

    fn empty_column(&mut self, weight: u32) -> u32 {
        let known = self.columns.iter().position(|column| column.blocks == 0);
        let column = known.unwrap_or_else(|| {
            let classes = self.pages_per_block + 1;
            let empty = Class {
                first: self.heaps.none(),
                newest: 0,
            };
            self.columns.push(Column {
                weight,
                blocks: 0,
                classes: vec![empty; classes as usize],
                used: BitSet::new(classes, false),
            });
            self.columns.len() - 1
        });
        self.columns[column].weight = weight;
        column as u32
    }

    /// Puts a block that just changed into its class.
    fn enter(&mut self, block: Pbn, now: u64, filled: u64) {
        let Block { column, valid } = self.blocks[block.index()];
        let changed = if valid == 0 { 0 } else { now };
        let column = &mut self.columns[column as usize];
        let class = &mut column.classes[valid as usize];
        if class.first == self.heaps.none() {
            column.used.insert(valid);
            class.newest = 0;
        }
        class.newest = class.newest.max(changed);
        let key = Key { changed, filled };
        class.first = self.heaps.insert(class.first, block.0, key);
    }

    /// Takes a block out of its class.
    fn leave(&mut self, block: Pbn) {
        let Block { column, valid } = self.blocks[block.index()];
        let column = &mut self.columns[column as usize];
        let class = &mut column.classes[valid as usize];
        class.first = self.heaps.remove(class.first, block.0);
        if class.first == self.heaps.none() {
            column.used.remove(valid);
        }
    }

    /// See [`super::Cleaning::pick`].
    pub(super) fn pick(&self, now: u64) -> Pbn {
        let mut best = Candidate::NONE;
        let mut is_settled = true;
        self.for_each_candidate(now, |candidate, class| {
            let is_alone = candidate.age > 1 || candidate.key.changed == class.newest;
            match candidate.compare(&best) {
                Ordering::Less => (best, is_settled) = (candidate, is_alone),
                Ordering::Equal => {
                    is_settled &= is_alone;
                    if candidate.key.filled < best.key.filled {
                        best = candidate;
                    }
                }
                Ordering::Greater => {}
            }
        });
        assert!(best.invalid > 0, "a full block has an invalid page");
        match is_settled {
            true => Pbn(best.block),
            false => self.settle(&best, now),
        }
    }

    /// Of all blocks as good as this one, the one filled first. If the first of a class is of age 1, the others are as
    /// well, and they are looked through one by one. That is rare: only blocks that changed a moment ago are so young, and
    /// all where the clock went backwards.
    #[cold]
    fn settle(&self, best: &Candidate, now: u64) -> Pbn {
        let mut filled_first = best.block;
        let filled = |block| self.heaps.key(block).filled;
        self.for_each_candidate(now, |candidate, _| {
            if candidate.compare(best) == Ordering::Equal {
                let equals = if candidate.age == 1 { usize::MAX } else { 1 };
                for block in self.heaps.items(candidate.block).take(equals) {
                    filled_first =
                        std::cmp::min_by_key(filled_first, block, |&block| filled(block));
                }
            }
        });
        Pbn(filled_first)
    }

    /// Hands on the first block of each class with an invalid page.
    #[inline]
    fn for_each_candidate(&self, now: u64, mut take: impl FnMut(Candidate, &Class)) {
        for &column in &self.in_use {
            let column = &self.columns[column as usize];
            column.used.for_each_in(0, self.pages_per_block, |valid| {
                let class = &column.classes[valid as usize];
                let key = self.heaps.key(class.first);
                let candidate = Candidate {
                    cost: u64::from(valid) * u64::from(column.weight),
                    invalid: u64::from(self.pages_per_block - valid),
                    age: age(key.changed, now),
                    key,
                    block: class.first,
                };
                take(candidate, class);
            });
        }
    }

    /// See [`super::Cleaning::check`]; `weight` is what the weight of a block should be.
    pub(super) fn check(
        &self,
        full: &[(Pbn, u32)],
        weight: impl Fn(Pbn) -> u32,
    ) -> Result<(), String> {
        let columns = self
            .in_use
            .iter()
            .map(|&number| &self.columns[number as usize]);
        if !columns
            .clone()
            .map(|column| column.weight)
            .is_sorted_by(|a, b| a < b)
        {
            return Err("weights are not in order".into());
        }
        let mut kept = Vec::new();
        for column in columns {
            for (class, valid) in column.classes.iter().zip(0..) {
                self.check_class(class)?;
                let blocks = self.heaps.items(class.first);
                kept.extend(blocks.map(|block| (Pbn(block), valid, column.weight)));
            }
        }
        kept.sort_by_key(|(block, ..)| self.heaps.key(block.0).filled);
        let truth = full
            .iter()
            .map(|&(block, valid)| (block, valid, weight(block)));
        super::same(&kept, &truth.collect::<Vec<_>>())
    }

    /// The first block must have the smallest key, and none a later one than `newest`.
    fn check_class(&self, class: &Class) -> Result<(), String> {
        let keys = self
            .heaps
            .items(class.first)
            .map(|block| self.heaps.key(block));
        let (oldest, newest) = (keys.clone().min(), keys.map(|key| key.changed).max());
        let first = (class.first != self.heaps.none()).then(|| self.heaps.key(class.first));
        match first == oldest && newest.is_none_or(|newest| newest <= class.newest) {
            true => Ok(()),
            false => Err(format!(
                "{class:?}: {first:?} first, but {oldest:?} to {newest:?}"
            )),
        }
    }
}

/// Time since a change, at least 1. The clock may have gone backwards since.
#[inline]
fn age(changed: u64, now: u64) -> u64 {
    now.saturating_sub(changed).max(1)
}

/// A block that may be the victim.
#[derive(Clone, Copy)]
struct Candidate {
    /// Its valid pages times its weight: below 2^48.
    cost: u64,
    /// 1 to 2^16.
    invalid: u64,
    age: u64,
    key: Key,
    block: u32,
}

impl Candidate {
    /// Every other one is better.
    const NONE: Self = Self {
        cost: 1,
        invalid: 0,
        age: 1,
        key: Key {
            changed: 0,
            filled: 0,
        },
        block: Pbn::NONE.0,
    };

    /// Less: this one is the better victim.
    #[inline]
    fn compare(&self, other: &Self) -> Ordering {
        let cross = |a: &Self, b: &Self| u128::from(a.cost * b.invalid) * u128::from(b.age);
        cross(self, other).cmp(&cross(other, self))
    }
}
