//! Buffer policies over buffer sizes on one trace.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rayon::prelude::*;
use ssdlab_config::{Config, Resolver};
use ssdlab_device::registry;

use crate::outcome::outcome;
use crate::run::{SimDevice, Trace, simulate};
use crate::verdict::{mark_best, sentence};
use crate::{Comparison, Row, RowKind, SimError};

/// What to compare.
pub struct CompareOptions {
    /// The device; policy and size of the buffer are varied.
    pub resolver: Resolver,
    /// Names of buffer policies.
    pub buffers: Vec<String>,
    /// Buffer sizes, bytes.
    pub sizes: Vec<u64>,
    /// Take page numbers modulo the capacity.
    pub wrap: bool,
    /// Threads; 0: one for each core.
    pub jobs: usize,
}

impl CompareOptions {
    /// Every registered policy that competes, at 1, 2, 4, 8 and 16 MiB.
    pub fn new(resolver: Resolver) -> Self {
        let names = registry::BUFFERS
            .iter()
            .map(|entry| entry.name)
            .filter(|&name| name != UNBOUNDED);
        Self {
            resolver,
            buffers: names.map(str::to_owned).collect(),
            sizes: [1, 2, 4, 8, 16].map(|mib| mib << 20).to_vec(),
            wrap: false,
            jobs: 0,
        }
    }
}

/// A bound, not a competitor: every comparison shows it.
pub const UNBOUNDED: &str = "unbounded";

/// A run that is to be made.
struct Plan {
    label: String,
    kind: RowKind,
    size: Option<u64>,
    config: Config,
}

/// Runs all combinations on all cores. Every configuration is checked before the first one runs. `progress` is called
/// with the number of all runs, once before the first and once after each.
///
/// # Errors
/// A configuration that is refused, or a trace that the device cannot take.
pub fn compare(
    trace: &Trace,
    options: &CompareOptions,
    progress: impl Fn(usize) + Sync,
) -> Result<Comparison, SimError> {
    let mut sizes = options.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let plans = plans(options, &sizes, trace.summary.end)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs)
        .build();
    let pool = pool.map_err(|error| SimError::Limit(format!("cannot start threads: {error}")))?;
    progress(plans.len());
    let rows = pool.install(|| {
        let run = |plan: &Plan| {
            let row = row(plan, trace, options.wrap);
            progress(plans.len());
            row
        };
        // one at a time to each thread: runs differ widely in length
        plans
            .par_iter()
            .with_max_len(1)
            .map(run)
            .collect::<Result<Vec<_>, _>>()
    });
    let mut rows = rows?;
    mark_best(&mut rows, &sizes);
    let sentence = sentence(&trace.summary.name, &rows, &sizes);
    Ok(Comparison {
        warnings: warnings(&rows),
        sizes,
        rows,
        sentence,
    })
}

fn plans(options: &CompareOptions, sizes: &[u64], trace_end: u64) -> Result<Vec<Plan>, SimError> {
    let plan =
        |label: &str, kind, size: Option<u64>, settings: &[&str]| -> Result<Plan, SimError> {
            let mut resolver = options.resolver.clone();
            for setting in settings {
                resolver.set(setting)?;
            }
            if let Some(size) = size {
                resolver.set(&format!("buffer.size={size}"))?;
            }
            let config = resolver.resolve()?.with_capacity(trace_end)?;
            Ok(Plan {
                label: label.into(),
                kind,
                size,
                config,
            })
        };
    let mut plans = Vec::new();
    for (index, name) in options.buffers.iter().enumerate() {
        if options.buffers[..index].contains(name) {
            continue;
        }
        let policy = format!("buffer.policy={name}");
        // `none` and `unbounded` have no size: one run stands for all
        let own_sizes: Vec<Option<u64>> = if sized(name) {
            sizes.iter().copied().map(Some).collect()
        } else {
            vec![None]
        };
        for size in own_sizes {
            plans.push(plan(name, RowKind::Policy, size, &[&policy])?);
        }
    }
    plans.push(plan(
        "unbounded buffer",
        RowKind::Bound,
        None,
        &["buffer.policy=unbounded"],
    )?);
    for &size in sizes {
        let settings = ["buffer.policy=lru", "ftl.kind=ideal"];
        plans.push(plan("ideal FTL", RowKind::Bound, Some(size), &settings)?);
    }
    Ok(plans)
}

fn sized(policy: &str) -> bool {
    let entry = registry::BUFFERS.iter().find(|entry| entry.name == policy);
    entry.is_none_or(|entry| entry.keys.contains(&"buffer.size"))
}

fn row(plan: &Plan, trace: &Trace, wrap: bool) -> Result<Row, SimError> {
    let device = simulate(&plan.config, trace, wrap)?;
    Ok(Row {
        label: plan.label.clone(),
        kind: plan.kind,
        size: plan.size,
        best: false,
        outcome: outcome(&plan.config, &device, &trace.summary),
        erase_histogram: histogram(&device),
    })
}

fn histogram(device: &SimDevice) -> Vec<(u32, u32)> {
    let mut blocks = BTreeMap::new();
    for erases in device.erase_counts() {
        *blocks.entry(erases).or_insert(0) += 1;
    }
    blocks.into_iter().collect()
}

/// What all rows warn of; a key that only some policies read is no reason to.
fn warnings(rows: &[Row]) -> Vec<String> {
    const IDLE: &str = " has no effect";
    let Some((first, others)) = rows.split_first() else {
        return Vec::new();
    };
    let subject = |warning: &String| warning.split(IDLE).next().map(str::to_owned);
    let shared = first.outcome.warnings.iter().filter(|warning| {
        others.iter().all(|row| {
            row.outcome
                .warnings
                .iter()
                .any(|other| subject(other) == subject(warning))
        })
    });
    shared
        .map(|warning| match warning.split_once(IDLE) {
            Some((key, _)) => format!("{key}{IDLE} on anything compared"),
            None => warning.clone(),
        })
        .collect()
}

/// Better first: by throughput, ties by fewer erases.
pub(crate) fn better(a: &Row, b: &Row) -> Ordering {
    let speed = |row: &Row| row.outcome.derived.throughput_mb_s.unwrap_or(0.0);
    let erases = |row: &Row| row.outcome.counters.erases;
    speed(b)
        .total_cmp(&speed(a))
        .then(erases(a).cmp(&erases(b)))
}
