//! `lb-clock` (section 7): the fullest block among those that the hand of a clock has found unused.

use super::super::number::{Lbn, Lpn};
use super::super::recency::Recency;
use super::pages::Pages;
use super::policy::{Policy, Why};

#[derive(Default)]
pub(super) struct LbClock {
    /// The blocks held, in the order of the circle.
    blocks: Vec<Lbn>,
    /// The place of the hand in `blocks`; 0 if there is none.
    hand: usize,
    /// The blocks whose bit is clear, in the order in which they last lost their bit or a page.
    clear: Recency,
}

impl LbClock {
    /// The hand clears bits up to the first one that is clear already, and stands behind that block.
    fn move_hand(&mut self) {
        loop {
            let lbn = self.blocks[self.hand];
            self.hand = (self.hand + 1) % self.blocks.len();
            if self.clear.contains(lbn) {
                return;
            }
            self.clear.touch(lbn);
        }
    }

    /// Removes a block. If the hand is at it, the hand is then at the next one.
    fn remove(&mut self, lbn: Lbn) {
        self.clear.remove(lbn);
        let place = self.blocks.iter().position(|&other| other == lbn);
        let place = place.expect("the block was held");
        self.blocks.remove(place);
        if place < self.hand {
            self.hand -= 1;
        }
        if self.hand == self.blocks.len() {
            self.hand = 0;
        }
    }
}

impl Policy for LbClock {
    fn orders_blocks(&self) -> bool {
        true
    }

    /// A new block comes right behind the hand.
    fn touch(&mut self, lpn: Lpn, pages: &Pages) {
        let lbn = pages.lbn(lpn);
        self.clear.remove(lbn);
        if !self.blocks.contains(&lbn) {
            self.blocks.insert(self.hand, lbn);
            self.hand = (self.hand + 1) % self.blocks.len();
        }
    }

    /// The block with the most pages among those whose bit is clear.
    fn victim(&mut self, pages: &Pages, _: Why) -> Vec<Lpn> {
        self.move_hand();
        pages.of(self.clear.heaviest(|lbn| pages.of(lbn).len()))
    }

    fn leave(&mut self, lpn: Lpn, pages: &Pages) {
        let lbn = pages.lbn(lpn);
        if pages.of(lbn).is_empty() {
            self.remove(lbn);
        } else if self.clear.contains(lbn) {
            self.clear.touch(lbn);
        }
    }
}
