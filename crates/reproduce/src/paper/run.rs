//! Runs all figures of a paper.

use std::collections::BTreeMap;
use std::path::Path;

use ssdlab_host::{Op, Request};
use ssdlab_sim::{Axis, CompareOptions, SimError, System, Trace, compare, labels};
use ssdlab_trace::ReadOptions;
use toml::Spanned;

use super::checked::Paper;
use super::claim::{Judged, judge};
use super::description::{Claim, Figure, Origin, Relation, Requests, Variant};
use super::mix::mixed;
use super::panel::Panel;
use crate::error::ReproduceError;
use crate::study::{Progress, Settings};

/// The hint for a missing trace.
const ON_TRACES: &str =
    "ssdlab's repository has the traces in its folder traces; name it with --traces DIR";

/// The results of the figures of a paper, one panel for each trace; empty for a figure that cannot be run.
pub struct Results {
    /// Under the paper's own settings, in the order of its figures.
    pub figures: Vec<Vec<Panel>>,
    /// For each variant, figure and claim, the result.
    pub variants: Vec<Vec<Vec<Option<Judged>>>>,
}

/// Runs all figures on all cores and loads each trace once. Everything is checked before the first run. `progress` is
/// called with the total number of comparisons: once before the first and once after each.
///
/// # Errors
/// An unreadable trace, a test on a missing row, or an invalid configuration.
pub fn reproduce(
    paper: &Paper,
    settings: &Settings,
    progress: Progress,
) -> Result<Results, ReproduceError> {
    let readings: Vec<Option<&Variant>> = std::iter::once(None)
        .chain(paper.description.variant.iter().map(Some))
        .collect();
    let mut traces = Traces::default();
    for &reading in &readings {
        for figure in &paper.description.figure {
            for name in traces_of(figure, reading) {
                traces.load(paper, settings, name, &left_out(paper, figure, reading))?;
            }
            check_rows(paper, figure, reading, &traces)?;
        }
    }
    let figures = &paper.description.figure;
    let panels = |&reading| figures.iter().map(move |f| traces_of(f, reading).len());
    let all = readings.iter().flat_map(panels).sum();
    progress(all);
    let run = |reading| run_all(paper, settings, &traces, reading, || progress(all));
    let figures = run(None)?;
    let mut variants = Vec::new();
    for &variant in &readings[1..] {
        let panels = run(variant)?;
        let figures = paper.description.figure.iter().zip(&panels);
        let judged = |(figure, panels): (&Figure, &Vec<Panel>)| {
            let claims = figure.claim.iter();
            claims
                .map(|claim| judge_under(variant, claim, panels))
                .collect()
        };
        variants.push(figures.map(judged).collect());
    }
    Ok(Results { figures, variants })
}

/// The short names of the traces of a figure.
fn traces_of<'a>(figure: &'a Figure, reading: Option<&'a Variant>) -> &'a [Spanned<String>] {
    let other = reading.and_then(|variant| variant.trace.as_ref());
    match other {
        Some(trace) if !figure.traces.is_empty() => std::slice::from_ref(trace),
        _ => &figure.traces,
    }
}

/// Tests a claim under a variant, whose own trace takes the place of any other.
fn judge_under(variant: Option<&Variant>, claim: &Claim, panels: &[Panel]) -> Option<Judged> {
    let mut claim = claim.clone();
    let replaced = variant.is_some_and(|variant| variant.trace.is_some());
    if let Some(test) = claim.test.as_mut().filter(|_| replaced) {
        test.trace = None;
    }
    judge(&claim, panels)
}

/// All figures under one interpretation.
fn run_all(
    paper: &Paper,
    settings: &Settings,
    traces: &Traces,
    reading: Option<&Variant>,
    done: impl Fn(),
) -> Result<Vec<Vec<Panel>>, ReproduceError> {
    let mut figures = Vec::new();
    for figure in &paper.description.figure {
        let mut options = options(paper, figure, reading)?;
        options.jobs = settings.jobs;
        let mut panels = Vec::new();
        for name in traces_of(figure, reading) {
            let trace = traces.get(name, &left_out(paper, figure, reading));
            let comparison = compare(trace, &options, |_| {})?;
            let trace = name.get_ref().clone();
            panels.push(Panel { trace, comparison });
            done();
        }
        figures.push(panels);
    }
    Ok(figures)
}

/// The comparison of a figure.
fn options(
    paper: &Paper,
    figure: &Figure,
    reading: Option<&Variant>,
) -> Result<CompareOptions, ReproduceError> {
    let header = &paper.description.paper;
    let set = reading.map_or(&[][..], |variant| &variant.set);
    let names = |names: &[Spanned<String>]| -> Vec<String> {
        names.iter().map(|name| name.get_ref().clone()).collect()
    };
    let mut options = CompareOptions::new(paper.resolver(set)?);
    options.buffers = names(figure.buffers(header));
    let system = |system: &super::description::System| System {
        name: system.name.get_ref().clone(),
        set: names(&system.set),
    };
    options.systems = figure.system.iter().map(system).collect();
    options.sizes = figure.sizes(header).iter().map(|size| size.0).collect();
    if let Some(key) = &figure.size_key {
        options.size_key = key.get_ref().clone();
    }
    options.bounds = false;
    options.record = false;
    if reading.is_some() {
        // the page shows only the verdicts of a variant
        options.buffers.retain(|policy| is_tested(figure, policy));
        options
            .systems
            .retain(|system| is_tested(figure, &system.name));
    }
    let axis = |(key, values): (&String, &Vec<_>)| Axis {
        key: key.clone(),
        values: names(values),
    };
    options.vary = figure.vary.iter().map(axis).collect();
    Ok(options)
}

/// Whether a claim needs the rows of a policy or a system.
fn is_tested(figure: &Figure, name: &str) -> bool {
    let mut tests = figure.claim.iter().filter_map(|claim| claim.test.as_ref());
    tests.any(|test| {
        let rows = std::iter::once(&test.row).chain(&test.against);
        let mut rows = rows.chain(&test.base).map(|row| row.get_ref());
        let is_of = |row: &String| {
            let rest = row.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        *test.relation.get_ref() == Relation::LargestOfRows || rows.any(is_of)
    })
}

/// The requests that are left out.
pub(super) fn left_out(paper: &Paper, figure: &Figure, reading: Option<&Variant>) -> Vec<Requests> {
    let header = &paper.description.paper;
    let mut requests = figure
        .leave_out
        .as_ref()
        .unwrap_or(&header.leave_out)
        .clone();
    requests.retain(|kind| reading.is_none_or(|variant| !variant.keep.contains(kind)));
    requests
}

/// Refuses a test on a row that is not in the figure.
fn check_rows(
    paper: &Paper,
    figure: &Figure,
    reading: Option<&Variant>,
    traces: &Traces,
) -> Result<(), ReproduceError> {
    let Some(name) = traces_of(figure, reading).first() else {
        return Ok(());
    };
    let trace = traces.get(name, &left_out(paper, figure, reading));
    let labels = labels(trace, &options(paper, figure, reading)?)
        .map_err(|error| paper.refuse(&figure.id, error.to_string()))?;
    let tests = figure.claim.iter().filter_map(|claim| claim.test.as_ref());
    for test in tests {
        let rows = [Some(&test.row), test.against.as_ref(), test.base.as_ref()];
        for row in rows.into_iter().flatten() {
            if !labels.contains(row.get_ref()) {
                let why = format!("no such row; one of: {}", labels.join("; "));
                return Err(paper.refuse(row, why));
            }
        }
    }
    Ok(())
}

/// Loads each trace once for each set of requests to leave out.
#[derive(Default)]
struct Traces(BTreeMap<(String, bool, bool), Trace>);

impl Traces {
    fn key(name: &Spanned<String>, left_out: &[Requests]) -> (String, bool, bool) {
        let reads = left_out.contains(&Requests::Reads);
        let flushes = left_out.contains(&Requests::Flushes);
        (name.get_ref().clone(), reads, flushes)
    }

    fn load(
        &mut self,
        paper: &Paper,
        settings: &Settings,
        name: &Spanned<String>,
        left_out: &[Requests],
    ) -> Result<(), ReproduceError> {
        let key = Self::key(name, left_out);
        if self.0.contains_key(&key) {
            return Ok(());
        }
        let trace = match &paper.description.trace[name.get_ref()].origin {
            Origin::File(file) => read(paper, settings, file, (key.1, key.2))?,
            Origin::Mixed(files) => {
                let mut parts = Vec::new();
                for file in files {
                    let mut requests = Vec::new();
                    let trace = read(paper, settings, file, (key.1, key.2))?;
                    trace.each(|request| requests.push(*request))?;
                    parts.push(requests);
                }
                let requests = mixed(parts);
                let why = "these traces together need 2^64 bytes or more";
                Trace::made(
                    name.get_ref(),
                    requests.ok_or_else(|| paper.refuse(&files[0], why))?,
                )
            }
            Origin::Generated(words) => {
                let requests = ssdlab_workload::requests(words.get_ref());
                let requests = requests.map_err(|error| paper.refuse(words, error))?;
                let kept = requests.filter(|request| !is_left_out(request, left_out));
                Trace::made(name.get_ref(), kept.collect())
            }
        };
        self.0.insert(key, trace);
        Ok(())
    }

    fn get(&self, name: &Spanned<String>, left_out: &[Requests]) -> &Trace {
        &self.0[&Self::key(name, left_out)]
    }
}

fn is_left_out(request: &Request, left_out: &[Requests]) -> bool {
    match request.op() {
        Op::Read => left_out.contains(&Requests::Reads),
        Op::Flush => left_out.contains(&Requests::Flushes),
        _ => false,
    }
}

/// A file of the repository, without reads or without flushes.
fn read(
    paper: &Paper,
    settings: &Settings,
    file: &Spanned<String>,
    (drop_reads, drop_flushes): (bool, bool),
) -> Result<Trace, ReproduceError> {
    let options = ReadOptions {
        drop_reads,
        drop_flushes,
        ..ReadOptions::default()
    };
    let path = settings.traces.join(file.get_ref());
    load(&path, &options).map_err(|error| match path.exists() {
        true => paper.refuse(file, error.to_string()),
        false => paper.refuse(file, format!("{error}; {}", ON_TRACES)),
    })
}

fn load(path: &Path, options: &ReadOptions) -> Result<Trace, SimError> {
    Trace::load(path, options, u64::MAX)
}
