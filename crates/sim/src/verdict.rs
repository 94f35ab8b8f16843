//! Who wins, by how much, where others win, and why.

use std::cmp::Ordering;

use serde::Serialize;

use crate::explain::{Reason, explain, main_reasons};
use crate::{Row, RowKind};

/// What a comparison comes to, at its largest size.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verdict {
    /// The label of the best; `None` if no run moved data.
    pub winner: Option<String>,
    /// Its buffer, bytes; `None` where that means nothing.
    pub size: Option<u64>,
    /// Its throughput.
    pub throughput_mb_s: Option<f64>,
    /// Those that are just as good.
    pub level_with: Vec<String>,
    /// Its lead over the baseline, unless it is the baseline or level with it.
    pub over_baseline: Option<Margin>,
    /// Its lead over the best of those that are not level with it, unless that is the baseline.
    pub over_runner_up: Option<Margin>,
    /// Who wins at other sizes.
    pub elsewhere: Vec<Elsewhere>,
    /// Whom the reasons hold it against: the baseline, or if it leads that by nothing, the runner-up.
    pub against: Option<String>,
    /// What explains the lead, the largest share of the time first.
    pub why: Vec<Reason>,
}

/// A lead.
#[derive(Clone, Debug, Serialize)]
pub struct Margin {
    /// Over whom.
    pub label: String,
    /// How much faster: 0.1 is a tenth.
    pub throughput: f64,
    /// How many more erases: -0.1 is a tenth fewer; `None` if the other has none.
    pub erases: Option<f64>,
}

/// Sizes at which another one wins.
#[derive(Clone, Debug, Serialize)]
pub struct Elsewhere {
    /// Who.
    pub label: String,
    /// Buffer sizes, bytes.
    pub sizes: Vec<u64>,
}

/// Better first: by throughput, ties by fewer erases.
fn better(a: &Row, b: &Row) -> Ordering {
    let erases = |row: &Row| row.outcome.counters.erases;
    speed(b)
        .total_cmp(&speed(a))
        .then(erases(a).cmp(&erases(b)))
}

fn speed(row: &Row) -> f64 {
    row.outcome.derived.throughput_mb_s.unwrap_or(0.0)
}

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

impl Verdict {
    pub(crate) fn new(rows: &[Row], sizes: &[u64], baseline: &str) -> Self {
        let ranked_at = |size: u64| -> Vec<&Row> {
            ranking(rows, size).into_iter().map(|i| &rows[i]).collect()
        };
        let ranked = sizes.last().map_or(Vec::new(), |&size| ranked_at(size));
        let Some((&winner, rest)) = ranked.split_first() else {
            return Verdict::default();
        };
        let (level, behind) =
            rest.split_at(rest.partition_point(|row| better(winner, row).is_eq()));
        let base = behind.iter().copied().find(|row| row.label == baseline);
        let runner_up = behind.first().copied();
        let against = base.or(runner_up);
        let why = against.map_or(Vec::new(), |other| explain(winner, other));
        Verdict {
            winner: Some(winner.label.clone()),
            size: winner.size,
            throughput_mb_s: winner.outcome.derived.throughput_mb_s,
            level_with: level.iter().map(|row| row.label.clone()).collect(),
            over_baseline: base.map(|row| margin(winner, row)),
            over_runner_up: runner_up
                .filter(|row| row.label != baseline)
                .map(|row| margin(winner, row)),
            elsewhere: elsewhere(winner, sizes, ranked_at),
            against: against.map(|row| row.label.clone()),
            why,
        }
    }

    /// All of it in one sentence or two.
    pub(crate) fn sentence(&self, trace: &str, baseline: &str) -> String {
        let Some(winner) = &self.winner else {
            return format!(
                "On {trace} there is nothing to compare: no data were read or written."
            );
        };
        let size = self
            .size
            .map_or(String::new(), |size| format!(" with {}", bytes(size)));
        let speed = self.throughput_mb_s.unwrap_or(0.0);
        let mut text = format!("On {trace}, {winner} serves best{size}: {speed:.2} MB/s");
        if !self.level_with.is_empty() {
            text += &format!(", level with {}", some_of(&self.level_with));
        }
        let margins = [&self.over_baseline, &self.over_runner_up];
        let margins: Vec<String> = margins.into_iter().flatten().map(in_words).collect();
        if !margins.is_empty() {
            text += &format!(", {}", margins.join(" and "));
        }
        for Elsewhere { label, sizes } in &self.elsewhere {
            let sizes: Vec<_> = sizes.iter().map(|&size| bytes(size)).collect();
            text += &format!("; {label} wins at {}", listed(&sizes));
        }
        text += ".";
        if let (Some(against), Some(main)) = (&self.against, main_reasons(&self.why)) {
            let baseline = match against == baseline {
                true => ", the baseline",
                false => "",
            };
            text += &format!(" Against {against}{baseline}, most of it is {main}.");
        }
        text
    }
}

/// Where another one than the winner is best.
fn elsewhere<'a>(
    winner: &Row,
    sizes: &[u64],
    ranked_at: impl Fn(u64) -> Vec<&'a Row>,
) -> Vec<Elsewhere> {
    let mut others: Vec<Elsewhere> = Vec::new();
    for &size in sizes {
        let ranked = ranked_at(size);
        // whoever is level with the best has not lost
        let mut best = ranked
            .iter()
            .take_while(|row| better(ranked[0], row).is_eq());
        if best.any(|row| row.label == winner.label) {
            continue;
        }
        let label = &ranked[0].label;
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

/// How far the winner leads one that is not level with it.
fn margin(winner: &Row, second: &Row) -> Margin {
    let erases = |row: &Row| row.outcome.counters.erases as f64;
    Margin {
        label: second.label.clone(),
        throughput: speed(winner) / speed(second) - 1.0,
        erases: (erases(second) > 0.0).then(|| erases(winner) / erases(second) - 1.0),
    }
}

fn in_words(margin: &Margin) -> String {
    let lead = match margin.throughput {
        0.0 => format!("as fast as {}", margin.label),
        lead => format!("{} faster than {}", percent(lead), margin.label),
    };
    match margin.erases {
        None | Some(0.0) => lead,
        Some(fewer) if fewer < 0.0 => format!("{lead} with {} fewer erases", percent(-fewer)),
        Some(more) => format!("{lead} with {} more erases", percent(more)),
    }
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        tiny if tiny < 0.05 => "less than 0.1 %".into(),
        percent => format!("{percent:.1} %"),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed<S: AsRef<str>>(items: &[S]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.split_last() {
        None => String::new(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// The first three, and how many others there are.
pub(crate) fn some_of(labels: &[String]) -> String {
    const NAMED: usize = 3;
    let named = labels.get(..NAMED).unwrap_or(labels).join(", ");
    match labels.len().saturating_sub(NAMED) {
        0 => listed(labels),
        1 => named + " and 1 other",
        others => format!("{named} and {others} others"),
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
