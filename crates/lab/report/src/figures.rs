//! The figures that a report shows in the table, the tiles and the charts.

use ssdlab_sim::{Comparison, Figure, Row, Unit};
use ssdlab_words::{decimal, decimals};

use crate::varied::policies;

/// The figures that are not empty for these runs, with as many decimals as the smallest numbers need; the one that ranks
/// the runs and the `chosen` ones are always among them.
pub fn of(comparison: &Comparison, chosen: &[Figure]) -> Vec<Figure> {
    let has_values = |figure: &Figure| values(figure, comparison).any(|value| value != 0.0);
    let is_shown = |figure: &&Figure| {
        let shown = figure.shown;
        let asked_for = **figure == comparison.verdict.by || chosen.contains(figure);
        asked_for || shown.always || shown.report && has_values(figure)
    };
    let with_decimals = |figure: &Figure| {
        let positive = values(figure, comparison).filter(|&value| value > 0.0);
        let least = positive.fold(f64::INFINITY, f64::min);
        match figure.decimals {
            0 => *figure,
            usual if figure.unit != Unit::Percent => {
                figure.with_decimals(decimals(least, figure.unit.digits(), usual))
            }
            _ => *figure,
        }
    };
    let shown = comparison.figures.iter().filter(is_shown);
    shown.map(with_decimals).collect()
}

/// Of the shown figures, those with a chart; the one that ranks the runs is always among them.
pub fn charted(shown: &[Figure], comparison: &Comparison) -> Vec<Figure> {
    let has_chart = |figure: &&Figure| figure.shown.chart || **figure == comparison.verdict.by;
    shown.iter().filter(has_chart).copied().collect()
}

/// The value of a run in the unit of the page; `None` where it has no meaning.
pub fn value(figure: &Figure, row: &Row) -> Option<f64> {
    row.figure(figure).map(|value| figure.unit.shown(value))
}

/// Such a value as text.
pub fn text(figure: &Figure, value: f64) -> String {
    decimal(value, figure.decimals)
}

/// The values of the policies' runs that have one.
fn values(figure: &Figure, comparison: &Comparison) -> impl Iterator<Item = f64> {
    policies(comparison).filter_map(|row| value(figure, row))
}
