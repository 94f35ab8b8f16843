//! The verdict: the winner, its lead, the winners at other sizes, and the causes.

use serde::Serialize;

use ssdlab_device::{Explained, Figure, FlashBytes};

use crate::explain::{Reason, explain, main_of, write_hits};
use crate::rank::{better, ranked};
use crate::row::{Row, RowKind};

/// The verdict of a comparison.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verdict {
    /// The figure that ranks the runs.
    pub by: Figure,
    /// The label of the winner; `None` if no run has the figure.
    pub winner: Option<String>,
    /// The smallest buffer with which the winner has this result, bytes; `None` where no size applies.
    pub size: Option<u64>,
    /// The largest buffer with which the winner has the same result; `size`, if no larger one has it.
    pub same_up_to: Option<u64>,
    /// Its figure, in the base of its unit.
    pub value: Option<f64>,
    /// Its throughput.
    pub throughput_mb_s: Option<f64>,
    /// The policies that are equally good.
    pub level_with: Vec<String>,
    /// The winner's lead over the baseline, unless the winner is the baseline or level with it.
    pub over_baseline: Option<Margin>,
    /// The winner's lead over the best policy that is not level with it, unless that is the baseline.
    pub over_runner_up: Option<Margin>,
    /// The winners at other sizes.
    pub elsewhere: Vec<Elsewhere>,
    /// The row with which the causes compare the winner: the baseline or, if the lead over it is 0, the runner-up.
    pub against: Option<String>,
    /// The buffer of that row, bytes.
    pub against_size: Option<u64>,
    /// The simulated times of the winner and of that row, nanoseconds.
    pub elapsed_ns: Option<[u64; 2]>,
    /// The causes of the lead, the largest share of the time first.
    pub why: Vec<Reason>,
    /// Operations overlap (the parallel model), so the causes are of busy time and do not add up to the simulated time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overlaps: bool,
    /// The bytes to flash of the winner and of that row, if the ranking is by writes to flash, not by time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flash_bytes: Option<[FlashBytes; 2]>,
    /// The write hit ratios of both, if both have a buffer and the ratios differ.
    pub write_hits: Option<[f64; 2]>,
}

/// A lead.
#[derive(Clone, Debug, Serialize)]
pub struct Margin {
    /// The label of the other row.
    pub label: String,
    /// The buffer of the other row, bytes; `None` where no size applies.
    pub size: Option<u64>,
    /// The relative difference in the figure that ranks the runs: 0.1 is a tenth more; `None` if the other row has 0.
    pub figure: Option<f64>,
    /// The relative gain in throughput: 0.1 is a tenth faster.
    pub throughput: f64,
    /// The relative difference in erases: -0.1 is a tenth fewer; `None` if the other row has none.
    pub erases: Option<f64>,
}

/// The sizes at which another policy wins.
#[derive(Clone, Debug, Serialize)]
pub struct Elsewhere {
    /// The label of that policy.
    pub label: String,
    /// Buffer sizes, bytes.
    pub sizes: Vec<u64>,
}

fn speed(row: &Row) -> f64 {
    row.outcome.derived.throughput_mb_s.unwrap_or(0.0)
}

/// Marks the best policy of each size.
pub(crate) fn mark_best(rows: &mut [Row], sizes: &[u64], by: Figure) {
    let unsized_alone = [None];
    let sizes: Vec<Option<u64>> = sizes.iter().copied().map(Some).collect();
    let sizes = if sizes.is_empty() {
        &unsized_alone
    } else {
        &sizes[..]
    };
    for &size in sizes {
        let best = ranking(rows, size, by)
            .first()
            .map(|best| best.label.clone());
        let is_best = |row: &&mut Row| is_at(row, size, by) && Some(&row.label) == best.as_ref();
        if let Some(row) = rows.iter_mut().find(is_best) {
            row.best = true;
        }
    }
}

/// Whether a row competes at a size. A row without a size competes at every size; a run without the figure cannot win.
fn is_at(row: &Row, size: Option<u64>, by: Figure) -> bool {
    row.kind == RowKind::Policy
        && (row.size.is_none() || row.size == size)
        && ranked(&by, row).is_some()
}

/// The policies at one size, the best first; among equal policies, first those without a buffer.
fn ranking(rows: &[Row], size: Option<u64>, by: Figure) -> Vec<&Row> {
    let mut ranked: Vec<&Row> = rows.iter().filter(|row| is_at(row, size, by)).collect();
    ranked.sort_by(|a, b| better(&by, a, b).then(a.size.cmp(&b.size)));
    ranked
}

impl Verdict {
    /// The two largest causes, which the sentence names.
    pub fn main(&self) -> &[Reason] {
        main_of(&self.why)
    }

    /// The best row of all sizes, compared with the others at the largest buffer with which it has the same result, so
    /// that no rival has a smaller buffer than the winner could use.
    pub(crate) fn new(rows: &[Row], sizes: &[u64], baseline: &str, by: Figure) -> Self {
        let better = |a: &Row, b: &Row| better(&by, a, b);
        let competes = |row: &&Row| is_at(row, row.size, by);
        let first = |a: &&Row, b: &&Row| better(a, b).then(a.size.cmp(&b.size));
        let Some(winner) = rows.iter().filter(competes).min_by(first) else {
            return Verdict {
                by,
                ..Verdict::default()
            };
        };
        let mut same = rows.iter().filter(|row| row.label == winner.label);
        let same_up_to = winner.size.and_then(|_| {
            let equal = |row: &&Row| better(row, winner).is_eq();
            same.rfind(equal).and_then(|row| row.size)
        });
        let ranked = ranking(rows, same_up_to.or(sizes.last().copied()), by);
        let others: Vec<&Row> = ranked
            .into_iter()
            .filter(|row| row.label != winner.label)
            .collect();
        let level_until = others.partition_point(|row| better(winner, row).is_eq());
        let (level, behind) = others.split_at(level_until);
        let base = behind.iter().copied().find(|row| row.label == baseline);
        let runner_up = behind.first().copied();
        let against = base.or(runner_up);
        let by_writes = by.explained == Explained::ByBytes;
        let flash_bytes = |row: &Row| row.outcome.endurance.flash_bytes;
        Verdict {
            by,
            value: winner.figure(&by),
            winner: Some(winner.label.clone()),
            size: winner.size,
            same_up_to,
            throughput_mb_s: winner.outcome.derived.throughput_mb_s,
            level_with: level.iter().map(|row| row.label.clone()).collect(),
            over_baseline: base.map(|row| margin(winner, row, by)),
            over_runner_up: runner_up
                .filter(|row| row.label != baseline)
                .map(|row| margin(winner, row, by)),
            elsewhere: elsewhere(rows, winner, sizes, by),
            against: against.map(|row| row.label.clone()),
            against_size: against.and_then(|row| row.size),
            elapsed_ns: against
                .map(|other| [winner, other].map(|row| row.outcome.counters.elapsed_ns)),
            why: against.map_or(Vec::new(), |other| explain(winner, other)),
            overlaps: winner.outcome.latency_ns.is_some(),
            flash_bytes: against
                .filter(|_| by_writes)
                .map(|other| [winner, other].map(flash_bytes)),
            write_hits: against.and_then(|other| write_hits(winner, other)),
        }
    }
}

/// The sizes at which another policy than the winner is best.
fn elsewhere(rows: &[Row], winner: &Row, sizes: &[u64], by: Figure) -> Vec<Elsewhere> {
    let mut others: Vec<Elsewhere> = Vec::new();
    for &size in sizes {
        let ranked = ranking(rows, Some(size), by);
        // a policy that is level with the best has not lost
        let mut best = ranked
            .iter()
            .take_while(|row| better(&by, ranked[0], row).is_eq());
        if best.any(|row| row.label == winner.label) {
            continue;
        }
        let Some(label) = ranked.first().map(|best| &best.label) else {
            continue;
        };
        match others.iter_mut().find(|other| other.label == *label) {
            Some(other) => other.sizes.push(size),
            None => others.push(Elsewhere {
                label: label.clone(),
                sizes: vec![size],
            }),
        }
    }
    others
}

/// The winner's lead over a row that is not level with it.
fn margin(winner: &Row, second: &Row, by: Figure) -> Margin {
    let erases = |row: &Row| row.outcome.counters.erases as f64;
    Margin {
        label: second.label.clone(),
        size: second.size,
        figure: winner
            .figure(&by)
            .zip(second.figure(&by).filter(|&other| other > 0.0))
            .map(|(own, other)| own / other - 1.0),
        throughput: speed(winner) / speed(second) - 1.0,
        erases: (erases(second) > 0.0).then(|| erases(winner) / erases(second) - 1.0),
    }
}
