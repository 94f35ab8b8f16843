//! `paper.toml`: what a paper claims, and how to run it again.
//!
//! The types are the format. Whatever is not one of their keys is refused.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::file::finite_if_any;

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The paper and what all of its figures share.
    pub paper: Header,
    /// Other readings of what the paper leaves open; every claim is judged under each of them too.
    #[serde(default)]
    pub variant: Vec<Variant>,
    /// The traces, by short names, which are part of the charts' files: letters, digits, `-` and `.`.
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
    #[serde(default)]
    pub buffers: Vec<Spanned<String>>,
    /// The buffer sizes, as the configuration takes them; none: the configured one.
    #[serde(default)]
    pub sizes: Vec<Size>,
    /// What the charts show.
    #[serde(default = "throughput_and_erases")]
    pub charts: Vec<Metric>,
    /// Requests that are left out of the traces.
    pub leave_out: Vec<Requests>,
    /// What a reader should know, one paragraph each.
    #[serde(default)]
    pub notes: Vec<String>,
}

fn throughput_and_erases() -> Vec<Metric> {
    vec![Metric::Throughput, Metric::Erases]
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

/// A trace.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "SourceKeys")]
pub struct Source {
    /// Where it comes from.
    pub origin: Origin,
    /// What it holds, and what of the paper it stands for.
    pub about: String,
}

/// Where a trace comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A file of this repository.
    File(Spanned<String>),
    /// A synthetic workload, in the words of `ssdlab trace generate`.
    Generated(Spanned<String>),
}

impl Origin {
    /// The file, or the words.
    pub fn text(&self) -> &Spanned<String> {
        match self {
            Origin::File(text) | Origin::Generated(text) => text,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceKeys {
    file: Option<Spanned<String>>,
    generate: Option<Spanned<String>>,
    about: String,
}

impl TryFrom<SourceKeys> for Source {
    type Error = String;

    fn try_from(keys: SourceKeys) -> Result<Self, String> {
        let origin = match (keys.file, keys.generate) {
            (Some(file), None) => Origin::File(file),
            (None, Some(words)) => Origin::Generated(words),
            _ => return Err("needs either file, or generate: the words of a workload".into()),
        };
        let about = keys.about;
        Ok(Self { origin, about })
    }
}

/// A named combination of settings, in place of a buffer policy.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// The label of its rows.
    pub name: Spanned<String>,
    /// Keys of the configuration, as `--set` takes them.
    pub set: Vec<Spanned<String>>,
}

/// A figure or a table of the paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Its number in the paper, part of the charts' files: letters, digits, `-` and `.`.
    pub id: Spanned<String>,
    /// Figure or table.
    #[serde(default)]
    pub kind: Kind,
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
    /// What is compared instead of buffer policies.
    #[serde(default)]
    pub system: Vec<System>,
    /// Buffer sizes, where they are not those of the paper.
    pub sizes: Option<Vec<Size>>,
    /// The key that takes the sizes, where it is not `buffer.size`.
    pub size_key: Option<Spanned<String>>,
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

/// What a figure is called.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A figure.
    #[default]
    Figure,
    /// A table.
    Table,
}

impl Figure {
    /// `Figure 7`, `Table 2`.
    pub fn name(&self) -> String {
        format!("{:?} {}", self.kind, self.id.get_ref())
    }

    /// `figure-7`, `table-2`: the start of its files' names.
    pub fn anchor(&self) -> String {
        self.name().to_lowercase().replace(' ', "-")
    }

    /// What its line of a table shows of its name: figures are the rule.
    pub fn number(&self) -> String {
        match self.kind {
            Kind::Figure => self.id.get_ref().clone(),
            Kind::Table => self.name(),
        }
    }

    /// The buffer policies that it compares.
    pub fn buffers<'a>(&'a self, header: &'a Header) -> &'a [Spanned<String>] {
        match &self.buffers {
            Some(buffers) => buffers,
            None if self.system.is_empty() => &header.buffers,
            None => &[],
        }
    }

    /// What has the sizes.
    pub fn memory(&self) -> &'static str {
        match &self.size_key {
            Some(key) if key.get_ref() == "ftl.ram" => "RAM",
            _ => "buffer",
        }
    }

    /// Its sizes.
    pub fn sizes<'a>(&'a self, header: &'a Header) -> &'a [Size] {
        self.sizes.as_ref().unwrap_or(&header.sizes)
    }
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
    #[serde(default, deserialize_with = "finite_if_any")]
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
    /// The row that the difference is a share of, where it is not `against`.
    pub base: Option<Spanned<String>>,
    /// The trace; every one of the figure, if none is named.
    pub trace: Option<Spanned<String>>,
    /// At which buffer sizes, if the figure has any.
    #[serde(default)]
    pub sizes: Vec<Spanned<Size>>,
    /// What must hold.
    pub relation: Spanned<Relation>,
}

/// What a claim is about.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// 10^6 bytes of the host per simulated second.
    Throughput,
    /// Block erases.
    Erases,
    /// Simulated seconds.
    Time,
    /// Pages that were written to flash from the host or the buffer, those of merges apart.
    Programs,
    /// Full merges.
    #[serde(rename = "full merges")]
    FullMerges,
    /// Partial merges.
    #[serde(rename = "partial merges")]
    PartialMerges,
}

impl Metric {
    /// A chart's title.
    pub fn title(self) -> &'static str {
        match self {
            Metric::Throughput => "Throughput, MB/s",
            Metric::Erases => "Erases",
            Metric::Time => "Simulated time, s",
            Metric::Programs => "Pages programmed",
            Metric::FullMerges => "Full merges",
            Metric::PartialMerges => "Partial merges",
        }
    }

    /// What a difference is one of.
    pub fn words(self) -> &'static str {
        match self {
            Metric::Throughput => "MB/s",
            Metric::Erases => "erases",
            Metric::Time => "time",
            Metric::Programs => "pages programmed",
            Metric::FullMerges => "full merges",
            Metric::PartialMerges => "partial merges",
        }
    }
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
    /// The mean of all traces and sizes.
    #[serde(rename = "< 0 on average")]
    BelowOnAverage,
    /// Exactly, at every size.
    #[serde(rename = "= 0")]
    Equal,
    /// At most a tenth more or less, at every size.
    #[serde(rename = "within 10 %")]
    Within,
    /// From each size to the next one given.
    #[serde(rename = "grows with size")]
    GrowsWithSize,
    /// From each trace of the figure to the next one, at every size.
    #[serde(rename = "grows with trace")]
    GrowsWithTrace,
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
        ssdlab_config::parse_bytes(&text)
            .filter(|&size| size > 0)
            .map(Self)
            .ok_or_else(|| format!("{text:?} is no size; must be like 512KiB or 16MiB"))
    }
}
