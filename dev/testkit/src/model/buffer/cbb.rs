//! `cbb` (section 7): the block with the greatest age x held / pages to write, padded where that is cheaper.

use std::collections::BTreeMap;

use ssdlab_policy::buffer::cbb::{Age, CbbConfig, Complete};

use super::super::number::{Lbn, Lpn};
use super::charges::Charges;
use super::pages::Pages;
use super::policy::{Policy, Why};

pub(super) struct Cbb {
    config: CbbConfig,
    /// The pages accessed so far.
    uses: u64,
    /// `uses` at the last use of each block.
    last_use: BTreeMap<Lbn, u64>,
    charges: Charges,
    /// Of incomplete blocks and of complete ones.
    stays: [Stays; 2],
}

/// The stays of blocks in the buffer, each until a use or the eviction.
#[derive(Clone, Copy, Default)]
struct Stays {
    /// The uses that ended one.
    uses: u64,
    /// The pages used that were held.
    hits: u64,
    /// The pages held x their age, of all stays.
    exposure: u64,
}

impl Cbb {
    pub(super) fn new(config: CbbConfig) -> Self {
        Self {
            config,
            uses: 0,
            last_use: BTreeMap::new(),
            charges: Charges::default(),
            stays: [Stays::default(); 2],
        }
    }

    /// The block stayed since its last use, and is used again (1) or evicted (0), with this number of hits.
    fn end_stay(&mut self, lbn: Lbn, pages: &Pages, uses: u64, hits: u64) {
        let count = pages.of(lbn).len() as u64;
        let age = self.uses - self.last_use[&lbn];
        let is_complete = count == pages.pages_per_block;
        let stays = &mut self.stays[usize::from(is_complete)];
        stays.hits += hits;
        if age > 0 {
            stays.uses += uses;
            stays.exposure += count * age;
        }
        loop {
            let [some, all] = self.stays;
            if some.uses + some.hits + all.uses + all.hits <= 262_144
                && some.exposure + all.exposure <= 1 << 40
            {
                return;
            }
            self.stays = self.stays.map(|stays| Stays {
                uses: stays.uses / 2,
                hits: stays.hits / 2,
                exposure: stays.exposure / 2,
            });
        }
    }

    /// The factor of complete blocks, where others have 256.
    fn factor(&self, pages_per_block: u64) -> u128 {
        const ONE: u128 = 1 << 20;
        let saved = self.charges.mean().unwrap_or(pages_per_block);
        let saved = saved.clamp(1, pages_per_block);
        let [some, all] = self.stays.map(|stays| u128::from(stays.exposure));
        let [used, reused] = (self.stays).map(|stays| u128::from(stays.hits + saved * stays.uses));
        match self.config.complete {
            Complete::First => 1 << 40,
            Complete::Learned if some + all > 0 => {
                let expected = (used + reused) * (ONE * all / (some + all)) / ONE;
                let rate = ONE * (reused + 1) / (expected + 1);
                let others = ONE * (used + 1) / (used + reused - expected + 1);
                (256 * others / rate.max(1)).clamp(1, 1 << 40)
            }
            Complete::Learned | Complete::Equal => 256,
        }
    }

    /// The block with the greatest benefit over cost, among equals the one used least recently.
    fn best(&self, pages: &Pages) -> Lbn {
        let (blocks, n) = (pages.blocks(), pages.pages_per_block);
        let mut by_use: Vec<Lbn> = blocks.keys().copied().collect();
        by_use.sort_by_key(|lbn| self.last_use[lbn]);
        let (extra, factor) = (self.charges.mean(), self.factor(n));
        let benefit_and_cost = |lbn: &Lbn| {
            let uses = u128::from(self.uses - self.last_use[lbn] + 1);
            let weight = match self.config.age {
                Age::ThreeQuarters => three_quarters(uses),
                Age::Linear => uses,
                Age::Root => (65536 * uses).isqrt(),
                Age::None => 1,
            };
            let count = u128::from(blocks[lbn]);
            let missing = n - blocks[lbn];
            let written = count + u128::from(extra.map_or(missing, |extra| extra.min(missing)));
            let factor = if missing == 0 { factor } else { 256 };
            (weight * count * factor, written)
        };
        let mut best = by_use[0];
        for lbn in &by_use[1..] {
            let ((benefit, cost), (most, least)) = (benefit_and_cost(lbn), benefit_and_cost(&best));
            if benefit * least > most * cost {
                best = *lbn;
            }
        }
        best
    }
}

impl Policy for Cbb {
    fn orders_blocks(&self) -> bool {
        true
    }

    fn touch(&mut self, lpn: Lpn, pages: &Pages) {
        let lbn = pages.lbn(lpn);
        if !pages.of(lbn).is_empty() {
            self.end_stay(lbn, pages, 1, pages.holds(lpn).into());
        }
        self.uses += 1;
        self.last_use.insert(lbn, self.uses);
    }

    fn victim(&mut self, pages: &Pages, _: Why) -> Vec<Lpn> {
        let lbn = self.best(pages);
        self.end_stay(lbn, pages, 0, 0);
        pages.of(lbn)
    }

    fn leave(&mut self, _: Lpn, _: &Pages) {}

    fn pads(&mut self, lbn: Lbn, pages: &Pages) -> bool {
        if !self.config.feedback {
            return self.config.padding;
        }
        let count = pages.of(lbn).len() as u64;
        let missing = pages.pages_per_block - count;
        let may = self.config.padding;
        self.charges.pads(lbn, count, missing, may)
    }

    fn moved(&mut self, lbn: Lbn) {
        self.charges.moved(lbn);
    }
}

/// 16 x age^(3/4), rounded down; a greater age is divided by 16 until it is below 1024, and counts eight times each time.
fn three_quarters(age: u128) -> u128 {
    match age {
        0..1024 => (age * (65536 * age).isqrt()).isqrt(),
        _ => 8 * three_quarters(age / 16),
    }
}
