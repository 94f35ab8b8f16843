//! The charts of a comparison for a page that has no library of charts: the figure that ranks the runs, the writes to flash, and
//! the erases.

use ssdlab_device::results::{ERASES, WAF};
use ssdlab_sim::{Comparison, Figure, Row, RowKind};

use crate::chart::{Bars, Curve, Legend, Plot, bars, curves};
use crate::figures;
use crate::parts::Parts;
use crate::varied::policies;

/// The most bars below one another.
const MOST_BARS: usize = 24;

/// SVG files, in the colours of both schemes: curves over the last axis with numbers, such as the buffer size, at the values of the
/// winner on all others; or else bars.
pub fn charts(comparison: &Comparison) -> Vec<String> {
    let parts = Parts::of(comparison, &[]);
    let mut shown: Vec<Figure> = Vec::new();
    for figure in [comparison.verdict.by, WAF, ERASES] {
        let known = comparison.figures.named(figure.key);
        let has_values = |figure: &Figure| {
            policies(comparison)
                .any(|row| figures::value(figure, row).is_some_and(|value| value != 0.0))
        };
        if let Some(figure) = known.filter(|figure| has_values(figure) && !shown.contains(figure)) {
            shown.push(figure);
        }
    }
    if shown.is_empty() {
        return Vec::new();
    }
    match parts.varied.axes.last() {
        Some(axis) => {
            let ticks: Vec<String> = axis.values.iter().map(|value| value.0.clone()).collect();
            let legend = parts.series.iter().map(|(label, _)| Legend {
                label: label.clone(),
                slot: parts.slot(label),
            });
            let legend: Vec<Legend> = legend.collect();
            let plots = shown.iter().map(|figure| Plot {
                title: titled(figure),
                ticks: ticks.clone(),
                curves: of_figure(comparison, &parts, figure),
            });
            // side by side, three are too narrow
            plots.map(|plot| curves(&legend, &[plot])).collect()
        }
        None => {
            let rows: Vec<&Row> = policies(comparison).take(MOST_BARS).collect();
            let labels: Vec<String> = rows.iter().map(|row| parts.varied.series(row)).collect();
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            let columns = shown.iter().map(|figure| Bars {
                title: titled(figure),
                values: rows
                    .iter()
                    .map(|row| figures::value(figure, row).unwrap_or(0.0))
                    .collect(),
            });
            columns.map(|column| bars(&labels, &[column])).collect()
        }
    }
}

fn titled(figure: &Figure) -> String {
    match figure.unit.symbol() {
        "" => figure.title.to_owned(),
        unit => format!("{} ({unit})", figure.title),
    }
}

/// The curve of each series; a row without a place on the axis is level.
fn of_figure(comparison: &Comparison, parts: &Parts, figure: &Figure) -> Vec<Curve> {
    let axes = &parts.varied.axes;
    let last = axes.len() - 1;
    let winner = comparison
        .rows
        .iter()
        .find(|row| Some(&row.label) == comparison.verdict.winner.as_ref());
    let at = winner
        .map(|row| parts.varied.place(row))
        .unwrap_or_default();
    let curve = |(label, kind): &(String, RowKind)| {
        let mut points = Vec::new();
        let own = comparison
            .rows
            .iter()
            .filter(|row| row.kind == *kind && parts.varied.series(row) == *label);
        for row in own.filter(|row| row.shows(figure)) {
            let places = parts.varied.place(row);
            let beside = places.iter().zip(&at).take(last);
            let elsewhere = beside
                .into_iter()
                .any(|(own, at)| own.is_some() && at.is_some() && own != at);
            if elsewhere {
                continue;
            }
            let Some(value) = figures::value(figure, row) else {
                continue;
            };
            match places[last] {
                Some(place) => points.push((place, value)),
                None => points.extend((0..axes[last].values.len()).map(|place| (place, value))),
            }
        }
        points.sort_by_key(|point| point.0);
        Curve {
            slot: parts.slot(label),
            faint: *kind == RowKind::Bound,
            points,
        }
    };
    parts
        .series
        .iter()
        .map(curve)
        .filter(|curve| !curve.points.is_empty())
        .collect()
}
