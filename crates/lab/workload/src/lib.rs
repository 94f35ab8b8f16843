//! Requests without a trace: synthetic workloads, described in words.
//!
//! A [`Description`] is what `ssdlab trace generate` takes as arguments; papers, contests and measurements have it as text,
//! from which [`requests`] makes the requests. The workloads themselves are in [`synthetic`], one in each file.
//!
//! May depend on `words` and `host`; knows no device and no trace format. Reads and writes nothing.

mod description;
pub mod synthetic;

pub use description::{
    Description, in_one_line, kinds, positive_count, requests, share_of_discards,
};
