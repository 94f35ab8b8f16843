//! The steady states of all runs of a comparison, in words and as warnings.

use crate::comparison::Comparison;
use crate::row::{Row, RowKind};
use crate::settle::{SteadyState, times};
use crate::settled::State;
use ssdlab_words::some_of;

/// The steady state of all runs of a comparison in words; `None` without a run.
pub fn all_in_words(comparison: &Comparison) -> Option<String> {
    let rows = comparison.rows.iter();
    let states = rows
        .filter(|row| row.kind == RowKind::Policy)
        .map(|row| &row.outcome.steady_state);
    let states: Vec<&SteadyState> = states.collect();
    let by_writes =
        |a: &&&SteadyState, b: &&&SteadyState| a.capacity_writes.total_cmp(&b.capacity_writes);
    let (least, most) = (
        states.iter().min_by(by_writes)?,
        states.iter().max_by(by_writes)?,
    );
    let mut text = match (times(least.capacity_writes), times(most.capacity_writes)) {
        (least, most) if least == most => format!("host wrote {most} x capacity"),
        (least, most) => format!("host wrote {least} to {most} x capacity"),
    };
    let started = |wanted| {
        states
            .iter()
            .filter(|s| s.cleaning_started == Some(wanted))
            .count()
    };
    text += &match (started(true), started(false)) {
        (0, 0) => String::new(),
        (_, 0) => "; cleaning started in all runs".into(),
        (0, _) => "; cleaning never started".into(),
        (some, others) => format!("; cleaning started in {some} of {} runs", some + others),
    };
    let unsettled = states
        .iter()
        .filter(|state| state.steady.is_none() && state.doubt() == Some(State::Unsettled))
        .count();
    text += &match unsettled {
        0 => String::new(),
        all if all == states.len() => "; not settled".into(),
        some => format!("; {some} of {} runs not settled", states.len()),
    };
    let replays = states
        .iter()
        .filter(|state| state.steady == Some(true))
        .map(|state| state.replays);
    if let (Some(fewest), Some(most)) = (replays.clone().min(), replays.clone().max()) {
        let (steady, all) = (replays.count(), states.len());
        let of = if steady == all {
            String::new()
        } else {
            format!("{steady} of {all} runs ")
        };
        let range = if fewest == most {
            String::new()
        } else {
            format!("{fewest} to ")
        };
        let cycles = states
            .iter()
            .filter(|state| state.doubt() == Some(State::Cycle));
        let what = match cycles.count() {
            0 => "steady",
            cycles if cycles == all => "a cycle, not settled,",
            _ => "steady or a cycle",
        };
        text += &format!("; {of}{what} after {range}{most} replays, the last reported");
    }
    Some(text)
}

/// Warnings about the runs of a comparison that did not reach a steady state.
pub(crate) fn warnings(rows: &[Row]) -> Vec<String> {
    let policies = || rows.iter().filter(|row| row.kind == RowKind::Policy);
    let state = |row: &Row| row.outcome.steady_state.clone();
    let of = |whose: &dyn Fn(&SteadyState) -> bool| -> Vec<&Row> {
        policies().filter(|row| whose(&state(row))).collect()
    };
    let names = |rows: &[&Row]| {
        if rows.len() == policies().count() {
            String::new()
        } else {
            format!(
                " with {}",
                some_of(&rows.iter().map(|row| row.sized_label()).collect::<Vec<_>>())
            )
        }
    };
    let warning = |doubt: State| {
        let doubtful = of(&|state| state.doubt() == Some(doubt));
        let first = doubtful.first()?;
        Some(state(first).warned(doubt, &names(&doubtful)))
    };
    State::DOUBTS.into_iter().filter_map(warning).collect()
}

/// What the figures that rank the runs are those of, if a run is in doubt.
pub(crate) fn doubt(rows: &[Row]) -> Option<State> {
    let policies = rows.iter().filter(|row| row.kind == RowKind::Policy);
    let doubts = policies.filter_map(|row| row.outcome.steady_state.doubt());
    doubts.min()
}
