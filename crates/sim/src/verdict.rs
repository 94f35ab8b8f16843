//! Who wins, and the sentence that says so.

use crate::compare::better;
use crate::{Row, RowKind};

/// Marks the best policy of each size.
pub(crate) fn mark_best(rows: &mut [Row], sizes: &[u64]) {
    for &size in sizes {
        if let Some(&best) = ranking(rows, size).first() {
            rows[best].best = true;
        }
    }
}

/// The policies at one size, the best first, as indices of rows. One without a size competes at every size; a run in
/// which the host read and wrote nothing does not compete.
fn ranking(rows: &[Row], size: u64) -> Vec<usize> {
    let competes = |row: &Row| {
        row.kind == RowKind::Policy
            && row.size.is_none_or(|own| own == size)
            && row.outcome.derived.throughput_mb_s.is_some()
    };
    let mut indices: Vec<usize> = (0..rows.len()).filter(|&i| competes(&rows[i])).collect();
    indices.sort_by(|&a, &b| better(&rows[a], &rows[b]));
    indices
}

/// Names the winner at the largest size, its margin, and the sizes where another one wins.
pub(crate) fn sentence(trace: &str, rows: &[Row], sizes: &[u64]) -> String {
    let ranking_at = |size: u64| {
        ranking(rows, size)
            .into_iter()
            .map(|i| &rows[i])
            .collect::<Vec<_>>()
    };
    let ranked = sizes
        .last()
        .map_or(Vec::new(), |&largest| ranking_at(largest));
    let Some((&winner, rest)) = ranked.split_first() else {
        return format!("On {trace} there is nothing to compare: no data were read or written.");
    };
    let size = winner
        .size
        .map_or(String::new(), |size| format!(" with {}", bytes(size)));
    let speed = winner.outcome.derived.throughput_mb_s.unwrap_or(0.0);
    let mut text = format!(
        "On {trace}, {} serves best{size}: {speed:.2} MB/s",
        winner.label
    );
    let (level, behind) = rest.split_at(rest.partition_point(|row| better(winner, row).is_eq()));
    if !level.is_empty() {
        let labels: Vec<_> = level.iter().map(|row| row.label.as_str()).collect();
        text += &format!(", level with {}", listed(&labels));
    }
    if let Some(second) = behind.first() {
        text += &format!(", {}", margin(winner, second));
    }
    let mut others: Vec<(&str, Vec<String>)> = Vec::new();
    for &size in sizes {
        let ranked = ranking_at(size);
        // whoever is level with the best has not lost
        if ranked
            .iter()
            .take_while(|row| better(ranked[0], row).is_eq())
            .any(|row| row.label == winner.label)
        {
            continue;
        }
        match others
            .iter_mut()
            .find(|(label, _)| *label == ranked[0].label)
        {
            Some((_, sizes)) => sizes.push(bytes(size)),
            None => others.push((&ranked[0].label, vec![bytes(size)])),
        }
    }
    for (label, sizes) in others {
        text += &format!("; {label} wins at {}", listed(&sizes));
    }
    text + "."
}

/// How far the winner leads one that is not level with it.
fn margin(winner: &Row, second: &Row) -> String {
    let speed = |row: &Row| row.outcome.derived.throughput_mb_s.unwrap_or(0.0);
    let lead = match speed(winner) / speed(second) - 1.0 {
        0.0 => format!("as fast as {}", second.label),
        lead => format!("{:.1} % faster than {}", lead * 100.0, second.label),
    };
    let (a, b) = (
        winner.outcome.counters.erases,
        second.outcome.counters.erases,
    );
    match b {
        b if b == a || b == 0 => lead,
        b if a < b => format!(
            "{lead} with {:.1} % fewer erases",
            (1.0 - a as f64 / b as f64) * 100.0
        ),
        b => format!(
            "{lead} with {:.1} % more erases",
            (a as f64 / b as f64 - 1.0) * 100.0
        ),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed<S: AsRef<str>>(items: &[S]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.split_last() {
        None => String::new(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// A size as people write it.
pub fn bytes(size: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units
        .iter()
        .find(|&&(shift, _)| size >= 1 << shift && size.trailing_zeros() >= shift)
    {
        Some((shift, unit)) => format!("{} {unit}", size >> shift),
        None => format!("{size} B"),
    }
}
