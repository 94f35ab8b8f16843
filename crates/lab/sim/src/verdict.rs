//! The verdict: the winner, its lead, the winners at other sizes, and the causes.

use serde::Serialize;

use ssdlab_device::results::{ERASES, THROUGHPUT};
use ssdlab_device::{Explained, Figure, FlashBytes};

use crate::explain::{Reason, chip_times, explain, main_of, write_hits};
use crate::rank::{Rivals, best, decide, is_level};
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
    pub throughput: Option<f64>,
    /// The policies that are level with the winner in this figure, the equally good ones first.
    pub level_with: Vec<String>,
    /// The figures in which the winner is better than some of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decided_by: Vec<Figure>,
    /// The winner's lead over the baseline, unless the winner is the baseline or level with it in the figure.
    pub over_baseline: Option<Margin>,
    /// The winner's lead over the best policy that is not level with it, unless that is the baseline.
    pub over_runner_up: Option<Margin>,
    /// The winners at other sizes.
    pub elsewhere: Vec<Elsewhere>,
    /// The row with which the causes compare the winner: the baseline or, if that is as good as it, the runner-up.
    pub against: Option<String>,
    /// The buffer of that row, bytes.
    pub against_size: Option<u64>,
    /// The simulated times of the winner and of that row, nanoseconds.
    pub elapsed_ns: Option<[u64; 2]>,
    /// The trace sets these times (timed replay).
    #[serde(skip)]
    pub timed: bool,
    /// If a latency ranks the runs and the trace does not set the times: the requests in flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<u32>,
    /// How far the winner is behind the times of the trace at its end, nanoseconds; `None`: it keeps up with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind_ns: Option<u64>,
    /// The causes of the lead, the largest share of the time first.
    pub why: Vec<Reason>,
    /// Under the parallel model, where chips work at the same time: the time that the cells of all chips worked, in the
    /// winner and in that row, nanoseconds. The causes are of this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chips_ns: Option<[u64; 2]>,
    /// The bytes to flash of the winner and of that row, if the ranking is by writes to flash, or if these decided
    /// because the two are level.
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
    /// The figure of the other row, in the base of its unit.
    pub value: Option<f64>,
    /// The relative difference in the figure that ranks the runs: 0.1 is a tenth more; `None` if the other row has 0.
    pub figure: Option<f64>,
    /// The relative difference in throughput: 0.1 is a tenth more. Under timed replay it is no merit.
    pub throughput: Option<f64>,
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

/// Marks the best policy of each size, and those that are level with it.
pub(crate) fn mark_best(rows: &mut [Row], sizes: &[u64], by: Figure) {
    let sizes: Vec<Option<u64>> = match sizes {
        [] => vec![None],
        sizes => sizes.iter().copied().map(Some).collect(),
    };
    for size in sizes {
        let competing: Vec<usize> = (0..rows.len())
            .filter(|&at| is_at(&rows[at], size))
            .collect();
        let best_row = best(&by, competing.iter().map(|&at| &rows[at]));
        let Some(winner) = best_row.cloned() else {
            continue;
        };
        let is_winner = |row: &Row| row.label == winner.label && row.size == winner.size;
        for at in competing {
            let row = &mut rows[at];
            if is_winner(row) {
                row.best = true;
            } else if is_level(&by, &winner, row) {
                row.level = true;
            }
        }
    }
}

/// Whether a row competes at a size. A row without a size competes at every size.
fn is_at(row: &Row, size: Option<u64>) -> bool {
    row.kind == RowKind::Policy && (row.size.is_none() || row.size == size)
}

/// Whether two rows are level in all that decides.
fn is_equal(by: &Figure, a: &Row, b: &Row) -> bool {
    is_level(by, a, b) && decide(a, b).next().is_none()
}

impl Verdict {
    /// The two largest causes, which the sentence names.
    pub fn main(&self) -> &[Reason] {
        main_of(&self.why)
    }

    /// The best row of all sizes, compared with the others at the largest buffer with which it has the same result, so
    /// that no rival has a smaller buffer than the winner could use.
    pub(crate) fn new(
        rows: &[Row],
        sizes: &[u64],
        baseline: &str,
        by: Figure,
        timed: bool,
    ) -> Self {
        let policies = || rows.iter().filter(|row| row.kind == RowKind::Policy);
        let Some(winner) = best(&by, policies()) else {
            return Verdict {
                by,
                ..Verdict::default()
            };
        };
        let mut same = policies().filter(|row| row.label == winner.label);
        let same_up_to = winner.size.and_then(|_| {
            let equal = |row: &&Row| is_equal(&by, row, winner);
            same.rfind(equal).and_then(|row| row.size)
        });
        let at = same_up_to.or(sizes.last().copied());
        let others = policies().filter(|row| is_at(row, at) && row.label != winner.label);
        let rivals = Rivals::of(&by, winner, others);
        let is_baseline = |row: &Row| row.label == baseline;
        let base = rivals.behind.iter().find(|row| is_baseline(row));
        let runner_up = rivals.behind.first().filter(|row| !is_baseline(row));
        let against = rivals.against(is_baseline);
        let is_tie = against.is_some_and(|other| is_level(&by, winner, other));
        let by_writes = is_tie || by.explained == Explained::ByBytes;
        let flash_bytes = |row: &Row| row.outcome.endurance.flash_bytes;
        Verdict {
            by,
            value: winner.figure(&by),
            winner: Some(winner.label.clone()),
            size: winner.size,
            same_up_to,
            throughput: winner.outcome.derived.throughput_mb_s,
            level_with: rivals.level.iter().map(|row| row.label.clone()).collect(),
            decided_by: rivals.decided_by(winner),
            over_baseline: base.map(|row| margin(winner, row, by)),
            over_runner_up: runner_up.map(|row| margin(winner, row, by)),
            elsewhere: elsewhere(rows, winner, sizes, by),
            against: against.map(|row| row.label.clone()),
            against_size: against.and_then(|row| row.size),
            elapsed_ns: against
                .map(|other| [winner, other].map(|row| row.outcome.counters.elapsed_ns)),
            timed,
            in_flight: None,
            behind_ns: winner.outcome.falls_behind(),
            why: against.map_or(Vec::new(), |other| explain(winner, other)),
            chips_ns: against.and_then(|other| chip_times(winner, other)),
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
        let here = || rows.iter().filter(|row| is_at(row, Some(size)));
        let Some(best) = best(&by, here()) else {
            continue;
        };
        // a policy that is level with the best has not lost
        let has_won = |row: &Row| row.label == winner.label && is_level(&by, best, row);
        if here().any(has_won) {
            continue;
        }
        match others.iter_mut().find(|other| other.label == best.label) {
            Some(other) => other.sizes.push(size),
            None => others.push(Elsewhere {
                label: best.label.clone(),
                sizes: vec![size],
            }),
        }
    }
    others
}

/// The winner's lead over a row that is not level with it.
fn margin(winner: &Row, second: &Row, by: Figure) -> Margin {
    let lead = |figure: &Figure| {
        let (own, other) = winner.figure(figure).zip(second.figure(figure))?;
        (other > 0.0).then(|| own / other - 1.0)
    };
    Margin {
        label: second.label.clone(),
        size: second.size,
        value: second.figure(&by),
        figure: lead(&by),
        throughput: lead(&THROUGHPUT),
        erases: lead(&ERASES),
    }
}
