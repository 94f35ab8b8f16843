//! The age of blocks, and what merges teach, under `cbb` (section 7).

use std::collections::BTreeMap;

use super::config::{ModelAge, ModelComplete};
use super::number::Lbn;

/// What `cbb` remembers.
#[derive(Default)]
pub(super) struct Cbb {
    /// The pages accessed so far.
    uses: u64,
    /// `uses` at the last use of each block.
    last_use: BTreeMap<Lbn, u64>,
    /// The class of each block whose last write was neither padded nor complete.
    class: BTreeMap<Lbn, u32>,
    /// For each class, the writes and the pages that merges moved since.
    learned: BTreeMap<u32, (u64, u64)>,
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
    /// A page is used of a block that has held so many; `hits` is 1 if it was one of them.
    pub(super) fn touch(&mut self, lbn: Lbn, held: u64, pages_per_block: u64, hits: u64) {
        if held > 0 {
            self.stays[if held == pages_per_block { 1 } else { 0 }].hits += hits;
            self.end_stay(lbn, held, pages_per_block, 1);
        }
        self.uses += 1;
        self.last_use.insert(lbn, self.uses);
    }

    /// The block was held since its last use, and is used again (1) or evicted (0).
    pub(super) fn end_stay(&mut self, lbn: Lbn, held: u64, pages_per_block: u64, uses: u64) {
        let age = self.uses - self.last_use[&lbn];
        if age > 0 {
            let stays = &mut self.stays[if held == pages_per_block { 1 } else { 0 }];
            stays.uses += uses;
            stays.exposure += held * age;
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
    fn factor(&self, complete: ModelComplete, pages_per_block: u64, extra: Option<u64>) -> u128 {
        const ONE: u128 = 1 << 20;
        let saved = extra.unwrap_or(pages_per_block).clamp(1, pages_per_block);
        let [other, own] = self.stays.map(|stays| u128::from(stays.exposure));
        let [used, reused] = (self.stays).map(|stays| u128::from(stays.hits + saved * stays.uses));
        match complete {
            ModelComplete::First => 1 << 40,
            ModelComplete::Learned if other + own > 0 => {
                let expected = (used + reused) * (ONE * own / (other + own)) / ONE;
                let rate = ONE * (reused + 1) / (expected + 1);
                let others = ONE * (used + 1) / (used + reused - expected + 1);
                (256 * others / rate.max(1)).clamp(1, 1 << 40)
            }
            _ => 256,
        }
    }

    /// The block with the greatest benefit over cost, among equals the one used least recently. Takes the blocks with
    /// the numbers of pages that they hold.
    pub(super) fn victim(
        &self,
        blocks: &BTreeMap<Lbn, u64>,
        pages_per_block: u64,
        age: ModelAge,
        complete: ModelComplete,
    ) -> Lbn {
        let mut by_use: Vec<Lbn> = blocks.keys().copied().collect();
        by_use.sort_by_key(|lbn| self.last_use[lbn]);
        let writes: u64 = self.learned.values().map(|learned| learned.0).sum();
        let moved: u64 = self.learned.values().map(|learned| learned.1).sum();
        let extra = (writes > 0).then(|| moved / writes);
        let factor = self.factor(complete, pages_per_block, extra);
        let score = |lbn: &Lbn| {
            let uses = u128::from(self.uses - self.last_use[lbn] + 1);
            let weight = match age {
                ModelAge::ThreeQuarters => three_quarters(uses),
                ModelAge::Linear => uses,
                ModelAge::Root => root(65536 * uses),
                ModelAge::None => 1,
            };
            let held = u128::from(blocks[lbn]);
            let missing = pages_per_block - blocks[lbn];
            let written = held + u128::from(extra.map_or(missing, |extra| extra.min(missing)));
            let factor = if missing == 0 { factor } else { 256 };
            (weight * held * factor, written)
        };
        let mut best = by_use[0];
        for lbn in &by_use[1..] {
            let ((benefit, cost), (most, least)) = (score(lbn), score(&best));
            if benefit * least > most * cost {
                best = *lbn;
            }
        }
        best
    }

    /// Whether a block that holds this many pages is padded; `may` says whether any is.
    pub(super) fn pads(&mut self, lbn: Lbn, held: u64, pages_per_block: u64, may: bool) -> bool {
        let missing = pages_per_block - held;
        if missing == 0 {
            self.class.remove(&lbn);
            return may;
        }
        let class = (0..).take_while(|&power| 2_u64 << power <= held).count() as u32;
        let (writes, moved) = self.learned.entry(class).or_default();
        if may && missing * *writes < *moved && lbn % 31 != 30 {
            self.class.remove(&lbn);
            return true;
        }
        self.class.insert(lbn, class);
        *writes += 1;
        if *writes == 4097 {
            (*writes, *moved) = (2048, *moved / 2);
        }
        false
    }

    /// A merge moved a page of a block.
    pub(super) fn moved(&mut self, lbn: Lbn) {
        if let Some((_, moved)) =
            (self.class.get(&lbn)).and_then(|class| self.learned.get_mut(class))
        {
            *moved += 1;
        }
    }
}

/// 16 x age^(3/4), rounded down; a greater age is divided by 16 until it is below 1024, and counts eight times each time.
fn three_quarters(age: u128) -> u128 {
    match age {
        0..1024 => root(age * root(65536 * age)),
        _ => 8 * three_quarters(age / 16),
    }
}

/// The square root, rounded down, found one binary digit after the other.
fn root(square: u128) -> u128 {
    (0..64).rev().fold(0, |root, digit| {
        let larger = root + (1 << digit);
        if larger * larger <= square {
            larger
        } else {
            root
        }
    })
}
