//! What `leaftl` learns of a map page: lines through the places of pages that were programmed one after the other
//! (Sun et al., ASPLOS 2023). The paper sorts its buffer and learns a block when it flushes it; here pages are learned as
//! they are programmed, and a page leaves its older segment at once.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use ssdlab_flash::{Geometry, Lpn, Ppn};

use super::config::MapConfig;
use crate::LearnedMap;

/// Consecutive entries of a map page that share segments.
pub(super) const GROUP: u32 = 256;
/// Bytes of a segment of one page, and of a longer one.
const ONE: u32 = 5;
const MORE: u32 = 8;
/// No segment.
const NONE: u32 = u32::MAX;

/// An exact fraction; its denominator is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fraction(i64, i64);

impl Fraction {
    fn compare(self, other: Self) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }
}

/// Pages of a group at consecutive places of a block, and the line through them.
#[derive(Clone, Debug)]
struct Segment {
    /// Its group, among those of all map pages.
    group: u32,
    /// The first page that it took, within its group, and its place in the block.
    first: (u32, u32),
    /// The last page that it took, within its group, and where that is.
    last: (u32, Ppn),
    /// The pages that it took, as far as it matters: 1, 2, or 3 for more.
    taken: u8,
    /// The distance of the pages taken, if all are the same; else 0.
    step: u32,
    /// The bounds of its slope.
    slope: [Fraction; 2],
    /// The second page, within its group; it gives the anchor.
    second: u32,
    /// Its members.
    members: [u64; (GROUP / 64) as usize],
}

impl Segment {
    fn new(group: u32, page: u32, place: u32, at: Ppn) -> Self {
        let mut segment = Self {
            group,
            first: (page, place),
            last: (page, at),
            taken: 1,
            step: 0,
            slope: [Fraction(0, 1); 2],
            second: page,
            members: [0; (GROUP / 64) as usize],
        };
        segment.insert(page);
        segment
    }

    fn insert(&mut self, page: u32) {
        self.members[page as usize / 64] |= 1 << (page % 64);
    }

    fn remove(&mut self, page: u32) {
        self.members[page as usize / 64] &= !(1 << (page % 64));
    }

    fn is_empty(&self) -> bool {
        self.members == [0; (GROUP / 64) as usize]
    }

    /// Twice the distances of a page and a place from the anchor.
    fn beside_anchor(&self, page: u32, place: u32) -> (i64, i64) {
        let (x, y) = self.first;
        let dx = 2 * i64::from(page) - i64::from(x) - i64::from(self.second);
        let dy = 2 * i64::from(place) - (2 * i64::from(y) + 1);
        (dx, dy)
    }

    /// Takes a page at the next place, if it fits with this error bound.
    fn take(&mut self, page: u32, place: u32, at: Ppn, gamma: u32) -> bool {
        let step = page - self.last.0;
        let gamma = i64::from(gamma);
        if self.taken == 1 {
            let distance = i64::from(step);
            self.second = page;
            self.slope = [1 - 2 * gamma, 1 + 2 * gamma].map(|dy| Fraction(dy, distance));
            self.step = step;
        } else {
            let (dx, dy) = self.beside_anchor(page, place);
            let slope = Fraction(dy, dx);
            let [low, high] = self.slope;
            let sides = (slope.compare(low), high.compare(slope));
            let fits = match gamma {
                0 => sides == (Ordering::Equal, Ordering::Equal),
                _ => sides == (Ordering::Greater, Ordering::Greater),
            };
            if !fits {
                return false;
            }
            let (above, below) = (Fraction(dy + 2 * gamma, dx), Fraction(dy - 2 * gamma, dx));
            if above.compare(high) == Ordering::Less {
                self.slope[1] = above;
            }
            if below.compare(low) == Ordering::Greater {
                self.slope[0] = below;
            }
            if step != self.step {
                self.step = 0;
            }
        }
        self.taken = (self.taken + 1).min(3);
        self.last = (page, at);
        self.insert(page);
        true
    }

    /// The predicted place of a member, before it is cut to the block.
    fn prediction(&self, page: u32) -> i64 {
        let (_, y) = self.first;
        if self.taken == 1 {
            return y.into();
        }
        let (dx, _) = self.beside_anchor(page, y);
        let [Fraction(low, below), Fraction(high, above)] = self.slope.map(reduced);
        // b + (lo + hi) / 2 · (x − a) + 1/2, over 4 times both denominators
        let both = below * above;
        let anchor = (2 * i64::from(y) + 1) * 2 * both;
        (anchor + (low * above + high * below) * dx + 2 * both).div_euclid(4 * both)
    }

    fn bytes(&self) -> u32 {
        if self.taken == 1 {
            return ONE;
        }
        if self.step > 0 {
            return MORE;
        }
        let first = self.members.iter().position(|word| *word != 0);
        let last = self.members.iter().rposition(|word| *word != 0);
        let (Some(first), Some(last)) = (first, last) else {
            return MORE;
        };
        let low = first as u32 * 64 + self.members[first].trailing_zeros();
        let high = last as u32 * 64 + 63 - self.members[last].leading_zeros();
        // places at which membership changes; those up to the first member and from the last one on do not count
        let mut changes = 0;
        let mut before = 0;
        for (word, &members) in (0..).zip(&self.members) {
            let mut changed = members ^ (members << 1 | before);
            before = members >> 63;
            let from = word * 64;
            if low >= from {
                let cut = low + 1 - from;
                changed &= if cut >= 64 { 0 } else { !0 << cut };
            }
            if high < from + 64 {
                let end = high.saturating_sub(from);
                changed &= if high < from { 0 } else { (1 << end) - 1 };
            }
            changes += changed.count_ones();
        }
        MORE + changes
    }
}

/// A fraction with a smaller denominator.
fn reduced(Fraction(n, d): Fraction) -> Fraction {
    let (mut a, mut b) = (n.unsigned_abs(), d.unsigned_abs());
    while b > 0 {
        (a, b) = (b, a % b);
    }
    let common = a.max(1) as i64;
    Fraction(n / common, d / common)
}

/// The segments of all map pages.
pub(super) struct Segments {
    gamma: u32,
    entry: u32,
    /// The entries of a map page, and its groups.
    entries: u32,
    groups: u32,
    logical_pages: u32,
    pages_per_block: u32,
    segments: Vec<Segment>,
    vacant: Vec<u32>,
    /// For each place, the segment that took it; [`NONE`] if that was dropped.
    took: Vec<u32>,
    /// Places at which the next page begins a segment: those of the frontiers at a mount.
    begins: Vec<Ppn>,
    /// The bytes of the segments of each group.
    bytes: Vec<u32>,
    /// The bytes of the groups of each map page, as far as segments take less than a table.
    page_bytes: Vec<u64>,
}

/// Bytes of a map page without segments.
pub(super) const EMPTY: u64 = 8;

impl Segments {
    pub fn new(config: &MapConfig, geometry: &Geometry, map_pages: u32) -> Self {
        let entries = config.entries().min(geometry.logical_pages().into()) as u32;
        let groups = entries.div_ceil(GROUP);
        Self {
            gamma: config.gamma,
            entry: config.entry as u32,
            entries,
            groups,
            logical_pages: geometry.logical_pages(),
            pages_per_block: geometry.pages_per_block(),
            segments: Vec::new(),
            vacant: Vec::new(),
            took: vec![NONE; geometry.physical_pages() as usize],
            begins: Vec::new(),
            bytes: vec![0; (map_pages * groups) as usize],
            page_bytes: vec![EMPTY; map_pages as usize],
        }
    }

    /// The bytes of a map page.
    #[inline]
    pub fn bytes_of(&self, page: u32) -> u64 {
        self.page_bytes[page as usize]
    }

    /// The group of a page, and the number of the page in it.
    fn group_of(&self, lpn: Lpn) -> (u32, u32) {
        let (page, entry) = (lpn.0 / self.entries, lpn.0 % self.entries);
        (page * self.groups + entry / GROUP, entry % GROUP)
    }

    /// The most bytes that a group takes: those of a table of its entries.
    fn table(&self, group: u32) -> u32 {
        let (page, place) = (group / self.groups, group % self.groups);
        let first = page * self.entries + place * GROUP;
        let end = (first + GROUP)
            .min((page + 1).saturating_mul(self.entries))
            .min(self.logical_pages);
        self.entry * (end - first)
    }

    /// The bytes of a group's segments change.
    fn resize(&mut self, group: u32, from: u32, to: u32) {
        let table = self.table(group);
        let bytes = &mut self.bytes[group as usize];
        let before = (*bytes).min(table);
        *bytes = *bytes + to - from;
        let after = (*bytes).min(table);
        let page = &mut self.page_bytes[(group / self.groups) as usize];
        *page = *page + u64::from(after) - u64::from(before);
    }

    /// A page was programmed at a place; before, it was at `older`, if anywhere.
    pub fn learn(&mut self, lpn: Lpn, older: Ppn, to: Ppn) {
        self.forget(lpn, older);
        let (group, page) = self.group_of(lpn);
        let place = to.0 % self.pages_per_block;
        let begins = self.begins.iter().position(|begin| *begin == to);
        let open = match place {
            0 => NONE,
            _ if begins.is_some() => NONE,
            _ => self.took[to.index() - 1],
        };
        if let Some(begins) = begins {
            self.begins.swap_remove(begins);
        }
        if let Some(segment) = self.segments.get_mut(open as usize)
            && segment.group == group
            && page > segment.last.0
        {
            let before = segment.bytes();
            if segment.take(page, place, to, self.gamma) {
                let after = segment.bytes();
                self.resize(group, before, after);
                self.took[to.index()] = open;
                return;
            }
        }
        let segment = Segment::new(group, page, place, to);
        let number = match self.vacant.pop() {
            Some(number) => {
                self.segments[number as usize] = segment;
                number
            }
            None => {
                self.segments.push(segment);
                self.segments.len() as u32 - 1
            }
        };
        self.took[to.index()] = number;
        self.resize(group, 0, ONE);
    }

    /// The next page that is programmed at this place begins a segment.
    pub fn begins_at(&mut self, place: Ppn) {
        self.begins.push(place);
    }

    /// A page has no place any more; it was at `older`, if anywhere.
    pub fn forget(&mut self, lpn: Lpn, older: Ppn) {
        if !older.is_some() {
            return;
        }
        let number = self.took[older.index()];
        let Some(segment) = self.segments.get_mut(number as usize) else {
            return;
        };
        let (group, before) = (segment.group, segment.bytes());
        segment.remove((lpn.0 % self.entries) % GROUP);
        let after = match segment.is_empty() {
            true => {
                // the next page begins another one
                self.took[segment.last.1.index()] = NONE;
                self.vacant.push(number);
                0
            }
            false => segment.bytes(),
        };
        self.resize(group, before, after);
    }

    /// The predicted place of a page which is at this one.
    pub fn predicted(&self, lpn: Lpn, at: Ppn) -> Ppn {
        let number = self.took[at.index()];
        let Some(segment) = self.segments.get(number as usize) else {
            return at;
        };
        let place = segment.prediction((lpn.0 % self.entries) % GROUP);
        let place = place.clamp(0, i64::from(self.pages_per_block) - 1) as u32;
        Ppn(at.0 - at.0 % self.pages_per_block + place)
    }

    /// Adds the bytes and the segments of all map pages of which anything was learned.
    pub fn count(&self, all: &mut LearnedMap) {
        let bytes = self.page_bytes.iter().filter(|bytes| **bytes > EMPTY);
        all.bytes += bytes.sum::<u64>();
        let live = self.segments.iter().filter(|segment| !segment.is_empty());
        for segment in live {
            all.segments += 1;
            all.approximate += u64::from(segment.taken > 1 && segment.step == 0);
        }
    }

    /// Recounts what is cached. For tests.
    pub fn check(&self) -> Result<(), String> {
        let mut bytes = vec![0; self.bytes.len()];
        for (number, segment) in (0..).zip(&self.segments) {
            if !self.vacant.contains(&number) {
                bytes[segment.group as usize] += segment.bytes();
            }
        }
        if bytes != self.bytes {
            return Err("leaftl: the bytes of groups are miscounted".into());
        }
        let groups = self.groups.max(1) as usize;
        for (page, groups) in self.bytes.chunks(groups).enumerate() {
            let first = page as u32 * self.groups;
            let capped = (first..).zip(groups);
            let capped = capped.map(|(group, &bytes)| u64::from(bytes.min(self.table(group))));
            if EMPTY + capped.sum::<u64>() != self.page_bytes[page] {
                return Err(format!(
                    "leaftl: the bytes of map page {page} are miscounted"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is learned of these pages, programmed from the first place of a block on, with one group.
    fn learned(gamma: u32, pages: &[u32]) -> Segments {
        let geometry = Geometry::new(1024, 8, 4, 10, 1);
        let config = MapConfig {
            gamma,
            ..MapConfig::of_leaftl(1024, 4)
        };
        let mut segments = Segments::new(&config, &geometry, 1);
        for (place, &page) in (0..).zip(pages) {
            segments.learn(Lpn(page), Ppn::NONE, Ppn(place));
        }
        segments.check().expect("counts");
        segments
    }

    fn counted(segments: &Segments) -> [u64; 3] {
        let mut all = LearnedMap::default();
        segments.count(&mut all);
        [all.bytes, all.segments, all.approximate]
    }

    // planted bugs: bounds that are not narrowed; a page at a bound that fits; changes counted at the ends
    #[test]
    fn lines_are_learned_within_their_bound() {
        let pages = [0, 1, 2, 3, 5, 7];
        let exact = learned(0, &pages);
        assert_eq!(exact.bytes_of(0), 8 + 8 + 8);
        assert_eq!(counted(&exact), [24, 2, 0]);
        let one = learned(1, &pages);
        assert_eq!(one.bytes_of(0), 8 + 8 + 3);
        assert_eq!(counted(&one), [19, 1, 1]);
        let predicted = (0..)
            .zip(pages)
            .map(|(at, page)| one.predicted(Lpn(page), Ppn(at)).0);
        assert_eq!(predicted.collect::<Vec<_>>(), [0, 1, 2, 2, 4, 5]);
        assert_eq!(learned(1, &[0, 1, 3, 13]).bytes_of(0), 8 + 9 + 5);
    }

    // planted bugs: a page that stays a member of its older segment; a segment without members that goes on
    #[test]
    fn a_page_leaves_its_older_segment() {
        let mut segments = learned(0, &[0, 1, 2]);
        segments.learn(Lpn(1), Ppn(1), Ppn(3));
        // 0 and 2 stay on a line of 8 bytes, and 1 begins another one
        assert_eq!(segments.bytes_of(0), 8 + 8 + 5);
        segments.forget(Lpn(1), Ppn(3));
        segments.learn(Lpn(5), Ppn::NONE, Ppn(4));
        assert_eq!(segments.bytes_of(0), 8 + 8 + 5);
        segments.forget(Lpn(0), Ppn(0));
        segments.forget(Lpn(2), Ppn(2));
        assert_eq!(segments.bytes_of(0), 8 + 5);
        segments.check().expect("counts");
    }
}
