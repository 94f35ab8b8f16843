//! What a paper says about a figure, and how it is tested: rows to compare, the run that switches a cause off, and the
//! parameter that the paper leaves open.

use serde::Deserialize;
use toml::Spanned;

use super::terms::{Metric, Requests, Size};

/// A statement of the paper: one sentence, however many rows it is about.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The statement, in our words.
    pub says: Spanned<String>,
    /// The place in the paper.
    pub section: String,
    /// Its quantity in a few words, if it is one of those that make the paper: they are on top of the page.
    pub brief: Option<String>,
    /// Whether the main result of the paper stands on it.
    #[serde(default)]
    pub main: bool,
    /// In place of a test: the reason why it cannot be tested, though its figure runs.
    pub missing: Option<String>,
    /// The paper's number: percent more (positive) or less (negative).
    pub paper: Option<Number>,
    /// In place of `paper`, a number for each pair of the test, or, with `each_trace` and one pair, for each of its traces.
    #[serde(default)]
    pub papers: Vec<Number>,
    /// Beside a `paper` of least and most: the paper's mean in percent, which decides.
    pub mean: Option<f64>,
    /// The test; required for a figure that runs, unless the statement is `missing`; forbidden for a missing figure.
    pub test: Option<Test>,
    /// Why it holds or differs, each with the run that shows it.
    #[serde(default)]
    pub because: Vec<Cause>,
    /// The difference over a parameter that the paper leaves open.
    pub sweep: Option<Sweep>,
}

impl Statement {
    /// What the paper says in numbers.
    pub fn said(&self) -> Said {
        let one = self.paper.into_iter();
        Said {
            numbers: one.chain(self.papers.iter().copied()).collect(),
            mean: self.mean.map(Number::one),
        }
    }
}

/// What the paper says in numbers.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// One for all pairs, or one for each pair or trace, or none.
    pub numbers: Vec<Number>,
    /// The mean, which decides in place of the numbers.
    pub mean: Option<Number>,
}

impl Said {
    /// The number of a pair, counted from 0.
    pub fn number(&self, pair: usize) -> Option<Number> {
        let numbers = &self.numbers;
        numbers.get(pair).or(numbers.first()).copied()
    }
}

/// A number of the paper in percent, or the least and the most of several.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(try_from = "OneOrTwo")]
pub struct Number {
    /// The least.
    pub least: f64,
    /// The most; the least, if the paper gives a single number.
    pub most: f64,
}

impl Number {
    /// A single number.
    pub fn one(number: f64) -> Self {
        let (least, most) = (number, number);
        Self { least, most }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrTwo {
    One(f64),
    Two([f64; 2]),
}

impl TryFrom<OneOrTwo> for Number {
    type Error = String;

    fn try_from(numbers: OneOrTwo) -> Result<Self, String> {
        let (least, most) = match numbers {
            OneOrTwo::One(number) => (number, number),
            OneOrTwo::Two([least, most]) => (least, most),
        };
        if least.is_finite() && most.is_finite() && least <= most {
            Ok(Self { least, most })
        } else {
            Err("must be a number, or the least and the most of several".into())
        }
    }
}

/// The rows to compare, and what the paper says of their difference.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// The metric.
    pub metric: Metric,
    /// What the paper says of the first row of each pair.
    pub is: Spanned<Relation>,
    /// The labels of two rows, such as `bplru` or `bplru (padding true)`; one label alone is compared with the best of
    /// the others.
    pub pairs: Vec<Pair>,
    /// The buffer size of the second row of each pair, if it is not that of the first.
    pub against_size: Option<Spanned<Size>>,
    /// The row by which the difference is divided, if it is not the second of the pair; or two rows, by whose difference
    /// it is divided.
    pub base: Option<Pair>,
    /// The traces; all traces of the figure without any.
    #[serde(default)]
    pub traces: Vec<Spanned<String>>,
    /// The sizes; all sizes of the figure without any.
    #[serde(default)]
    pub sizes: Vec<Spanned<Size>>,
    /// What becomes a point, if it is not each difference.
    #[serde(default)]
    pub over: Over,
    /// A counter that is not 0 where the first row has done what the statement is about.
    pub needs: Option<Spanned<String>>,
    /// Whether the statement is about each trace too: each pair has a verdict on each trace.
    #[serde(default)]
    pub each_trace: bool,
    /// Bounds of the paper in the metric's unit, for each size of each pair; they take the place of the second rows.
    #[serde(default)]
    pub values: Vec<f64>,
}

/// The labels of one or two rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Vec<Spanned<String>>")]
pub struct Pair {
    /// The row that the statement is about.
    pub row: Spanned<String>,
    /// The row that it is compared with; `None`: the best of the others.
    pub against: Option<Spanned<String>>,
}

impl TryFrom<Vec<Spanned<String>>> for Pair {
    type Error = String;

    fn try_from(labels: Vec<Spanned<String>>) -> Result<Self, String> {
        let count = labels.len();
        let mut labels = labels.into_iter();
        match (labels.next(), labels.next(), labels.next()) {
            (Some(row), against, None) => Ok(Self { row, against }),
            _ => Err(format!("has {count} labels of rows; must have one or two")),
        }
    }
}

/// What the paper says of a difference.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// The first row has more.
    More,
    /// The first row has less.
    Less,
    /// The first row has more than any other: none beats it anywhere.
    Most,
    /// The first row has less than any other: none beats it anywhere.
    Least,
    /// The first row has no less.
    #[serde(rename = "no less")]
    NoLess,
    /// The first row has no more.
    #[serde(rename = "no more")]
    NoMore,
    /// Both have about as much: within the paper's number, or within a tenth.
    Similar,
    /// The first row has so many times as much: the ratio counts, on both sides of the paper's number.
    Times,
}

/// What becomes a point.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// Each difference.
    #[default]
    Each,
    /// The growth of the difference from each size to the next.
    Sizes,
    /// The growth of the difference from each trace to the next.
    Traces,
    /// The mean of the differences of each pair.
    Mean,
    /// The first row's own value of a metric in percent.
    Value,
    /// The lead of the difference over the largest one on the other traces of the figure.
    #[serde(rename = "other traces")]
    OtherTraces,
}

/// A supposed cause, and the run that tests it: the same rows with it, and nothing else, switched off.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// The supposed cause, as a sentence.
    pub says: Spanned<String>,
    /// What the paper leaves open, as a sentence, if the run sets a key that stands for it. Only such a run can prove a
    /// cause; others show where the statement holds.
    pub open: Option<Spanned<String>>,
    /// The run in words: `without padding`.
    pub run: String,
    /// Keys of the configuration, in the syntax of `--set`.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
    /// Other traces, not of the figure: they show where the statement holds.
    #[serde(default)]
    pub traces: Vec<Spanned<String>>,
    /// Requests that are left out otherwise.
    #[serde(default)]
    pub keep: Vec<Requests>,
    /// What the run shows. `reproduce` fails if it no longer does.
    pub then: Spanned<Then>,
}

/// What a run with a cause switched off shows.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Then {
    /// The statement agrees, though it differs otherwise.
    Agrees,
    /// The statement differs, though it agrees otherwise.
    Differs,
    /// The gap to what the paper says is at most half as large: part of it, which proves nothing.
    Halves,
    /// The result is on the other side of what the paper says.
    Overshoots,
    /// Neither of these: refuted.
    Remains,
}

/// Where a value takes its place in a workload.
pub const PLACE: &str = "{}";

/// A parameter that the paper leaves open, with the values that are run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// The parameter in words, for the axis: `log blocks`.
    pub over: String,
    /// Its key in the configuration.
    pub key: Option<Spanned<String>>,
    /// In place of a key: a workload with `{}` in place of a value, as arguments of `ssdlab trace generate`.
    pub generate: Option<Spanned<String>>,
    /// The values, in their order on the axis.
    pub values: Vec<Spanned<String>>,
    /// Further keys of the configuration, in the syntax of `--set`.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
    /// Other traces.
    #[serde(default)]
    pub traces: Vec<Spanned<String>>,
    /// Other sizes.
    #[serde(default)]
    pub sizes: Vec<Size>,
}

impl Relation {
    /// Whether it holds for two rows that did the same.
    pub fn allows_equality(self) -> bool {
        matches!(
            self,
            Relation::Similar | Relation::NoMore | Relation::NoLess
        )
    }

    /// Whether it is about less.
    pub fn is_less(self) -> bool {
        matches!(self, Relation::Less | Relation::Least | Relation::NoMore)
    }
}

impl Cause {
    /// Whether its run shows the cause of a result that differs: one key, at a value that the paper leaves open, on the
    /// same traces, and the statement agrees.
    pub fn is_proven(&self) -> bool {
        self.open.is_some() && *self.then.get_ref() == Then::Agrees
    }
}

impl Statement {
    /// Whether a run has shown why our result differs.
    pub fn is_explained(&self) -> bool {
        self.because.iter().any(Cause::is_proven)
    }
}

impl Test {
    /// What the paper says of the difference.
    pub fn relation(&self) -> Relation {
        *self.is.get_ref()
    }

    /// Whether the first rows have the most or the least of all.
    pub fn is_extreme(&self) -> bool {
        matches!(self.relation(), Relation::Most | Relation::Least)
    }

    /// What tells a pair, counted from 0, from the others.
    pub fn opponent(&self, pair: usize) -> String {
        let label = |label: &Spanned<String>| label.get_ref().clone();
        let Pair { row, against } = &self.pairs[pair];
        let first = &self.pairs[0];
        let same_row = self
            .pairs
            .iter()
            .all(|pair| label(&pair.row) == label(&first.row));
        let rival = |pair: &Pair| pair.against.as_ref().map(label);
        let same_rival = self.pairs.iter().all(|pair| rival(pair) == rival(first));
        match against {
            Some(against) if same_row => label(against),
            Some(against) if !same_rival => format!("{} against {}", label(row), label(against)),
            _ => label(row),
        }
    }

    /// Whether so many numbers of the paper are those of its traces.
    pub fn has_traces(&self, numbers: usize) -> bool {
        self.each_trace && self.pairs.len() == 1 && numbers > 1 && numbers == self.traces.len()
    }

    /// Whether its differences are shares of something, and not of what they are compared with.
    pub fn is_share(&self) -> bool {
        self.over == Over::Value || self.base.is_some()
    }

    /// Whether a pair with one label is compared with the best of the others.
    pub fn compares_best(&self) -> bool {
        self.values.is_empty() && self.over != Over::Value
    }
}

impl Over {
    /// Whether it compares the traces of a figure.
    pub fn needs_all_traces(self) -> bool {
        matches!(self, Over::Traces | Over::OtherTraces)
    }
}

impl Then {
    /// Its word in a description.
    pub fn word(self) -> &'static str {
        match self {
            Then::Agrees => "agrees",
            Then::Differs => "differs",
            Then::Halves => "halves",
            Then::Overshoots => "overshoots",
            Then::Remains => "remains",
        }
    }
}
