//! The erases of an FTL: decided at once, done a little later, one chip after the other.

use std::collections::VecDeque;

/// The erases of an FTL that wait for their turn.
#[derive(Clone, Debug)]
pub(super) struct Erases {
    /// Block and chip, in the order of the erases.
    waiting: VecDeque<(u32, u32)>,
    /// For each block, whether some of its erases wait.
    is_waiting: Vec<bool>,
    /// For so many pages that units program, there is a turn.
    per_turn: u64,
    /// The pages that units have programmed since the last turn.
    programmed: u64,
}

impl Erases {
    /// No erase of an FTL with this many blocks waits.
    pub fn new(blocks: u32, per_turn: u32) -> Self {
        Self {
            waiting: VecDeque::new(),
            is_waiting: vec![false; blocks as usize],
            per_turn: per_turn.max(1).into(),
            programmed: 0,
        }
    }

    /// A block is erased on these chips.
    pub fn add(&mut self, block: u32, chips: impl Iterator<Item = u32>) {
        self.waiting.extend(chips.map(|chip| (block, chip)));
        self.is_waiting[block as usize] = true;
    }

    /// A unit programmed pages. Returns the chip whose erase has its turn.
    #[inline]
    pub fn programmed(&mut self, pages: u32) -> Option<u32> {
        self.programmed += u64::from(pages);
        if self.programmed < self.per_turn {
            return None;
        }
        // a unit has no more pages than a block of a chip
        self.programmed -= self.per_turn;
        let (block, chip) = self.waiting.pop_front()?;
        if self.waiting.front().is_none_or(|&(next, _)| next != block) {
            self.is_waiting[block as usize] = self.waiting.iter().any(|&(other, _)| other == block);
        }
        Some(chip)
    }

    /// The first page of a block is about to be programmed. Whether some of its erases wait: [`Erases::take`] has them.
    #[inline]
    pub fn waits(&self, block: u32) -> bool {
        self.is_waiting[block as usize]
    }

    /// The chips on which the erases of a block wait, in order; they wait no longer.
    pub fn take(&mut self, block: u32) -> Vec<u32> {
        self.is_waiting[block as usize] = false;
        let own = self.waiting.iter().filter(|&&(other, _)| other == block);
        let chips = own.map(|&(_, chip)| chip).collect();
        self.waiting.retain(|&(other, _)| other != block);
        chips
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: an erase of a line on all chips at once; a turn for each unit; a block that is programmed before it is
    // erased
    #[test]
    fn erases_take_turns() {
        let mut erases = Erases::new(3, 4);
        erases.add(1, 0..2);
        let turns = [2, 2, 2, 2, 2, 2].map(|pages| erases.programmed(pages));
        assert_eq!(turns, [None, Some(0), None, Some(1), None, None]);
        assert!(!erases.waits(1));
        erases.add(1, 0..2);
        erases.add(2, 0..2);
        assert_eq!(erases.take(2), [0, 1]);
        assert_eq!((erases.waits(1), erases.waits(2)), (true, false));
        assert_eq!(erases.programmed(4), Some(0));
        assert_eq!(erases.take(1), [1]);
    }
}
