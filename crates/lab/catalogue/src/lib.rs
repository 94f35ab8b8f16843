//! Public sets of block traces: what they are, their terms, and where they are.
//!
//! [`Catalogue`] is the list in `sets.toml`, or one of the user's in the same form. The crate `fetch` gets a volume.
//!
//! May depend on `words`. Reads and writes no file, and prints nothing.

mod page;
mod set;
mod volumes;

pub use page::{got, page};
pub use set::{Catalogue, CatalogueError, Get, Known, Set, is_address};
