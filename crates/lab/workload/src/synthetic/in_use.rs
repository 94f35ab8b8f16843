//! The set of units with data; adding a unit and removing a random one take constant time.

use super::random::Random;

/// Memory: one bit for each unit and four bytes for each unit with data.
#[derive(Clone, Debug)]
pub(super) struct InUse {
    marks: Vec<u64>,
    /// The units with data, in any order.
    units: Vec<u32>,
}

impl InUse {
    /// An empty set over `units` units, at most 2^32.
    pub fn none_of(units: u64) -> Self {
        Self {
            marks: vec![0; units.div_ceil(64) as usize],
            units: Vec::new(),
        }
    }

    /// Adds a unit.
    pub fn add(&mut self, unit: u64) {
        let (word, mark) = place(unit);
        if self.marks[word] & mark == 0 {
            self.marks[word] |= mark;
            self.units.push(unit as u32);
        }
    }

    /// Removes a unit, each with the same probability; `None` if the set is empty.
    pub fn take_any(&mut self, random: &mut Random) -> Option<u64> {
        if self.units.is_empty() {
            return None;
        }
        let at = random.below(self.units.len() as u64);
        let unit = u64::from(self.units.swap_remove(at as usize));
        let (word, mark) = place(unit);
        self.marks[word] &= !mark;
        Some(unit)
    }
}

/// The word of a unit and its bit in that word.
fn place(unit: u64) -> (usize, u64) {
    ((unit / 64) as usize, 1 << (unit % 64))
}
