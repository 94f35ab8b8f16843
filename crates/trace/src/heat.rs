//! How often each page is written.

use std::collections::HashMap;

/// Pages that share one allocation: few, so that scattered writes stay cheap in memory.
const GROUP: u64 = 16;

/// A count of writes for every page written; memory follows the footprint.
#[derive(Debug, Default)]
pub(crate) struct Heat {
    groups: HashMap<u64, Box<[u64; GROUP as usize]>>,
    hottest: u64,
}

impl Heat {
    /// Counts one write of each page from `first` to `last`.
    pub fn add(&mut self, first: u64, last: u64) {
        for group in first / GROUP..=last / GROUP {
            let counts = self.groups.entry(group).or_default();
            let start = first.saturating_sub(group * GROUP);
            let end = (last - group * GROUP).min(GROUP - 1);
            for count in &mut counts[start as usize..=end as usize] {
                *count += 1;
                self.hottest = self.hottest.max(*count);
            }
        }
    }

    /// The number of writes of the page written most often.
    pub const fn hottest(&self) -> u64 {
        self.hottest
    }
}
