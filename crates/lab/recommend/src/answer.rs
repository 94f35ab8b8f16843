//! What was found.

use std::collections::BTreeMap;

use serde::Serialize;
use ssdlab_sim::key::PRECONDITION;
use ssdlab_sim::{Advice, Figure};

/// A configuration that ran on the whole traces.
#[derive(Clone, Debug, Serialize)]
pub struct Finalist {
    /// `fab 4 MiB (cleaning greedy)`.
    pub label: String,
    /// The figure on each trace; `None` where it has none.
    pub values: Vec<Option<f64>>,
    /// Its geometric mean over the traces; `None` if one of them has none, or is 0.
    pub mean: Option<f64>,
    /// Of the best two, if their traces aged them: the least and the most mean, with the traces resampled in other ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// How much worse than the best one, as a share: 0.02 is 2 % worse.
    pub behind: Option<f64>,
    /// What it sets beside the base configuration, in the syntax of `--set`.
    pub settings: Vec<String>,
    /// What was chosen, by key.
    pub choices: BTreeMap<String, String>,
}

/// What another value of a key would cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dependence {
    /// The key.
    pub key: String,
    /// The value of the best configuration.
    pub best: String,
    /// Each other value, and how much worse the best configuration with it is on the samples, as a share; ascending.
    pub others: Vec<(String, f64)>,
}

/// The answer of a search.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The device in words, that of the best.
    pub device: String,
    /// If the figure that ranks is a latency: how requests come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<String>,
    /// The figure that ranks.
    pub by: &'static str,
    /// The traces, in the order of the values.
    pub traces: Vec<String>,
    /// The configurations that were tried.
    pub candidates: usize,
    /// The work of the search, as a share of running all of them on the whole traces.
    pub work: f64,
    /// The configurations that ran on the whole traces, the best first.
    pub finalists: Vec<Finalist>,
    /// On how many of the traces the best one is ahead of the second, by more than what is level.
    pub ahead_on: usize,
    /// By how much the second is worse than the best one on each trace; empty with one finalist.
    pub margins: Vec<f64>,
    /// What the choice depends on, the most important key first.
    pub depends_on: Vec<Dependence>,
    /// For each trace with which the SLC cache of the best device was full: what its host could do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub would_help: Vec<(String, Advice)>,
    /// Combinations that the device refuses, with the reasons.
    pub refused: Vec<String>,
    /// What to know of the traces, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Answer {
    /// The setting by which the traces aged the best device, if they did.
    pub fn aged(&self) -> Option<&str> {
        let settings = self.finalists.first()?.settings.iter();
        settings
            .map(String::as_str)
            .find(|set| set.starts_with(PRECONDITION))
    }

    /// Whether the second is level with the best: within what counts as no difference of the figure.
    pub fn is_level(&self, figure: &Figure) -> bool {
        match &self.finalists[..] {
            [first, second, ..] => {
                let pair = first.mean.zip(second.mean);
                pair.is_none_or(|(one, two)| figure.is_level(figure.difference(two, one)))
            }
            _ => false,
        }
    }
}
