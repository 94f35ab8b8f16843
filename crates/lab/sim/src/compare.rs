//! Compares buffer policies, buffer sizes and other varied keys on one trace.

use ssdlab_config::Config;
use ssdlab_device::results::{LIFE, P99, P99_COMMIT, THROUGHPUT, WAF};
use ssdlab_device::{Better, Figure, Figures, Issue};
use ssdlab_ftl::Events;
use ssdlab_words::some_of;

use crate::advice::{MOST_RUNS, Ranked, advice};
use crate::aged::{Spread, resamplings};
use crate::bounds;
use crate::clock::Stopwatch;
use crate::comparison::{CompareTiming, Comparison};
use crate::costs::Costs;
use crate::error::SimError;
use crate::foresee::foresee;
use crate::input::Trace;
use crate::measured::Measured;
use crate::outcome::Outcome;
use crate::plan::{CompareOptions, Plan, Planner, ages_no_drive, plans};
use crate::rank::ranked;
use crate::relative;
use crate::room::free_memory;
use crate::row::{Clocked, Relative, Row, RowKind, sized_label};
use crate::run::has_times;
use crate::sentence::Words;
use crate::spare;
use crate::steadiness;
use crate::threads::Threads;
use crate::verdict::{Verdict, mark_best};

/// Runs all combinations on all cores, as many at a time as memory holds, after a check of every configuration. `progress` is called with the total number
/// of runs: once before the first run and once after each run. With [`advice`](CompareOptions::advice) this is the most that
/// there may be, until it is known how many there are.
///
/// # Errors
/// An invalid configuration, a baseline that is not compared, or a trace that does not fit the device.
pub fn compare(
    trace: &Trace,
    options: &CompareOptions,
    progress: impl Fn(usize) + Sync,
) -> Result<Comparison, SimError> {
    let mut options = options.clone();
    if let Some(by) = options.by {
        options.at_their_times(&by, &[trace])?;
    }
    let mut plans = checked(&mut options, trace)?;
    let memory = options.memory.or_else(free_memory).unwrap_or(u64::MAX);
    let (of_futures, notes) = foresee(&mut plans, trace, memory)?;
    options.notes.extend(notes);
    if options.settled || options.advice {
        let unaged = |plan: &Plan| ages_no_drive(trace, &plan.run.config);
        options.notes.extend(plans.iter().find_map(unaged));
    }
    fits_in_memory(&plans, &options)?;
    let figures = figures(&options, &plans);
    let by = rank_by(options.by, &plans, &figures, trace)?;
    let baseline = baseline(options.baseline.as_deref(), &plans)?;
    let threads = Threads::start(options.jobs, plans.len(), Some(memory - of_futures))?;
    let started = Stopwatch::start();
    let needs = |plan: &Plan| plan.run.memory(options.record);
    let run = |plan: &Plan| {
        let row = row_within(&options, plan, trace, options.record)?;
        if let Some((told, row)) = options.told.as_ref().zip(row.as_ref()) {
            told(row);
        }
        Ok::<_, SimError>(row)
    };
    let further = if options.advice { MOST_RUNS } else { 0 };
    let rows = threads.each(&plans, needs, run, |runs| progress(runs + further));
    let simulate_ns = started.elapsed_ns();
    let mut rows: Vec<Row> = rows?.into_iter().flatten().collect();
    let missing_runs = plans.len() - rows.len();
    let mut warnings = warnings(&rows, &options, by);
    warnings.extend(threads.note());
    for row in &mut rows {
        row.outcome = std::mem::take(&mut row.outcome).with_warning();
    }
    mark_best(&mut rows, &options.sizes, by);
    bounds::fill(&mut rows, &figures);
    relative::fill(&mut rows, &baseline, options.sizes.len(), &figures);
    let mut verdict = Verdict::new(&rows, &options.sizes, &baseline, by, is_timed(&plans));
    verdict.in_flight = in_flight(&plans).filter(|_| by.is_latency());
    let words = Words::new(&trace.summary.name, &baseline, &options.sizes, &rows);
    let sentence = words.sentence(&verdict, steadiness::doubt(&rows));
    let further = words.further(&verdict);
    let made = Ranked {
        trace,
        options: &options,
        plans: &plans,
        rows: &rows,
        verdict: &verdict,
        figures: &figures,
    };
    let would_help = if options.advice && missing_runs == 0 {
        let unseen = |plan: &Plan, trace: &Trace| row_within(&options, plan, trace, false);
        advice(&made, &threads, unseen, &progress)?
    } else {
        None
    };
    let spreads = match options.settled && missing_runs == 0 {
        true => spreads(&made, &baseline, &threads)?,
        false => Vec::new(),
    };
    let comparison = Comparison {
        missing_runs: 0,
        would_help,
        spreads,
        trace: trace.summary.clone(),
        device: devices(&plans),
        further_buffers: options.further_buffers,
        fitted_capacity: fitted_capacity(&plans),
        varied: options.varied(),
        sizes: options.sizes,
        shares_ram: options.share_ram,
        warnings,
        sentence,
        further,
        baseline,
        spare: spare::curves(&rows),
        rows,
        verdict,
        figures,
        timing: CompareTiming {
            threads: threads.number(),
            simulate_ns,
        },
    };
    Ok(match missing_runs {
        0 => comparison,
        missing => incomplete(comparison, missing),
    })
}

/// The spreads of the winner and of the baseline at its size, as far as the trace aged them.
fn spreads(made: &Ranked, baseline: &str, threads: &Threads) -> Result<Vec<Spread>, SimError> {
    let (options, verdict, trace) = (made.options, made.verdict, made.trace);
    let asked = |(_, row): &(&Plan, &Row)| {
        let named = Some(&row.label) == verdict.winner.as_ref() || row.label == baseline;
        row.kind == RowKind::Policy && named && (row.size.is_none() || row.size == verdict.size)
    };
    let mut spreads = Vec::new();
    for (plan, row) in made.plans.iter().zip(made.rows).filter(asked) {
        let mut planner = Planner::new(options, trace);
        let others = resamplings(&plan.run.config, trace.summary.requests);
        let planned = others.into_iter().map(|other| {
            let settings = [&plan.settings[..], &[other]].concat();
            let (run, _) = planner.prepare(&settings)?;
            Ok(Plan {
                run,
                ..plan.clone()
            })
        });
        let planned: Vec<Plan> = planned.collect::<Result<_, SimError>>()?;
        if planned.is_empty() {
            continue;
        }
        let needs = |plan: &Plan| plan.run.memory(false);
        let run = |plan: &Plan| row_within(options, plan, trace, false);
        let ran = threads.each(&planned, needs, run, |_| {})?;
        if let Some(others) = ran.into_iter().collect::<Option<Vec<Row>>>() {
            spreads.push(Spread::of(row, &others, made.figures));
        }
    }
    Ok(spreads)
}

/// The plans of all runs, whose sizes the options then have in order; none without a run that has one.
pub(crate) fn checked(options: &mut CompareOptions, trace: &Trace) -> Result<Vec<Plan>, SimError> {
    options.sizes.sort_unstable();
    options.sizes.dedup();
    let plans = plans(options, trace)?;
    if plans.iter().all(|plan| plan.size.is_none()) {
        options.sizes.clear();
    }
    for plan in &plans {
        has_times(&plan.run.config, &trace.summary)?;
    }
    Ok(plans)
}

/// An interrupted comparison: figures without a verdict, since a missing run might have won.
fn incomplete(mut comparison: Comparison, missing_runs: usize) -> Comparison {
    for row in &mut comparison.rows {
        (row.best, row.level) = (false, false);
    }
    let done = comparison.rows.len();
    let all = done + missing_runs;
    comparison.missing_runs = missing_runs;
    comparison.further.clear();
    comparison.spare.clear(); // a missing run may be its knee
    comparison.verdict = Verdict {
        by: comparison.verdict.by,
        ..Verdict::default()
    };
    comparison.sentence = format!(
        "Incomplete: interrupted after {done} of {all} runs on {}; no winner is named.",
        comparison.trace.name
    );
    let warning = format!("incomplete: {done} of {all} runs, the others were interrupted");
    comparison.warnings.insert(0, warning);
    comparison
}

/// The requests in flight in all runs, none of which keeps to the times of the trace.
fn in_flight(plans: &[Plan]) -> Option<u32> {
    let depth = |plan: &Plan| match plan.run.config.timing.parallel.issue {
        Issue::Closed { depth } if plan.run.config.has_clocks() => Some(depth),
        _ => None,
    };
    let first = depth(plans.first()?)?;
    plans
        .iter()
        .all(|plan| depth(plan) == Some(first))
        .then_some(first)
}

/// The devices of the competitors in words.
fn devices(plans: &[Plan]) -> String {
    let competitors = plans.iter().filter(|plan| plan.kind == RowKind::Policy);
    let mut devices: Vec<String> = Vec::new();
    for device in competitors.map(|plan| plan.run.config.device()) {
        if !devices.contains(&device) {
            devices.push(device);
        }
    }
    match &devices[..] {
        [one] => one.clone(),
        many => some_of(many),
    }
}

/// Whether the trace sets the times of any run.
fn is_timed(plans: &[Plan]) -> bool {
    plans.iter().any(|plan| plan.run.config.is_timed())
}

/// All figures, as they are for these runs.
fn figures(options: &CompareOptions, plans: &[Plan]) -> Figures {
    let mut figures = options.lab.figures();
    if is_timed(plans) {
        figures = figures.map(Figure::under_timed_replay);
    }
    let erases_lines = |plan: &Plan| plan.run.config.flash.erases_lines();
    if !plans.is_empty() && plans.iter().all(erases_lines) {
        figures = figures.map(Figure::of_lines);
    }
    figures
}

/// The figure that ranks the runs: by default the throughput; where that is no merit, a latency or else the writes.
fn rank_by(
    chosen: Option<Figure>,
    plans: &[Plan],
    figures: &Figures,
    trace: &Trace,
) -> Result<Figure, SimError> {
    let as_it_is = |by: Figure| figures.named(by.key).unwrap_or(by);
    let ranks = |by: &Figure| as_it_is(*by).better != Better::Neither;
    let with = |holds: fn(&Config) -> bool| plans.iter().find(|plan| holds(&plan.run.config));
    let serial = with(|config| !config.has_clocks());
    let timed = with(Config::is_timed);
    let by = match chosen {
        Some(by) => by,
        None if ranks(&THROUGHPUT) => THROUGHPUT,
        None if serial.is_none() && trace.summary.commits > 0 => P99_COMMIT,
        None if serial.is_none() => P99,
        None => WAF,
    };
    match (serial, timed) {
        (Some(plan), _) if by.of_clocks => Err(SimError::NoClocks {
            figure: by.key,
            label: plan.label.clone(),
        }),
        (_, Some(plan)) if !ranks(&by) => Err(SimError::NoMerit {
            figure: by.key,
            words: by.words,
            label: plan.label.clone(),
        }),
        _ => Ok(as_it_is(by)),
    }
}

/// The label of the baseline.
fn baseline(chosen: Option<&str>, plans: &[Plan]) -> Result<String, SimError> {
    let policies = || plans.iter().filter(|plan| plan.kind == RowKind::Policy);
    let named = |name: &str| {
        policies()
            .find(|plan| plan.label == name)
            .or_else(|| policies().find(|plan| plan.policy == name))
    };
    let found = match chosen {
        Some(name) => named(name),
        None => named("lru").or_else(|| policies().next()),
    };
    match (found, chosen) {
        (Some(plan), _) => Ok(plan.label.clone()),
        (None, Some(name)) => {
            let mut labels: Vec<_> = policies().map(|plan| plan.label.as_str()).collect();
            labels.dedup();
            Err(SimError::NoBaseline {
                name: name.into(),
                compared: labels.join("; "),
            })
        }
        (None, None) => Ok(String::new()),
    }
}

/// A row, inside of what the options want around each run.
fn row_within(
    options: &CompareOptions,
    plan: &Plan,
    trace: &Trace,
    record: bool,
) -> Result<Option<Row>, SimError> {
    let Some(within) = &options.within else {
        return row_unless_stopped(plan, trace, record);
    };
    let mut row = Ok(None);
    within(&plan.run.config, &mut || {
        row = row_unless_stopped(plan, trace, record);
    });
    row
}

/// `None`: the user interrupted the run.
fn row_unless_stopped(plan: &Plan, trace: &Trace, record: bool) -> Result<Option<Row>, SimError> {
    match row(plan, trace, record) {
        Ok(row) => Ok(Some(row)),
        Err(SimError::Stopped) => Ok(None),
        Err(error) => Err(error),
    }
}

fn row(plan: &Plan, trace: &Trace, record: bool) -> Result<Row, SimError> {
    let run = &plan.run;
    let (mut device, mut loops) = run.device(Some(trace), Events::default())?;
    if record {
        device.record();
    }
    run.simulate(&mut device, trace, &mut loops)?;
    let outcome = run.outcome(&trace.summary, &loops);
    Ok(Row::of(plan, &loops.last, outcome))
}

impl Row {
    /// The row of a run, not yet compared with others.
    pub(crate) fn of(plan: &Plan, measured: &Measured, outcome: Outcome) -> Self {
        Self {
            clocked: measured.clocked.clone().map(Clocked::of),
            label: plan.label.clone(),
            name: plan.name.clone(),
            kind: plan.kind,
            policy: plan.policy.clone(),
            ftl: plan.run.config.ftl,
            variant: plan.variant.iter().cloned().collect(),
            size: plan.size,
            best: false,
            level: false,
            bounds: None,
            relative: Relative::default(),
            costs: Costs::of(measured),
            erase_histogram: measured.erase_histogram(),
            outcome,
        }
    }
}

/// The capacity that all runs have from the trace, because no configuration gives one.
fn fitted_capacity(plans: &[Plan]) -> Option<u64> {
    let capacity = |plan: &Plan| plan.run.config.flash.capacity;
    let first = plans.first().map(capacity)?;
    let is_first = |plan: &Plan| plan.is_fitted && capacity(plan) == first;
    plans.iter().all(is_first).then_some(first)
}

/// Refuses a run whose device alone takes more memory than is allowed.
fn fits_in_memory(plans: &[Plan], options: &CompareOptions) -> Result<(), SimError> {
    let Some(allowed) = options.memory else {
        return Ok(());
    };
    let needs = |plan: &Plan| plan.run.memory(options.record);
    match plans.iter().max_by_key(|plan| needs(plan)) {
        Some(plan) if needs(plan) > allowed => Err(SimError::Memory {
            label: sized_label(&plan.label, plan.size),
            needed: needs(plan),
            allowed,
            way_out: match plan.kind {
                RowKind::Policy => "",
                RowKind::Bound => ", or leave out the bounds with --no-bounds",
            },
        }),
        _ => Ok(()),
    }
}

/// Warnings of a comparison: options without effect, warnings that all policies share, runs that did not reach a steady
/// state, and runs without the figure that ranks them.
fn warnings(rows: &[Row], options: &CompareOptions, by: Figure) -> Vec<String> {
    let mut warnings = options.notes.clone();
    warnings.extend(shared_warnings(rows, options));
    for row in rows.iter().filter(|row| row.kind == RowKind::Policy) {
        if let Some(note) = row.outcome.scaled()
            && !warnings.contains(note)
        {
            warnings.push(note.clone());
        }
    }
    warnings.extend(steadiness::warnings(rows));
    warnings.extend(unranked(rows, by));
    warnings
}

/// Says that some runs rank last because they lack the figure, unless all do or they moved no data.
fn unranked(rows: &[Row], by: Figure) -> Option<String> {
    let moved = |row: &&Row| row.kind == RowKind::Policy && row.figure(&THROUGHPUT).is_some();
    let all = rows.iter().filter(moved).count();
    let lacking = rows
        .iter()
        .filter(moved)
        .filter(|row| ranked(&by, row).is_none());
    let lacking: Vec<&str> = lacking.map(|row| row.label.as_str()).collect();
    let first = lacking.first().filter(|_| lacking.len() < all)?;
    let why = if by == LIFE {
        ": nothing was written to flash, so their life is not known"
    } else {
        ""
    };
    Some(format!(
        "{} of {all} runs have no figure for {} and rank last (the first: {first}){why}",
        lacking.len(),
        by.words
    ))
}

/// The warnings that all policies share. A key that some policies read gives no warning, nor does a key that the user
/// did not set.
fn shared_warnings(rows: &[Row], options: &CompareOptions) -> Vec<String> {
    const IDLE: &str = " has no effect";
    let subject = |warning: &str| warning.split(IDLE).next().map(str::to_owned);
    let mut policies = rows.iter().filter(|row| row.kind == RowKind::Policy);
    let Some(first) = policies.next() else {
        return Vec::new();
    };
    let others: Vec<&Row> = policies.collect();
    let shared = first.outcome.warnings.iter().filter(|warning| {
        others.iter().all(|row| {
            let mut warnings = row.outcome.warnings.iter();
            warnings.any(|other| subject(other) == subject(warning))
        })
    });
    let base = options.resolver.resolve().ok();
    let is_explicit = |key: &str| {
        let varied = options.vary.iter().any(|axis| axis.key == key);
        varied
            || base
                .as_ref()
                .is_none_or(|base| base.given_at(key).is_some())
    };
    let idle = |warning: &String| match warning.split_once(IDLE) {
        Some((key, _)) => is_explicit(key).then(|| format!("{key}{IDLE} on anything compared")),
        None => Some(warning.clone()),
    };
    shared.filter_map(idle).collect()
}
