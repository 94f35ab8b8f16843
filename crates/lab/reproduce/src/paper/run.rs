//! Runs all figures of a paper.

use std::collections::BTreeMap;

use super::checked::Paper;
use super::description::{Figure, Main, Outcome, Variant};
use super::example::Steps;
use super::job::{Job, Ran};
use super::judged::{Judged, in_a_line};
use super::panel::Panel;
use super::picture::{Picture, pictures};
use super::score::Score;
use super::standin::StandIn;
use super::statement::{Cause, Then};
use super::summary::lines;
use super::traces::Traces;
use crate::error::ReproduceError;
use crate::runs::OnTrace;
use crate::study::{Progress, Settings};

/// The results of a paper.
pub struct Results {
    /// The worked examples, in their order.
    pub examples: Vec<Steps>,
    /// The figures, in their order.
    pub figures: Vec<FigureResults>,
    /// The traces of the figures, by their short names.
    pub stand_ins: BTreeMap<String, StandIn>,
}

/// The results of a figure.
#[derive(Default)]
pub struct FigureResults {
    /// Its rows under the paper's own settings, one panel for each trace; empty if it cannot be run.
    pub panels: Vec<Panel>,
    /// Its statements, in their order.
    pub statements: Vec<StatementResults>,
    /// The pictures of its traces, if it shows them.
    pub pictures: Vec<Picture>,
}

/// The results of a statement; nothing if its figure cannot be run.
#[derive(Default)]
pub struct StatementResults {
    /// Under the paper's own settings.
    pub judged: Option<Judged>,
    /// With each of its causes switched off.
    pub causes: Vec<Judged>,
    /// At each value of the parameter that the paper leaves open.
    pub sweep: Vec<Judged>,
    /// Under each variant.
    pub variants: Vec<Option<Judged>>,
}

/// Runs all figures on all cores and loads each trace once. Everything is checked before the first run.
///
/// # Errors
/// An unreadable trace, a test on a missing row, an invalid configuration, a cause that its run does not show, or a main
/// result that the runs do not show.
pub fn reproduce(
    paper: &Paper,
    settings: &Settings,
    progress: Progress,
) -> Result<Results, ReproduceError> {
    let variants = &paper.description.variant;
    let figures = &paper.description.figure;
    let jobs: Vec<Job> = figures.iter().flat_map(|f| jobs(f, variants)).collect();
    let mut traces = Traces::default();
    let mut comparisons = Vec::new();
    for job in &jobs {
        job.load(paper, settings, &mut traces)?;
        comparisons.push(job.comparisons(paper, settings, &traces)?);
    }
    let examples = paper.description.example.iter();
    let examples = examples.map(|example| paper.steps(example));
    let examples = examples.collect::<Result<_, _>>()?;
    let mut runs = Vec::new();
    for (job, compared) in jobs.iter().zip(&comparisons) {
        let left_out = job.left_out(paper);
        for on in compared {
            let trace = traces.get(&on.source, &left_out);
            runs.extend(on.cells.iter().map(|cell| OnTrace { cell, trace }));
        }
    }
    let values = settings.values(&paper.lab, &runs, progress)?;
    let mut rows = (runs.iter().zip(&values))
        .map(|(run, measured)| run.cell.row(&run.trace.summary, measured));
    let (mut ran, mut stand_ins) = (Vec::new(), BTreeMap::new());
    for (job, compared) in jobs.iter().zip(&comparisons) {
        let mut panels = Vec::new();
        let left_out = job.left_out(paper);
        for on in compared {
            let panel = Panel {
                trace: on.source.name().to_owned(),
                sizes: on.sizes.clone(),
                rows: rows.by_ref().take(on.cells.len()).collect(),
            };
            if job.is_own() {
                let stand_in: &mut StandIn = stand_ins.entry(panel.trace.clone()).or_default();
                let added = stand_in.add(traces.get(&on.source, &left_out), &panel);
                added.map_err(|error| job.refuse(paper, &error.to_string()))?;
            }
            panels.push(panel);
        }
        ran.push(job.judged(panels));
    }
    let (mut ran, mut wrong) = (ran.into_iter(), Vec::new());
    let figures = figures.iter().map(|figure| {
        let mut results = collect(paper, figure, &mut ran, &mut wrong);
        results.pictures = pictures(paper, settings, figure, &mut traces)?;
        Ok(results)
    });
    let figures = figures.collect::<Result<_, ReproduceError>>()?;
    let results = Results {
        examples,
        figures,
        stand_ins,
    };
    if let Some(main) = &paper.description.main {
        wrong.extend(check_main(paper, main, &results).err());
    }
    if !wrong.is_empty() {
        return Err(ReproduceError::Causes(wrong));
    }
    Ok(results)
}

/// An error if the runs do not show what the description says of the main result.
fn check_main(paper: &Paper, main: &Main, results: &Results) -> Result<(), ReproduceError> {
    let lines = lines(paper, results);
    let of_main = lines.iter().filter(|line| line.statement.main);
    let judged: Vec<&Judged> = of_main
        .filter_map(|line| line.results.judged.as_ref())
        .collect();
    let here = main.here.get_ref();
    let mut numbers = judged.iter().flat_map(|judged| judged.numbers());
    if let Some(number) = numbers.find(|number| !here.contains(number)) {
        return Err(paper.refuse(&main.here, format!("lacks a number of our runs: {number}")));
    }
    let all: Vec<String> = lines.iter().flat_map(|line| line.cells()).collect();
    let mut said = signed_numbers(here);
    if let Some(number) = said.find(|number| !all.iter().any(|cell| cell.contains(number))) {
        return Err(paper.refuse(&main.here, format!("{number} is no number of our runs")));
    }
    let found = Outcome::of(&judged);
    if found == *main.verdict.get_ref() {
        return Ok(());
    }
    let why = format!("the runs show {:?}", found.words());
    Err(paper.refuse(&main.verdict, why))
}

/// The percentages with a sign in a text: `−7.7 %`.
fn signed_numbers(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices(['+', '−']).map(|(at, _)| at);
    starts.filter_map(|at| {
        let length = text[at..].find(" %")? + " %".len();
        Some(&text[at..at + length])
    })
}

impl Outcome {
    /// What became of a result that stands on these statements.
    fn of(judged: &[&Judged]) -> Self {
        let agree = judged.iter().filter(|judged| judged.agrees()).count();
        let in_range = |judged: &&Judged| judged.score() >= Some(Score::InRange);
        match agree {
            0 => Outcome::Not,
            some if some < judged.len() => Outcome::InPart,
            _ if judged.iter().all(in_range) => Outcome::Reproduced,
            _ => Outcome::InItsDirection,
        }
    }
}

/// All comparisons of a figure: its own, then those of its causes and open parameters, then the variants.
fn jobs<'a>(figure: &'a Figure, variants: &'a [Variant]) -> Vec<Job<'a>> {
    if !figure.runs() {
        return Vec::new();
    }
    let mut jobs = vec![Job::of_figure(figure)];
    for statement in &figure.statement {
        for cause in &statement.because {
            jobs.extend(Job::of_cause(figure, statement, cause));
        }
        if let Some(sweep) = &statement.sweep {
            let values = sweep.values.iter();
            jobs.extend(values.filter_map(|value| Job::of_value(figure, statement, sweep, value)));
        }
    }
    jobs.extend(
        variants
            .iter()
            .map(|variant| Job::of_variant(figure, variant)),
    );
    jobs
}

/// Puts the results of [`jobs`] in their places, and the causes that their runs do not show among the wrong ones.
fn collect(
    paper: &Paper,
    figure: &Figure,
    ran: &mut impl Iterator<Item = Ran>,
    wrong: &mut Vec<ReproduceError>,
) -> FigureResults {
    let mut results = FigureResults::default();
    let Some(figure_run) = figure.runs().then(|| ran.next()).flatten() else {
        let statements = figure.statement.iter();
        results.statements = statements.map(|_| StatementResults::default()).collect();
        return results;
    };
    results.panels = figure_run.panels;
    for (statement, judged) in figure.statement.iter().zip(figure_run.judged) {
        let mut of_statement = StatementResults {
            judged,
            ..StatementResults::default()
        };
        let mut next = || ran.next().and_then(|mut ran| ran.judged.pop().flatten());
        for cause in &statement.because {
            let counter = next();
            let judged = of_statement.judged.as_ref();
            wrong.extend(check_cause(paper, cause, judged.zip(counter.as_ref())).err());
            of_statement.causes.extend(counter);
        }
        let values = statement.sweep.iter().flat_map(|sweep| &sweep.values);
        for _ in values {
            of_statement.sweep.extend(next());
        }
        results.statements.push(of_statement);
    }
    for _ in &paper.description.variant {
        let judged = ran.next().map(|ran| ran.judged).unwrap_or_default();
        for (statement, judged) in results.statements.iter_mut().zip(judged) {
            statement.variants.push(judged);
        }
    }
    results
}

/// An error if the run of a cause does not show what the description says.
fn check_cause(
    paper: &Paper,
    cause: &Cause,
    both: Option<(&Judged, &Judged)>,
) -> Result<(), ReproduceError> {
    let shown = both.and_then(|(judged, counter)| Then::of(judged, counter));
    match shown {
        Some(shown) if shown == *cause.then.get_ref() => Ok(()),
        _ => {
            let found = shown.map_or("nothing", Then::word);
            let said =
                |judged: &Judged| in_a_line(&format!("{} ({})", judged.ours(), judged.verdict()));
            let (judged, counter) = both.map_or_else(Default::default, |(judged, counter)| {
                (said(judged), said(counter))
            });
            let why = format!(
                "its run shows {found:?}: {judged}; {}: {counter}",
                cause.run
            );
            Err(paper.refuse(&cause.then, why))
        }
    }
}

impl Then {
    /// What a run with a cause switched off shows; `None` if it did not do what the statement is about.
    pub fn of(own: &Judged, counter: &Judged) -> Option<Self> {
        own.score().zip(counter.score())?;
        let ([own_side, own_gap], [side, gap]) = (own.gaps(), counter.gaps());
        Some(match (own.agrees(), counter.agrees()) {
            (false, true) => Then::Agrees,
            (true, false) => Then::Differs,
            (true, true) => Then::Remains,
            _ if own_side < 0.0 && side > 0.0 => Then::Overshoots,
            _ if gap <= own_gap / 2.0 => Then::Halves,
            _ => Then::Remains,
        })
    }
}
