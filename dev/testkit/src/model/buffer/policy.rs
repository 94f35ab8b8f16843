//! What each buffer policy does (section 7).

use super::super::number::{Lbn, Lpn};
use super::pages::Pages;

/// A buffer policy: the order of the pages that a buffer holds, or of their blocks. The methods take these pages.
pub(super) trait Policy {
    /// Whether it orders and evicts blocks, and so has block headers.
    fn orders_blocks(&self) -> bool {
        false
    }

    /// Notes that the previous requests are over.
    fn begin_request(&mut self) {}

    /// Notes an access to a page that is held or about to enter.
    fn touch(&mut self, lpn: Lpn, pages: &Pages);

    /// Notes, after its touch, that the access is a write of the host.
    fn write(&mut self, _lpn: Lpn, _pages: &Pages) {}

    /// Notes that the page of an access is held now.
    fn settle(&mut self, _pages: &Pages) {}

    /// The pages of the next victim, in ascending order. All of them leave, or their block is padded.
    fn victim(&mut self, pages: &Pages, why: Why) -> Vec<Lpn>;

    /// Notes that a page has left.
    fn leave(&mut self, lpn: Lpn, pages: &Pages);

    /// Whether a block with a dirty page that is about to be written is padded.
    fn pads(&mut self, _lbn: Lbn, _pages: &Pages) -> bool {
        false
    }

    /// Whether a padded block is written with zeros where it has no version of a page.
    fn pads_blanks(&self) -> bool {
        false
    }

    /// Notes that a merge moved a page of a block from flash to flash.
    fn moved(&mut self, _lbn: Lbn) {}

    /// The sizes of its regions, if it has any.
    fn region_sizes(&self) -> Option<[u64; 3]> {
        None
    }

    /// P(update) of a page that is held, in parts of which 2 C stand for a probability of 1.
    fn update_probability(&self, _lpn: Lpn, pages: &Pages) -> u64 {
        pages.capacity
    }
}

/// The reason for an eviction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum Why {
    /// A page is about to enter.
    Full,
    /// A flush or the end of the trace.
    Flush,
}

/// The policy of a buffer into which no page enters.
pub(super) struct NoBuffer;

impl Policy for NoBuffer {
    fn touch(&mut self, _: Lpn, _: &Pages) {
        unreachable!("there is no buffer")
    }

    fn victim(&mut self, _: &Pages, _: Why) -> Vec<Lpn> {
        unreachable!("there is no buffer")
    }

    fn leave(&mut self, _: Lpn, _: &Pages) {
        unreachable!("there is no buffer")
    }
}
