//! The verdict in words: the closing sentence of a comparison.

use ssdlab_device::registry::NO_BUFFER;

use crate::explain::main_causes;
use crate::list::{listed, some_of};
use crate::row::{Row, RowKind};
use crate::units::{bytes, duration, size_range};
use crate::verdict::{Elsewhere, Margin, Verdict};

/// The names of the competitors in a sentence.
pub(crate) struct Words<'a> {
    pub trace: &'a str,
    pub baseline: &'a str,
    pub sizes: &'a [u64],
    /// The common name of all policies, if something else varies.
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

    /// The winner, its lead, the winners at other sizes, and the causes: one or two sentences.
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
            let [ours, theirs] = verdict.elapsed_ns.unwrap_or_default();
            let [ours, theirs] = [ours, theirs].map(|ns| duration(ns as f64));
            let most = match verdict.overlaps {
                true => "of busy time, most of the difference",
                false => "most of that",
            };
            text += &format!(
                " Against {against}{baseline}, it takes {ours} instead of {theirs}; {most} is {causes}."
            );
        }
        text
    }

    /// The part of a label that varies: of `lru (log_blocks 7)` the text in brackets, if all policies are `lru`.
    fn spoken(&self, label: &str) -> String {
        let named = |label: &str| match label.strip_prefix(NO_BUFFER) {
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

    /// The winner's buffer size, unless all rows have the same size and something else varies.
    fn size(&self, verdict: &Verdict) -> String {
        let (Some(size), Some(same_up_to)) = (verdict.size, verdict.same_up_to) else {
            return String::new();
        };
        let shortened = self.shared.is_some() && self.shared != verdict.winner;
        match bytes(size) {
            _ if shortened && self.sizes.len() < 2 => String::new(),
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

    /// Sizes in human units; successive sizes of the comparison become a range.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::mark_best;

    const MIB: u64 = 1 << 20;

    fn row(label: &str, mib: u64, speed: f64, erases: u64) -> Row {
        let mut row = Row {
            label: label.into(),
            name: label.split(" (").next().unwrap_or_default().into(),
            size: (mib > 0).then_some(mib * MIB),
            ..Row::default()
        };
        row.outcome.derived.throughput_mb_s = Some(speed);
        row.outcome.counters.erases = erases;
        row
    }

    /// The sentence, and the labels of the best rows.
    fn told(mut rows: Vec<Row>, baseline: &str) -> (String, Vec<String>) {
        let mut sizes: Vec<u64> = rows.iter().filter_map(|row| row.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        mark_best(&mut rows, &sizes);
        let verdict = Verdict::new(&rows, &sizes, baseline);
        let words = Words::new("t", baseline, &sizes, &rows);
        let best = rows.iter().filter(|row| row.best).map(Row::sized_label);
        (words.sentence(&verdict), best.collect())
    }

    // planted bugs: the largest of equal buffers wins; the runner-up is restricted to a smaller buffer than the winner;
    // a level policy becomes the runner-up
    #[test]
    fn of_equal_figures_the_smallest_buffer_wins() {
        let lru = [1, 2, 4, 8].map(|mib| row("lru", mib, 2.0, 10));
        let fab = [(1, 0.5), (2, 1.0), (4, 1.5), (8, 1.6)].map(|(mib, s)| row("fab", mib, s, 20));
        let fifo = [1, 2, 4, 8].map(|mib| row("fifo", mib, 2.0, 10));
        let rows = || fab.iter().chain(&lru).cloned().collect::<Vec<_>>();
        let expected = "On t, lru serves best with 1 MiB (up to 8 MiB the same): 2.00 MB/s, 25.0 % faster than fab with \
                        8 MiB with 50.0 % fewer erases.";
        assert_eq!(told(rows(), "lru").0, expected);
        let with_none: Vec<Row> = rows()
            .into_iter()
            .chain(fifo)
            .chain([row("none", 0, 2.0, 10)])
            .collect();
        let (sentence, best) = told(with_none, "fab");
        let expected = "On t, no buffer serves best: 2.00 MB/s, level with lru and fifo, 25.0 % faster than fab with 8 MiB \
                        with 50.0 % fewer erases.";
        assert_eq!(sentence, expected);
        assert_eq!(best, ["none"]);
    }

    // planted bugs: the best of the largest size wins though a smaller one is faster; successive sizes listed one by
    // one
    #[test]
    fn the_best_of_all_sizes_wins() {
        let speeds = [
            (1, 1.0, 2.0),
            (2, 1.1, 2.1),
            (4, 1.2, 2.2),
            (8, 3.0, 2.3),
            (16, 2.9, 2.4),
        ];
        let rows = speeds
            .iter()
            .flat_map(|&(mib, bplru, fab)| [row("bplru", mib, bplru, 5), row("fab", mib, fab, 5)]);
        let (sentence, best) = told(rows.collect(), "fab");
        let expected = "On t, bplru serves best with 8 MiB: 3.00 MB/s, 30.4 % faster than fab; fab wins at 1–4 MiB.";
        assert_eq!(sentence, expected);
        assert_eq!(best.len(), 5);
    }

    // planted bug: the common policy is named as the winner
    #[test]
    fn what_varies_is_named() {
        let spare = [(0.07, 2.0), (0.14, 3.0)];
        let rows = |policy: &str, mib| {
            let row =
                |&(op, speed)| row(&format!("{policy} (over_provisioning {op})"), mib, speed, 5);
            spare.iter().map(row).collect::<Vec<_>>()
        };
        let expected = "On t, over_provisioning 0.14 serves best: 3.00 MB/s, 50.0 % faster than over_provisioning 0.07.";
        assert_eq!(
            told(rows("lru", 8), "lru (over_provisioning 0.07)").0,
            expected
        );
        assert_eq!(
            told(rows("none", 0), "none (over_provisioning 0.07)").0,
            expected
        );
        let both = [rows("none", 0), rows("lru", 8)].concat();
        let (sentence, _) = told(both, "none (over_provisioning 0.07)");
        let start = "On t, no buffer (over_provisioning 0.14) serves best: 3.00 MB/s, level with lru (over_provisioning \
                     0.14), 50.0 % faster than no buffer (over_provisioning 0.07).";
        assert_eq!(sentence, start);
    }
}
