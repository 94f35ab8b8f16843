//! What several parts of the page need.

use ssdlab_sim::{Comparison, Figure};

use crate::figures;
use crate::palette::Palette;
use crate::varied::Varied;

/// Data that several parts of the page need.
pub struct Parts {
    /// The varied keys of the comparison.
    pub varied: Varied,
    /// The figures that are shown.
    pub figures: Vec<Figure>,
    /// Those of them that have a chart.
    pub charted: Vec<Figure>,
    /// The colour of each curve.
    palette: Palette,
}

impl Parts {
    /// Those of a comparison.
    pub fn of(comparison: &Comparison) -> Self {
        let varied = Varied::of(comparison);
        let rows = comparison.rows.iter();
        let palette = Palette::of(rows.map(|row| (varied.series(row), row.kind)));
        let figures = figures::of(comparison);
        Self {
            charted: figures::charted(&figures, comparison),
            figures,
            palette,
            varied,
        }
    }

    /// The place of the figure that ranks the runs among those with charts.
    pub fn ranking_place(&self, comparison: &Comparison) -> usize {
        let mut charted = self.charted.iter();
        let place = charted.position(|figure| *figure == comparison.verdict.by);
        place.unwrap_or(0)
    }

    /// The slot of a curve's colour; `none` is grey only beside other policies.
    pub fn slot(&self, label: &str) -> &str {
        match self.palette.slot(label) {
            "policy-0" if !self.varied.several => "policy-1",
            slot => slot,
        }
    }
}
