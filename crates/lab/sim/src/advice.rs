//! What would lessen the writes to flash of the winner. Each change is tried before it is advised: a run of its own, on the
//! same trace.

mod changes;

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use ssdlab_device::results::{LIFE, P99, THROUGHPUT, WAF};
use ssdlab_device::{Better, Cause, Explained, Figure, Figures, PerFigure};
use ssdlab_words::listed;

use crate::clock::Stopwatch;
use crate::error::SimError;
use crate::input::Trace;
use crate::plan::{CompareOptions, Plan, Planner};
use crate::row::{Row, RowKind};
use crate::sentence::in_words;
use crate::threads::Threads;
use crate::verdict::Verdict;
use changes::{Change, against};

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
    /// It lessens the bytes to flash, and does not shorten the life.
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
    pub(crate) fn decided_by(&self, tried: &Tried) -> Vec<Figure> {
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

    /// The figures by which a reader judges a change: writes, life, years, and what ranks the runs if that is a speed.
    pub fn judged_by(verdict: &Verdict, figures: &Figures) -> Vec<Figure> {
        let speed = match verdict.by {
            by if by.explained == Explained::ByTime => by,
            _ if verdict.timed => P99,
            _ => THROUGHPUT,
        };
        let years = figures.named("years");
        [WAF, LIFE]
            .into_iter()
            .chain(years)
            .chain([speed])
            .collect()
    }
}

impl Tried {
    /// A change that has not run yet.
    fn of(against: Cause, Change { words, set }: Change) -> Self {
        Self {
            against,
            change: words,
            set,
            helps: false,
            figures: PerFigure::default(),
            refused: None,
            simulate_ns: None,
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
        format!("{} ({})", self.change, self.set.join(" "))
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
    run: impl Fn(&Plan) -> Result<Option<Row>, SimError> + Sync,
    progress: impl Fn(usize) + Sync,
) -> Result<Option<Advice>, SimError> {
    let Some(mut winner) = Winner::of(made) else {
        return Ok(None);
    };
    if !winner.settle(&run)? {
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
    let timed = |(tried, plan): &ToRun| {
        let started = Stopwatch::start();
        match run(plan) {
            Ok(row) => {
                let took = Some(started.elapsed_ns());
                Ok(row.map(|row| winner.judged(tried.clone(), &row, took)))
            }
            Err(error @ SimError::Trace(_)) => Err(error),
            Err(refusal) => Ok(Some(tried.clone().refused(&refusal))),
        }
    };
    let needs = |(_, plan): &ToRun| plan.run.memory(false);
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
        figures: winner.figures(&winner.row),
        set: winner.aged.clone(),
        tried: all,
        missing_runs,
    }))
}

/// A change and its plan.
type ToRun = (Tried, Plan);

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
        let (mut known, mut to_run) = (Vec::new(), Vec::<ToRun>::new());
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
            if is_same(&self.plan) || to_run.iter().any(|(_, other)| is_same(other)) {
                continue; // it changes nothing, or is tried already
            }
            let mut pairs = made.plans.iter().zip(made.rows);
            if let Some((_, row)) = pairs.find(|(other, _)| is_same(other)) {
                known.push(self.judged(tried, row, None));
            } else if to_run.len() < MOST_RUNS {
                let plan = Plan {
                    label: tried.named(),
                    run,
                    ..self.plan.clone()
                };
                to_run.push((tried, plan));
            }
        }
        Ok((known, to_run))
    }

    fn figures(&self, row: &Row) -> PerFigure<Option<f64>> {
        let all = self.made.figures.iter();
        all.map(|figure| (*figure, row.figure(figure))).collect()
    }

    /// A change with the row of its run.
    fn judged(&self, tried: Tried, row: &Row, simulate_ns: Option<u64>) -> Tried {
        Tried {
            helps: helps(&self.row, row),
            figures: self.figures(row),
            simulate_ns,
            ..tried
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

/// Whether a change lessens the bytes to flash without a shorter life.
fn helps(without: &Row, with: &Row) -> bool {
    better(&WAF, with, without) && !better(&LIFE, without, with)
}

/// Whether a row is better than another in a figure, and not level with it.
fn better(figure: &Figure, row: &Row, other: &Row) -> bool {
    let (Some(value), Some(others)) = (row.figure(figure), other.figure(figure)) else {
        return false;
    };
    let ahead = match figure.better {
        Better::More => value > others,
        Better::Less | Better::Neither => value < others,
    };
    ahead && !figure.is_level(figure.difference(value, others))
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
