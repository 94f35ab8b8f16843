//! `learned.toml`: what is published of the size of a learned map, and the traces on which it is measured here.
//!
//! The types define the format. Any other key is refused.

use serde::Deserialize;
use toml::Spanned;

use crate::file::some;
use crate::paper::Size;

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The title of the page.
    pub title: String,
    /// Where the figures are published.
    pub source: String,
    /// What is compared; the first paragraphs.
    pub about: String,
    /// Settings of all drives.
    pub set: Vec<Spanned<String>>,
    /// The bounds of the error, in pages; the first is the one that others are compared with.
    #[serde(deserialize_with = "some")]
    pub gammas: Vec<u32>,
    /// The least number of reads with which the share of wrong ones means something.
    pub least_reads: u64,
    #[serde(deserialize_with = "some")]
    pub trace: Vec<Trace>,
    #[serde(deserialize_with = "some")]
    pub statement: Vec<Statement>,
    /// What is open, one paragraph each.
    pub notes: Vec<String>,
}

/// A trace and the capacity of its drive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    pub name: Spanned<String>,
    pub capacity: Size,
    /// The file, or else the workload, as arguments of `ssdlab trace generate`.
    pub file: Option<Spanned<String>>,
    pub generate: Option<Spanned<String>>,
}

/// A published figure with its tolerance.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    pub says: String,
    /// The place in the source.
    pub section: String,
    pub gamma: Spanned<u32>,
    pub figure: Figure,
    pub over: Over,
    /// The least and the most that agree; stated before the run.
    pub between: [f64; 2],
}

/// A figure of what was learned on a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// The bytes of a plain table, over those that were learned.
    Plain,
    /// The bytes of a table of runs, over those that were learned.
    Runs,
    /// The bytes that were learned, over those with the first bound.
    Beside,
    /// Pages for each segment.
    Pages,
    /// The share of segments that are approximate.
    Approximate,
    /// The share of reads whose place was predicted wrong.
    Wrong,
}

/// What a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// Each trace; two thirds of them have to agree.
    Traces,
    /// The mean of all traces.
    Mean,
}
