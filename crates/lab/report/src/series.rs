//! The data of the charts, as the JSON object that the scripts read.

use serde_json::{Value, json};
use ssdlab_sim::{Better, Comparison, Divided, Figure, PerCause, Row, RowKind, SPARE};

use crate::clocked;
use crate::figures;
use crate::parts::Parts;
use crate::reasons;
use crate::varied::Axis;

/// The largest number of points in a curve of wear; a screen cannot show more.
const WEAR_PAIRS: usize = 300;

/// The data of all charts.
pub fn data(comparison: &Comparison, parts: &Parts) -> Value {
    let spare = parts.varied.axes.iter().position(|axis| axis.key == SPARE);
    let is_knee = |row: &Row| comparison.spare.iter().any(|curve| curve.is_knee(row));
    let clocks = clocked::is_known(comparison);
    let runs = comparison.rows.iter().map(|row| {
        let mut run = run(row, parts);
        run["time"] = if clocks {
            shares_of_chips(row)
        } else {
            billions(&row.outcome.derived.time_ns)
        };
        run["knee"] = is_knee(row).into();
        run
    });
    let labels = parts.series.iter().map(|(label, kind)| {
        json!({
            "label": label,
            "bound": *kind == RowKind::Bound,
            "slot": parts.slot(label),
        })
    });
    let interrupted = match comparison.missing_runs {
        0 => "",
        _ => " (incomplete)",
    };
    json!({
        "name": comparison.trace.name,
        "interrupted": interrupted,
        "axes": parts.varied.axes.iter().map(axis).collect::<Vec<_>>(),
        "at": reasons::judged_at(comparison, parts),
        "figure": parts.ranking_place(comparison),
        "figures": parts.charted.iter().map(figure).collect::<Vec<_>>(),
        "series": labels.collect::<Vec<_>>(),
        "runs": runs.collect::<Vec<_>>(),
        "reasons": reasons::all(comparison, parts),
        "spare": spare,
        "clocks": clocks,
        "erased": comparison.erased(),
        "activities": clocked::activities(),
        "timelines": clocked::timelines(comparison, parts),
    })
}

fn axis(axis: &Axis) -> Value {
    let values = axis.values.iter();
    json!({
        "title": axis.title,
        "values": values.map(|(text, at)| json!({ "text": text, "at": at })).collect::<Vec<_>>(),
    })
}

fn figure(figure: &Figure) -> Value {
    json!({
        "key": figure.key,
        "title": figure.title,
        "unit": figure.unit.symbol(),
        "decimals": figure.decimals,
        "more": figure.better == Better::More,
        "judged": figure.better != Better::Neither,
    })
}

/// One run: its curve, its place and its values.
fn run(row: &Row, parts: &Parts) -> Value {
    let counters = &row.outcome.counters;
    let series = (parts.varied.series(row), row.kind);
    let figures = || parts.charted.iter();
    let bounded = |figure: &Figure| row.bounds.is_some() && row.shows(figure);
    json!({
        "series": parts.series.iter().position(|one| *one == series),
        "at": parts.varied.place(row),
        "figures": figures().map(|figure| figures::value(figure, row)).collect::<Vec<_>>(),
        "bounds": figures().map(bounded).collect::<Vec<_>>(),
        "programs": programs(row),
        "bytes": billions(&row.outcome.endurance.flash_bytes),
        "life": row.outcome.endurance.tb_until_worn.mean,
        "waf": row.outcome.endurance.waf,
        "merges": {
            "full": counters.full_merges,
            "partial": counters.partial_merges,
            "switch": counters.switch_merges,
        },
        "wear": wear(&row.erase_histogram),
        // bounds have no pictures of their times
        "clocked": match row.kind {
            RowKind::Policy => clocked::run(row),
            RowKind::Bound => Value::Null,
        },
    })
}

/// The percent of the simulated time in which the mean chip works for each cause; under the serial model one part of the
/// device works at a time.
fn shares_of_chips(row: &Row) -> Value {
    let outcome = &row.outcome;
    let chips = outcome
        .utilisation
        .as_ref()
        .map_or(1, |used| used.chips.len());
    let whole = chips as f64 * outcome.counters.elapsed_ns.max(1) as f64;
    let parts = outcome.derived.by_cause().iter();
    let each = parts.map(|(cause, ns)| (cause.key().to_owned(), json!(100.0 * ns as f64 / whole)));
    each.collect::<serde_json::Map<_, _>>().into()
}

/// Seconds or gigabytes by cause.
fn billions<T: Divided>(parts: &PerCause<T>) -> Value {
    let parts = parts.iter();
    let each = parts.map(|(cause, part)| (cause.key().to_owned(), json!(part as f64 / 1e9)));
    each.collect::<serde_json::Map<_, _>>().into()
}

/// The write amplification by kind of program; the parts add up to it.
fn programs(row: &Row) -> Value {
    let counters = &row.outcome.counters;
    // pages read for padding are programmed with the victim
    let padded = counters.padding_reads.min(counters.flash_programs);
    let parts = [
        ("written", counters.flash_programs - padded),
        ("padded", padded),
        ("merged", counters.merge_programs),
        ("copied", counters.flash_copies),
        ("copied_back", counters.copy_backs),
    ];
    let all: f64 = parts.iter().map(|part| part.1 as f64).sum();
    let waf = row.outcome.derived.waf.unwrap_or(0.0);
    let share = |pages: u64| waf * (pages as f64 / all.max(1.0));
    parts
        .map(|(name, pages)| (name.to_owned(), json!(share(pages))))
        .into_iter()
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Pairs (erases, percent of the blocks with at least that many erases), ascending. Of too many pairs a selection, with
/// the first and the last.
fn wear(histogram: &[(u32, u32)]) -> Vec<(u32, f64)> {
    let blocks: u64 = histogram.iter().map(|&(_, count)| u64::from(count)).sum();
    let mut left = blocks;
    let mut share = |&(erases, count): &(u32, u32)| {
        let percent = 100.0 * left as f64 / blocks as f64;
        left -= u64::from(count);
        (erases, percent)
    };
    let pairs: Vec<_> = histogram.iter().map(&mut share).collect();
    let step = pairs.len().div_ceil(WEAR_PAIRS).max(1);
    let last = pairs.len().saturating_sub(1);
    let kept = |(i, pair): (usize, &(u32, f64))| (i % step == 0 || i == last).then_some(*pair);
    pairs.iter().enumerate().filter_map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bugs: the share above a bin instead of from it on, which drops the most worn blocks; the most worn block
    // left out when pairs are thinned.
    #[test]
    fn wear_starts_at_all_blocks_and_ends_at_the_most_worn() {
        let histogram = [(0, 6), (3, 3), (9, 1)];
        assert_eq!(wear(&histogram), [(0, 100.0), (3, 40.0), (9, 10.0)]);
        assert_eq!(wear(&[]), []);
        let many: Vec<(u32, u32)> = (0..5000).map(|erases| (erases, 1)).collect();
        let kept = wear(&many);
        assert!(kept.len() <= WEAR_PAIRS + 1, "{}", kept.len());
        assert_eq!((kept[0], kept[kept.len() - 1]), ((0, 100.0), (4999, 0.02)));
    }
}
