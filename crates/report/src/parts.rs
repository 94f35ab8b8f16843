//! What several parts of the page need.

use ssdlab_sim::Comparison;

use crate::figures::{self, Figure};
use crate::palette::Palette;
use crate::varied::Varied;

/// Data that several parts of the page need.
pub struct Parts {
    /// The varied keys of the comparison.
    pub varied: Varied,
    /// The figures that are shown.
    pub figures: Vec<Figure>,
    /// The colour of each curve.
    palette: Palette,
}

impl Parts {
    /// Those of a comparison.
    pub fn of(comparison: &Comparison) -> Self {
        let varied = Varied::of(comparison);
        let rows = comparison.rows.iter();
        let palette = Palette::of(rows.map(|row| (varied.series(row), row.kind)));
        Self {
            figures: figures::of(comparison),
            palette,
            varied,
        }
    }

    /// The place of the figure that ranks the runs among those with charts.
    pub fn ranking_place(&self, comparison: &Comparison) -> usize {
        let by = comparison.verdict.by.name();
        let mut charted = self.figures.iter().filter(|figure| figure.charted);
        charted.position(|figure| figure.key == by).unwrap_or(0)
    }

    /// The slot of a curve's colour; `none` is grey only beside other policies.
    pub fn slot(&self, label: &str) -> &str {
        match self.palette.slot(label) {
            "policy-0" if !self.varied.several => "policy-1",
            slot => slot,
        }
    }
}
