//! The circle of `lb-clock` (section 7).

use super::number::Lbn;

/// The blocks held, in the order of the circle.
#[derive(Default)]
pub(super) struct Circle {
    blocks: Vec<Lbn>,
    /// The place of the hand in `blocks`; 0 if there is none.
    hand: usize,
    /// The blocks whose bit is clear, in the order in which they last lost their bit or a page.
    clear: Vec<Lbn>,
}

impl Circle {
    /// Notes a use of a block. A new one comes right behind the hand.
    pub(super) fn touch(&mut self, lbn: Lbn) {
        self.clear.retain(|&other| other != lbn);
        if !self.blocks.contains(&lbn) {
            self.blocks.insert(self.hand, lbn);
            self.hand = (self.hand + 1) % self.blocks.len();
        }
    }

    /// The hand clears bits up to the first one that is clear already, and stands behind that block.
    pub(super) fn move_hand(&mut self) {
        loop {
            let lbn = self.blocks[self.hand];
            self.hand = (self.hand + 1) % self.blocks.len();
            if self.clear.contains(&lbn) {
                return;
            }
            self.clear.push(lbn);
        }
    }

    /// The block with the most pages among those whose bit is clear; among equals the first of `clear`.
    pub(super) fn next_victim(&self, pages: impl Fn(Lbn) -> usize) -> Lbn {
        let mut best = self.clear[0];
        for &lbn in &self.clear {
            if pages(lbn) > pages(best) {
                best = lbn;
            }
        }
        best
    }

    /// Notes that a page of a block has left.
    pub(super) fn lose_page(&mut self, lbn: Lbn) {
        if self.clear.contains(&lbn) {
            self.clear.retain(|&other| other != lbn);
            self.clear.push(lbn);
        }
    }

    /// Removes a block if it is there. If the hand is at it, the hand is then at the next one.
    pub(super) fn remove(&mut self, lbn: Lbn) {
        self.clear.retain(|&other| other != lbn);
        let Some(place) = self.blocks.iter().position(|&other| other == lbn) else {
            return;
        };
        self.blocks.remove(place);
        if place < self.hand {
            self.hand -= 1;
        }
        if self.hand == self.blocks.len() {
            self.hand = 0;
        }
    }
}
