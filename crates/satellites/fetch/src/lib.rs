//! One volume of a public set of traces, or any file, over HTTP.
//!
//! A [`Source`] is what to fetch: an address, and the bytes wanted of it. [`fetch`] gets them into a [`PartFile`], which a
//! later run goes on with if the first one is interrupted, and which has its final name only when it is whole and right.
//!
//! May depend on `words`, `output` and `catalogue`. Writes no file but those that it is asked for and the notes beside them,
//! and prints nothing.
//!
//! [`PartFile`]: ssdlab_output::PartFile

mod archive;
mod client;
mod error;
mod fetch;
mod notes;
mod source;

pub use client::{Client, Patience};
pub use error::FetchError;
pub use fetch::{Event, Fetched, fetch, finish};
pub use notes::provenance;
pub use source::{Bytes, Source, shown_address};
