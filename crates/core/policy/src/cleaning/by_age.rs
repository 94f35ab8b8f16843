//! The full blocks by weight, valid pages and age, for `cost-benefit` and `cat`.
//!
//! Both policies clean the block with the smallest u/(1 − u) · weight / age. All ages grow, so an order of all blocks
//! would change all the time. But among blocks of one weight and one number of valid pages, the block that changed
//! first stays the best until it changes again. Such blocks form a class: a heap in the order of their last changes. A
//! page that becomes invalid moves its block to another class, and a choice compares the first blocks of all classes.
//!
//! Ages are at least 1, so blocks that changed at different times can be equally good. Then the block filled first is
//! the victim. It is not always the first of its class; see [`ByAge::settle`].

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::hint::black_box;

use ssdlab_flash::{Geometry, Pbn};

use crate::{BitSet, Pairing};

/// The sort key of a block in its class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// The time of the last program or invalidation in the block; 0 for a block without valid pages, whose age does not
    /// matter.
    changed: u64,
    /// The number of blocks filled before this one.
    filled: u64,
}

/// The weight and the valid pages of a full block; together they name its class.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// The column of the block's weight, or [`OPEN`] if the block is not full.
    column: u32,
    valid: u32,
}

const OPEN: u32 = u32::MAX;

/// The full blocks of one weight.
#[derive(Clone, Debug)]
struct Column {
    weight: u32,
    blocks: u32,
    /// One class for each number of valid pages.
    classes: Vec<Class>,
    /// The classes that are not empty.
    used: BitSet,
}

#[derive(Clone, Copy, Debug)]
struct Class {
    /// The root of the heap: the block with the smallest key.
    first: u32,
    /// An upper bound of the keys in the class.
    newest: u64,
}

/// The full blocks.
pub(super) struct ByAge {
    pages_per_block: u32,
    blocks: Vec<Block>,
    heaps: Pairing<Key>,
    /// Columns without blocks are reused for other weights.
    columns: Vec<Column>,
    /// The columns that have blocks, in ascending order of weight.
    in_use: Vec<u32>,
    /// Blocks filled so far.
    filled: u64,
}

/// An upper bound, in bytes, of the memory of its tables, and of two words beside them for each block.
pub(super) fn table_bytes(blocks: u64, pages_per_block: u64, columns: u64) -> u64 {
    64 * blocks + columns * (17 * (pages_per_block + 1) + 192)
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

    /// See [`super::Cleaning::filled`]. The weight is at least 1 and stays until the block is erased.
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
        let number = core::mem::replace(&mut self.blocks[block.index()].column, OPEN);
        let column = &mut self.columns[number as usize];
        column.blocks -= 1;
        if column.blocks == 0 {
            self.in_use.retain(|&other| other != number);
        }
    }

    /// The column of a weight; takes an unused one if the weight has none.
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
        let vacant = self.columns.iter().position(|column| column.blocks == 0);
        let column = vacant.unwrap_or_else(|| {
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

    /// Removes a block from its class.
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
        assert!(best.invalid > 0, "some full block has an invalid page");
        if is_settled {
            Pbn(best.block)
        } else {
            self.settle(&best, now)
        }
    }

    /// Returns the block filled first among all blocks as good as `best`. If the first block of a class has age 1, all
    /// its blocks have, and the class is searched one by one. That is rare: only blocks that changed a moment ago have
    /// age 1, or all blocks if the clock ran backwards.
    #[cold]
    fn settle(&self, best: &Candidate, now: u64) -> Pbn {
        let mut filled_first = best.block;
        let filled = |block| self.heaps.key(block).filled;
        self.for_each_candidate(now, |candidate, _| {
            if candidate.compare(best) == Ordering::Equal {
                let equals = if candidate.age == 1 { usize::MAX } else { 1 };
                for block in self.heaps.items(candidate.block).take(equals) {
                    filled_first =
                        core::cmp::min_by_key(filled_first, block, |&block| filled(block));
                }
            }
        });
        Pbn(filled_first)
    }

    /// Calls `take` for the first block of each class with invalid pages.
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

    /// See [`super::Cleaning::check`]; `weight` returns the expected weight of a block.
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
        super::check::same(&kept, &truth.collect::<Vec<_>>())
    }

    /// Checks that the first block has the smallest key, and that `newest` is not below any key.
    fn check_class(&self, class: &Class) -> Result<(), String> {
        let keys = self
            .heaps
            .items(class.first)
            .map(|block| self.heaps.key(block));
        let (oldest, newest) = (keys.clone().min(), keys.map(|key| key.changed).max());
        let first = (class.first != self.heaps.none()).then(|| self.heaps.key(class.first));
        if first == oldest && newest.is_none_or(|newest| newest <= class.newest) {
            Ok(())
        } else {
            Err(format!(
                "{class:?}: {first:?} first, but {oldest:?} to {newest:?}"
            ))
        }
    }
}

/// The time since a change, at least 1, even if the clock ran backwards.
#[inline]
fn age(changed: u64, now: u64) -> u64 {
    now.saturating_sub(changed).max(1)
}

/// A candidate for the victim.
#[derive(Clone, Copy)]
struct Candidate {
    /// Valid pages × weight, below 2^56.
    cost: u64,
    /// Invalid pages, 1 to 2^24.
    invalid: u64,
    age: u64,
    key: Key,
    block: u32,
}

impl Candidate {
    /// Worse than every real candidate.
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

    /// `Less` means that this candidate is the better victim.
    #[inline]
    fn compare(&self, other: &Self) -> Ordering {
        let cross =
            |a: &Self, b: &Self| u128::from(a.cost) * u128::from(b.invalid) * u128::from(b.age);
        cross(self, other).cmp(&cross(other, self))
    }
}
