//! A valid file, and the changes that put a fault into it.

use Change::{Edit, Whole};

/// A valid file and the faults to put into it.
pub struct Base {
    /// The start of the names of its files, with the folder.
    pub prefix: &'static str,
    pub extension: &'static str,
    pub text: &'static str,
    /// The faults, as part of the file name, and the changes that make them.
    pub changes: &'static [(&'static str, Change)],
    /// Whether the file is refused.
    pub refused: fn(&[u8]) -> bool,
}

/// A fault.
pub enum Change {
    /// Replaces the only occurrence of a text.
    Edit(&'static str, &'static str),
    /// Makes new bytes from the valid text.
    Whole(fn(&str) -> Vec<u8>),
}

impl Base {
    /// The bytes of the file with a fault.
    pub fn changed(&self, name: &str, change: &Change) -> Vec<u8> {
        match change {
            Edit(from, to) => {
                let places = self.text.matches(from).count();
                assert_eq!(places, 1, "{}{name}: places of {from:?}", self.prefix);
                self.text.replace(from, to).into_bytes()
            }
            Whole(make) => make(self.text),
        }
    }
}

/// The text in UTF-16, with the mark of its byte order.
pub fn utf_16(text: &str) -> Vec<u8> {
    let units = "\u{FEFF}".encode_utf16().chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

/// Cuts the text after the first occurrence of `end`.
pub fn until(text: &str, end: &str) -> Vec<u8> {
    let at = text.find(end).expect("a text to cut behind");
    text.as_bytes()[..at + end.len()].into()
}
