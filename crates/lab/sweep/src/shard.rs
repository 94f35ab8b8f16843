//! Shards: one trace and some configurations.

use sha2::{Digest, Sha256};
use ssdlab_sim::Replay;

use crate::cost;
use crate::facts::Facts;
use crate::plan::Combinations;

/// The shortest and the longest time that a shard is meant to take, seconds, and the shards that a small sweep has at
/// least.
const SHORTEST: f64 = 1.0;
const LONGEST: f64 = 120.0;
const LEAST: f64 = 64.0;

/// The version of what parts hold.
const LAYOUT: &str = "ssdlab part 1";

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

/// Divides the runs of a sweep: traces that take long first, the runs of a trace together.
pub fn divide(
    traces: &[Facts],
    combinations: &Combinations,
    replay: &Replay,
    version: &str,
) -> Vec<Shard> {
    let cost =
        |facts: &Facts, run: usize| cost::running(facts, &combinations.all[run].config, replay);
    let runs_of = |facts: &Facts| -> Vec<(usize, f64)> {
        let runs = (0..combinations.all.len())
            .filter(|&run| combinations.runs_on(&combinations.all[run], &facts.name));
        runs.map(|run| (run, cost(facts, run))).collect()
    };
    let mut all: Vec<(usize, f64, Vec<(usize, f64)>)> = (traces.iter().enumerate())
        .map(|(number, facts)| {
            let runs = runs_of(facts);
            (number, runs.iter().map(|(_, cost)| cost).sum(), runs)
        })
        .collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let total: f64 = all.iter().map(|(_, cost, _)| cost).sum();
    let target = (total / LEAST).clamp(SHORTEST, LONGEST);
    let mut shards = Vec::new();
    for (trace, whole, runs) in all {
        // equal parts of each trace
        let parts = (whole / target).ceil().max(1.0);
        let (mut taken, mut cut) = (0.0, 1.0);
        let mut shard: Vec<(usize, f64)> = Vec::new();
        let mut close = |shard: &mut Vec<(usize, f64)>| {
            if !shard.is_empty() {
                let runs: Vec<usize> = shard.iter().map(|(run, _)| *run).collect();
                let name = name(&traces[trace], combinations, &runs, replay, version);
                let cost = shard.iter().map(|(_, cost)| cost).sum();
                shards.push(Shard {
                    trace,
                    runs,
                    cost,
                    name,
                });
                shard.clear();
            }
        };
        for (run, cost) in runs {
            shard.push((run, cost));
            taken += cost;
            if taken >= whole * cut / parts {
                close(&mut shard);
                while taken >= whole * cut / parts {
                    cut += 1.0;
                }
            }
        }
        close(&mut shard);
    }
    shards
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
