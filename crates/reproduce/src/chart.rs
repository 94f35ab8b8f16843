//! The curves of a comparison as an SVG.
//!
//! `plotters` draws with the colours of the light scheme; a style sheet in the file exchanges them in the dark one, so
//! that a page needs one file only. Both schemes bring their own background.

use std::collections::BTreeMap;

use plotters::coord::Shift;
use plotters::prelude::*;
use ssdlab_report::Palette;
use ssdlab_sim::{Comparison, Row, RowKind, bytes};

use crate::bars;
use crate::claim::{metric, row};
use crate::description::Metric;
use crate::error::ReproduceError;

const SIZE: (u32, u32) = (960, 380);
/// The strip above both plots, and how much each further line of it takes.
const LEGEND: u32 = 46;
const LINE: u32 = 26;

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Drawn = Result<(), String>;

/// One or two metrics over the buffer size, a curve for each label; bars where there are no two sizes.
pub fn svg(comparison: &Comparison, metrics: &[Metric]) -> Result<String, ReproduceError> {
    let mut text = String::new();
    let mut chart = Chart::new(comparison);
    let drawn = match comparison.sizes.len() {
        0 | 1 => bars::draw(&mut text, &mut chart.scheme, comparison, metrics),
        _ => chart.draw(&mut text, metrics),
    };
    drawn.map_err(ReproduceError::Chart)?;
    let style = chart.scheme.dark_style();
    // behind the first tag
    let (tag, rest) = text.split_once('\n').unwrap_or((&text, ""));
    Ok(format!("{tag}\n{style}\n{}\n", rest.trim_end()))
}

/// The colours in use: light ones, each with its dark counterpart.
#[derive(Default)]
pub(crate) struct Scheme(BTreeMap<String, &'static str>);

impl Scheme {
    pub(crate) fn text(&mut self, name: &str, size: u32) -> TextStyle<'static> {
        let colour = self.colour(name);
        ("sans-serif", size)
            .with_color(colour)
            .into_text_style(&SIZE)
    }

    pub(crate) fn colour(&mut self, name: &str) -> RGBColor {
        let [light, dark] = Palette::colours(name);
        self.0.insert(light.to_uppercase(), dark);
        let part = |at: usize| u8::from_str_radix(&light[at..at + 2], 16).unwrap_or_default();
        RGBColor(part(1), part(3), part(5))
    }

    fn dark_style(&self) -> String {
        let rule = |(light, dark): (&String, &&str)| {
            format!("[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}")
        };
        let rules: String = self.0.iter().map(rule).collect();
        format!("<style>@media (prefers-color-scheme: dark){{{rules}}}</style>")
    }
}

struct Chart<'a> {
    comparison: &'a Comparison,
    scheme: Scheme,
    /// Each label with its colour.
    curves: Vec<(&'a str, RGBColor)>,
}

impl<'a> Chart<'a> {
    fn new(comparison: &'a Comparison) -> Self {
        let palette = Palette::new(&comparison.rows);
        let mut scheme = Scheme::default();
        let policies = comparison.rows.iter().filter(|r| r.kind == RowKind::Policy);
        let mut labels: Vec<&str> = policies.map(|row| row.label.as_str()).collect();
        labels.dedup();
        let curve = |label| (label, scheme.colour(palette.slot(label)));
        let curves = labels.into_iter().map(curve).collect();
        Self {
            comparison,
            scheme,
            curves,
        }
    }

    fn draw(&mut self, text: &mut String, metrics: &[Metric]) -> Drawn {
        let places = self.places();
        let lines = places.last().map_or(0, |place| place.1) as u32;
        let size = (SIZE.0, SIZE.1 + LINE * lines);
        let root = SVGBackend::with_string(text, size).into_drawing_area();
        root.fill(&self.scheme.colour("card")).map_err(said)?;
        let (legend, plots) = root.split_vertically(LEGEND + LINE * lines);
        self.draw_legend(&legend, &places)?;
        for (plot, &shown) in plots.split_evenly((1, metrics.len())).iter().zip(metrics) {
            self.draw_plot(plot, shown)?;
        }
        root.present().map_err(said)
    }

    /// Where each label of the legend stands: how far to the right, and in which line.
    fn places(&self) -> Vec<(i32, i32)> {
        let (mut x, mut line) = (20, 0);
        let place = |&(label, _): &(&str, RGBColor)| {
            let width = 32 + 9 * label.len() as i32;
            if x > 20 && x + width > SIZE.0 as i32 {
                (x, line) = (20, line + 1);
            }
            let place = (x, line);
            x += width + 24;
            place
        };
        self.curves.iter().map(place).collect()
    }

    fn draw_legend(&mut self, area: &Area, places: &[(i32, i32)]) -> Drawn {
        let style = self.scheme.text("ink", 19);
        for (&(label, colour), &(x, line)) in self.curves.iter().zip(places) {
            let y = 24 + LINE as i32 * line;
            let line = PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(3));
            area.draw(&line).map_err(said)?;
            area.draw(&Circle::new((x + 12, y), 5, colour.filled()))
                .map_err(said)?;
            area.draw(&Text::new(label, (x + 32, y - 8), style.clone()))
                .map_err(said)?;
        }
        Ok(())
    }

    fn draw_plot(&mut self, area: &Area, shown: Metric) -> Drawn {
        let value = |row: &Row| metric(shown, row).unwrap_or(0.0);
        let comparison = self.comparison;
        let sizes = &comparison.sizes;
        let points = |label: &str| -> Vec<(usize, f64)> {
            let at = |(i, &size): (usize, &u64)| Some((i, value(row(comparison, label, size)?)));
            sizes.iter().enumerate().filter_map(at).collect()
        };
        let curves: Vec<_> = self.curves.iter().map(|c| (points(c.0), c.1)).collect();
        let values = curves.iter().flat_map(|(points, _)| points);
        let most = values.map(|point| point.1).fold(0.0, f64::max);
        let (ink, small) = (self.scheme.text("ink", 19), self.scheme.text("muted", 16));
        let (grid, axis) = (self.scheme.colour("grid"), self.scheme.colour("muted"));
        let last = sizes.len().saturating_sub(1).max(1);
        let mut plot = ChartBuilder::on(area)
            .caption(shown.title(), ink)
            .margin(12)
            .margin_right(32)
            .x_label_area_size(28)
            .y_label_area_size(64)
            .build_cartesian_2d(0..last, 0.0..most.max(f64::MIN_POSITIVE) * 1.05)
            .map_err(said)?;
        plot.configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(grid)
            .axis_style(axis)
            .label_style(small)
            .x_labels(sizes.len())
            .y_labels(6)
            .x_label_formatter(&|&i| sizes.get(i).map_or_else(String::new, |&size| bytes(size)))
            .y_label_formatter(&|&y| short(y, most))
            .draw()
            .map_err(said)?;
        for (points, colour) in curves {
            let dots = points.clone();
            plot.draw_series(LineSeries::new(points, colour.stroke_width(3)))
                .map_err(said)?;
            let dot = |point| Circle::new(point, 5, colour.filled());
            plot.draw_series(dots.into_iter().map(dot)).map_err(said)?;
        }
        Ok(())
    }
}

/// A number at an axis that ends at `most`.
pub(crate) fn short(value: f64, most: f64) -> String {
    match most {
        _ if value == 0.0 => "0".into(),
        most if most >= 1e6 => format!("{:.1}M", value / 1e6),
        most if most >= 1e4 => format!("{:.0}k", value / 1e3),
        most if most >= 10.0 => format!("{value:.0}"),
        most if most >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

pub(crate) fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a label that runs out of the picture; a new line before it is needed
    #[test]
    fn a_long_legend_goes_on_below() {
        let curves = |labels: &[&'static str]| {
            Chart {
                comparison: &Comparison::default(),
                scheme: Scheme::default(),
                curves: labels.iter().map(|&label| (label, BLACK)).collect(),
            }
            .places()
        };
        let long = "DAC (cleaning cost-benefit)";
        let places = curves(&[long, long, long, long]);
        let lines: Vec<i32> = places.iter().map(|place| place.1).collect();
        assert_eq!(lines, [0, 0, 0, 1]);
        assert!(
            places
                .iter()
                .all(|&(x, _)| x + 32 + 9 * long.len() as i32 <= 960)
        );
        assert_eq!(curves(&["lru", "bplru"]), [(20, 0), (20 + 32 + 27 + 24, 0)]);
    }
}
