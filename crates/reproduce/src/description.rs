//! `paper.toml`: what a paper claims, and how to run it again.
//!
//! The types are the format. Whatever is not one of their keys is refused.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The paper and what all of its figures share.
    pub paper: Header,
    /// Other readings of what the paper leaves open; every claim is judged under each of them too.
    #[serde(default)]
    pub variant: Vec<Variant>,
    /// The traces, by short names.
    pub trace: BTreeMap<String, Source>,
    /// The figures, in the order of the page.
    pub figure: Vec<Figure>,
}

/// The paper and what all of its figures share.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Its title.
    pub title: String,
    /// Its authors.
    pub authors: String,
    /// Where and when it appeared.
    pub venue: String,
    /// The device.
    pub preset: Spanned<String>,
    /// The buffer policies compared.
    pub buffers: Vec<Spanned<String>>,
    /// The buffer sizes, as the configuration takes them.
    pub sizes: Vec<Size>,
    /// Requests that are left out of the traces.
    pub leave_out: Vec<Requests>,
    /// What a reader should know, one paragraph each.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A kind of requests.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Requests {
    /// Reads.
    Reads,
    /// Flush commands.
    Flushes,
}

/// Another reading of what the paper leaves open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// In a few words.
    pub name: String,
    /// What it changes.
    pub about: String,
    /// Requests that are kept, though they are left out elsewhere.
    #[serde(default)]
    pub keep: Vec<Requests>,
    /// Keys of the configuration, as `--set` takes them.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
}

/// A trace of this repository.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its file.
    pub file: Spanned<String>,
    /// What it holds, and what of the paper it stands for.
    pub about: String,
}

/// A figure or a table of the paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Its number in the paper.
    pub id: Spanned<String>,
    /// What it shows.
    pub title: String,
    /// Short names of the traces that it is run on.
    #[serde(default)]
    pub traces: Vec<Spanned<String>>,
    /// Instead of traces: why it cannot be run.
    pub missing: Option<String>,
    /// How it is run, where that needs words.
    pub about: Option<String>,
    /// Buffer policies, where they are not those of the paper.
    pub buffers: Option<Vec<Spanned<String>>>,
    /// Requests that are left out, where they are not those of the paper.
    pub leave_out: Option<Vec<Requests>>,
    /// Further keys of the configuration, each with its values; every combination is run.
    #[serde(default)]
    pub vary: BTreeMap<String, Vec<Spanned<String>>>,
    /// What the counters do not say.
    pub remark: Option<String>,
    /// What the paper says of it.
    #[serde(default)]
    pub claim: Vec<Claim>,
}

/// Something that the paper says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The claim.
    pub says: Spanned<String>,
    /// Where the paper says it.
    pub section: String,
    /// The paper's number: percent more or less.
    pub paper: Option<f64>,
    /// How to test it; a figure that is run needs it, one that is missing has none.
    pub test: Option<Test>,
}

/// What to look at, and what counts as the same shape.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// What is measured.
    pub metric: Metric,
    /// The row, by its label, as `bplru` or `bplru (padding true)`.
    pub row: Spanned<String>,
    /// The row that it is held against; `largest of rows` takes the best of the others.
    pub against: Option<Spanned<String>>,
    /// The trace, if the figure has several.
    pub trace: Option<Spanned<String>>,
    /// At which buffer sizes.
    pub sizes: Vec<Spanned<Size>>,
    /// What must hold.
    pub relation: Spanned<Relation>,
}

/// What a claim is about.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// 10^6 bytes of the host per simulated second.
    Throughput,
    /// Block erases.
    Erases,
}

/// What must hold of the difference between two rows: 10 % more is 0.1.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum Relation {
    /// At every size.
    #[serde(rename = "> 0")]
    Above,
    /// At every size.
    #[serde(rename = ">= 0")]
    AtLeast,
    /// At every size.
    #[serde(rename = "< 0")]
    Below,
    /// From each size to the next one given.
    #[serde(rename = "grows with size")]
    GrowsWithSize,
    /// The row has more than every other one, at every size.
    #[serde(rename = "largest of rows")]
    LargestOfRows,
    /// On this trace, it is more than on all others of the figure, at every size.
    #[serde(rename = "largest of traces")]
    LargestOfTraces,
}

/// Bytes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub struct Size(pub u64);

impl TryFrom<String> for Size {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        ssdlab_config::parse_size(&text)
            .and_then(|size| u64::try_from(size).ok())
            .filter(|&size| size > 0)
            .map(Self)
            .ok_or_else(|| format!("{text:?} is no size; must be like 512KiB or 16MiB"))
    }
}
