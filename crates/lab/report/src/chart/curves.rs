//! Curves over a few sizes, in plots side by side with a common legend.

use plotters::prelude::*;

use super::drawing::{Area, Drawn, Scheme, WIDTH, said, short, svg};

const HEIGHT: u32 = 380;
/// The height of the strip above the plots with one line of legend, and of each further line.
pub(super) const LEGEND: u32 = 46;
const LINE: u32 = 26;

/// A label and the slot of its colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// The label.
    pub label: String,
    /// The slot of the curve, as [`slot`](crate::slot) gives it.
    pub slot: String,
}

/// One plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The title of the plot.
    pub title: String,
    /// The labels of the axis of sizes, one for each tick.
    pub ticks: Vec<String>,
    /// The curves, in the order of drawing.
    pub curves: Vec<Curve>,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The slot of the curve, as [`slot`](crate::slot) gives it.
    pub slot: String,
    /// Whether it is drawn in the background.
    pub faint: bool,
    /// Tick and value of each point.
    pub points: Vec<(usize, f64)>,
}

/// Draws the plots with their legend above.
///
/// # Errors
/// The error of `plotters`.
pub fn curves(legend: &[Legend], plots: &[Plot]) -> Result<String, String> {
    svg(|text, scheme| {
        let places = places(legend);
        let lines = places.last().map_or(0, |place| place.1) as u32;
        let size = (WIDTH, HEIGHT + LINE * lines);
        let root = SVGBackend::with_string(text, size).into_drawing_area();
        root.fill(&scheme.colour("card")).map_err(said)?;
        let (strip, rest) = root.split_vertically(LEGEND + LINE * lines);
        draw_legend(&strip, scheme, legend, &places)?;
        for (area, plot) in rest.split_evenly((1, plots.len())).iter().zip(plots) {
            draw_plot(area, scheme, plot)?;
        }
        root.present().map_err(said)
    })
}

/// The place of each label of the legend: its offset from the left, and its line.
pub(super) fn places(legend: &[Legend]) -> Vec<(i32, i32)> {
    let (mut x, mut line) = (20, 0);
    let place = |entry: &Legend| {
        let width = 32 + 9 * entry.label.len() as i32;
        if x > 20 && x + width > WIDTH as i32 {
            (x, line) = (20, line + 1);
        }
        let place = (x, line);
        x += width + 24;
        place
    };
    legend.iter().map(place).collect()
}

pub(super) fn draw_legend(
    area: &Area,
    scheme: &mut Scheme,
    legend: &[Legend],
    places: &[(i32, i32)],
) -> Drawn {
    let style = scheme.text("ink", 19);
    for (entry, &(x, line)) in legend.iter().zip(places) {
        let (y, colour) = (24 + LINE as i32 * line, scheme.colour(&entry.slot));
        let line = PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(3));
        area.draw(&line).map_err(said)?;
        area.draw(&Circle::new((x + 12, y), 5, colour.filled()))
            .map_err(said)?;
        area.draw(&Text::new(
            entry.label.as_str(),
            (x + 32, y - 8),
            style.clone(),
        ))
        .map_err(said)?;
    }
    Ok(())
}

fn draw_plot(area: &Area, scheme: &mut Scheme, plot: &Plot) -> Drawn {
    let values = plot.curves.iter().flat_map(|curve| &curve.points);
    let values = values.map(|point| point.1);
    let (least, most) = (
        values.clone().fold(0.0, f64::min),
        values.fold(0.0, f64::max),
    );
    let size = most.max(-least).max(f64::MIN_POSITIVE);
    let (ink, small) = (scheme.text("ink", 19), scheme.text("muted", 16));
    let (grid, axis) = (scheme.colour("grid"), scheme.colour("muted"));
    let ticks = &plot.ticks;
    let last = ticks.len().saturating_sub(1).max(1);
    let mut chart = ChartBuilder::on(area)
        .caption(&plot.title, ink)
        .margin(12)
        .margin_right(32)
        .x_label_area_size(28)
        .y_label_area_size(64)
        .build_cartesian_2d(0..last, least * 1.05..(most * 1.05).max(size * 0.05))
        .map_err(said)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(grid)
        .axis_style(axis)
        .label_style(small)
        .x_labels(ticks.len())
        .y_labels(6)
        .x_label_formatter(&|&i| ticks.get(i).cloned().unwrap_or_default())
        .y_label_formatter(&|&y| short(y, size))
        .draw()
        .map_err(said)?;
    for curve in &plot.curves {
        let colour = scheme.colour(&curve.slot);
        let (width, radius) = if curve.faint { (1, 2) } else { (3, 5) };
        let line = LineSeries::new(curve.points.clone(), colour.stroke_width(width));
        chart.draw_series(line).map_err(said)?;
        let dot = |&point| Circle::new(point, radius, colour.filled());
        chart
            .draw_series(curve.points.iter().map(dot))
            .map_err(said)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a label that leaves the picture; a line break before it is needed
    #[test]
    fn a_long_legend_goes_on_below() {
        let places = |labels: &[&str]| {
            let entry = |label: &&str| Legend {
                label: (*label).to_owned(),
                slot: "ink".into(),
            };
            places(&labels.iter().map(entry).collect::<Vec<_>>())
        };
        let long = "DAC (cleaning cost-benefit)";
        let four = places(&[long, long, long, long]);
        let lines: Vec<i32> = four.iter().map(|place| place.1).collect();
        assert_eq!(lines, [0, 0, 0, 1]);
        assert!(
            four.iter()
                .all(|&(x, _)| x + 32 + 9 * long.len() as i32 <= 960)
        );
        assert_eq!(places(&["lru", "bplru"]), [(20, 0), (20 + 32 + 27 + 24, 0)]);
    }

    // planted bug: an axis that ends at zero
    #[test]
    fn values_below_zero_are_on_the_axis() {
        let legend = [Legend {
            label: "a".into(),
            slot: "ink".into(),
        }];
        let plot = |values: [f64; 2]| Plot {
            title: "t".into(),
            ticks: vec!["1".into(), "2".into()],
            curves: vec![Curve {
                slot: "ink".into(),
                faint: false,
                points: vec![(0, values[0]), (1, values[1])],
            }],
        };
        let drawn = |values| curves(&legend, &[plot(values)]).expect("a drawing");
        let has = |text: &str, label: &str| text.contains(&format!(">\n{label}\n</text>"));
        let (down, up) = (drawn([-40.0, 10.0]), drawn([40.0, 10.0]));
        assert!(has(&down, "-40") && has(&down, "0"), "{down}");
        assert!(has(&up, "40") && !up.contains(">\n-"), "{up}");
    }
}
