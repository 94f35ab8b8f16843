//! The verdict in words: the sentence that closes a comparison.

use crate::explain::main_causes;
use crate::fold::size_range;
use crate::verdict::{Elsewhere, Margin, Verdict};
use crate::{Row, RowKind};

/// Who is compared, as a sentence names them.
pub(crate) struct Words<'a> {
    pub trace: &'a str,
    pub baseline: &'a str,
    pub sizes: &'a [u64],
    /// The name that all policies share, if what varies is something else.
    shared: Option<String>,
}

impl<'a> Words<'a> {
    pub fn new(trace: &'a str, baseline: &'a str, sizes: &'a [u64], rows: &[Row]) -> Self {
        let mut names = rows.iter().filter(|row| row.kind == RowKind::Policy);
        let first = names.next().map(|row| row.name.clone());
        let shared = first.filter(|first| names.all(|row| row.name == *first));
        Self {
            trace,
            baseline,
            sizes,
            shared,
        }
    }

    /// Who wins, by how much, where others do, and why: a sentence or two.
    pub fn sentence(&self, verdict: &Verdict) -> String {
        let trace = self.trace;
        let Some(winner) = &verdict.winner else {
            return format!(
                "On {trace} there is nothing to compare: no data were read or written."
            );
        };
        let speed = verdict.throughput_mb_s.unwrap_or(0.0);
        let (winner, size) = (self.spoken(winner), self.size(verdict));
        let mut text = format!("On {trace}, {winner} serves best{size}: {speed:.2} MB/s");
        if !verdict.level_with.is_empty() {
            let level = verdict.level_with.iter().map(|label| self.spoken(label));
            text += &format!(", level with {}", some_of(&level.collect::<Vec<_>>()));
        }
        let margins = [&verdict.over_baseline, &verdict.over_runner_up].into_iter();
        let margins: Vec<String> = margins
            .flatten()
            .map(|margin| self.margin(verdict, margin))
            .collect();
        if !margins.is_empty() {
            text += &format!(", {}", margins.join(" and "));
        }
        for Elsewhere { label, sizes } in &verdict.elsewhere {
            let (label, sizes) = (self.spoken(label), self.ranges(sizes));
            text += &format!("; {label} wins at {}", listed(&sizes));
        }
        text += ".";
        if let Some(against) = &verdict.against
            && let Some(causes) = main_causes(&verdict.why, verdict.write_hits)
        {
            let baseline = if against == self.baseline {
                ", the baseline"
            } else {
                ""
            };
            let against = self.spoken(against);
            text += &format!(" Against {against}{baseline}, most of it is {causes}.");
        }
        text
    }

    /// What a label says of what varies: of `lru (log_blocks 7)` the part in brackets, if all are `lru`.
    fn spoken(&self, label: &str) -> String {
        let named = |label: &str| match label.strip_prefix("none") {
            Some(rest) if rest.is_empty() || rest.starts_with(' ') => format!("no buffer{rest}"),
            _ => label.to_owned(),
        };
        let rest = self
            .shared
            .as_deref()
            .and_then(|name| label.strip_prefix(name));
        let Some(rest) = rest.filter(|rest| !rest.is_empty()) else {
            return named(label);
        };
        let rest = rest.trim_start_matches(" + ").trim();
        let bare = rest
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'));
        bare.unwrap_or(rest).to_owned()
    }

    /// The winner's buffer, unless nothing else is compared.
    fn size(&self, verdict: &Verdict) -> String {
        let (Some(size), Some(same_up_to)) = (verdict.size, verdict.same_up_to) else {
            return String::new();
        };
        match bytes(size) {
            _ if self.shared.is_some() && self.sizes.len() < 2 => String::new(),
            size if verdict.size == verdict.same_up_to => format!(" with {size}"),
            size => format!(" with {size} (up to {} the same)", bytes(same_up_to)),
        }
    }

    fn margin(&self, verdict: &Verdict, margin: &Margin) -> String {
        let mut over = self.spoken(&margin.label);
        if let Some(size) = margin.size.filter(|_| margin.size != verdict.size) {
            over += &format!(" with {}", bytes(size));
        }
        let lead = match margin.throughput {
            0.0 => format!("as fast as {over}"),
            lead => format!("{} faster than {over}", percent(lead)),
        };
        match margin.erases {
            None | Some(0.0) => lead,
            Some(fewer) if fewer < 0.0 => format!("{lead} with {} fewer erases", percent(-fewer)),
            Some(more) => format!("{lead} with {} more erases", percent(more)),
        }
    }

    /// Sizes as people write them, those that follow on each other in the comparison as a range.
    fn ranges(&self, sizes: &[u64]) -> Vec<String> {
        let at = |size: u64| self.sizes.iter().position(|&other| other == size);
        let adjacent = |a: &u64, b: &u64| at(*a).map(|at| at + 1) == at(*b);
        let ranges = sizes.chunk_by(adjacent);
        ranges
            .flat_map(|range| match range {
                [a, b] => vec![bytes(*a), bytes(*b)],
                [first, .., last] => vec![size_range(*first, *last)],
                _ => range.iter().map(|&size| bytes(size)).collect(),
            })
            .collect()
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
