//! The measured rows of a figure.

use ssdlab_sim::{Comparison, Row, RowKind};

use super::terms::Metric;

/// A figure on one of its traces.
pub struct Panel {
    /// The short name of the trace.
    pub trace: String,
    /// Its rows.
    pub comparison: Comparison,
}

/// The row with a label; a row without a size is valid at every size.
pub(super) fn row<'a>(comparison: &'a Comparison, label: &str, size: u64) -> Option<&'a Row> {
    at(comparison, size).find(|row| row.label == label)
}

/// The competing rows at a size.
pub(super) fn at(comparison: &Comparison, size: u64) -> impl Iterator<Item = &Row> {
    let rows = comparison.rows.iter();
    rows.filter(move |row| row.kind == RowKind::Policy && row.size.is_none_or(|own| own == size))
}

/// The figure of a row that a metric names.
pub(super) fn metric(metric: Metric, row: &Row) -> Option<f64> {
    let c = &row.outcome.counters;
    match metric {
        Metric::Throughput => row.outcome.derived.throughput_mb_s,
        Metric::Erases => Some(c.erases as f64),
        Metric::Time => Some(c.elapsed_ns as f64 / 1e9),
        Metric::Programs => Some(c.flash_programs as f64),
        Metric::FullMerges => Some(c.full_merges as f64),
        Metric::PartialMerges => Some(c.partial_merges as f64),
        Metric::SwitchMerges => Some(c.switch_merges as f64),
        Metric::RandomLogBlocks => {
            let merges = c.switch_merges + c.partial_merges + c.full_merges;
            Some(c.erases.saturating_sub(merges) as f64)
        }
        Metric::CleanEvictions => Some(c.evicted_clean_pages as f64),
        Metric::FromBuffer => {
            let all = c.merge_programs + c.flash_copies + c.copy_backs;
            (all > 0).then(|| 100.0 * c.merge_programs as f64 / all as f64)
        }
        Metric::ReadHits => percent(row.outcome.derived.read_hit_ratio),
        Metric::WriteHits => percent(row.outcome.derived.write_hit_ratio),
    }
}

fn percent(ratio: Option<f64>) -> Option<f64> {
    ratio.map(|ratio| ratio * 100.0)
}

/// The shares of the time, in percent, in which the cells of a chip, a channel (both on average) and the bus worked;
/// `None` under the serial model.
pub(super) fn busy(row: &Row) -> Option<[f64; 3]> {
    let of = row.outcome.utilisation.as_ref()?;
    let mean = |parts: &[Option<f64>]| {
        let sum = parts.iter().copied().sum::<Option<f64>>()?;
        Some(100.0 * sum / parts.len() as f64)
    };
    Some([mean(&of.chips)?, mean(&of.channels)?, 100.0 * of.bus?])
}
