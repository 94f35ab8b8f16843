//! The rows of a comparison without sizes as bars.

use plotters::prelude::*;
use ssdlab_sim::{Comparison, Row, RowKind};

use crate::chart::{Area, Drawn, Scheme, said, short};
use crate::claim::metric;
use crate::description::Metric;

const WIDTH: u32 = 960;
/// The column of the labels.
const LABELS: u32 = 270;
/// The strip with the titles.
const TITLES: u32 = 44;
const ROW: u32 = 26;
/// Beside a bar, for its number.
const NUMBER: u32 = 76;

/// A bar for each policy's row and each metric, the metrics side by side.
pub fn draw(
    text: &mut String,
    scheme: &mut Scheme,
    comparison: &Comparison,
    metrics: &[Metric],
) -> Drawn {
    let rows: Vec<&Row> = comparison
        .rows
        .iter()
        .filter(|row| row.kind == RowKind::Policy)
        .collect();
    let height = TITLES + ROW * rows.len() as u32 + 12;
    let root = SVGBackend::with_string(text, (WIDTH, height)).into_drawing_area();
    root.fill(&scheme.colour("card")).map_err(said)?;
    let (labels, plots) = root.split_horizontally(LABELS);
    let style = scheme.text("ink", 16);
    for (i, row) in rows.iter().enumerate() {
        let at = (16, top(i) + 4);
        labels
            .draw(&Text::new(row.label.as_str(), at, style.clone()))
            .map_err(said)?;
    }
    for (plot, &shown) in plots.split_evenly((1, metrics.len())).iter().zip(metrics) {
        draw_metric(plot, scheme, &rows, shown)?;
    }
    root.present().map_err(said)
}

fn draw_metric(area: &Area, scheme: &mut Scheme, rows: &[&Row], shown: Metric) -> Drawn {
    let (title, number) = (scheme.text("ink", 19), scheme.text("muted", 16));
    let colour = scheme.colour("policy-1");
    area.draw(&Text::new(shown.title(), (4, 14), title))
        .map_err(said)?;
    let values: Vec<f64> = rows
        .iter()
        .map(|row| metric(shown, row).unwrap_or(0.0))
        .collect();
    let most = values.iter().copied().fold(0.0, f64::max);
    let width = f64::from(area.dim_in_pixel().0 - NUMBER);
    for (i, &value) in values.iter().enumerate() {
        let end = 4 + (width * value / most.max(f64::MIN_POSITIVE)) as i32;
        let corners = [(4, top(i)), (end, top(i) + ROW as i32 - 6)];
        area.draw(&Rectangle::new(corners, colour.filled()))
            .map_err(said)?;
        let at = (end + 8, top(i) + 4);
        area.draw(&Text::new(short(value, most), at, number.clone()))
            .map_err(said)?;
    }
    Ok(())
}

fn top(row: usize) -> i32 {
    (TITLES + ROW * row as u32) as i32
}
