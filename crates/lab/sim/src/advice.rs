//! What would lessen the writes to flash of the winner, and what its host could do if its SLC cache runs full. Each is tried before it is
//! advised: a run of its own, on the same trace.

mod changes;
mod habits;

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use ssdlab_config::Config;
use ssdlab_device::results::{LIFE, P99, SLC_SHARE, THROUGHPUT, WAF};
use ssdlab_device::{Better, Cause, Explained, Figure, Figures, PerFigure};
use ssdlab_words::listed;

use crate::cliff::Cliff;
use crate::clock::Stopwatch;
use crate::error::SimError;
use crate::input::Trace;
use crate::outcome::Outcome;
use crate::plan::{CompareOptions, Plan, Planner};
use crate::row::{Row, RowKind};
use crate::run::{RunOptions, run_loaded};
use crate::sentence::in_words;
use crate::threads::Threads;
use crate::verdict::Verdict;
use changes::{Change, against};
use habits::{Habit, habits};

/// The most further runs.
pub(crate) const MOST_RUNS: usize = 6;
/// A cause of a smaller share of the bytes is not worth a run.
const SMALL_SHARE: f64 = 0.05;

/// What would lessen the writes to flash of the winner.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Advice {
    /// The label of the winner.
    pub label: String,
    /// Its buffer, bytes.
    pub size: Option<u64>,
    /// What ages it, in the syntax of `--set`, if its row is not that of a drive aged by the trace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// Its figures, so aged.
    pub figures: PerFigure<Option<f64>>,
    /// Those by which a reader judges a change: writes, life, years, a speed (what ranks, if it is one), and how much went into an SLC
    /// cache.
    #[serde(skip)]
    pub judges: Vec<Figure>,
    /// The changes, those that help first, of these the one with the fewest bytes to flash.
    pub tried: Vec<Tried>,
    /// Runs that the user interrupted.
    pub missing_runs: usize,
}

/// A change, and what it does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// What it should lessen.
    pub against: Cause,
    /// The change in words.
    pub change: String,
    /// Its assignments, in the syntax of `--set`.
    pub set: Vec<String>,
    /// The host does something else, and the device stays as it is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_host: bool,
    /// It lessens the bytes to flash, and does not shorten the life. By the host: it makes writes faster, or lessens those bytes.
    pub helps: bool,
    /// The figures with it; none if the device or the trace refuses it.
    pub figures: PerFigure<Option<f64>>,
    /// Why it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The wall time of its run, nanoseconds; `None` if it was compared already, or is refused.
    pub simulate_ns: Option<u64>,
}

impl Advice {
    /// The changes that help.
    pub fn helping(&self) -> impl Iterator<Item = &Tried> {
        self.tried.iter().filter(|tried| tried.helps)
    }

    /// Those that were tried in vain.
    pub fn in_vain(&self) -> impl Iterator<Item = &Tried> {
        let ran = self.tried.iter().filter(|tried| tried.refused.is_none());
        ran.filter(|tried| !tried.helps)
    }

    /// The further runs that were made.
    pub fn runs(&self) -> usize {
        self.tried
            .iter()
            .filter(|tried| tried.simulate_ns.is_some())
            .count()
    }

    /// The figures that say why a change does not help: the writes, or the life that fewer of them shorten.
    /// Of what the host does, all that judge it.
    pub(crate) fn decided_by(&self, tried: &Tried) -> Vec<Figure> {
        if tried.by_host {
            return self.judges.clone();
        }
        let waf = |figures: &PerFigure<Option<f64>>| figures.get(&WAF).flatten();
        let pair = waf(&tried.figures).zip(waf(&self.figures));
        let writes_less = pair.is_some_and(|(with, without)| {
            with < without && !WAF.is_level(WAF.difference(with, without))
        });
        match writes_less {
            true => vec![LIFE, WAF],
            false => vec![WAF],
        }
    }
}

fn judges(speed: Figure, figures: &Figures) -> Vec<Figure> {
    let years = figures.named("years");
    [WAF, LIFE]
        .into_iter()
        .chain(years)
        .chain([speed, SLC_SHARE])
        .collect()
}

/// What ranks, if that is a speed; else the one that fits the replay.
fn speed(by: &Figure, is_timed: bool) -> Figure {
    match by.explained {
        Explained::ByTime => *by,
        _ if is_timed => P99,
        _ => THROUGHPUT,
    }
}

impl Tried {
    /// A change that has not run yet.
    fn of(against: Cause, Change { words, set }: Change) -> Self {
        Self {
            against,
            change: words,
            set,
            by_host: false,
            helps: false,
            figures: PerFigure::default(),
            refused: None,
            simulate_ns: None,
        }
    }

    /// Something else that the host does.
    fn of_host(words: &str) -> Self {
        let change = Change {
            words: words.into(),
            set: Vec::new(),
        };
        Self {
            by_host: true,
            ..Self::of(Cause::Folding, change)
        }
    }

    /// With the figures of its run, beside those without it.
    fn judged(
        self,
        without: &PerFigure<Option<f64>>,
        with: PerFigure<Option<f64>>,
        habit: Option<&Habit>,
        speed: &Figure,
    ) -> Self {
        let is_better = |figure: &Figure| better(figure, &with, without);
        let is_worse = |figure: &Figure| better(figure, without, &with);
        let share = |figures: &PerFigure<Option<f64>>| figures.get(&SLC_SHARE).flatten();
        // pauses lengthen the trace, and with it the life in years
        let lasts = habit.is_some_and(|habit| habit.fills);
        let is_known = |(figure, _): &(Figure, _)| !(lasts && figure.key == "years");
        let helps = match habit {
            None => is_better(&WAF) && !is_worse(&LIFE),
            Some(habit) if habit.fills => is_better(speed) && share(&with) > share(without),
            Some(_) => {
                let both = [WAF, *speed];
                both.iter().any(is_better) && !both.iter().any(is_worse)
            }
        };
        Self {
            helps,
            figures: with.iter().filter(is_known).collect(),
            ..self
        }
    }

    fn refused(self, why: &SimError) -> Self {
        Self {
            refused: Some(why.to_string()),
            ..self
        }
    }

    /// The change with its settings: `page mapping (ftl.kind=page)`.
    pub fn named(&self) -> String {
        match self.set.is_empty() {
            true => self.change.clone(),
            false => format!("{} ({})", self.change, self.set.join(" ")),
        }
    }

    /// The figures with and without the change: `write amplification 1.13 instead of 3.40`; those that are known.
    /// With `are_rough`, lives have two digits.
    pub(crate) fn in_words(
        &self,
        without: &PerFigure<Option<f64>>,
        by: &[Figure],
        are_rough: bool,
    ) -> String {
        let both = |figure: &Figure| {
            let [with, without] = [&self.figures, without].map(|of| of.get(figure).flatten());
            let [with, without] = [with?, without?].map(|value| in_words(figure, value, are_rough));
            // the unit says enough of a speed and of years
            let name = match figure.words {
                words if *figure == THROUGHPUT || words == figure.unit.symbol() => String::new(),
                words => format!("{words} "),
            };
            Some(format!("{name}{with} instead of {without}"))
        };
        listed(&by.iter().filter_map(both).collect::<Vec<_>>())
    }
}

/// A comparison with a winner, as far as advice needs it.
pub(crate) struct Ranked<'a> {
    pub trace: &'a Trace,
    pub options: &'a CompareOptions,
    pub plans: &'a [Plan],
    /// A row for each plan.
    pub rows: &'a [Row],
    pub verdict: &'a Verdict,
    pub figures: &'a Figures,
}

/// Tries what may lessen the causes of the winner's bytes to flash, in at most [`MOST_RUNS`] further runs. `progress` is called
/// with the number of runs after each.
///
/// # Errors
/// The trace cannot be read, or has changed.
pub(crate) fn advice(
    made: &Ranked,
    threads: &Threads,
    run: impl Fn(&Plan, &Trace) -> Result<Option<Row>, SimError> + Sync,
    progress: impl Fn(usize) + Sync,
) -> Result<Option<Advice>, SimError> {
    let Some(mut winner) = Winner::of(made) else {
        return Ok(None);
    };
    if !winner.settle(|plan| run(plan, made.trace))? {
        return Ok(None);
    }
    let (mut all, to_run) = winner.changes()?;
    let runs = made.plans.len() + to_run.len();
    let has_begun = AtomicBool::new(false);
    let after_each = |_| {
        if has_begun.swap(true, Ordering::Relaxed) {
            progress(runs);
        }
    };
    let timed = |ToRun { tried, plan, habit }: &ToRun| {
        let started = Stopwatch::start();
        match run(
            plan,
            habit.as_ref().map_or(made.trace, |habit| &habit.trace),
        ) {
            Ok(row) => {
                let took = Some(started.elapsed_ns());
                let judged = |row: Row| winner.judged(tried.clone(), &row, took, habit.as_ref());
                Ok(row.map(judged))
            }
            Err(error @ SimError::Trace(_)) => Err(error),
            Err(refusal) => Ok(Some(tried.clone().refused(&refusal))),
        }
    };
    let needs = |one: &ToRun| one.plan.run.memory(false);
    let ran = threads.each(&to_run, needs, timed, after_each)?;
    let missing_runs = ran.iter().filter(|tried| tried.is_none()).count();
    all.extend(ran.into_iter().flatten());
    let waf = |tried: &Tried| tried.figures.get(&WAF).flatten().unwrap_or(f64::INFINITY);
    all.sort_by(|a, b| {
        let rank = |tried: &Tried| (!tried.helps, tried.refused.is_some());
        rank(a).cmp(&rank(b)).then(waf(a).total_cmp(&waf(b)))
    });
    Ok(Some(Advice {
        label: winner.row.label.clone(),
        size: winner.row.size,
        figures: winner.figures(&winner.row.outcome),
        judges: judges(speed(&made.verdict.by, made.verdict.timed), made.figures),
        set: winner.aged.clone(),
        tried: all,
        missing_runs,
    }))
}

/// What the host of this device could do, tried on this trace in at most three runs; `None` without an SLC cache, or if that was
/// never full.
///
/// # Errors
/// As those of [`run_loaded`]; a run with another trace that is refused is told in the advice.
pub fn advise_host(
    config: &Config,
    trace: &Trace,
    by: &Figure,
    options: impl Fn() -> RunOptions,
) -> Result<Option<Advice>, SimError> {
    if Cliff::of(config, 0.0).is_none() {
        return Ok(None);
    }
    let RunOptions { lab, replay, .. } = options();
    let (figures, speed) = (lab.figures(), speed(by, config.is_timed()));
    let outcome = run_loaded(config.clone(), trace, options())?;
    let mut advice = Advice {
        figures: figures_of(&outcome, &figures),
        judges: judges(speed, &figures),
        ..Advice::default()
    };
    for habit in habits(trace, &outcome, config, replay.wrap) {
        let tried = Tried::of_host(&habit.words);
        let started = Stopwatch::start();
        advice
            .tried
            .push(match run_loaded(config.clone(), &habit.trace, options()) {
                Ok(outcome) => Tried {
                    simulate_ns: Some(started.elapsed_ns()),
                    ..tried.judged(
                        &advice.figures,
                        figures_of(&outcome, &figures),
                        Some(&habit),
                        &speed,
                    )
                },
                Err(error @ (SimError::Trace(_) | SimError::Stopped)) => return Err(error),
                Err(refusal) => tried.refused(&refusal),
            });
    }
    Ok(Some(advice).filter(|advice| !advice.tried.is_empty()))
}

/// A change and its plan; of what the host does, the plan of the winner.
struct ToRun {
    tried: Tried,
    plan: Plan,
    habit: Option<Habit>,
}

/// The winner of a comparison.
struct Winner<'a> {
    made: &'a Ranked<'a>,
    plan: Plan,
    row: Row,
    /// Settings that age it, beside those of its plan.
    aged: Vec<String>,
}

impl<'a> Winner<'a> {
    fn of(made: &'a Ranked) -> Option<Self> {
        let verdict = made.verdict;
        let mut pairs = made.plans.iter().zip(made.rows);
        let (plan, row) = pairs.find(|(_, row)| {
            row.kind == RowKind::Policy
                && Some(&row.label) == verdict.winner.as_ref()
                && row.size == verdict.size
        })?;
        Some(Self {
            made,
            plan: plan.clone(),
            row: row.clone(),
            aged: Vec::new(),
        })
    }

    /// Runs it once more on a device that the trace has aged, unless the figures of its row are such already: changes are
    /// judged where the device has settled. Returns whether it was not interrupted.
    fn settle(
        &mut self,
        run: impl Fn(&Plan) -> Result<Option<Row>, SimError>,
    ) -> Result<bool, SimError> {
        let mut settings = self.plan.settings.clone();
        let mut planner = Planner::new(self.made.options, self.made.trace);
        let (prepared, _) = planner.prepare_settled(&mut settings)?;
        let aged = settings.split_off(self.plan.settings.len());
        if aged.is_empty() {
            return Ok(true);
        }
        let aged_plan = Plan {
            run: prepared,
            ..self.plan.clone()
        };
        let Some(row) = run(&aged_plan)? else {
            return Ok(false);
        };
        (self.plan, self.row, self.aged) = (aged_plan, row, aged);
        Ok(true)
    }

    /// The changes that need no run, since they are refused or compared already, and those to run with their plans.
    fn changes(&self) -> Result<(Vec<Tried>, Vec<ToRun>), SimError> {
        let made = self.made;
        let wraps = made.options.replay.wrap;
        let habits = habits(made.trace, &self.row.outcome, &self.plan.run.config, wraps);
        let habits = habits.into_iter().map(|habit| ToRun {
            tried: Tried::of_host(&habit.words),
            plan: self.plan.clone(),
            habit: Some(habit),
        });
        let (mut known, mut to_run) = (Vec::new(), habits.collect::<Vec<ToRun>>());
        let mut planner = Planner::new(made.options, made.trace);
        for (cause, mut change) in candidates(&self.row, &self.plan) {
            let mut settings = [&self.plan.settings[..], &change.set].concat();
            let own = settings.len();
            let planned = planner.prepare_settled(&mut settings);
            change.set.extend(settings.drain(own..));
            let tried = Tried::of(cause, change);
            let run = match planned.and_then(|(run, _)| fits(run, made)) {
                Ok(run) => run,
                Err(error @ SimError::Trace(_)) => return Err(error),
                Err(refusal) => {
                    known.push(tried.refused(&refusal));
                    continue;
                }
            };
            let is_same = |other: &Plan| other.run.config == run.config;
            if is_same(&self.plan) || to_run.iter().any(|other| is_same(&other.plan)) {
                continue; // it changes nothing, or is tried already
            }
            let mut pairs = made.plans.iter().zip(made.rows);
            if let Some((_, row)) = pairs.find(|(other, _)| is_same(other)) {
                known.push(self.judged(tried, row, None, None));
            } else if to_run.len() < MOST_RUNS {
                let plan = Plan {
                    label: tried.named(),
                    run,
                    ..self.plan.clone()
                };
                to_run.push(ToRun {
                    tried,
                    plan,
                    habit: None,
                });
            }
        }
        Ok((known, to_run))
    }

    fn figures(&self, outcome: &Outcome) -> PerFigure<Option<f64>> {
        figures_of(outcome, self.made.figures)
    }

    /// A change with the row of its run.
    fn judged(
        &self,
        tried: Tried,
        row: &Row,
        simulate_ns: Option<u64>,
        habit: Option<&Habit>,
    ) -> Tried {
        let [without, with] = [&self.row, row].map(|row| self.figures(&row.outcome));
        let verdict = self.made.verdict;
        Tried {
            simulate_ns,
            ..tried.judged(&without, with, habit, &speed(&verdict.by, verdict.timed))
        }
    }
}

/// The changes against each cause of many bytes, the largest first: the first of each cause, then the second of each.
fn candidates(winner: &Row, plan: &Plan) -> Vec<(Cause, Change)> {
    let bytes = &winner.outcome.endurance.flash_bytes;
    let least = SMALL_SHARE * bytes.total() as f64;
    let of_cause = |(cause, _): (Cause, u64)| {
        let changes = against(cause, &plan.run.config, &winner.outcome.counters);
        changes
            .into_iter()
            .enumerate()
            .map(move |(place, change)| (place, cause, change))
    };
    let causes = bytes.largest_first().into_iter();
    let mut all: Vec<_> = causes
        .filter(|(_, bytes)| *bytes as f64 >= least)
        .flat_map(of_cause)
        .collect();
    all.sort_by_key(|(place, ..)| *place);
    all.into_iter()
        .map(|(_, cause, change)| (cause, change))
        .collect()
}

/// The run, unless it needs more memory than there may be.
fn fits(run: crate::run::PreparedRun, made: &Ranked) -> Result<crate::run::PreparedRun, SimError> {
    match made.options.memory {
        Some(allowed) if run.memory(false) > allowed => Err(SimError::Limit(format!(
            "its device needs more than the {allowed} bytes of --memory"
        ))),
        _ => Ok(run),
    }
}

fn figures_of(outcome: &Outcome, figures: &Figures) -> PerFigure<Option<f64>> {
    let results = outcome.results();
    let all = figures.iter();
    all.map(|figure| (*figure, (figure.value)(&results)))
        .collect()
}

/// Whether a figure is better than without a change, and not level with it.
fn better(
    figure: &Figure,
    with: &PerFigure<Option<f64>>,
    without: &PerFigure<Option<f64>>,
) -> bool {
    let [value, other] = [with, without].map(|figures| figures.get(figure).flatten());
    let (Some(value), Some(other)) = (value, other) else {
        return false;
    };
    let ahead = match figure.better {
        Better::More => value > other,
        Better::Less | Better::Neither => value < other,
    };
    ahead && !figure.is_level(figure.difference(value, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(waf: f64, life: f64) -> PerFigure<Option<f64>> {
        [(WAF, Some(waf)), (LIFE, Some(life))].into_iter().collect()
    }

    // planted bugs: "15.44 instead of 16.75" without the life that decides; a life to three digits of an assumption
    #[test]
    fn a_change_in_vain_names_the_figure_that_decides() {
        let advice = Advice {
            figures: figures(16.75, 412.3),
            ..Advice::default()
        };
        let told = |waf, life, are_rough| {
            let tried = Tried {
                figures: figures(waf, life),
                ..Tried::of(
                    Cause::Cleaning,
                    Change {
                        words: String::new(),
                        set: Vec::new(),
                    },
                )
            };
            tried.in_words(&advice.figures, &advice.decided_by(&tried), are_rough)
        };
        let writes = "write amplification 15.44 instead of 16.75";
        assert_eq!(
            told(15.44, 377.2, false),
            format!("life 377 TB instead of 412 TB and {writes}")
        );
        assert_eq!(
            told(15.44, 377.2, true),
            format!("life 380 TB instead of 410 TB and {writes}")
        );
        assert_eq!(
            told(16.8, 377.2, true),
            "write amplification 16.80 instead of 16.75"
        );
    }
}
