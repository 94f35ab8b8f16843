//! `contest.toml`: a write buffer, its rivals, and the devices and workloads on which they run.
//!
//! The types define the format. Any other key is refused. Settings are in the syntax of `--set`.

use std::num::NonZeroU32;

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
    /// Where the competitor was published.
    pub source: String,
    /// The preset of all devices.
    pub preset: Spanned<String>,
    /// Settings of all devices.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
    /// The sizes of the buffer.
    #[serde(deserialize_with = "some")]
    pub sizes: Vec<Spanned<Size>>,
    /// How often each workload is replayed. Each replay counts.
    pub replays: NonZeroU32,
    /// A buffer policy.
    pub competitor: Spanned<String>,
    /// The buffer policies that it is compared with.
    #[serde(deserialize_with = "some")]
    pub rivals: Vec<Spanned<String>>,
    /// The rival that the competitor is also compared with alone, where devices clean.
    pub baseline: Spanned<String>,
    /// The rivals with curves in a colour of their own.
    #[serde(default)]
    pub drawn: Vec<Spanned<String>>,
    /// A parameter of the competitor and its value, in words; the part `halves` compares it with the other values.
    pub choice: Option<(String, String)>,
    /// The devices.
    #[serde(deserialize_with = "some")]
    pub devices: Vec<Device>,
    /// The competitor with something changed.
    #[serde(default)]
    pub variants: Vec<Variant>,
    /// Files. Each runs twice on each device: with flushes honoured, and ignored.
    #[serde(deserialize_with = "some")]
    pub traces: Vec<Spanned<String>>,
    /// Workloads without a file, with flushes honoured: their names, and the arguments of `ssdlab trace generate`.
    #[serde(default)]
    pub generated: Vec<(String, Spanned<String>)>,
}

/// A device.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// A short name.
    pub name: Spanned<String>,
    /// Its settings.
    pub set: Vec<Spanned<String>>,
    /// Whether its FTL cleans, as page mapping does, instead of merging log blocks.
    #[serde(default)]
    pub cleans: bool,
}

/// The competitor with something changed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// The change, to follow "with".
    pub name: Spanned<String>,
    /// The setting that makes it.
    pub set: Spanned<String>,
    /// If it is another value of the parameter of `choice`: the value, in words.
    pub value: Option<String>,
}
