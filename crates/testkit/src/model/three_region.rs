//! The three regions of `three-region` (section 7).

use std::collections::{BTreeMap, BTreeSet};

/// The states of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Init,
    Tbu0,
    Tbu1,
    Tbe0,
    Tbe1,
}

use State::{Init, Tbe0, Tbe1, Tbu0, Tbu1};

use super::number::Lbn;

const INIT: &[State] = &[Init];
const TBU: &[State] = &[Tbu0, Tbu1];
const TBE: &[State] = &[Tbe0, Tbe1];

/// The blocks held and the sizes of the regions.
pub(super) struct Regions {
    /// The blocks in the order in which they came to the most-recent end of their region.
    blocks: Vec<(Lbn, State)>,
    /// w0, w1 and w2.
    w: [u64; 3],
    /// N: no size falls below it.
    least: u64,
    /// The blocks whose state the current request has changed.
    changed: BTreeSet<Lbn>,
}

impl Regions {
    pub(super) fn new(capacity: u64, pages_per_block: u64) -> Self {
        let third = capacity / 3;
        Self {
            blocks: Vec::new(),
            w: [third, third, third + capacity % 3],
            least: pages_per_block,
            changed: BTreeSet::new(),
        }
    }

    pub(super) fn begin_request(&mut self) {
        self.changed.clear();
    }

    /// Notes that a page of a block is accessed or about to enter; `pages` is the number that the block holds so far.
    pub(super) fn touch(&mut self, lbn: Lbn, pages: u64) {
        let Some(state) = self.state(lbn) else {
            self.put(lbn, Init);
            self.changed.insert(lbn);
            return;
        };
        if !self.changed.insert(lbn) {
            return;
        }
        match state {
            Init => self.put(lbn, Tbu0),
            Tbu0 | Tbu1 => self.put(lbn, Tbu1),
            Tbe0 => {
                self.resize(2, 0, pages);
                self.put(lbn, Tbu0);
            }
            Tbe1 => {
                self.resize(2, 1, pages);
                self.put(lbn, Tbu0);
            }
        }
    }

    /// Moves blocks out of Init and TBU while these are too large; `pages` is the number that each block holds.
    pub(super) fn settle(&mut self, pages: &BTreeMap<Lbn, u64>) {
        while self.has_too_much(INIT, self.w[0], pages) {
            let lbn = self.least_recent(INIT).expect("Init is not empty");
            self.put(lbn, Tbe0);
        }
        while self.has_too_much(TBU, self.w[1], pages) {
            let lbn = self.least_recent(TBU).expect("TBU is not empty");
            if self.state(lbn) == Some(Tbu0) {
                self.resize(1, 2, pages[&lbn]);
            }
            self.put(lbn, Tbe1);
        }
    }

    fn has_too_much(&self, region: &[State], size: u64, pages: &BTreeMap<Lbn, u64>) -> bool {
        let inside = self.inside(region);
        let held: u64 = inside.iter().map(|lbn| pages[lbn]).sum();
        held > size && inside.len() > 1
    }

    pub(super) fn next_victim(&self) -> Lbn {
        let regions = [TBE, INIT, TBU].into_iter();
        let mut last = regions.filter_map(|region| self.least_recent(region));
        last.next().expect("pages are held")
    }

    /// Notes that the next victim, with this number of pages, leaves because the buffer is full.
    pub(super) fn evict_for_room(&mut self, pages: u64) {
        if self.state(self.next_victim()) == Some(Tbe0) {
            self.resize(0, 2, pages);
        }
    }

    /// The expected updates among `capacity` pages of a block's state: all in TBU, none in TBE, w1 in Init.
    pub(super) fn expected(&self, lbn: Lbn, capacity: u64) -> u64 {
        match self.state(lbn).expect("the block is held") {
            Init => self.w[1],
            Tbu0 | Tbu1 => capacity,
            Tbe0 | Tbe1 => 0,
        }
    }

    pub(super) fn remove(&mut self, lbn: Lbn) {
        self.blocks.retain(|&(other, _)| other != lbn);
    }

    fn state(&self, lbn: Lbn) -> Option<State> {
        let mut blocks = self.blocks.iter();
        blocks
            .find(|(other, _)| *other == lbn)
            .map(|&(_, state)| state)
    }

    /// The blocks of a region, the least recent first.
    fn inside(&self, region: &[State]) -> Vec<Lbn> {
        let blocks = self.blocks.iter();
        blocks
            .filter(|(_, state)| region.contains(state))
            .map(|&(lbn, _)| lbn)
            .collect()
    }

    fn least_recent(&self, region: &[State]) -> Option<Lbn> {
        self.inside(region).first().copied()
    }

    /// Moves a block to the most-recent end of the region of its new state.
    fn put(&mut self, lbn: Lbn, state: State) {
        self.remove(lbn);
        self.blocks.push((lbn, state));
    }

    /// Moves pages from one size to another, but leaves at least one block's worth.
    fn resize(&mut self, from: usize, to: usize, pages: u64) {
        let mut pages = pages;
        while pages > 0 && self.w[from] > self.least {
            self.w[from] -= 1;
            self.w[to] += 1;
            pages -= 1;
        }
    }
}
