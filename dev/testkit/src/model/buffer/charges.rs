//! What merges have cost, by the pages held of the blocks that were written (section 7: `cbb`, `clairvoyant`).

use std::collections::BTreeMap;

use super::super::number::Lbn;

#[derive(Default)]
pub(super) struct Charges {
    /// The class of each block whose last write was neither padded nor complete.
    class: BTreeMap<Lbn, u32>,
    /// For each class, the writes and the pages that merges moved since.
    learned: BTreeMap<u32, (u64, u64)>,
}

impl Charges {
    /// The pages that a merge of an incomplete block moves on average; `None`: nothing is learned yet.
    pub(super) fn mean(&self) -> Option<u64> {
        let writes: u64 = self.learned.values().map(|learned| learned.0).sum();
        let moved: u64 = self.learned.values().map(|learned| learned.1).sum();
        (writes > 0).then(|| moved / writes)
    }

    /// A block that lacks `missing` pages, and holds `count`, is written: whether it is padded, if it may be.
    pub(super) fn pads(&mut self, lbn: Lbn, count: u64, missing: u64, may: bool) -> bool {
        if missing == 0 {
            self.class.remove(&lbn);
            return may;
        }
        let class = count.ilog2();
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
        let class = self.class.get(&lbn);
        if let Some((_, moved)) = class.and_then(|class| self.learned.get_mut(class)) {
            *moved += 1;
        }
    }
}
