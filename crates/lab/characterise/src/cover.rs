//! Counts how often ranges cover each page.

/// The number of unsorted bounds below which nothing is sorted.
const FEW: usize = 1 << 16;

/// A count for each page, stored as its changes: memory grows with the number of different bounds, not with the
/// lengths.
#[derive(Debug, Default)]
pub(crate) struct Cover {
    /// The pages at which the count changes, and by how much, in ascending order. Until [`Cover::settle`], the bounds
    /// of the latest ranges follow unsorted.
    changes: Vec<(u64, i64)>,
    settled: usize,
}

impl Cover {
    /// Adds 1 to the counts of the pages from `first` to `last`; `last` is below the largest `u64`.
    pub fn add(&mut self, first: u64, last: u64) {
        self.changes.extend([(first, 1), (last + 1, -1)]);
        // Sort once the unsorted part is as long as the sorted part: each bound is sorted only a few times.
        if self.changes.len() - self.settled >= self.settled.max(FEW) {
            self.settle();
        }
    }

    /// The pages that at least one of the two covers.
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

    /// The largest count of a page.
    pub fn most(&mut self) -> u64 {
        self.runs().map(|(_, count)| count).max().unwrap_or(0)
    }

    /// Runs of pages with the same count, as (pages, count).
    fn runs(&mut self) -> impl Iterator<Item = (u64, u64)> {
        self.settle();
        let ends = self.changes.iter().skip(1).map(|change| change.0);
        let starts = self.changes.iter().zip(ends);
        starts.scan(0, |count, (&(first, by), end)| {
            *count += by;
            Some((end - first, count.unsigned_abs()))
        })
    }

    /// Merges the changes into one for each page at which the count changes.
    fn settle(&mut self) {
        // A stable sort is fast on parts that are sorted already.
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
