//! The measured rows of a figure.

use ssdlab_sim::{BUSY, Comparison, Figure, Row, RowKind};

/// A figure on one of its traces.
pub struct Panel {
    /// The short name of the trace.
    pub trace: String,
    /// Its rows.
    pub comparison: Comparison,
}

/// The row with a label; a row without a size is valid at every size.
pub(crate) fn row<'a>(comparison: &'a Comparison, label: &str, size: u64) -> Option<&'a Row> {
    at(comparison, size).find(|row| row.label == label)
}

/// The competing rows at a size.
pub(super) fn at(comparison: &Comparison, size: u64) -> impl Iterator<Item = &Row> {
    let rows = comparison.rows.iter();
    rows.filter(move |row| row.kind == RowKind::Policy && row.size.is_none_or(|own| own == size))
}

/// The shares of the time, in percent, in which the cells of a chip, a channel (both on average) and the bus worked;
/// `None` under the serial model.
pub(super) fn busy(row: &Row) -> Option<[f64; 3]> {
    let percent = |figure: Figure| row.figure(&figure).map(|share| 100.0 * share);
    let [chips, channels, bus] = BUSY.map(percent);
    Some([chips?, channels?, bus?])
}
