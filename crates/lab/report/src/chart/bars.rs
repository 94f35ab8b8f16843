//! Bar charts: labels with one or more bars each.

use plotters::prelude::*;

use super::drawing::{Area, Drawn, Scheme, WIDTH, said, short, svg};

/// The width of the column of labels.
const LABELS: u32 = 270;
/// The height of the strip of titles.
const TITLES: u32 = 44;
const ROW: u32 = 26;
/// The space beside a bar for its number.
const NUMBER: u32 = 76;

/// One column of bars.
#[derive(Clone, Debug)]
pub struct Bars {
    /// The title of the column.
    pub title: String,
    /// One value for each label.
    pub values: Vec<f64>,
}

/// Draws a row for each label with one bar for each column.
///
/// # Errors
/// The error of `plotters`.
pub fn bars(labels: &[&str], columns: &[Bars]) -> Result<String, String> {
    svg(|text, scheme| {
        let height = TITLES + ROW * labels.len() as u32 + 12;
        let root = SVGBackend::with_string(text, (WIDTH, height)).into_drawing_area();
        root.fill(&scheme.colour("card")).map_err(said)?;
        let (names, plots) = root.split_horizontally(LABELS);
        let style = scheme.text("ink", 16);
        for (i, &label) in labels.iter().enumerate() {
            names
                .draw(&Text::new(label, (16, top(i) + 4), style.clone()))
                .map_err(said)?;
        }
        for (area, column) in plots.split_evenly((1, columns.len())).iter().zip(columns) {
            draw_column(area, scheme, column)?;
        }
        root.present().map_err(said)
    })
}

fn draw_column(area: &Area, scheme: &mut Scheme, column: &Bars) -> Drawn {
    let (title, number) = (scheme.text("ink", 19), scheme.text("muted", 16));
    let colour = scheme.colour("policy-1");
    area.draw(&Text::new(column.title.as_str(), (4, 14), title))
        .map_err(said)?;
    let most = column.values.iter().copied().fold(0.0, f64::max);
    let width = f64::from(area.dim_in_pixel().0 - NUMBER);
    for (i, &value) in column.values.iter().enumerate() {
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
