//! What `leaftl` learns of a map (section 9.14), in exact fractions.

use super::number::{Lpn, Place};

/// A fraction with a positive denominator.
type Fraction = (i128, i128);

fn less(a: Fraction, b: Fraction) -> bool {
    a.0 * b.1 < b.0 * a.1
}

fn equal(a: Fraction, b: Fraction) -> bool {
    a.0 * b.1 == b.0 * a.1
}

/// Pages that were taken one after the other.
struct Segment {
    /// Each page taken; the last one is at the place `last`.
    taken: Vec<Lpn>,
    first: Place,
    last: Place,
    members: Vec<Lpn>,
    low: Fraction,
    high: Fraction,
}

/// The segments of all pages.
pub(super) struct Segments {
    entries: u64,
    pages_per_block: u64,
    all: Vec<Segment>,
}

impl Segment {
    fn new(page: Lpn, place: Place) -> Self {
        Self {
            taken: vec![page],
            first: place,
            last: place,
            members: vec![page],
            low: (0, 1),
            high: (0, 1),
        }
    }

    /// Twice the distance of a page from the middle of the first two.
    fn twice_from_anchor(&self, page: Lpn) -> i128 {
        2 * i128::from(page) - i128::from(self.taken[0]) - i128::from(self.taken[1])
    }

    /// Takes the page if it fits.
    fn take(&mut self, page: Lpn, (block, at): Place, gamma: i128) -> bool {
        if self.taken.len() == 1 {
            let distance = i128::from(page) - i128::from(self.taken[0]);
            (self.low, self.high) = ((1 - 2 * gamma, distance), (1 + 2 * gamma, distance));
        } else {
            let x = self.twice_from_anchor(page);
            let y = 2 * (i128::from(at) - i128::from(self.first.1)) - 1;
            let slope = (y, x);
            let fits = match gamma {
                0 => equal(self.low, slope) && equal(slope, self.high),
                _ => less(self.low, slope) && less(slope, self.high),
            };
            if !fits {
                return false;
            }
            let (above, below) = ((y + 2 * gamma, x), (y - 2 * gamma, x));
            if less(above, self.high) {
                self.high = above;
            }
            if less(self.low, below) {
                self.low = below;
            }
        }
        self.taken.push(page);
        self.members.push(page);
        self.last = (block, at);
        true
    }

    fn bytes(&self) -> u64 {
        let distances: Vec<u64> = self.taken.windows(2).map(|two| two[1] - two[0]).collect();
        match distances.first() {
            None => 5,
            Some(first) if distances.iter().all(|distance| distance == first) => 8,
            Some(_) => {
                let least = self.members.iter().min().expect("a member");
                let most = self.members.iter().max().expect("a member");
                let is_member = |page: Lpn| self.members.contains(&page);
                let changes = (least + 1..*most).filter(|&p| is_member(p) != is_member(p - 1));
                8 + changes.count() as u64
            }
        }
    }

    fn predicted(&self, page: Lpn, pages_per_block: u64) -> u64 {
        if self.taken.len() == 1 {
            return self.first.1;
        }
        // b + (low + high) / 2 * (page - a) + 1/2, with b half a place behind the first
        let slopes = self.low.0 * self.high.1 + self.high.0 * self.low.1;
        let rise = slopes * self.twice_from_anchor(page);
        let rise = rise.div_euclid(4 * self.low.1 * self.high.1);
        let place = i128::from(self.first.1) + 1 + rise;
        place.clamp(0, i128::from(pages_per_block) - 1) as u64
    }
}

impl Segments {
    pub(super) fn new(entries: u64, pages_per_block: u64) -> Self {
        Self {
            entries,
            pages_per_block,
            all: Vec::new(),
        }
    }

    /// The first page of the group of a page.
    fn group(&self, page: Lpn) -> Lpn {
        let first = page / self.entries * self.entries;
        first + (page - first) / 256 * 256
    }

    /// A page has no place any more.
    pub(super) fn forget(&mut self, page: Lpn) {
        for segment in &mut self.all {
            segment.members.retain(|&member| member != page);
        }
        self.all.retain(|segment| !segment.members.is_empty());
    }

    /// A page was programmed at this place.
    pub(super) fn learn(&mut self, page: Lpn, place: Place, gamma: i128) {
        self.forget(page);
        let group = self.group(page);
        let groups: Vec<Lpn> = self
            .all
            .iter()
            .map(|one| self.group(one.taken[0]))
            .collect();
        let before = self.all.iter_mut().zip(groups).rev().find(|(one, of)| {
            let last = *one.taken.last().expect("the first");
            (one.last.0, one.last.1 + 1) == place && *of == group && last < page
        });
        let extends = before.is_some_and(|(segment, _)| segment.take(page, place, gamma));
        if !extends {
            self.all.push(Segment::new(page, place));
        }
    }

    /// The bytes of the segments of the group that begins with this page.
    pub(super) fn bytes_of_group(&self, first: Lpn) -> u64 {
        let of_group = self.all.iter();
        let of_group = of_group.filter(|segment| self.group(segment.taken[0]) == first);
        of_group.map(Segment::bytes).sum()
    }

    /// The place in its block where a mapped page should be.
    pub(super) fn predicted(&self, page: Lpn) -> u64 {
        let mut all = self.all.iter();
        let segment = all.find(|segment| segment.members.contains(&page));
        let segment = segment.expect("a mapped page is in a segment");
        segment.predicted(page, self.pages_per_block)
    }
}
