//! `three-region` (section 7): three regions of blocks by their updates.

use std::collections::BTreeSet;

use ssdlab_policy::buffer::three_region::Granularity;

use super::super::number::Lpn;
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

/// A logical block, or a page.
type Unit = u64;

pub(super) struct ThreeRegion {
    granularity: Granularity,
    /// The units in the order in which they came to the most-recent end of their region.
    units: Vec<(Unit, State)>,
    /// w0, w1 and w2.
    w: [u64; 3],
    /// The pages of a unit: no size falls below it.
    least: u64,
    /// The units whose state the current request has changed.
    changed: BTreeSet<Unit>,
}

impl ThreeRegion {
    pub(super) fn new(granularity: Granularity, pages: &Pages) -> Self {
        let third = pages.capacity / 3;
        Self {
            granularity,
            units: Vec::new(),
            w: [third, third, third + pages.capacity % 3],
            least: match granularity {
                Granularity::Block => pages.pages_per_block,
                Granularity::Page => 1,
            },
            changed: BTreeSet::new(),
        }
    }

    fn unit(&self, lpn: Lpn, pages: &Pages) -> Unit {
        match self.granularity {
            Granularity::Block => pages.lbn(lpn),
            Granularity::Page => lpn,
        }
    }

    /// The pages of a unit that are held.
    fn held(&self, unit: Unit, pages: &Pages) -> Vec<Lpn> {
        match self.granularity {
            Granularity::Block => pages.of(unit),
            Granularity::Page => [unit].into_iter().filter(|&lpn| pages.holds(lpn)).collect(),
        }
    }

    fn has_too_much(&self, region: &[State], size: u64, pages: &Pages) -> bool {
        let units = self.inside(region);
        let inside: usize = units.iter().map(|&unit| self.held(unit, pages).len()).sum();
        inside as u64 > size && units.len() > 1
    }

    fn next_victim(&self) -> Unit {
        let regions = [TBE, INIT, TBU].into_iter();
        let mut last = regions.filter_map(|region| self.least_recent(region));
        last.next().expect("pages are held")
    }

    fn remove(&mut self, unit: Unit) {
        self.units.retain(|&(other, _)| other != unit);
    }

    fn state(&self, unit: Unit) -> Option<State> {
        let mut units = self.units.iter();
        units
            .find(|(other, _)| *other == unit)
            .map(|&(_, state)| state)
    }

    /// The blocks of a region, the least recent first.
    fn inside(&self, region: &[State]) -> Vec<Unit> {
        let units = self.units.iter();
        units
            .filter(|(_, state)| region.contains(state))
            .map(|&(unit, _)| unit)
            .collect()
    }

    fn least_recent(&self, region: &[State]) -> Option<Unit> {
        self.inside(region).first().copied()
    }

    /// Moves a block to the most-recent end of the region of its new state.
    fn put(&mut self, unit: Unit, state: State) {
        self.remove(unit);
        self.units.push((unit, state));
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
        self.granularity == Granularity::Block
    }

    fn begin_request(&mut self) {
        self.changed.clear();
    }

    fn touch(&mut self, lpn: Lpn, pages: &Pages) {
        let unit = self.unit(lpn, pages);
        let Some(state) = self.state(unit) else {
            self.put(unit, Init);
            self.changed.insert(unit);
            return;
        };
        if !self.changed.insert(unit) {
            return;
        }
        match state {
            Init => self.put(unit, Tbu0),
            Tbu0 | Tbu1 => self.put(unit, Tbu1),
            Tbe0 => {
                self.resize(2, 0, self.held(unit, pages).len());
                self.put(unit, Tbu0);
            }
            Tbe1 => {
                self.resize(2, 1, self.held(unit, pages).len());
                self.put(unit, Tbu0);
            }
        }
    }

    /// Moves blocks out of Init and TBU while these are too large for their sizes as they were before.
    fn settle(&mut self, pages: &Pages) {
        let [of_init, of_tbu, _] = self.w;
        while self.has_too_much(INIT, of_init, pages) {
            let unit = self.least_recent(INIT).expect("Init is not empty");
            self.put(unit, Tbe0);
        }
        while self.has_too_much(TBU, of_tbu, pages) {
            let unit = self.least_recent(TBU).expect("TBU is not empty");
            if self.state(unit) == Some(Tbu0) {
                self.resize(1, 2, self.held(unit, pages).len());
            }
            self.put(unit, Tbe1);
        }
    }

    fn victim(&mut self, pages: &Pages, why: Why) -> Vec<Lpn> {
        let unit = self.next_victim();
        let victim = self.held(unit, pages);
        if why == Why::Full && self.state(unit) == Some(Tbe0) {
            self.resize(0, 2, victim.len());
        }
        victim
    }

    fn leave(&mut self, lpn: Lpn, pages: &Pages) {
        let unit = self.unit(lpn, pages);
        if self.held(unit, pages).is_empty() {
            self.remove(unit);
        }
    }

    fn region_sizes(&self) -> Option<[u64; 3]> {
        Some(self.w)
    }

    /// All pages in TBU are updated, none in TBE, and w1 of C in Init.
    fn update_probability(&self, lpn: Lpn, pages: &Pages) -> u64 {
        let state = self.state(self.unit(lpn, pages));
        2 * match state.expect("the block is held") {
            Init => self.w[1],
            Tbu0 | Tbu1 => pages.capacity,
            Tbe0 | Tbe1 => 0,
        }
    }
}
