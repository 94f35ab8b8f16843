//! The verdict in words: the closing sentence of a comparison, and what else there is to say.

use ssdlab_device::registry::NO_BUFFER;

use ssdlab_device::results::{ERASES, THROUGHPUT};
use ssdlab_device::{Cause, Figure, FlashBytes};

use crate::explain::{instead, main_causes};
use crate::row::{Row, RowKind};
use crate::settled::State;
use crate::summary::Lines;
use crate::verdict::{Elsewhere, Margin, Verdict};
use ssdlab_words::{bytes, decimal_bytes, duration, listed, percent, rough, size_range, some_of};

/// The names of the competitors in a sentence.
pub(crate) struct Words<'a> {
    pub trace: &'a str,
    pub baseline: &'a str,
    pub sizes: &'a [u64],
    /// The common name of all policies, if something else varies.
    shared: Option<String>,
    /// Of blocks, or of lines.
    erases: &'static str,
    /// Lives are as uncertain as the P/E cycles of the device.
    rough: bool,
}

impl<'a> Words<'a> {
    pub fn new(trace: &'a str, baseline: &'a str, sizes: &'a [u64], rows: &[Row]) -> Self {
        let mut names = rows.iter().filter(|row| row.kind == RowKind::Policy);
        let first = names.next().map(|row| row.name.clone());
        let shared = first.filter(|first| names.all(|row| row.name == *first));
        let lines = !rows.is_empty() && rows.iter().all(|row| row.outcome.erases_lines);
        Self {
            trace,
            baseline,
            sizes,
            shared,
            erases: if lines { ERASES.of_lines() } else { ERASES }.words,
            rough: is_rough(rows),
        }
    }

    /// The winner with its figure, its lead, and over whom: one sentence. Of figures in doubt it says what they are of.
    pub fn sentence(&self, verdict: &Verdict, doubt: Option<State>) -> String {
        let trace = self.trace;
        let Some(winner) = &verdict.winner else {
            let why = if verdict.by == THROUGHPUT {
                "no data were read or written".to_owned()
            } else {
                format!("no run has a figure for {}", verdict.by.words)
            };
            return format!("On {trace} there is nothing to compare: {why}.");
        };
        let by = verdict.by;
        let clause = by.clause(&in_words(&by, verdict.value.unwrap_or(0.0), self.rough));
        let (winner, size) = (self.spoken(winner), self.size(verdict));
        let mut text = format!("On {trace}, {winner} serves best{size}");
        if !verdict.level_with.is_empty() {
            let level = verdict.level_with.iter().map(|label| self.spoken(label));
            text += &format!(", level with {}", some_of(&level.collect::<Vec<_>>()));
            text += &self.decided(&verdict.decided_by);
        }
        text += &format!(": {clause}");
        if let Some(requests) = verdict.in_flight {
            text += &format!(" with {requests} in flight, as fast as it goes");
        }
        if let Some(behind) = verdict.behind_ns {
            let behind = duration(behind as f64);
            text += &format!(", though it falls {behind} behind the times of the trace");
        }
        let rival = verdict.over_baseline.as_ref();
        if let Some(margin) = rival.or(verdict.over_runner_up.as_ref()) {
            let over = format!(
                "{}{}",
                self.rival(margin, verdict),
                self.valued(&by, margin)
            );
            text += &format!(", {} {over}", lead(&by, margin));
        }
        if let Some(doubt) = doubt {
            text += &format!("; these figures are {}", doubt.of());
        }
        text + "."
    }

    /// What else the verdict says, in lines: the runner-up behind the baseline, the winners at other sizes, and the causes.
    pub fn further(&self, verdict: &Verdict) -> Lines {
        let mut lines = Lines::new();
        if let (Some(margin), Some(winner), Some(_)) = (
            &verdict.over_runner_up,
            &verdict.winner,
            &verdict.over_baseline,
        ) {
            let by = verdict.by;
            let rival = self.rival(margin, verdict) + &self.valued(&by, margin);
            let [_, than] = by.leads;
            let lead = lead(&by, margin);
            let lead = lead.strip_suffix(than).unwrap_or(&lead).trim_end();
            lines.push((
                "runner-up",
                format!("{rival}; {}: {lead}", self.spoken(winner)),
            ));
        }
        let won = verdict.elsewhere.iter().map(|Elsewhere { label, sizes }| {
            let (label, sizes) = (self.spoken(label), self.ranges(sizes));
            format!("{label} wins at {}", listed(&sizes))
        });
        let won: Vec<String> = won.collect();
        if !won.is_empty() {
            lines.push(("other sizes", won.join("; ")));
        }
        lines.extend(self.why(verdict).map(|why| ("why", why)));
        lines
    }

    fn why(&self, verdict: &Verdict) -> Option<String> {
        let against = verdict.against.as_ref()?;
        if let Some(bytes) = &verdict.flash_bytes {
            return self.writes(verdict, against, bytes);
        }
        let whole = verdict.chips_ns.map(|[_, theirs]| theirs);
        let causes = main_causes(&verdict.why, verdict.write_hits, whole)?;
        let (against, times) = (self.against(against), times(verdict));
        Some(format!("against {against}, {times} is {causes}"))
    }

    /// The row with which the causes compare the winner.
    fn against(&self, label: &str) -> String {
        let baseline = if label == self.baseline {
            ", the baseline"
        } else {
            ""
        };
        self.spoken(label) + baseline
    }

    /// The difference in bytes to flash, and the cause of most of it; `None` without a difference.
    fn writes(
        &self,
        verdict: &Verdict,
        against: &str,
        [ours, theirs]: &[FlashBytes; 2],
    ) -> Option<String> {
        let differs = |cause: &Cause| ours[*cause].abs_diff(theirs[*cause]);
        // of equal causes the first
        let most = Cause::ALL.into_iter().rev().max_by_key(differs);
        let cause = most.filter(|cause| differs(cause) > 0)?;
        let both = |bytes: &dyn Fn(&FlashBytes) -> u64| {
            instead([ours, theirs].map(|of| decimal_bytes(bytes(of))))
        };
        let all = both(&FlashBytes::total);
        let most = both(&|of| of[cause]);
        let hits = verdict.write_hits.map(|hits| instead(hits.map(percent)));
        let hits = hits.map(|hits| format!(", with write hits of {hits}"));
        Some(format!(
            "against {}, {all} are programmed; the largest difference is {} ({most}){}",
            self.against(against),
            cause.name(),
            hits.unwrap_or_default(),
        ))
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

    /// The winner's buffer size, unless all rows have the same.
    fn size(&self, verdict: &Verdict) -> String {
        let (Some(size), Some(same_up_to)) = (verdict.size, verdict.same_up_to) else {
            return String::new();
        };
        match bytes(size) {
            _ if self.sizes.len() < 2 => String::new(),
            size if verdict.size == verdict.same_up_to => format!(" with {size}"),
            size => format!(" with {size} (up to {} the same)", bytes(same_up_to)),
        }
    }

    /// Who is behind the winner: `fab with 8 MiB`, or without a size if both have the same.
    fn rival(&self, margin: &Margin, verdict: &Verdict) -> String {
        let size = margin.size.filter(|_| margin.size != verdict.size);
        let size = size.map_or(String::new(), |size| format!(" with {}", bytes(size)));
        self.spoken(&margin.label) + &size
    }

    /// Its figure: ` (1.60 MB/s)`.
    fn valued(&self, by: &Figure, margin: &Margin) -> String {
        let value = margin.value.map(|value| in_words(by, value, self.rough));
        value.map_or(String::new(), |value| format!(" ({value})"))
    }

    /// What decided between level rows: ` (fewer bytes to flash decide)`; empty if nothing did.
    fn decided(&self, by: &[Figure]) -> String {
        let words = |figure: &Figure| match *figure == ERASES {
            true => self.erases,
            false => figure.words,
        };
        let figures = by.iter();
        let figures: Vec<String> = figures
            .map(|figure| format!("{} {}", figure.leads[0], words(figure)))
            .collect();
        match figures.is_empty() {
            true => String::new(),
            false => format!(" ({} decide)", figures.join(", then ")),
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

/// A lead: `25.0 % faster than`.
fn lead(by: &Figure, margin: &Margin) -> String {
    let [better, than] = by.leads;
    match margin.figure {
        Some(share) => format!("{} {better} {than}", percent(share.abs())),
        None => format!("{better} {than}"),
    }
}

/// Whether the lives of rows are as uncertain as the P/E cycles that their preset assumes.
pub(crate) fn is_rough(rows: &[Row]) -> bool {
    let mut rows = rows.iter();
    rows.any(|row| row.outcome.usual_pe_cycles.is_some())
}

/// A figure with its unit; a life that is `rough` with two digits.
pub fn in_words(figure: &Figure, value: f64, is_rough: bool) -> String {
    if is_rough && figure.unit.is_life() {
        format!("{} {}", rough(value), figure.unit.symbol())
    } else {
        figure.unit.text(value)
    }
}

/// The times of the winner and of the row with which the causes compare it, and what the causes are of. The time of chips,
/// which work at the same time, is told in shares.
fn times(verdict: &Verdict) -> String {
    let took = verdict.elapsed_ns.filter(|_| !verdict.timed).map(|took| {
        let took = instead(took.map(|ns| duration(ns as f64)));
        format!("it takes {took}")
    });
    let (chips, most) = match verdict.chips_ns {
        None => (None, "most of that"),
        Some([ours, theirs]) => {
            let more = ours as f64 / theirs.max(1) as f64 - 1.0;
            let (long, most) = match percent(more.abs()) {
                none if none == percent(0.0) => ("as long".to_owned(), "the largest difference"),
                less if more < 0.0 => (format!("{less} less"), "most of that"),
                more => (format!("{more} more"), "most of that"),
            };
            (Some(format!("its chips work {long}")), most)
        }
    };
    let told: Vec<String> = took.into_iter().chain(chips).collect();
    format!("{}; {most}", told.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::mark_best;
    use ssdlab_device::Figure;
    use ssdlab_device::results::{LIFE, P99, WAF};

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
    fn told(rows: Vec<Row>, baseline: &str) -> (String, Vec<String>) {
        told_by(THROUGHPUT, rows, baseline)
    }

    fn told_by(by: Figure, rows: Vec<Row>, baseline: &str) -> (String, Vec<String>) {
        let ([sentence, _], best) = all_by(by, rows, baseline);
        (sentence, best)
    }

    /// The sentence, and the other lines; and the labels of the best rows.
    fn all_by(by: Figure, mut rows: Vec<Row>, baseline: &str) -> ([String; 2], Vec<String>) {
        let mut sizes: Vec<u64> = rows.iter().filter_map(|row| row.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        mark_best(&mut rows, &sizes, by);
        let verdict = Verdict::new(&rows, &sizes, baseline, by, false);
        let words = Words::new("t", baseline, &sizes, &rows);
        let best = rows.iter().filter(|row| row.best).map(Row::sized_label);
        let lines = words.further(&verdict).into_iter();
        let lines: Vec<String> = lines
            .map(|(label, text)| format!("{label}: {text}"))
            .collect();
        let sentence = words.sentence(&verdict, None);
        ([sentence, lines.join("\n")], best.collect())
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
                        8 MiB (1.60 MB/s).";
        assert_eq!(told(rows(), "lru").0, expected);
        let with_none: Vec<Row> = rows()
            .into_iter()
            .chain(fifo)
            .chain([row("none", 0, 2.0, 10)])
            .collect();
        let (sentence, best) = told(with_none, "fab");
        let expected = "On t, no buffer serves best, level with lru and fifo: 2.00 MB/s, 25.0 % faster than fab with 8 MiB \
                        (1.60 MB/s).";
        assert_eq!(sentence, expected);
        assert_eq!(best, ["none"]);
    }

    // planted bugs: a lead of a fraction of 1 %; a baseline that is level with the winner and still behind it; a tie that is
    // decided by no word; a difference in erases that says nothing
    #[test]
    fn level_figures_are_no_lead() {
        let with = |label, speed, bytes, erases| {
            let mut row = row(label, 4, speed, erases);
            row.outcome.endurance.flash_bytes = FlashBytes::of([(Cause::Host, bytes)]);
            row
        };
        let rows = vec![
            with("lru", 2.01, 3_000_000, 1000),
            with("fab", 2.0, 2_000_000, 999),
            with("fifo", 1.995, 2_000_000, 1200),
            with("cflru", 1.0, 4_000_000, 1001),
        ];
        let ([sentence, further], best) = all_by(THROUGHPUT, rows, "lru");
        let expected = "On t, fab serves best, level with lru and fifo (fewer bytes to flash, then fewer erases decide): \
                        2.00 MB/s, 100.0 % faster than cflru (1.00 MB/s).";
        assert_eq!(sentence, expected);
        let expected = "why: against lru, the baseline, 2.00 MB instead of 3.00 MB are programmed; the largest difference \
                        is host data (2.00 MB instead of 3.00 MB)";
        assert_eq!(further, expected);
        assert_eq!(best, ["fab 4 MiB"]);
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
        let ([sentence, further], best) = all_by(THROUGHPUT, rows.collect(), "fab");
        let expected =
            "On t, bplru serves best with 8 MiB: 3.00 MB/s, 30.4 % faster than fab (2.30 MB/s).";
        assert_eq!(sentence, expected);
        assert_eq!(further, "other sizes: fab wins at 1–4 MiB");
        assert_eq!(best.len(), 5);
    }

    // planted bugs: the highest write amplification wins; the lead is that in throughput; causes of time for a ranking by
    // writes; a row without the figure wins
    #[test]
    fn another_figure_ranks_the_rows() {
        let with = |label, speed, erases, waf, merge| {
            let mut row = row(label, 4, speed, erases);
            row.outcome.derived.waf = Some(waf);
            let e = &mut row.outcome.endurance;
            e.flash_bytes = FlashBytes::of([(Cause::Host, 3_000_000), (Cause::Merge, merge)]);
            e.tb_until_worn.mean = (erases > 0).then_some(40.0 / erases as f64);
            row
        };
        let rows = || {
            vec![
                with("lru", 4.0, 20, 2.0, 3_000_000),
                with("fab", 1.0, 10, 1.5, 1_500_000),
                with("fifo", 1.0, 0, 3.0, 6_000_000),
            ]
        };
        let ([sentence, further], best) = all_by(WAF, rows(), "lru");
        let expected =
            "On t, fab serves best: write amplification 1.50, 25.0 % lower than lru (2.00).";
        assert_eq!(sentence, expected);
        let expected = "why: against lru, the baseline, 4.50 MB instead of 6.00 MB are programmed; the largest difference \
                        is merges (1.50 MB instead of 3.00 MB)";
        assert_eq!(further, expected);
        assert_eq!(best, ["fab 4 MiB"]);
        let (sentence, best) = told_by(LIFE, rows(), "lru");
        let start =
            "On t, fab serves best: 4.00 TB until worn out, 100.0 % more than lru (2.00 TB)";
        assert!(sentence.starts_with(start), "{sentence}");
        assert_eq!(best, ["fab 4 MiB"]);
        let (sentence, _) = told_by(ERASES, rows(), "lru");
        let expected = "On t, fifo serves best: 0 erases, 100.0 % fewer than lru (20).";
        assert_eq!(sentence, expected);
        let (sentence, best) = told_by(P99, rows(), "lru");
        assert_eq!(
            (sentence.as_str(), best.len()),
            (
                "On t there is nothing to compare: no run has a figure for p99 of writes.",
                0
            )
        );
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
        let expected = "On t, over_provisioning 0.14 serves best: 3.00 MB/s, 50.0 % faster than over_provisioning 0.07 \
                        (2.00 MB/s).";
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
        let start = "On t, no buffer (over_provisioning 0.14) serves best, level with lru (over_provisioning 0.14): 3.00 \
                     MB/s, 50.0 % faster than no buffer (over_provisioning 0.07) (2.00 MB/s).";
        assert_eq!(sentence, start);
    }
}
