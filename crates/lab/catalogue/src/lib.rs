//! Public sets of block traces: what they are, their terms, and how to get one volume of them.
//!
//! [`Catalogue`] is the list in `sets.toml`, or one of the user's in the same form. A [`Source`] is what to fetch: an
//! address, and the bytes wanted of it. [`fetch`] gets them over HTTP into a [`PartFile`], which a later run goes on with
//! if the first one is interrupted, and which has its final name only when it is whole and right.
//!
//! May depend on `words` and `output`. Writes no file but those that it is asked for and the notes beside them, and prints
//! nothing.
//!
//! [`PartFile`]: ssdlab_output::PartFile

mod archive;
mod client;
mod error;
mod fetch;
mod notes;
mod page;
mod set;
mod source;
mod volumes;

pub use client::{Client, Patience};
pub use error::FetchError;
pub use fetch::{Fetched, Happened, fetch, finish};
pub use notes::provenance;
pub use page::{got, page};
pub use set::{Catalogue, CatalogueError, Get, Known, Set};
pub use source::{Bytes, Source};
