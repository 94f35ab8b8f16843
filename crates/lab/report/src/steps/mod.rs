//! A step of a replay in words, for terminals and pages.

mod ink;
mod words;

pub use ink::{Ink, Row};
pub use words::{lines, runs};
