//! The measured rows of a figure.

use ssdlab_sim::{BUSY, Figure, Row, RowKind};

/// A figure on one of its traces.
#[derive(Default)]
pub struct Panel {
    /// The short name of the trace.
    pub trace: String,
    /// The sizes, ascending, bytes; empty if no row has one.
    pub sizes: Vec<u64>,
    /// Its rows.
    pub rows: Vec<Row>,
}

impl Panel {
    /// The row with a label; a row without a size is valid at every size.
    pub(super) fn row(&self, label: &str, size: u64) -> Option<&Row> {
        self.at(size).find(|row| row.label == label)
    }

    /// The competing rows at a size.
    pub(super) fn at(&self, size: u64) -> impl Iterator<Item = &Row> {
        self.policies()
            .filter(move |row| row.size.is_none_or(|own| own == size))
    }

    /// The competing rows.
    pub(super) fn policies(&self) -> impl Iterator<Item = &Row> {
        let rows = self.rows.iter();
        rows.filter(|row| row.kind == RowKind::Policy)
    }
}

/// The shares of the time, in percent, in which the cells of a chip, a channel (both on average) and the bus worked;
/// `None` under the serial model.
pub(super) fn busy(row: &Row) -> Option<[f64; 3]> {
    let percent = |figure: Figure| row.figure(&figure).map(|share| 100.0 * share);
    let [chips, channels, bus] = BUSY.map(percent);
    Some([chips?, channels?, bus?])
}
