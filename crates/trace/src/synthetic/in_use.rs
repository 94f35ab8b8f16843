//! Which units have data: added, and taken out at random, in one step each.

use super::Random;

/// One bit for each unit, and four bytes for each that has data.
#[derive(Clone, Debug)]
pub(super) struct InUse {
    marks: Vec<u64>,
    /// Those that are marked, in any order.
    units: Vec<u32>,
}

impl InUse {
    /// No unit of up to 2^32 has data.
    pub fn none_of(units: u64) -> Self {
        Self {
            marks: vec![0; units.div_ceil(64) as usize],
            units: Vec::new(),
        }
    }

    /// The unit has data now.
    pub fn add(&mut self, unit: u64) {
        let (word, mark) = place(unit);
        if self.marks[word] & mark == 0 {
            self.marks[word] |= mark;
            self.units.push(unit as u32);
        }
    }

    /// One of those that have data, each as likely as any other, has none any more; none if there was none.
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

/// The word of a unit, and its bit in there.
fn place(unit: u64) -> (usize, u64) {
    ((unit / 64) as usize, 1 << (unit % 64))
}
