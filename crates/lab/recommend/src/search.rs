//! Successive halving.

use std::collections::BTreeMap;

use ssdlab_config::Config;
use ssdlab_sim::{
    Better, Candidate, CompareOptions, Figure, RunOptions, SimError, Threads, Trace, advise_host,
    ages_no_drive, candidates, extremes, how_issued, resamplings, run_loaded,
};

use crate::answer::{Answer, Dependence, Finalist};
use crate::scaled::Level;

/// The rates of the samples, the share of the candidates that goes on from each, and how many go on at least.
const RUNGS: [(f64, f64, usize); 2] = [(1.0 / 16.0, 0.3, 6), (0.25, 0.3, 4)];

/// Bytes of a group of addresses, if no erase block is larger.
const GROUP: u64 = 1 << 20;

/// A search.
pub struct Search {
    /// The device, and what can be chosen: buffers, systems, sizes, and further keys.
    pub options: CompareOptions,
    /// The figure that ranks.
    pub by: Figure,
    /// The seed of the samples.
    pub seed: u64,
    /// Run everything on the whole traces.
    pub exhaustive: bool,
}

/// A candidate, and what is known of it.
struct Tried {
    /// Its configuration on each trace; they differ in capacity and what follows from it.
    on: Vec<Candidate>,
    /// The figure on each trace, at the last level.
    values: Vec<Option<f64>>,
    /// Its score on the first level that it ran on.
    first: Option<f64>,
    /// The last level was too small for its device.
    is_unknown: bool,
}

/// Searches. `progress` is called with the number of the level, from 1, and the runs of it: once before its first run and
/// once after each.
///
/// # Errors
/// A trace that cannot be read, a run that fails or is stopped, or nothing to choose from.
pub fn recommend(
    traces: &[&Trace],
    search: &Search,
    progress: impl Fn(usize, usize) + Sync,
) -> Result<Answer, SimError> {
    let mut options = search.options.clone();
    let timed = options.at_their_times(&search.by, traces)?;
    let search = &Search {
        options,
        by: search.by,
        ..*search
    };
    let (mut tried, refused) = gather(traces, &search.options)?;
    let mut left: Vec<usize> = (0..tried.len()).collect();
    let runs = tried.len() * traces.len();
    let threads = Threads::start(search.options.jobs, runs, search.options.memory)?;
    let configs = tried.iter().flat_map(|tried| &tried.on);
    let blocks = configs.map(|one| one.config.flash.block_bytes());
    let group = blocks.max().unwrap_or(GROUP).max(GROUP);
    let mut work = 0.0;
    let mut level = 1;
    let rungs: &[_] = if search.exhaustive { &[] } else { &RUNGS };
    for &(rate, share, least) in rungs {
        let kept = ((left.len() as f64 * share).ceil() as usize).max(least);
        if left.len() <= kept {
            continue;
        }
        let mut levels = Vec::new();
        for (at, trace) in traces.iter().enumerate() {
            levels.extend(Level::part(trace, rate, group, search.seed)?.map(|level| (at, level)));
        }
        // short traces vote at the end only
        if levels.is_empty() {
            continue;
        }
        let step = |all| progress(level, all);
        let ran = run_all(&mut tried, &left, &levels, search, &threads, step)?;
        work += ran / runs as f64;
        let on: Vec<usize> = levels.iter().map(|(at, _)| *at).collect();
        rank(&mut tried, &mut left, &on, &search.by);
        left.truncate(kept);
        level += 1;
    }
    let levels: Vec<(usize, Level)> = traces
        .iter()
        .map(|trace| Level::whole(trace))
        .enumerate()
        .collect();
    let step = |all| progress(level, all);
    let ran = run_all(&mut tried, &left, &levels, search, &threads, step)?;
    work += ran / runs as f64;
    let on: Vec<usize> = (0..traces.len()).collect();
    rank(&mut tried, &mut left, &on, &search.by);
    let mut answer = answer(traces, search, &tried, &left, work, refused);
    for (finalist, &one) in answer.finalists.iter_mut().zip(&left).take(2) {
        finalist.range = range(&tried[one], traces, search, &threads)?;
    }
    for (trace, one) in traces.iter().zip(&tried[left[0]].on) {
        let advice = advise_host(&one.config, trace, &search.by, || replayed(&search.options))?;
        let named = advice.map(|advice| (trace.summary.name.clone(), advice));
        answer.would_help.extend(named);
    }
    for finalist in &mut answer.finalists {
        finalist.settings.splice(..0, timed.clone());
    }
    Ok(answer)
}

/// How far the mean of a candidate depends on how the traces that age its device are resampled; `None` if they do not.
fn range(
    tried: &Tried,
    traces: &[&Trace],
    search: &Search,
    threads: &Threads,
) -> Result<Option<[f64; 2]>, SimError> {
    let options = &search.options;
    let mut runs = Vec::new();
    for (trace, candidate) in traces.iter().zip(&tried.on) {
        for other in resamplings(&candidate.config, trace.summary.requests) {
            let mut resolver = options.resolver.clone();
            for setting in candidate.settings.iter().chain([&other]) {
                resolver.set(setting)?;
            }
            runs.push((*trace, candidate.memory, resolver.resolve()?));
        }
    }
    if runs.is_empty() {
        return Ok(None);
    }
    let needs = |(_, memory, _): &(&Trace, u64, Config)| *memory;
    let run = |(trace, _, config): &(&Trace, u64, Config)| {
        let outcome = run_loaded(config.clone(), trace, replayed(options))?;
        Ok::<_, SimError>((search.by.value)(&outcome.results()))
    };
    let values = threads.each(&runs, needs, run, |_| {})?;
    let of_each = runs.len() / traces.len();
    let way = |at: usize| -> Option<f64> {
        let values: Option<Vec<f64>> = values.iter().skip(at).step_by(of_each).copied().collect();
        mean(&values?)
    };
    let known = all(&tried.values).and_then(|values| mean(&values));
    let means: Option<Vec<f64>> = (0..of_each).map(way).chain([known]).collect();
    Ok(means.map(|means| extremes(&means)))
}

/// How a trace is run.
fn replayed(options: &CompareOptions) -> RunOptions {
    RunOptions {
        replay: options.replay.clone(),
        stop: options.stop.clone(),
        ..RunOptions::new(&options.lab)
    }
}

/// The candidates that every trace accepts, and why others are refused.
fn gather(
    traces: &[&Trace],
    options: &CompareOptions,
) -> Result<(Vec<Tried>, Vec<String>), SimError> {
    let mut by_label: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
    let (mut order, mut all_refused) = (Vec::new(), Vec::new());
    for trace in traces {
        let (all, refused) = candidates(options, trace)?;
        for why in refused {
            if !all_refused.contains(&why) {
                all_refused.push(why);
            }
        }
        for candidate in all {
            if !by_label.contains_key(&candidate.label) {
                order.push(candidate.label.clone());
            }
            by_label
                .entry(candidate.label.clone())
                .or_default()
                .push(candidate);
        }
    }
    let on = order
        .into_iter()
        .filter_map(|label| by_label.remove(&label));
    let tried: Vec<Tried> = on
        .filter(|on| on.len() == traces.len())
        .map(|on| Tried {
            values: vec![None; on.len()],
            on,
            first: None,
            is_unknown: false,
        })
        .collect();
    if tried.is_empty() {
        let why = all_refused
            .first()
            .map_or("there is no trace", String::as_str);
        return Err(SimError::NothingToTry(why.to_owned()));
    }
    Ok((tried, all_refused))
}

/// Runs some candidates on some levels, and returns the work: runs, of which one on a sample is a part.
fn run_all(
    tried: &mut [Tried],
    left: &[usize],
    levels: &[(usize, Level)],
    search: &Search,
    threads: &Threads,
    progress: impl Fn(usize) + Sync,
) -> Result<f64, SimError> {
    let options = &search.options;
    let each = left
        .iter()
        .flat_map(|&one| levels.iter().map(move |level| (one, level)));
    let runs: Vec<(usize, &(usize, Level))> = each.collect();
    let known: &[Tried] = tried;
    let needs = |&(one, (at, _)): &(usize, &(usize, Level))| known[one].on[*at].memory;
    let run = |&(one, (at, level)): &(usize, &(usize, Level))| {
        let candidate = &known[one].on[*at];
        let Ok(config) = level.config(&options.resolver, candidate) else {
            return Ok::<_, SimError>(None);
        };
        let outcome = run_loaded(config, level.trace(), replayed(options))?;
        Ok(Some(
            (search.by.value)(&outcome.results()).filter(|value| value.is_finite()),
        ))
    };
    let results = threads.each(&runs, needs, run, progress)?;
    let mut work = 0.0;
    for &one in left {
        tried[one].is_unknown = false;
    }
    for ((one, (at, level)), result) in runs.iter().zip(results) {
        match result {
            Some(value) => {
                tried[*one].values[*at] = value;
                work += level.work;
            }
            None => tried[*one].is_unknown = true,
        }
    }
    let on: Vec<usize> = levels.iter().map(|(at, _)| *at).collect();
    for &one in left {
        let score = score(&tried[one], &on, &search.by);
        let tried = &mut tried[one];
        if tried.first.is_none() && !tried.is_unknown {
            tried.first = score;
        }
    }
    Ok(work)
}

/// What ranks: less is better. The logarithm of the geometric mean, or the arithmetic mean if a value is 0.
fn score(tried: &Tried, on: &[usize], by: &Figure) -> Option<f64> {
    let values: Option<Vec<f64>> = on.iter().map(|&at| tried.values[at]).collect();
    let mean = mean(&values?)?;
    Some(match by.better {
        Better::More => -mean,
        _ => mean,
    })
}

/// The geometric mean; the arithmetic one if a value is 0.
fn mean(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    (!values.is_empty()).then(|| match values.iter().all(|value| *value > 0.0) {
        true => (values.iter().map(|value| value.ln()).sum::<f64>() / count).exp(),
        false => values.iter().sum::<f64>() / count,
    })
}

/// Puts the better ones first. One whose device is too small for a sample is not judged by it, and goes on.
fn rank(tried: &mut [Tried], left: &mut [usize], on: &[usize], by: &Figure) {
    let key = |one: &usize| match (tried[*one].is_unknown, score(&tried[*one], on, by)) {
        (true, _) => f64::NEG_INFINITY,
        (false, score) => score.unwrap_or(f64::INFINITY),
    };
    left.sort_by(|a, b| key(a).total_cmp(&key(b)));
}

fn answer(
    traces: &[&Trace],
    search: &Search,
    tried: &[Tried],
    left: &[usize],
    work: f64,
    refused: Vec<String>,
) -> Answer {
    let by = &search.by;
    let best = &tried[left[0]];
    let worse = |value: f64, best: f64| match by.better {
        Better::More => by.difference(best, value),
        _ => by.difference(value, best),
    };
    let best_mean = all(&best.values).and_then(|values| mean(&values));
    let finalists = left.iter().map(|&one| {
        let tried = &tried[one];
        let mean = all(&tried.values).and_then(|values| mean(&values));
        Finalist {
            label: tried.on[0].label.clone(),
            values: tried.values.clone(),
            behind: mean.zip(best_mean).map(|(mean, best)| worse(mean, best)),
            mean,
            range: None,
            settings: tried.on[0].settings.clone(),
            choices: tried.on[0].choices.clone(),
        }
    });
    let finalists: Vec<Finalist> = finalists.collect();
    let margins: Vec<f64> = match left {
        [first, second, ..] => {
            let pairs = tried[*first].values.iter().zip(&tried[*second].values);
            pairs
                .map(|(one, two)| one.zip(*two).map_or(0.0, |(one, two)| worse(two, one)))
                .collect()
        }
        _ => Vec::new(),
    };
    let config = &best.on[0].config;
    let unaged = |(trace, one): (&&Trace, &Candidate)| ages_no_drive(trace, &one.config);
    Answer {
        notes: traces.iter().zip(&best.on).filter_map(unaged).collect(),
        device: config.device(),
        requests: by.is_latency().then(|| how_issued(config)),
        by: by.key,
        traces: traces
            .iter()
            .map(|trace| trace.summary.name.clone())
            .collect(),
        candidates: tried.len(),
        work,
        ahead_on: margins
            .iter()
            .filter(|margin| **margin > 0.0 && !by.is_level(**margin))
            .count(),
        margins,
        depends_on: depends_on(tried, best, by),
        would_help: Vec::new(),
        finalists,
        refused,
    }
}

fn all(values: &[Option<f64>]) -> Option<Vec<f64>> {
    values.iter().copied().collect()
}

/// For each key: the best candidate with each other value, on the level that all ran on.
fn depends_on(tried: &[Tried], best: &Tried, by: &Figure) -> Vec<Dependence> {
    let value = |score: f64| {
        if by.better == Better::More {
            -score
        } else {
            score
        }
    };
    let mut all = Vec::new();
    for (key, of_best) in &best.on[0].choices {
        let mut least: BTreeMap<&str, f64> = BTreeMap::new();
        for tried in tried {
            if let (Some(choice), Some(first)) = (tried.on[0].choices.get(key), tried.first) {
                let least = least.entry(choice).or_insert(f64::INFINITY);
                *least = least.min(first);
            }
        }
        let Some(&own) = least.get(of_best.as_str()) else {
            continue;
        };
        let mut others: Vec<(String, f64)> = (least.iter())
            .filter(|(choice, _)| *choice != of_best)
            .map(|(choice, score)| {
                let difference = by.difference(value(*score), value(own));
                let worse = if by.better == Better::More {
                    -difference
                } else {
                    difference
                };
                ((*choice).to_owned(), worse)
            })
            .collect();
        others.sort_by(|a, b| a.1.total_cmp(&b.1));
        if !others.is_empty() {
            all.push(Dependence {
                key: key.clone(),
                best: of_best.clone(),
                others,
            });
        }
    }
    let nearest = |one: &Dependence| one.others[0].1;
    all.sort_by(|a, b| nearest(b).total_cmp(&nearest(a)));
    all
}
