//! `three-region` (section 7): three regions of blocks by their updates.

use std::collections::BTreeSet;

use super::super::number::{Lbn, Lpn};
use super::pages::Pages;
use super::policy::{Policy, Why};

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

const INIT: &[State] = &[Init];
const TBU: &[State] = &[Tbu0, Tbu1];
const TBE: &[State] = &[Tbe0, Tbe1];

pub(super) struct ThreeRegion {
    /// The blocks in the order in which they came to the most-recent end of their region.
    blocks: Vec<(Lbn, State)>,
    /// w0, w1 and w2.
    w: [u64; 3],
    /// N: no size falls below it.
    least: u64,
    /// The blocks whose state the current request has changed.
    changed: BTreeSet<Lbn>,
}

impl ThreeRegion {
    pub(super) fn new(pages: &Pages) -> Self {
        let third = pages.capacity / 3;
        Self {
            blocks: Vec::new(),
            w: [third, third, third + pages.capacity % 3],
            least: pages.pages_per_block,
            changed: BTreeSet::new(),
        }
    }

    fn has_too_much(&self, region: &[State], size: u64, pages: &Pages) -> bool {
        let blocks = self.inside(region);
        let inside: usize = blocks.iter().map(|&lbn| pages.of(lbn).len()).sum();
        inside as u64 > size && blocks.len() > 1
    }

    fn next_victim(&self) -> Lbn {
        let regions = [TBE, INIT, TBU].into_iter();
        let mut last = regions.filter_map(|region| self.least_recent(region));
        last.next().expect("pages are held")
    }

    fn remove(&mut self, lbn: Lbn) {
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
    fn resize(&mut self, from: usize, to: usize, mut pages: usize) {
        while pages > 0 && self.w[from] > self.least {
            self.w[from] -= 1;
            self.w[to] += 1;
            pages -= 1;
        }
    }
}

impl Policy for ThreeRegion {
    fn orders_blocks(&self) -> bool {
        true
    }

    fn begin_request(&mut self) {
        self.changed.clear();
    }

    fn touch(&mut self, lpn: Lpn, pages: &Pages) {
        let lbn = pages.lbn(lpn);
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
                self.resize(2, 0, pages.of(lbn).len());
                self.put(lbn, Tbu0);
            }
            Tbe1 => {
                self.resize(2, 1, pages.of(lbn).len());
                self.put(lbn, Tbu0);
            }
        }
    }

    /// Moves blocks out of Init and TBU while these are too large.
    fn settle(&mut self, pages: &Pages) {
        while self.has_too_much(INIT, self.w[0], pages) {
            let lbn = self.least_recent(INIT).expect("Init is not empty");
            self.put(lbn, Tbe0);
        }
        while self.has_too_much(TBU, self.w[1], pages) {
            let lbn = self.least_recent(TBU).expect("TBU is not empty");
            if self.state(lbn) == Some(Tbu0) {
                self.resize(1, 2, pages.of(lbn).len());
            }
            self.put(lbn, Tbe1);
        }
    }

    fn victim(&mut self, pages: &Pages, why: Why) -> Vec<Lpn> {
        let lbn = self.next_victim();
        let victim = pages.of(lbn);
        if why == Why::Full && self.state(lbn) == Some(Tbe0) {
            self.resize(0, 2, victim.len());
        }
        victim
    }

    fn leave(&mut self, lpn: Lpn, pages: &Pages) {
        let lbn = pages.lbn(lpn);
        if pages.of(lbn).is_empty() {
            self.remove(lbn);
        }
    }

    fn region_sizes(&self) -> Option<[u64; 3]> {
        Some(self.w)
    }

    /// All pages in TBU are updated, none in TBE, and w1 of C in Init.
    fn update_probability(&self, lpn: Lpn, pages: &Pages) -> u64 {
        let state = self.state(pages.lbn(lpn));
        2 * match state.expect("the block is held") {
            Init => self.w[1],
            Tbu0 | Tbu1 => pages.capacity,
            Tbe0 | Tbe1 => 0,
        }
    }
}
