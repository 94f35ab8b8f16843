//! `measured.toml`: published write amplification, and the runs that are compared with it.
//!
//! The types define the format. Any other key is refused.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::Deserialize;
use toml::Spanned;

use super::window::Window;

/// Texts in place of `{name}` in settings and loads.
pub type Texts = BTreeMap<String, String>;

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The sources, and the settings that all tables share.
    pub measured: Header,
    /// The loads by name.
    pub load: BTreeMap<String, Load>,
    /// The tables, in the order of the page.
    pub table: Vec<Table>,
}

/// The sources, and the settings that all tables share.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The title of the page.
    pub title: String,
    /// Where the figures were published.
    pub source: String,
    /// What is compared, and what it shows; the first paragraph.
    pub about: String,
    /// Keys of the configuration, in the syntax of `--set`.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
    /// The seed of the requests.
    pub seed: NonZeroU32,
    /// What the sources do not say, and what was assumed, one paragraph each.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A load: generated requests, or a trace.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// The load in a few words.
    pub about: Spanned<String>,
    /// The arguments of `ssdlab trace generate`, without capacity, seed and number of requests.
    pub words: Option<Spanned<String>>,
    /// In their place a file in the folder of the traces.
    pub trace: Option<Spanned<String>>,
}

/// Systems at points: a run for each pair.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The start of its charts' names: letters, digits, `-` and `.`.
    pub id: Spanned<String>,
    /// Its subject.
    pub title: String,
    /// Remarks on the runs.
    pub about: Option<String>,
    /// What the points are: the heading of their column.
    pub axis: String,
    /// The points, in the order of the table.
    pub point: Vec<Point>,
    /// The systems, in the order of the table.
    pub series: Vec<Series>,
    /// Keys of the configuration, in the syntax of `--set`.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
    /// The name of the load, unless the points have their own.
    pub load: Option<Spanned<String>>,
    /// Texts for `{name}`.
    #[serde(default)]
    pub with: Texts,
    /// What is written before the published figures begin, in capacities.
    #[serde(default)]
    pub before: f64,
    /// What is written then, in capacities, unless a log says it.
    pub writes: Option<f64>,
    /// How often a trace is replayed on one device; the last replay counts.
    #[serde(default = "once")]
    pub replays: NonZeroU32,
    /// The parts of the run whose write amplification is compared.
    #[serde(default)]
    pub windows: Vec<Window>,
    /// The deviation in percent that still counts as agreement, for the windows.
    pub within_percent: Option<f64>,
    /// The same for single handles.
    pub handles_within_percent: Option<f64>,
    /// The root of the mean square of the deviations of the tenths that still counts as agreement.
    pub within_rms: Option<f64>,
    /// What the results show.
    pub remark: Option<String>,
    /// What the sources say in words.
    #[serde(default)]
    pub statement: Vec<Statement>,
    /// Reasons, each with the runs that show it.
    #[serde(default)]
    pub cause: Vec<Cause>,
}

fn once() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// A point of the axis.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Its name; `{at}` in settings and loads.
    pub at: Spanned<String>,
    /// A number or a rule of the drive was found by this load, so it is shown and not judged.
    #[serde(default)]
    pub fitted: bool,
    /// The name of its load.
    pub load: Option<Spanned<String>>,
    /// Keys of the configuration.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
    /// Texts for `{name}`.
    #[serde(default)]
    pub with: Texts,
}

/// A system, which runs at every point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Its name.
    pub name: Spanned<String>,
    /// The name of its load, in place of those of the points.
    pub load: Option<Spanned<String>>,
    /// Keys of the configuration.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
    /// Texts for `{name}`.
    #[serde(default)]
    pub with: Texts,
    /// The published figures, one for each point; `nan` where there is none.
    #[serde(default)]
    pub published: Vec<f64>,
    /// In their place the logs, one for each point; empty where there is none. [`Logs`](super::logs::Logs) has them.
    #[serde(default)]
    pub log: Vec<Spanned<String>>,
    /// The figure of the simulator is multiplied by this: what the drive writes for each byte whatever the load is.
    pub times: Option<f64>,
    /// These are added to it, one for each point.
    #[serde(default)]
    pub plus: Vec<f64>,
}

/// What a source says, compared at every point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// In our words.
    pub says: String,
    /// Where.
    pub section: String,
    /// The first of these systems writes less than the second.
    pub less: [Spanned<String>; 2],
    /// Only at these points.
    #[serde(default)]
    pub points: Vec<Spanned<String>>,
}

/// A reason: some of the runs again, with something changed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// The reason.
    pub says: Spanned<String>,
    /// The change: the start of a sentence.
    pub run: String,
    /// The systems.
    pub series: Vec<Spanned<String>>,
    /// Keys of the configuration, behind all others.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
    /// The name of the load in place of the others.
    pub load: Option<Spanned<String>>,
    /// What happens to the deviations.
    pub then: Then,
}

/// What a change does to the mean size of the deviations.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Then {
    /// It grows by half or more.
    Worse,
    /// It changes by less than that, in both directions.
    Same,
}
