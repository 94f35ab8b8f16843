//! How often pages are covered by ranges of pages.

/// Bounds that are kept unsorted at least.
const FEW: usize = 1 << 16;

/// A count for each page, kept where it changes: memory follows the number of different bounds, not the lengths.
#[derive(Debug, Default)]
pub(crate) struct Cover {
    /// Where the count changes, and by how much, ascending; until [`Cover::settle`], followed by the bounds of the
    /// last ranges in any order.
    changes: Vec<(u64, i64)>,
    settled: usize,
}

impl Cover {
    /// Covers the pages from `first` to `last`, the latter below the largest `u64`, once more.
    pub fn add(&mut self, first: u64, last: u64) {
        self.changes.extend([(first, 1), (last + 1, -1)]);
        // as many again as are settled: so each is sorted a few times only, however many there are
        if self.changes.len() - self.settled >= self.settled.max(FEW) {
            self.settle();
        }
    }

    /// The pages that either covers.
    pub fn union(&mut self, other: &mut Cover) -> Cover {
        self.settle();
        other.settle();
        let changes = [&self.changes[..], &other.changes].concat();
        Cover {
            changes,
            settled: 0,
        }
    }

    /// The number of pages that are covered.
    pub fn pages(&mut self) -> u64 {
        let covered = self.runs().filter(|(_, count)| *count > 0);
        covered.map(|(pages, _)| pages).sum()
    }

    /// How often the page is covered that is covered most often.
    pub fn most(&mut self) -> u64 {
        self.runs().map(|(_, count)| count).max().unwrap_or(0)
    }

    /// Runs of pages with the same count: pages and count.
    fn runs(&mut self) -> impl Iterator<Item = (u64, u64)> {
        self.settle();
        let ends = self.changes.iter().skip(1).map(|change| change.0);
        let starts = self.changes.iter().zip(ends);
        starts.scan(0, |count, (&(first, by), end)| {
            *count += by;
            Some((end - first, count.unsigned_abs()))
        })
    }

    /// One change for each page at which the count changes.
    fn settle(&mut self) {
        // stable: made for parts that are in order already
        self.changes.sort_by_key(|change| change.0);
        self.changes.dedup_by(|later, change| {
            let same = later.0 == change.0;
            change.1 += if same { later.1 } else { 0 };
            same
        });
        self.changes.retain(|change| change.1 != 0);
        self.settled = self.changes.len();
    }
}
