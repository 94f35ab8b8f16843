//! The data of a page.

use ssdlab_flash::{Payload, has_numbers, number, set_numbers};

/// The bytes of one page, or the fact that they were lost. A lost page can be copied, and stays lost until all of it is
/// written anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageData {
    /// The bytes. Those of a lost page have no meaning.
    pub bytes: Box<[u8]>,
    /// The page held data that cannot be read any more.
    pub lost: bool,
}

impl Payload for PageData {
    const NOTHING: bool = false;

    fn blank(page_size: u32) -> PageData {
        PageData {
            bytes: vec![0; page_size as usize].into_boxed_slice(),
            lost: false,
        }
    }

    fn copy_from(&mut self, other: &PageData) {
        self.bytes.copy_from_slice(&other.bytes);
        self.lost = other.lost;
    }

    fn set_numbers(&mut self, numbers: impl Iterator<Item = u32>) {
        set_numbers(&mut self.bytes, numbers);
        self.lost = false;
    }

    fn has_numbers(&self, numbers: impl Iterator<Item = u32>) -> bool {
        // nobody can tell what a lost page held
        self.lost || has_numbers(&self.bytes, numbers)
    }

    fn number(&self, place: usize) -> Option<u32> {
        if self.lost {
            return None;
        }
        number(&self.bytes, place)
    }
}
