//! Shards: one trace and some configurations.

use sha2::{Digest, Sha256};
use ssdlab_sim::Replay;

use crate::cost::{self, Settings};
use crate::facts::Facts;
use crate::plan::Combinations;

/// The shortest and the longest time that a shard is meant to take, seconds, and the shards that a small sweep has at
/// least.
const SHORTEST: f64 = 0.05;
const LONGEST: f64 = 120.0;
const LEAST: f64 = 64.0;

/// The version of what parts hold.
const LAYOUT: &str = "ssdlab part 2";

/// Some runs on one trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// The number of the trace in the plan.
    pub trace: usize,
    /// The numbers of the combinations.
    pub runs: Vec<usize>,
    /// The estimated seconds of its runs, without decoding.
    pub cost: f64,
    /// The name of its part: a hash of all that its rows depend on.
    pub name: String,
}

/// The runs on a trace, and their estimated seconds.
struct OnTrace {
    trace: usize,
    runs: Vec<(usize, f64)>,
    cost: f64,
}

/// Divides the runs of a sweep: traces that take long first, the runs of a trace together.
pub fn divide(
    traces: &[Facts],
    combinations: &Combinations,
    replay: &Replay,
    version: &str,
) -> Vec<Shard> {
    let settings = combinations.all.iter();
    let settings: Vec<Settings> = settings.map(|one| Settings::of(&one.config)).collect();
    let on = |(trace, facts): (usize, &Facts)| {
        let all = combinations.all.iter().enumerate();
        let runs = all.filter(|(_, combination)| combinations.runs_on(combination, &facts.name));
        let runs = runs.map(|(run, combination)| {
            (
                run,
                cost::running(facts, &combination.config, &settings[run], replay),
            )
        });
        let runs: Vec<(usize, f64)> = runs.collect();
        let cost = runs.iter().map(|(_, cost)| cost).sum();
        OnTrace { trace, runs, cost }
    };
    let mut all: Vec<OnTrace> = traces.iter().enumerate().map(on).collect();
    all.sort_by(|a, b| b.cost.total_cmp(&a.cost).then(a.trace.cmp(&b.trace)));
    let total: f64 = all.iter().map(|on| on.cost).sum();
    let target = (total / LEAST).clamp(SHORTEST, LONGEST);
    let mut shards = Vec::new();
    for on in all {
        let parts = (on.cost / target).ceil().max(1.0) as usize;
        for runs in cut(&on, parts) {
            let numbers: Vec<usize> = runs.iter().map(|(run, _)| *run).collect();
            shards.push(Shard {
                trace: on.trace,
                name: name(&traces[on.trace], combinations, &numbers, replay, version),
                cost: runs.iter().map(|(_, cost)| cost).sum(),
                runs: numbers,
            });
        }
    }
    shards
}

/// Cuts the runs into at most so many pieces of about equal cost, in their order.
fn cut(on: &OnTrace, parts: usize) -> Vec<&[(usize, f64)]> {
    let (mut pieces, mut first, mut before) = (Vec::new(), 0, 0.0);
    for (at, (_, cost)) in on.runs.iter().enumerate() {
        let so_far = before + cost;
        let piece = |cost: f64| (cost / on.cost * parts as f64) as usize;
        if piece(so_far) > piece(before) || at + 1 == on.runs.len() {
            pieces.push(&on.runs[first..=at]);
            first = at + 1;
        }
        before = so_far;
    }
    pieces
}

fn name(
    facts: &Facts,
    combinations: &Combinations,
    runs: &[usize],
    replay: &Replay,
    version: &str,
) -> String {
    let mut hash = Sha256::new();
    let sum = facts.sha256.as_deref().unwrap_or_default();
    let replay = format!("{replay:?}");
    for part in [
        LAYOUT,
        version,
        &facts.name,
        sum,
        &facts.requests.to_string(),
        &replay,
    ] {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    for &run in runs {
        let combination = &combinations.all[run];
        hash.update(combination.id);
        // rows show them
        hash.update(combination.set.join("\n"));
        hash.update(combination.system.as_deref().unwrap_or_default());
    }
    ssdlab_words::hexadecimal(&hash.finalize()[..16])
}
