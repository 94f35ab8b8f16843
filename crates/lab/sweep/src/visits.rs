//! How the writes of a trace move over the addresses: what the cost of merges and cleaning depends on.

use serde::{Deserialize, Serialize};

/// Bytes of a group of addresses: about an erase block.
pub(crate) const GROUP: u64 = 256 << 10;

/// The classes of visits: a class for each doubling.
pub(crate) const CLASSES: usize = 16;

/// Groups that are remembered; a group that shares its place with another one may be taken for new.
const PLACES: usize = 1 << 16;

/// The groups of one request that are looked at one by one; the others count as new.
const LONGEST: u64 = 1024;

/// A visit is a row of writes to one group of addresses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Visits {
    /// Visits by the number of visits since the last one of their group: class k has those of 2^k to 2^(k+1) - 1, the last
    /// class those of more, and first visits.
    pub by_distance: [u64; CLASSES],
    /// First visits, and those that were taken for first ones.
    pub first: u64,
}

impl Visits {
    /// All visits.
    pub fn all(&self) -> u64 {
        self.by_distance.iter().sum()
    }

    /// About how many visits find their group not among the last `groups` that were visited.
    pub fn beyond(&self, groups: f64) -> f64 {
        let class = groups.max(1.0).log2();
        let (whole, share) = (class.floor(), class.fract());
        let at = (whole as usize).min(CLASSES - 1);
        let above: u64 = self.by_distance[at + 1..].iter().sum();
        let share = if at == CLASSES - 1 { 0.0 } else { share };
        above as f64 + (1.0 - share) * self.by_distance[at] as f64
    }
}

/// Counts visits, in one pass.
#[derive(Default)]
pub(crate) struct Visitor {
    visits: Visits,
    /// The number of visits so far.
    count: u64,
    /// The number of the current group, from 1.
    current: u64,
    /// The numbers of groups, from 1, and of their last visits; by the last bits of the group.
    last: Vec<[u64; 2]>,
}

impl Visitor {
    /// A write of `size` bytes at `offset`.
    pub fn write(&mut self, offset: u64, size: u64) {
        let (first, end) = (offset / GROUP, offset.saturating_add(size).div_ceil(GROUP));
        let near = end.min(first + LONGEST);
        (first..near).for_each(|group| self.visit(group + 1));
        let others = end.saturating_sub(near);
        self.visits.by_distance[CLASSES - 1] += others;
        self.visits.first += others;
        self.count += others;
    }

    fn visit(&mut self, group: u64) {
        if group == self.current {
            return;
        }
        if self.last.is_empty() {
            // pages of zeros take no memory until they are used
            self.last = vec![[0; 2]; PLACES];
        }
        self.current = group;
        self.count += 1;
        let [known, at] = &mut self.last[group as usize % PLACES];
        let class = if *known == group {
            ((self.count - *at).ilog2() as usize).min(CLASSES - 1)
        } else {
            self.visits.first += 1;
            CLASSES - 1
        };
        self.visits.by_distance[class] += 1;
        (*known, *at) = (group, self.count);
    }

    pub fn finish(self) -> Visits {
        self.visits
    }
}
