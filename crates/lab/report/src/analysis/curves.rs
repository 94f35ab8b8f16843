//! Curves of a figure over a numeric axis.

use std::collections::BTreeMap;

use ssdlab_analysis::{Analysis, AnalysisError, pivot};

use super::plot::{
    Plot, PlotOptions, Roles, axis_of, figure, headings, legend, medians, names, of_numbers,
    options, panels, shown_values,
};
use crate::figures::text;
use crate::picture::{Axis, Mark, Names, Panel, Picture, Point, Spoken};

pub(super) fn curves(analysis: &Analysis, asked: &PlotOptions) -> Result<Plot, AnalysisError> {
    let (figure, field) = figure(analysis, asked, 0)?;
    let roles = Roles::of(analysis, asked)?;
    let Some(x) = &roles.x else {
        let what = "no column with numbers varies: name one with --x, or take --kind spread";
        return Err(AnalysisError::InvalidRequest(what.into()));
    };
    let along = of_numbers(analysis, x)?;
    let (curve, facet) = (
        analysis.joined(&roles.curves),
        analysis.joined(&roles.facet),
    );
    panels(&facet, &roles.facet)?;
    let legend = legend(&curve, &roles.curves)?;
    let found = pivot(
        &shown_values(analysis, &figure, &field),
        &[&facet, &curve, &along],
    );
    let numbers = along.numbers.as_deref().unwrap_or_default();
    let known: Vec<f64> = numbers
        .iter()
        .copied()
        .filter(|number| !number.is_nan())
        .collect();
    let most = found.values().map(|one| one.count).max().unwrap_or(0);
    let is_from_zero = from_zero(
        found.iter().map(|(key, one)| (key[0], one.low)),
        found.iter().map(|(key, one)| (key[0], one.high)),
    );
    let panel = |place: usize| {
        let mut lines: Vec<Vec<Point>> = vec![Vec::new(); curve.count()];
        for (key, one) in found.iter().filter(|(key, _)| key[0] as usize == place) {
            let at = numbers[key[2] as usize];
            if at.is_nan() {
                continue;
            }
            let label = &curve.labels[key[1] as usize];
            let runs = if one.count > 1 {
                format!(" (median of {})", one.count)
            } else {
                String::new()
            };
            lines[key[1] as usize].push(Point {
                x: at,
                y: one.median,
                quartiles: (one.low, one.high),
                runs: one.count,
                tip: format!(
                    "{label}, {}: {}{runs}",
                    x.text(at),
                    text(&figure, one.median)
                ),
            });
        }
        let points = lines.iter().flatten();
        let ends = points.flat_map(|point| [point.y, point.quartiles.0, point.quartiles.1]);
        let y = Axis::of(figure.title_with_unit(), ends, asked.log, is_from_zero);
        let marks = lines
            .into_iter()
            .enumerate()
            .filter(|(_, points)| !points.is_empty());
        Panel {
            title: facet.labels[place].clone(),
            x: axis_of(x, &known),
            y,
            marks: marks
                .map(|(series, points)| Mark::Curve {
                    series,
                    faint: false,
                    points,
                })
                .collect(),
        }
    };
    let panels: Vec<Panel> = (0..facet.count()).map(panel).collect();
    let mut notes = medians(most, &roles.others(analysis));
    if !roles.curves.is_empty() {
        notes.insert(0, format!("Curves: {}.", headings(&roles.curves)));
    }
    Ok(Plot {
        picture: Picture {
            legend,
            panels: panels
                .into_iter()
                .filter(|panel| !panel.marks.is_empty())
                .collect(),
            names: Names {
                panel: names(&roles.facet),
                series: names(&roles.curves),
                x: x.path.clone(),
                y: figure.title_with_unit(),
            },
            spoken: Spoken::default(),
        },
        notes,
        options: options(asked, "curves", &roles, None),
    })
}

/// Whether axes begin at 0: not if in each panel two thirds would be empty.
fn from_zero(
    low: impl Iterator<Item = (u32, f64)>,
    high: impl Iterator<Item = (u32, f64)>,
) -> bool {
    let mut ends: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    low.for_each(|(panel, value)| {
        let end = ends.entry(panel).or_insert((value, value));
        end.0 = end.0.min(value);
    });
    high.for_each(|(panel, value)| {
        let end = ends.entry(panel).or_insert((value, value));
        end.1 = end.1.max(value);
    });
    ends.values().any(|(least, most)| *least < most * 0.67)
}
