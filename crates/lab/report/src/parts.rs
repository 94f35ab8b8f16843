//! What several parts of the page need.

use ssdlab_sim::{Comparison, Figure, RowKind};

use crate::figures;
use crate::palette::slot;
use crate::varied::Varied;

/// Data that several parts of the page need.
pub struct Parts {
    /// The varied keys of the comparison.
    pub varied: Varied,
    /// The figures that are shown.
    pub figures: Vec<Figure>,
    /// Those of them that have a chart.
    pub charted: Vec<Figure>,
    /// Label and kind of each curve, in the order of the rows.
    pub series: Vec<(String, RowKind)>,
}

impl Parts {
    /// Those of a comparison, with some figures beside the usual ones.
    pub fn of(comparison: &Comparison, columns: &[Figure]) -> Self {
        let varied = Varied::of(comparison);
        let mut series: Vec<(String, RowKind)> = Vec::new();
        for row in &comparison.rows {
            let one = (varied.series(row), row.kind);
            if !series.contains(&one) {
                series.push(one);
            }
        }
        let figures = figures::of(comparison, columns);
        Self {
            charted: figures::charted(&figures, comparison),
            figures,
            series,
            varied,
        }
    }

    /// The place of the figure that ranks the runs among those with charts.
    pub fn ranking_place(&self, comparison: &Comparison) -> usize {
        let mut charted = self.charted.iter();
        let place = charted.position(|figure| *figure == comparison.verdict.by);
        place.unwrap_or(0)
    }

    /// The slot of a curve's colour.
    pub fn slot(&self, label: &str) -> String {
        let policies = self.series.iter().filter(|one| one.1 == RowKind::Policy);
        let mut labels = policies.map(|one| one.0.as_str());
        match labels.position(|own| own == label) {
            Some(place) => slot(place),
            None if label.starts_with("ideal FTL") => "bound-2".into(),
            None if label.starts_with("clairvoyant buffer") => "bound-3".into(),
            None => "bound-1".into(),
        }
    }
}
