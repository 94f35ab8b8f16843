//! The reasons why one run beats another, for each point of the axes that a reader can choose.

use serde_json::{Value, json};
use ssdlab_sim::{Comparison, Reason, Rivals, Row, best, chip_times, explain, is_level};

use crate::parts::Parts;
use crate::varied::policies;

/// The winner's row.
pub fn winner(comparison: &Comparison) -> Option<&Row> {
    let verdict = &comparison.verdict;
    let label = verdict.winner.as_ref()?;
    policies(comparison).find(|row| row.label == *label && row.size == verdict.size)
}

/// The policy's row with this label and size.
pub fn named<'a>(comparison: &'a Comparison, label: &str, size: Option<u64>) -> Option<&'a Row> {
    policies(comparison).find(|row| row.label == label && row.size == size)
}

/// The reasons at each point of the axes; empty without differences. At the point of the verdict they are those of the
/// verdict.
pub fn all(comparison: &Comparison, parts: &Parts) -> Vec<Value> {
    let base = policies(comparison).find(|row| row.label == comparison.baseline);
    let base = base.map(|row| parts.varied.series(row));
    let lengths = parts.varied.axes.iter().map(|axis| axis.values.len());
    let judged_at = judged_at(comparison, parts);
    if comparison.missing_runs > 0 {
        return Vec::new(); // a missing run might have won
    }
    let of = |at: &Vec<usize>| {
        let judged = (*at == judged_at).then(|| judged(comparison)).flatten();
        let (winner, against) = judged.or_else(|| pair(comparison, parts, at, base.as_deref()))?;
        Some(reasons(at, winner, against, parts))
    };
    let points = points(&lengths.collect::<Vec<_>>());
    points.iter().filter_map(of).collect()
}

/// The place of the verdict on each axis: that of the winner, or the end of an axis that the winner does not read.
pub fn judged_at(comparison: &Comparison, parts: &Parts) -> Vec<usize> {
    let place = winner(comparison).map(|row| parts.varied.place(row));
    let axes = parts.varied.axes.iter().enumerate();
    axes.map(|(i, axis)| {
        let of_winner = place.as_ref().and_then(|place| place[i]);
        of_winner.unwrap_or(axis.values.len() - 1)
    })
    .collect()
}

/// The two runs of the verdict.
fn judged(comparison: &Comparison) -> Option<(&Row, &Row)> {
    let winner = winner(comparison)?;
    let against = comparison.verdict.against.as_ref()?;
    let size = comparison.verdict.against_size;
    Some((winner, named(comparison, against, size)?))
}

/// All combinations of places; the last axis changes fastest.
fn points(lengths: &[usize]) -> Vec<Vec<usize>> {
    let mut points = vec![Vec::new()];
    for &length in lengths {
        let with = |point: &Vec<usize>| {
            let point = point.clone();
            (0..length).map(move |place| [&point[..], &[place]].concat())
        };
        points = points.iter().flat_map(with).collect();
    }
    points
}

/// The best run at a point and its rival: the baseline, if it is worse, or else the next best.
fn pair<'a>(
    comparison: &'a Comparison,
    parts: &Parts,
    at: &[usize],
    base: Option<&str>,
) -> Option<(&'a Row, &'a Row)> {
    let by = comparison.verdict.by;
    let here = || {
        policies(comparison).filter(|row| {
            let place = parts.varied.place(row);
            let mut places = place.iter().zip(at);
            places.all(|(own, at)| own.is_none_or(|own| own == *at))
        })
    };
    let winner = best(&by, here())?;
    let rivals = Rivals::of(
        &by,
        winner,
        here().filter(|row| !std::ptr::eq(*row, winner)),
    );
    let is_base = |row: &Row| Some(parts.varied.series(row).as_str()) == base;
    let against = rivals.against(is_base).or_else(|| {
        let mut bases = policies(comparison).filter(|row| row.label == comparison.baseline);
        let first = bases.find(|base| base.size == winner.size || base.size.is_none())?;
        (!is_level(&by, winner, first)).then_some(first)
    })?;
    Some((winner, against))
}

/// In seconds, or under the parallel model in percent of the time of the other run's chips.
fn reasons(at: &[usize], winner: &Row, against: &Row, parts: &Parts) -> Value {
    let chips = chip_times(winner, against);
    let told = |ns: f64| match chips {
        None => ns / 1e9,
        Some([_, theirs]) => 100.0 * ns / theirs.max(1) as f64,
    };
    let line = |reason: &Reason| {
        json!([
            reason.name(),
            reason.value,
            reason.against,
            told(reason.ns as f64),
            told(reason.against_ns as f64),
            told(reason.saved_ns)
        ])
    };
    let mut names = [winner, against].map(|row| parts.varied.series(row));
    if names[0] == names[1] {
        names = [winner.label.clone(), against.label.clone()];
    }
    let lines = explain(winner, against);
    json!({
        "at": at,
        "winner": names[0],
        "against": names[1],
        "clocks": chips.is_some(),
        "lines": lines.iter().map(line).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bug: the points of the first axis only.
    #[test]
    fn points_are_all_combinations() {
        let expected = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]];
        assert_eq!(points(&[2, 3]), expected);
        assert_eq!(points(&[]), [[0; 0]]);
    }
}
