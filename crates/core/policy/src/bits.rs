//! Sets of small integers.

use alloc::vec;
use alloc::vec::Vec;

/// A set over 0..n, one bit for each member.
#[derive(Clone, Debug)]
pub struct BitSet(Vec<u64>);

impl BitSet {
    /// The empty set over 0..n, or the full one.
    pub fn new(n: u32, full: bool) -> Self {
        let word = if full { !0 } else { 0 };
        Self(vec![word; (n as usize).div_ceil(64)])
    }

    /// Whether `i` is a member.
    #[inline]
    pub fn contains(&self, i: u32) -> bool {
        self.0[i as usize / 64] >> (i % 64) & 1 == 1
    }

    /// Adds a member.
    #[inline]
    pub fn insert(&mut self, i: u32) {
        self.0[i as usize / 64] |= 1 << (i % 64);
    }

    /// Removes a member.
    #[inline]
    pub fn remove(&mut self, i: u32) {
        self.0[i as usize / 64] &= !(1 << (i % 64));
    }

    /// Adds or removes a member.
    #[inline]
    pub fn set(&mut self, i: u32, is_member: bool) {
        if is_member {
            self.insert(i);
        } else {
            self.remove(i);
        }
    }

    /// Adds all of `first..end`.
    #[inline]
    pub fn insert_range(&mut self, first: u32, end: u32) {
        if end == first + 1 {
            return self.insert(first);
        }
        words(first, end).for_each(|(word, mask)| self.0[word] |= mask);
    }

    /// Removes all of `first..end`.
    #[inline]
    pub fn remove_range(&mut self, first: u32, end: u32) {
        if end == first + 1 {
            return self.remove(first);
        }
        words(first, end).for_each(|(word, mask)| self.0[word] &= !mask);
    }

    /// The smallest member in `first..end`, or `end`.
    #[inline]
    pub fn member_in(&self, first: u32, end: u32) -> u32 {
        self.one_in(first, end, 0)
    }

    /// The smallest non-member in `first..end`, or `end`.
    #[inline]
    pub fn gap_in(&self, first: u32, end: u32) -> u32 {
        self.one_in(first, end, !0)
    }

    /// The first of `first..end` whose bit is 1 after an exclusive or with `flip`.
    #[inline]
    fn one_in(&self, first: u32, end: u32, flip: u64) -> u32 {
        let mut at = first;
        while at < end {
            let rest = (self.0[at as usize / 64] ^ flip) >> (at % 64);
            if rest != 0 {
                return end.min(at + rest.trailing_zeros());
            }
            at = (at / 64 + 1) * 64;
        }
        end
    }

    /// Calls `take` for each member in `first..end`, in ascending order.
    #[inline]
    pub fn for_each_in(&self, first: u32, end: u32, take: impl FnMut(u32)) {
        self.for_first_in(first, end, u32::MAX, take);
    }

    /// Calls `take` for the `most` smallest members in `first..end`, in ascending order. Returns the next member, or `end`.
    #[inline]
    pub fn for_first_in(&self, first: u32, end: u32, most: u32, mut take: impl FnMut(u32)) -> u32 {
        let mut left = most;
        for (word, mask) in words(first, end) {
            let mut members = self.0[word] & mask;
            while members != 0 {
                let member = word as u32 * 64 + members.trailing_zeros();
                if left == 0 {
                    return member;
                }
                take(member);
                left -= 1;
                members &= members - 1;
            }
        }
        end
    }

    /// The membership bits of `first..first + count`; bit 0 is `first`. `count` is 1 to 64.
    #[inline]
    pub fn bits(&self, first: u32, count: u32) -> u64 {
        bits(&self.0, first, count, |word| *word)
    }

    /// The number of members in `first..end`.
    #[inline]
    pub fn count(&self, first: u32, end: u32) -> u32 {
        words(first, end)
            .map(|(word, mask)| (self.0[word] & mask).count_ones())
            .sum()
    }
}

/// `count` bits from bit `first` on, out of one word for each 64 bits; bit 0 is `first`. `count` is 1 to 64.
#[inline]
pub fn bits<W>(words: &[W], first: u32, count: u32, of: impl Fn(&W) -> u64) -> u64 {
    let (word, low) = (first as usize / 64, first % 64);
    let mut bits = of(&words[word]) >> low;
    if low + count > 64 {
        bits |= of(&words[word + 1]) << (64 - low);
    }
    bits & (!0 >> (64 - count))
}

/// The words of 64 bits that contain `first..end`, each with a mask of its bits in the range.
#[inline]
pub fn words(first: u32, end: u32) -> impl Iterator<Item = (usize, u64)> {
    let mut at = first;
    core::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let bits = (end - at).min(64 - at % 64);
        let word = (at as usize / 64, (!0 >> (64 - bits)) << (at % 64));
        at += bits;
        Some(word)
    })
}

/// A set over 0..n as a tree of 64-bit words: every operation takes log64 n steps and allocates nothing.
#[derive(Clone, Debug)]
pub struct BitTree {
    /// Level 0 holds the members. Each level above has one bit for each non-zero word of the level below.
    levels: Vec<Vec<u64>>,
}

impl BitTree {
    /// The empty set over 0..n.
    pub fn new(n: u32) -> Self {
        let mut levels = Vec::new();
        let mut words = (n as usize).div_ceil(64).max(1);
        levels.push(vec![0; words]);
        while words > 1 {
            words = words.div_ceil(64);
            levels.push(vec![0; words]);
        }
        Self { levels }
    }

    /// Whether `i` is a member.
    #[inline]
    pub fn contains(&self, i: u32) -> bool {
        self.levels[0][i as usize / 64] >> (i % 64) & 1 == 1
    }

    /// Adds a member.
    #[inline]
    pub fn insert(&mut self, i: u32) {
        let mut at = i as usize;
        for level in &mut self.levels {
            let word = &mut level[at / 64];
            let was = *word;
            *word |= 1 << (at % 64);
            if was != 0 {
                return;
            }
            at /= 64;
        }
    }

    /// Removes a member.
    #[inline]
    pub fn remove(&mut self, i: u32) {
        let mut at = i as usize;
        for level in &mut self.levels {
            let word = &mut level[at / 64];
            *word &= !(1 << (at % 64));
            if *word != 0 {
                return;
            }
            at /= 64;
        }
    }

    /// The smallest member.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        let top = self.levels.len() - 1;
        (self.levels[top][0] != 0).then(|| self.descend(top, 0, u64::trailing_zeros))
    }

    /// The largest member.
    #[inline]
    pub fn last(&self) -> Option<u32> {
        let top = self.levels.len() - 1;
        (self.levels[top][0] != 0).then(|| self.descend(top, 0, |w| 63 - w.leading_zeros()))
    }

    /// The smallest member greater than `i`.
    pub fn after(&self, i: u32) -> Option<u32> {
        let mut at = i as usize;
        for (level, words) in self.levels.iter().enumerate() {
            let above = words[at / 64] & (!1 << (at % 64));
            if above != 0 {
                let at = at / 64 * 64 + above.trailing_zeros() as usize;
                return Some(match level {
                    0 => at as u32,
                    _ => self.descend(level - 1, at, u64::trailing_zeros),
                });
            }
            at /= 64;
        }
        None
    }

    /// Descends from a non-zero word of a level to a member.
    #[inline]
    fn descend(&self, level: usize, word: usize, pick: impl Fn(u64) -> u32) -> u32 {
        let mut at = word;
        for level in self.levels[..=level].iter().rev() {
            at = at * 64 + pick(level[at]) as usize;
        }
        at as u32
    }
}
