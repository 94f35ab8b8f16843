//! Numbers for units, in the order of their first writes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// Neighbours that share an entry of the table: traces write most units beside others.
const TOGETHER: u64 = 8;
const NONE: u32 = u32::MAX;

/// The numbers of units, from 0 without gaps. A unit takes 6 to 12 bytes if all its neighbours are written too, and up to
/// 92 if none is.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    groups: HashMap<u64, [u32; TOGETHER as usize], BuildHasherDefault<Mixed>>,
    count: u32,
}

impl Numbers {
    /// The number of a unit, if it has one.
    pub fn get(&self, unit: u64) -> Option<usize> {
        let group = self.groups.get(&(unit / TOGETHER))?;
        known(group[(unit % TOGETHER) as usize])
    }

    /// The number of a unit, which is new if it has none. `None`: it has none, and there are `most` already; below 2^32.
    pub fn number(&mut self, unit: u64, most: usize) -> Option<usize> {
        let group = self.groups.entry(unit / TOGETHER);
        let group = group.or_insert([NONE; TOGETHER as usize]);
        let number = &mut group[(unit % TOGETHER) as usize];
        if *number == NONE {
            if self.count as usize >= most {
                return None;
            }
            *number = self.count;
            self.count += 1;
        }
        Some(*number as usize)
    }

    /// The numbers of the units in a range, in no order. The time follows the shorter of the range and the list of all.
    pub fn within(&self, units: Range<u64>) -> Vec<usize> {
        let length = units.end.saturating_sub(units.start);
        if length / TOGETHER <= self.groups.len() as u64 {
            return units.filter_map(|unit| self.get(unit)).collect();
        }
        let each = self.groups.iter().flat_map(|(group, numbers)| {
            let first = group * TOGETHER;
            (first..).zip(numbers)
        });
        each.filter(|(unit, _)| units.contains(unit))
            .filter_map(|(_, &number)| known(number))
            .collect()
    }
}

fn known(number: u32) -> Option<usize> {
    (number != NONE).then_some(number as usize)
}

/// Spreads an integer over 64 bits by one multiplication.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word ^ 0x243F_6A88_85A3_08D3) * 0x9E37_79B9_7F4A_7C15;
        self.0 = wide as u64 ^ (wide >> 64) as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
