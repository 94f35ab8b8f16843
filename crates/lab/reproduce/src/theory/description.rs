//! `theory.toml`: the formulas to test, the parameters, and how to run the simulator.
//!
//! The types define the format. Any other key is refused.

use std::num::NonZeroU32;

use serde::Deserialize;
use toml::Spanned;

use crate::file::finite;

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The settings that all tables share.
    pub theory: Header,
    /// The tables, in the order of the page.
    pub table: Vec<Table>,
}

/// The settings that all tables share.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The title of the page.
    pub title: String,
    /// Where the formulas were published.
    pub source: String,
    /// Keys of the configuration, in the syntax of `--set`.
    pub set: Vec<Spanned<String>>,
    /// Bytes of a page; each request of the host has this size.
    pub page_size: NonZeroU32,
    /// Physical blocks in the model of theory: those that contain data or wait to be cleaned.
    pub blocks: NonZeroU32,
    /// Requests for each logical page before the measurement.
    pub warm_up: NonZeroU32,
    /// Requests for each logical page during the measurement.
    pub measured: NonZeroU32,
    /// The seed of the requests.
    pub seed: u32,
    /// The deviation in percent that still counts as agreement.
    #[serde(deserialize_with = "finite")]
    pub within_percent: f64,
    /// Notes for the reader, one paragraph each.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A formula and its parameters: every spare factor with every size of a block.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its subject.
    pub title: String,
    /// The formula.
    pub formula: Spanned<Formula>,
    /// Remarks on the runs, if needed.
    pub about: Option<String>,
    /// Spare factors (S_f).
    pub spare: Vec<Spanned<f64>>,
    /// Pages of a block.
    pub pages_per_block: Vec<NonZeroU32>,
    /// Keys of the configuration, in the syntax of `--set`.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
    /// Physical blocks that the model lacks: those that cleaning keeps free, and half a block for each frontier.
    pub reserve: u32,
}

/// A formula: a cleaning policy and a workload.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Formula {
    /// The block filled first, uniform writes.
    Fifo,
    /// The block with the fewest valid pages, uniform writes.
    Greedy,
    /// The best of d blocks drawn at random, for each of these d; uniform writes.
    DChoices(Vec<NonZeroU32>),
    /// The block filled first, hot and cold data.
    Classes(Hot),
    /// The block filled first, for each of these shares of requests that discard a page; the others write, uniformly.
    Discards(Vec<f64>),
}

/// Hot data, each percentage above 0 and below 100; the rest is cold.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hot {
    /// Percent of the writes that go there.
    pub writes: f64,
    /// Percent of the data that is there.
    pub data: f64,
}
