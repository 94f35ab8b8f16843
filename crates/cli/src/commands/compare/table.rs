//! The table of `ssdlab compare`.

use ssdlab_sim::{
    Bounds, Comparison, Endurance, FlashCause, Folded, Latency, RankBy, RowKind, Wear, amount,
    decimal_bytes, duration, fixed,
};

use crate::screen::{Look, Table};

/// A column of the table beside policy, buffer and mark.
struct Column {
    /// Its name for `--columns`.
    name: &'static str,
    title: &'static str,
    content: Content,
}

/// What a column shows of a row.
enum Content {
    Throughput,
    Erases,
    Waf,
    Switch,
    Partial,
    Full,
    WriteHits,
    Time,
    /// A counter by its name.
    Counter(&'static str),
    /// The 99th percentile of the latencies of writes.
    P99,
    /// A latency of writes, or of reads, in nanoseconds.
    WriteLatency(fn(&Latency) -> Option<f64>),
    ReadLatency(fn(&Latency) -> Option<f64>),
    /// Life by the mean of all blocks.
    Life,
    /// Wear by the mean of all blocks.
    Mean(fn(&Endurance) -> Wear),
    /// Wear by the worst block.
    Worst(fn(&Endurance) -> Wear),
    /// Bytes programmed for a cause.
    Bytes(FlashCause),
}

const fn column(name: &'static str, title: &'static str, content: Content) -> Column {
    Column {
        name,
        title,
        content,
    }
}

use Content::{Bytes, Counter, Mean, ReadLatency, Worst, WriteLatency};

/// All columns. The table shows the first [`USUAL`] by default, and the next [`ON_DEMAND`] if a sentence names them.
const COLUMNS: [Column; 30] = [
    column("throughput", "MB/s", Content::Throughput),
    column("erases", "erases", Content::Erases),
    column("waf", "write amp.", Content::Waf),
    column("switch", "switch", Content::Switch),
    column("partial", "partial", Content::Partial),
    column("full", "full", Content::Full),
    column("write_hits", "write hits", Content::WriteHits),
    column("time", "time", Content::Time),
    column("padding_reads", "padding reads", Counter("padding_reads")),
    column("programs", "programs", Counter("flash_programs")),
    column("flash_reads", "flash reads", Counter("flash_reads")),
    column("p99", "p99 write", Content::P99),
    column(
        "p99_9",
        "p99.9 write",
        WriteLatency(|l| l.p99_9.map(|ns| ns as f64)),
    ),
    column(
        "max",
        "longest write",
        WriteLatency(|l| l.max.map(|ns| ns as f64)),
    ),
    column("mean", "mean write", WriteLatency(|l| l.mean)),
    column(
        "p99_read",
        "p99 read",
        ReadLatency(|l| l.p99.map(|ns| ns as f64)),
    ),
    column("mean_read", "mean read", ReadLatency(|l| l.mean)),
    column("tbw", "TB until worn", Content::Life),
    column("tbw_worst", "TB, worst block", Worst(|e| e.tb_until_worn)),
    column("years", "years", Mean(|e| e.years)),
    column("years_worst", "years, worst block", Worst(|e| e.years)),
    column("dwpd", "drive writes/day", Mean(|e| e.drive_writes_per_day)),
    column(
        "dwpd_worst",
        "drive writes/day, worst block",
        Worst(|e| e.drive_writes_per_day),
    ),
    column("cycles", "P/E cycles used", Mean(|e| e.cycles_used)),
    column(
        "cycles_worst",
        "P/E cycles, worst block",
        Worst(|e| e.cycles_used),
    ),
    column("bytes_host", "host data", Bytes(FlashCause::Host)),
    column("bytes_padding", "padding", Bytes(FlashCause::Padding)),
    column(
        "bytes_rmw",
        "read-modify-write",
        Bytes(FlashCause::ReadModifyWrite),
    ),
    column("bytes_merge", "merges", Bytes(FlashCause::Merge)),
    column("bytes_cleaning", "cleaning", Bytes(FlashCause::Cleaning)),
];
const USUAL: usize = 8;
/// Counters that only some sentences name; the table has a column for them only then.
const ON_DEMAND: usize = 3;
/// The columns that a narrow terminal omits, the least important first.
const DISPENSABLE: [&str; 10] = [
    "time",
    "flash reads",
    "programs",
    "padding reads",
    "partial",
    "switch",
    "write hits",
    "full",
    "write amp.",
    "erases",
];

/// The names for `--columns`.
pub fn names() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().map(|column| column.name)
}

/// One line for each row of the comparison; rows that differ only in size are folded. `chosen` are names of columns;
/// without any, the table has the usual ones, and first the one that ranks the rows.
pub fn table(comparison: &Comparison, chosen: &[String]) -> Table {
    let shown = match chosen {
        [] => usual(comparison),
        names => names.iter().filter_map(|name| named(name)).collect(),
    };
    let titles = shown.iter().map(|column| column.title);
    let header: Vec<&str> = ["policy", "buffer"]
        .into_iter()
        .chain(titles)
        .chain([""])
        .collect();
    let mut table = Table::new(&header, 1);
    if chosen.is_empty() {
        table = table.dispensable(&DISPENSABLE);
    }
    for folded in comparison.folded() {
        // omit a bound that is valid for no figure
        if folded.row().bounds.is_some_and(|bounds| bounds.is_empty()) {
            continue;
        }
        table.add_looks(cells(&folded, &comparison.baseline, &shown));
    }
    table
}

fn named(name: &str) -> Option<&'static Column> {
    COLUMNS.iter().find(|column| column.name == name)
}

/// The usual columns, and those that the verdict's sentence names.
fn usual(comparison: &Comparison) -> Vec<&'static Column> {
    let ranks = match comparison.verdict.by {
        RankBy::P99 => named("p99"),
        RankBy::Life => named("tbw"),
        RankBy::Throughput | RankBy::Waf | RankBy::Erases => None,
    };
    let told = |column: &&Column| {
        let mut reasons = comparison.verdict.main().iter();
        reasons.any(|reason| matches!(column.content, Counter(name) if name == reason.counter))
    };
    let (usual, others) = COLUMNS.split_at(USUAL);
    let told = others.iter().take(ON_DEMAND).filter(told);
    ranks.into_iter().chain(usual).chain(told).collect()
}

/// Whether a larger value is better.
#[derive(Clone, Copy, PartialEq)]
enum Better {
    More,
    Less,
    Neither,
}

/// The figures, each with its difference from the baseline of the same size.
fn cells(folded: &Folded, baseline: &str, shown: &[&Column]) -> Vec<(String, Look)> {
    let row = folded.row();
    let competes = row.kind == RowKind::Policy;
    let is_baseline = row.label == baseline && competes;
    let best = folded.best().next().is_some();
    let mark = match (competes, best, is_baseline) {
        (false, ..) => "bound",
        (true, true, true) => "best, baseline",
        (true, true, false) => "best",
        (true, false, true) => "baseline",
        (true, false, false) => "",
    };
    let name = if best { Look::Winner } else { Look::Plain };
    let mut cells = vec![
        (row.label.clone(), name),
        (folded.size().unwrap_or("-".into()), Look::Plain),
    ];
    let figures = shown.iter();
    cells.extend(figures.map(|column| figure(folded, is_baseline, &column.content)));
    cells.push((mark.into(), name));
    cells
}

/// One figure of a row.
fn figure(folded: &Folded, is_baseline: bool, content: &Content) -> (String, Look) {
    let (row, relative) = (folded.row(), folded.relative());
    let (c, d) = (&row.outcome.counters, &row.outcome.derived);
    let e = &row.outcome.endurance;
    let competes = row.kind == RowKind::Policy;
    let with = |figure: String, difference: Option<f64>, unit: &str, better: Better| {
        let points = difference
            .filter(|_| !is_baseline)
            .map(|x| (x * 100.0).round());
        let loses = |points: f64| match better {
            Better::More => points < 0.0,
            Better::Less => points > 0.0,
            Better::Neither => false,
        };
        let look = match points {
            Some(points) if competes && loses(points) => Look::Loss,
            _ => Look::Plain,
        };
        let text = match points {
            Some(0.0) => figure + " =",
            Some(points) => {
                let sign = if points > 0.0 { "+" } else { "" };
                format!("{figure} {sign}{}{unit}", fixed(points, 0))
            }
            None => figure,
        };
        (text, look)
    };
    let decimal = |value: Option<f64>, difference, better| {
        let figure = value.map_or("-".into(), |v| fixed(v, 2));
        with(figure, difference, "%", better)
    };
    let count = |value: u64, difference, better| with(value.to_string(), difference, "%", better);
    let plain = |text: String| (text, Look::Plain);
    let some = |value: Option<f64>| plain(value.map_or("-".into(), amount));
    let latency = |ns: Option<f64>| plain(ns.map_or("-".into(), duration));
    let of_none = |_: &Bounds| false;
    let (bounded, cell): (fn(&Bounds) -> bool, _) = match content {
        Content::Throughput => (
            |bounds| bounds.throughput,
            decimal(d.throughput_mb_s, relative.throughput, Better::More),
        ),
        Content::Erases => (
            |bounds| bounds.erases,
            count(c.erases, relative.erases, Better::Less),
        ),
        Content::Waf => (
            |bounds| bounds.waf,
            decimal(d.waf, relative.waf, Better::Less),
        ),
        Content::Switch => (
            of_none,
            count(c.switch_merges, relative.switch_merges, Better::Neither),
        ),
        Content::Partial => (
            of_none,
            count(c.partial_merges, relative.partial_merges, Better::Less),
        ),
        Content::Full => (
            of_none,
            count(c.full_merges, relative.full_merges, Better::Less),
        ),
        Content::WriteHits => {
            let hits = d.write_hit_ratio;
            let hits = hits.map_or("-".into(), |ratio| fixed(ratio * 100.0, 1) + "%");
            (
                |bounds| bounds.write_hit_ratio,
                with(hits, relative.write_hit_ratio, "pp", Better::More),
            )
        }
        Content::Time => (
            |bounds| bounds.throughput,
            plain(duration(c.elapsed_ns as f64)),
        ),
        Counter(name) => {
            let entries = c.entries();
            let found = entries.iter().find(|(known, _)| known == name);
            let value = found.map_or("-".into(), |(_, value)| value.to_string());
            (of_none, plain(value))
        }
        Content::P99 => {
            let p99 = RankBy::P99.value(row).map_or("-".into(), duration);
            (
                |bounds| bounds.p99,
                with(p99, relative.p99, "%", Better::Less),
            )
        }
        WriteLatency(of) => (
            of_none,
            latency(row.outcome.latency_ns.as_ref().and_then(|l| of(&l.writes))),
        ),
        ReadLatency(of) => (
            of_none,
            latency(row.outcome.latency_ns.as_ref().and_then(|l| of(&l.reads))),
        ),
        Content::Life => {
            let life = RankBy::Life.value(row).map_or("-".into(), amount);
            (
                |bounds| bounds.life,
                with(life, relative.life, "%", Better::More),
            )
        }
        Mean(of) => (of_none, some(of(e).mean)),
        Worst(of) => (of_none, some(of(e).worst)),
        Bytes(cause) => (of_none, plain(decimal_bytes(cause.bytes(&e.flash_bytes)))),
    };
    // of a bound only the figures for which it is valid
    match &row.bounds {
        Some(bounds) if !bounded(bounds) => ("-".to_owned(), Look::Plain),
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::Screen;
    use ssdlab_sim::{Relative, Row};

    // planted bugs: a figure, or a difference, with 309 digits
    #[test]
    fn no_number_overflows_its_cell() {
        for number in [1e308, -1e308, f64::INFINITY, 5e-324] {
            let mut row = Row {
                relative: Relative {
                    throughput: Some(number),
                    waf: Some(number),
                    erases: Some(number),
                    write_hit_ratio: Some(number),
                    ..Relative::default()
                },
                ..Row::default()
            };
            row.outcome.derived.throughput_mb_s = Some(number);
            row.outcome.derived.waf = Some(number);
            row.outcome.derived.write_hit_ratio = Some(number);
            row.outcome.counters.erases = u64::MAX;
            row.outcome.counters.elapsed_ns = u64::MAX;
            let wear = Wear {
                mean: Some(number),
                worst: Some(number),
            };
            row.outcome.endurance.tb_until_worn = wear;
            row.outcome.endurance.years = wear;
            let comparison = Comparison {
                rows: vec![row],
                ..Comparison::default()
            };
            let all: Vec<String> = names().map(str::to_owned).collect();
            let text = table(&comparison, &all).fit(&Screen::stdout());
            for word in text.split_whitespace() {
                assert!(word.chars().count() <= 20, "{number:e}: {word}");
            }
        }
    }
}
