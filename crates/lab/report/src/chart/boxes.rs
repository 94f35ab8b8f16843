//! A plane with boxes of several kinds, each in its colour.

use plotters::prelude::*;

use super::curves::{LEGEND, Legend, draw_legend, places};
use super::drawing::{WIDTH, said, short, svg};

const HEIGHT: u32 = 520;

/// One kind of boxes.
#[derive(Clone, Debug)]
pub struct Boxes {
    /// Its label and colour.
    pub legend: Legend,
    /// Two opposite corners of each box, x before y, in the units of the axes.
    pub corners: Vec<[(f64, f64); 2]>,
}

/// An axis, which starts at 0.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows, with the unit.
    pub title: String,
    /// Its end, above 0.
    pub most: f64,
}

/// Draws the boxes, the later kinds over the earlier ones, with their legend above.
///
/// # Errors
/// The error of `plotters`.
pub fn boxes(title: &str, x: &Axis, y: &Axis, kinds: &[Boxes]) -> Result<String, String> {
    svg(|text, scheme| {
        let root = SVGBackend::with_string(text, (WIDTH, HEIGHT)).into_drawing_area();
        root.fill(&scheme.colour("card")).map_err(said)?;
        let (strip, rest) = root.split_vertically(LEGEND);
        let legend: Vec<Legend> = kinds.iter().map(|kind| kind.legend.clone()).collect();
        draw_legend(&strip, scheme, &legend, &places(&legend))?;
        let (ink, small) = (scheme.text("ink", 19), scheme.text("muted", 16));
        let (grid, axis) = (scheme.colour("grid"), scheme.colour("muted"));
        let mut chart = ChartBuilder::on(&rest)
            .caption(title, ink)
            .margin(12)
            .margin_right(32)
            .x_label_area_size(48)
            .y_label_area_size(84)
            .build_cartesian_2d(0.0..x.most, 0.0..y.most)
            .map_err(said)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(grid)
            .axis_style(axis)
            .label_style(small.clone())
            .axis_desc_style(small)
            .x_desc(&x.title)
            .y_desc(&y.title)
            .x_labels(8)
            .y_labels(6)
            .x_label_formatter(&|&at| short(at, x.most))
            .y_label_formatter(&|&at| short(at, y.most))
            .draw()
            .map_err(said)?;
        for kind in kinds {
            let colour = scheme.colour(&kind.legend.slot).filled();
            let drawn = kind
                .corners
                .iter()
                .map(|&corners| Rectangle::new(corners, colour));
            chart.draw_series(drawn).map_err(said)?;
        }
        root.present().map_err(said)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x, y, width and height of the boxes of a colour.
    fn found(drawn: &str, colour: &str) -> Vec<[f64; 4]> {
        let of_colour = drawn
            .lines()
            .filter(|line| line.starts_with("<rect") && line.contains(colour));
        let number = |line: &str, name: &str| {
            let (_, rest) = line.split_once(&format!(" {name}=\"")).expect(name);
            rest.split_once('"')
                .expect("a number")
                .0
                .parse()
                .expect("a number")
        };
        of_colour
            .map(|line| ["x", "y", "width", "height"].map(|name| number(line, name)))
            .collect()
    }

    // planted bugs: an axis upside down; boxes of one kind in the colour of another; no titles
    #[test]
    fn boxes_are_where_their_corners_are() {
        let kind = |label: &str, place, corners| Boxes {
            legend: Legend {
                label: label.into(),
                slot: crate::slot(place),
            },
            corners,
        };
        let axis = |title: &str, most| Axis {
            title: title.into(),
            most,
        };
        let kinds = [
            kind("all", 0, vec![[(0.0, 0.0), (100.0, 1000.0)]]),
            kind("some", 1, vec![[(50.0, 250.0), (60.0, 750.0)]]),
        ];
        let drawn = boxes(
            "the title",
            &axis("seconds", 100.0),
            &axis("MiB", 1000.0),
            &kinds,
        )
        .expect("a drawing");
        for text in ["the title", "seconds", "MiB", "all", "some"] {
            assert!(
                drawn.contains(&format!(">\n{text}\n</text>")),
                "{text}: {drawn}"
            );
        }
        let light = |place| crate::palette::colours(&crate::slot(place))[0].to_uppercase();
        let [all, some] = [0, 1].map(|place| found(&drawn, &format!("fill=\"{}\"", light(place))));
        let ([all], [some]) = (&all[..], &some[..]) else {
            panic!("{all:?} {some:?}");
        };
        let near = |one: f64, other: f64| assert!((one - other).abs() <= 2.0, "{one} {other}");
        near(some[0], all[0] + all[2] * 0.5);
        near(some[2], all[2] * 0.1);
        near(some[1], all[1] + all[3] * 0.25);
        near(some[3], all[3] * 0.5);
    }
}
