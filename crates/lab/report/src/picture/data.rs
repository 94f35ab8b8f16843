//! The numbers of a picture as CSV.

use ssdlab_words::field;

use super::model::{Axis, Mark, Panel, Picture, Point};

/// A line of the file: series and place as texts, a value with its quartiles, the number of runs.
type Line = (String, String, [f64; 3], usize);

/// A line for each point, in the units of the axes.
pub(super) fn csv(picture: &Picture) -> Result<Vec<u8>, String> {
    let names = &picture.names;
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: [&str; 7]| {
        writer
            .write_record(record)
            .map_err(|error| error.to_string())
    };
    let [panel, series, x, y] = [&names.panel, &names.series, &names.x, &names.y];
    write([panel, series, x, y, "low", "high", "runs"])?;
    for panel in &picture.panels {
        let lines = panel
            .marks
            .iter()
            .flat_map(|mark| lines(picture, panel, mark));
        for (series, x, values, runs) in lines {
            let [value, low, high] = values.map(|value| value.to_string());
            let [title, series, x] = [&panel.title, &series, &x].map(|text| field(text));
            write([&title, &series, &x, &value, &low, &high, &runs.to_string()])?;
        }
    }
    writer.into_inner().map_err(|error| error.to_string())
}

fn lines(picture: &Picture, panel: &Panel, mark: &Mark) -> Vec<Line> {
    let label = |series: usize| {
        let entry = picture.legend.get(series);
        entry.map_or(String::new(), |entry| entry.label.clone())
    };
    let row = |row: usize| text(&panel.y, row as f64);
    let of_point = |series: usize, point: &Point| {
        let values = [point.y, point.quartiles.0, point.quartiles.1];
        (label(series), text(&panel.x, point.x), values, point.runs)
    };
    match mark {
        Mark::Curve { series, points, .. } => {
            let points = points.iter();
            points.map(|point| of_point(*series, point)).collect()
        }
        Mark::Dot { series, point, .. } => vec![of_point(*series, point)],
        Mark::Front(_) => Vec::new(),
        Mark::Cell { point, value, .. } => {
            let column = text(&panel.x, point.x);
            let line = |value| {
                let values = [value, point.quartiles.0, point.quartiles.1];
                (text(&panel.y, point.y), column, values, point.runs)
            };
            value.map(line).into_iter().collect()
        }
        Mark::Spread {
            series,
            row: at,
            values,
            quartiles: [low, median, high],
            ..
        } => {
            let quartiles = [*median, *low, *high];
            vec![(label(*series), row(*at), quartiles, values.len())]
        }
        Mark::Bar {
            row: at,
            parts,
            below,
            ..
        } => {
            let parts = parts.iter().chain(below);
            parts
                .map(|&(series, value)| (label(series), row(*at), [value; 3], 1))
                .collect()
        }
        Mark::Band { .. } => Vec::new(),
        // from left to right; the lower and the upper end
        Mark::Boxes { series, corners } => corners
            .iter()
            .map(|[from, to]| {
                (
                    label(*series),
                    from.0.to_string(),
                    [from.1, from.1, to.1],
                    1,
                )
            })
            .collect(),
    }
}

fn text(axis: &Axis, value: f64) -> String {
    match axis.words() {
        Some(words) => words.get(value as usize).cloned().unwrap_or_default(),
        None => value.to_string(),
    }
}
