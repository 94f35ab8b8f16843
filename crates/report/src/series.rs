//! The numbers behind the charts, as the JSON object that `assets/charts.js` reads.

use serde_json::{Value, json};
use ssdlab_sim::{Comparison, Row, RowKind};

use crate::format;
use crate::palette::Palette;

/// All that the charts show.
pub fn data(comparison: &Comparison, palette: &Palette) -> Value {
    json!({
        "sizes": comparison.sizes.iter().map(|&size| format::size(size)).collect::<Vec<_>>(),
        "curves": curves(comparison, palette),
        "largest": largest(comparison).map(|row| detail(row, palette)).collect::<Vec<_>>(),
    })
}

/// The policies, not the bounds, with the largest buffer or without a size.
pub fn largest(comparison: &Comparison) -> impl Iterator<Item = &Row> {
    let size = comparison.sizes.last().copied();
    comparison
        .rows
        .iter()
        .filter(move |row| row.kind == RowKind::Policy && (row.size.is_none() || row.size == size))
}

/// One curve for each label, in the order of the rows.
fn curves(comparison: &Comparison, palette: &Palette) -> Vec<Value> {
    let mut labels: Vec<&str> = Vec::new();
    for row in &comparison.rows {
        if !labels.contains(&row.label.as_str()) {
            labels.push(&row.label);
        }
    }
    labels
        .iter()
        .map(|label| curve(comparison, label, palette))
        .collect()
}

/// A label's values at every size; a row without a size has the same value at each.
fn curve(comparison: &Comparison, label: &str, palette: &Palette) -> Value {
    let rows: Vec<&Row> = comparison
        .rows
        .iter()
        .filter(|row| row.label == label)
        .collect();
    let sized = rows.iter().any(|row| row.size.is_some());
    let points: Vec<Option<&&Row>> = if comparison.sizes.is_empty() {
        vec![rows.first()]
    } else {
        let at = |size: &u64| {
            rows.iter()
                .find(|row| row.size.is_none_or(|own| own == *size))
        };
        comparison.sizes.iter().map(at).collect()
    };
    json!({
        "label": label,
        "bound": rows.iter().any(|row| row.kind == RowKind::Bound),
        "sized": sized,
        "slot": palette.slot(label),
        "throughput": values(&points, |row| json!(row.outcome.derived.throughput_mb_s)),
        "erases": values(&points, |row| json!(row.outcome.counters.erases)),
    })
}

fn values(points: &[Option<&&Row>], value: impl Fn(&Row) -> Value) -> Vec<Value> {
    points
        .iter()
        .map(|point| point.map_or(Value::Null, |row| value(row)))
        .collect()
}

/// Merges, time and wear of one run.
fn detail(row: &Row, palette: &Palette) -> Value {
    let counters = &row.outcome.counters;
    let time = &row.outcome.derived.time_ns;
    json!({
        "label": row.label,
        "slot": palette.slot(&row.label),
        "merges": {
            "switch": counters.switch_merges,
            "partial": counters.partial_merges,
            "full": counters.full_merges,
        },
        "seconds": {
            "host": format::seconds(time.host),
            "padding": format::seconds(time.padding),
            "merge": format::seconds(time.merge),
            "cleaning": format::seconds(time.cleaning),
            "ageing": format::seconds(time.ageing),
            "buffer": format::seconds(time.buffer),
        },
        "wear": wear(&row.erase_histogram),
    })
}

/// Pairs (erases, percent of the blocks erased at least so often), ascending.
fn wear(histogram: &[(u32, u32)]) -> Vec<(u32, f64)> {
    let blocks: u64 = histogram.iter().map(|&(_, count)| u64::from(count)).sum();
    let mut left = blocks;
    let mut share = |&(erases, count): &(u32, u32)| {
        let percent = 100.0 * left as f64 / blocks as f64;
        left -= u64::from(count);
        (erases, percent)
    };
    histogram.iter().map(&mut share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bug: the share above a bin instead of from it on, which drops the most worn blocks.
    #[test]
    fn wear_starts_at_all_blocks_and_ends_at_the_most_worn() {
        let histogram = [(0, 6), (3, 3), (9, 1)];
        assert_eq!(wear(&histogram), [(0, 100.0), (3, 40.0), (9, 10.0)]);
        assert_eq!(wear(&[]), []);
    }
}
