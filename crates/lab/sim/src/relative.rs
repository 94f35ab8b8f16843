//! Compares rows with the baseline of the same buffer size.

use ssdlab_device::{Compared, Figure};

use crate::row::{Relative, Row};

/// Fills in the figures of each row relative to the baseline of its size. A row without a size has a baseline only if
/// one size is compared.
pub(crate) fn fill(rows: &mut [Row], baseline: &str, sizes: usize, figures: &[Figure]) {
    let of = |row: &Row| {
        let same_size = |base: &&Row| {
            base.size.is_none() || base.size == row.size || row.size.is_none() && sizes == 1
        };
        let mut bases = rows.iter().filter(|base| base.label == baseline);
        let base = bases.find(same_size);
        base.map_or_else(Relative::default, |base| relative(row, base, figures))
    };
    let all: Vec<Relative> = rows.iter().map(of).collect();
    for (row, relative) in rows.iter_mut().zip(all) {
        row.relative = relative;
    }
}

fn relative(row: &Row, base: &Row, figures: &[Figure]) -> Relative {
    let compared = figures.iter().filter(|f| f.compared != Compared::No);
    let relative = |figure: &Figure| figure.relative(row.figure(figure), base.figure(figure));
    compared.map(|figure| (*figure, relative(figure))).collect()
}
