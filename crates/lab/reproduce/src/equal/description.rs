//! `equal.toml`: a drive with so much RAM, its traces and histories, and what the runs should show. The runs are in a table
//! beside it, with what another program counted.
//!
//! The types define the formats. Any other key is refused; all columns of the table are needed.

use std::num::NonZeroU32;

use serde::Deserialize;
use toml::Spanned;

use crate::file::{finite, some};
use crate::paper::Size;

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The title of the page.
    pub title: String,
    /// Where the runs were first made.
    pub source: String,
    /// What is compared; the first paragraphs.
    pub about: String,
    /// Settings of all drives.
    pub set: Vec<Spanned<String>>,
    /// The drive that the small ones stand for: their RAM is smaller by the same factor as their flash.
    pub stands_for: Spanned<Size>,
    /// The relative difference of write amplification that still counts as agreement where the other program says nothing of
    /// the buffer, in per cent.
    #[serde(deserialize_with = "finite")]
    pub within_percent: f64,
    #[serde(deserialize_with = "some")]
    pub trace: Vec<Trace>,
    #[serde(deserialize_with = "some")]
    pub history: Vec<History>,
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
    pub file: Spanned<String>,
    pub capacity: Size,
}

/// What was before, and how often the trace is replayed; the last replay counts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct History {
    pub name: Spanned<String>,
    /// In words.
    pub about: String,
    pub set: Vec<Spanned<String>>,
    pub replays: NonZeroU32,
}

/// What was found in the first runs: a figure of the best of some runs, alone or over that of the best of others.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    pub says: String,
    pub history: Spanned<String>,
    pub ram_mib: Vec<u64>,
    /// Empty: all.
    #[serde(default)]
    pub traces: Vec<String>,
    pub figure: Figure,
    pub of: Select,
    /// The figure is divided by that of these.
    pub over: Option<Select>,
    /// The least and the most that agree.
    pub between: [f64; 2],
    /// At so many points it must, at least.
    pub points: usize,
}

/// A figure of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Pages that flash writes for each page of the host, the map included.
    Waf,
    /// Reads of map pages.
    MapReads,
    /// The share of map programs that cleaning causes.
    CleaningShare,
}

/// Which rows; what is empty is any.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Select {
    #[serde(default)]
    pub what: Vec<What>,
    #[serde(default)]
    pub ftls: Vec<String>,
    #[serde(default)]
    pub buffers: Vec<String>,
    #[serde(default)]
    pub shares: Vec<f64>,
}

/// What a row varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// The RAM between cache and buffer.
    Split,
    /// The buffer.
    Buffers,
    /// The RAM between cache and list.
    List,
    /// The log blocks of another FTL.
    Logs,
    /// Nothing: all of the map is in RAM, beside what the drive has.
    Ram,
}

/// A row of `rows.csv`. Empty: not known, or nothing of that kind.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    pub what: What,
    pub history: String,
    pub trace: String,
    /// RAM of the drive that the small one stands for.
    pub ram_mib: Option<u64>,
    /// `ftl.map`, or `ftl.kind` of another FTL.
    pub ftl: String,
    pub buffer: String,
    /// The share of the RAM that the cache got.
    pub share: Option<f64>,
    pub cache: Option<u64>,
    pub log_blocks: Option<u64>,
    pub list: Option<u64>,
    pub buffer_pages: Option<u64>,
    pub waf: f64,
    pub map_clean_programs: Option<u64>,
    pub map_dirty_evictions: Option<u64>,
    pub table_copies: Option<u64>,
    pub table_reads: Option<u64>,
}
