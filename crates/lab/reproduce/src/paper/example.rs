//! Worked examples: a few requests, and every eviction and merge that follows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use ssdlab_host::{Op, Request};
use ssdlab_sim::{Event, Events, MergeKind, RunOptions, Trace, run_loaded};
use ssdlab_words::listed;
use toml::Spanned;

use super::checked::Paper;
use crate::error::ReproduceError;

/// An example of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Its number in the paper: `Table 1`.
    pub id: String,
    /// Its subject.
    pub title: String,
    /// Remarks on it.
    pub about: Option<String>,
    /// Keys of the configuration, in the syntax of `--set`, beside those of the preset.
    pub set: Vec<Spanned<String>>,
    /// The requests, one page each: `W` writes, `R` reads, `F` flushes, as in `W0 W4 F R0`.
    pub requests: Spanned<String>,
    /// The systems that serve them.
    pub system: Vec<ExampleSystem>,
}

/// A system of an example.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleSystem {
    /// Its name.
    pub name: String,
    /// Keys of the configuration, in the syntax of `--set`.
    pub set: Vec<Spanned<String>>,
    /// Counters with the values of the paper. `reproduce` fails if a run counts otherwise.
    pub counters: Spanned<BTreeMap<String, u64>>,
}

impl Example {
    /// The settings of one of its systems.
    pub(super) fn set_of(&self, system: &ExampleSystem) -> Vec<Spanned<String>> {
        [self.set.as_slice(), system.set.as_slice()].concat()
    }
}

/// What systems do with the requests of an example, a line for each.
pub type Steps = Vec<String>;

impl Paper {
    /// Runs an example.
    ///
    /// # Errors
    /// An invalid configuration, a request that is none, or a counter that is not as in the paper.
    pub(super) fn steps(&self, example: &Example) -> Result<Steps, ReproduceError> {
        let systems = example.system.iter();
        systems
            .map(|system| self.steps_of(example, system))
            .collect()
    }

    fn steps_of(
        &self,
        example: &Example,
        system: &ExampleSystem,
    ) -> Result<String, ReproduceError> {
        let resolver = self.resolver(&example.set_of(system))?;
        let refuse = |error: String| self.refuse(&example.requests, error);
        let config = resolver
            .resolve()
            .map_err(|error| refuse(error.to_string()))?;
        let requests = requests(example.requests.get_ref(), config.flash.page_size.into());
        let trace = Trace::made(&example.id, requests.map_err(refuse)?);
        let steps = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&steps);
        let options = RunOptions {
            events: Events::to(move |_, event| {
                if let Ok(mut steps) = sink.lock() {
                    add(&mut steps, event);
                }
            }),
            ..RunOptions::new(&self.lab)
        };
        let outcome = run_loaded(config, &trace, options)?;
        let counted = serde_json::to_value(&outcome.counters).unwrap_or_default();
        let mut shown = Vec::new();
        for (name, paper) in system.counters.get_ref() {
            if counted[name] != *paper {
                let why = format!(
                    "{}: {name} is {}, in the paper {paper}",
                    system.name, counted[name]
                );
                return Err(self.refuse(&system.counters, why));
            }
            shown.push(format!("{} {paper}", name.replace('_', " ")));
        }
        let steps = steps
            .lock()
            .map(|steps| steps.join(", "))
            .unwrap_or_default();
        Ok(format!("`{}`: {}. {steps}.", system.name, listed(&shown)))
    }
}

/// The requests of a text such as `W0 W4 F R0`, with pages of this many bytes.
fn requests(text: &str, page: u64) -> Result<Vec<Request>, String> {
    let request = |word: &str| {
        let bad = || format!("{word:?} is no request; must be like W0, R4 or F");
        let (letter, number) = word.split_at_checked(1).ok_or_else(bad)?;
        let op = match letter {
            "W" => Op::Write,
            "R" => Op::Read,
            "F" if number.is_empty() => return Request::new(0, Op::Flush, 0, 0).ok_or_else(bad),
            _ => return Err(bad()),
        };
        let number: u64 = number.parse().map_err(|_| bad())?;
        let offset = number.checked_mul(page).ok_or_else(bad)?;
        Request::new(0, op, offset, page).ok_or_else(bad)
    };
    text.split_whitespace().map(request).collect()
}

/// An eviction is a step; merges and cleaning belong to the step before.
fn add(steps: &mut Vec<String>, event: &Event) {
    let then = match event {
        Event::Evict {
            dirty,
            clean,
            padding,
        } => {
            let mut text = pages(dirty);
            if !clean.is_empty() {
                text += &format!(" with {} clean", pages(clean));
            }
            if !padding.is_empty() {
                text += &format!(" padded with {}", pages(padding));
            }
            steps.push(text);
            return;
        }
        Event::Merge { kind, lbn, .. } => format!("{} merge of block {}", word(*kind), lbn.0),
        Event::Clean { victim, .. } => format!("cleaning of block {}", victim.0),
        Event::Erase { .. }
        | Event::MergeEnd { .. }
        | Event::Merged { .. }
        | Event::Regions { .. }
        | Event::Write { .. }
        | Event::Read { .. }
        | Event::Flush
        | Event::Discard { .. } => return,
    };
    match steps.last_mut() {
        Some(step) if step.contains(" → ") => *step += &format!(" and {then}"),
        Some(step) => *step += &format!(" → {then}"),
        None => steps.push(then),
    }
}

fn word(kind: MergeKind) -> &'static str {
    match kind {
        MergeKind::Switch => "switch",
        MergeKind::Partial => "partial",
        MergeKind::Full => "full",
    }
}

/// `[0 1]`.
fn pages(pages: &impl Serialize) -> String {
    let pages = serde_json::to_string(pages).unwrap_or_default();
    pages.replace(',', " ")
}
