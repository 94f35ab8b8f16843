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

/// The policies at one size, the best first, as indices of rows. One without a size competes at every size.
fn ranking(rows: &[Row], size: u64) -> Vec<usize> {
    let competes =
        |row: &Row| row.kind == RowKind::Policy && row.size.is_none_or(|own| own == size);
    let mut indices: Vec<usize> = (0..rows.len()).filter(|&i| competes(&rows[i])).collect();
    indices.sort_by(|&a, &b| better(&rows[a], &rows[b]));
    indices
}

/// Names the winner at the largest size, its margin, and the sizes where another one wins.
pub(crate) fn sentence(trace: &str, rows: &[Row], sizes: &[u64]) -> String {
    let Some(&largest) = sizes.last() else {
        return String::new();
    };
    let ranking_at = |size| {
        ranking(rows, size)
            .into_iter()
            .map(|i| &rows[i])
            .collect::<Vec<_>>()
    };
    let ranked = ranking_at(largest);
    let Some((&winner, rest)) = ranked.split_first() else {
        return String::new();
    };
    let mut text = format!(
        "On {trace}, {} serves best with {}",
        winner.label,
        bytes(largest)
    );
    if let Some(speed) = winner.outcome.derived.throughput_mb_s {
        text += &format!(": {speed:.2} MB/s");
    }
    if let Some(second) = rest.first() {
        text += &format!(", {}", margin(winner, second));
    }
    let mut others: Vec<(&str, Vec<String>)> = Vec::new();
    for &size in sizes {
        let best = &ranking_at(size)[0].label;
        match others.iter_mut().find(|(label, _)| label == best) {
            _ if *best == winner.label => {}
            Some((_, sizes)) => sizes.push(bytes(size)),
            None => others.push((best, vec![bytes(size)])),
        }
    }
    for (label, sizes) in others {
        text += &format!("; {label} wins at {}", sizes.join(" and "));
    }
    text + "."
}

/// How far the winner leads.
fn margin(winner: &Row, second: &Row) -> String {
    let speed = |row: &Row| row.outcome.derived.throughput_mb_s;
    let lead = match (speed(winner), speed(second)) {
        (Some(a), Some(b)) if a == b => return format!("level with {}", second.label),
        (Some(a), Some(b)) if b > 0.0 => format!(
            "{:.1} % faster than {}",
            (a / b - 1.0) * 100.0,
            second.label
        ),
        _ => format!("ahead of {}", second.label),
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
