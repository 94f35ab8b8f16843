//! The age of blocks, and what merges teach, under `cbb` (section 7).

use std::collections::BTreeMap;

use super::config::ModelAge;
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
}

impl Cbb {
    pub(super) fn touch(&mut self, lbn: Lbn) {
        self.uses += 1;
        self.last_use.insert(lbn, self.uses);
    }

    /// The block with the greatest benefit over cost, among equals the one used least recently. Takes the blocks with
    /// the numbers of pages that they hold.
    pub(super) fn victim(
        &self,
        blocks: &BTreeMap<Lbn, u64>,
        pages_per_block: u64,
        age: ModelAge,
    ) -> Lbn {
        let mut by_use: Vec<Lbn> = blocks.keys().copied().collect();
        by_use.sort_by_key(|lbn| self.last_use[lbn]);
        let writes: u64 = self.learned.values().map(|learned| learned.0).sum();
        let moved: u64 = self.learned.values().map(|learned| learned.1).sum();
        let extra = (writes > 0).then(|| moved / writes);
        let score = |lbn: &Lbn| {
            let uses = u128::from(self.uses - self.last_use[lbn] + 1);
            let held = u128::from(blocks[lbn]);
            let missing = pages_per_block - blocks[lbn];
            let written = held + u128::from(extra.map_or(missing, |extra| extra.min(missing)));
            match age {
                ModelAge::Linear => (uses * held, written),
                ModelAge::Root => (uses * held * held, written * written),
                ModelAge::None => (held, written),
            }
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
