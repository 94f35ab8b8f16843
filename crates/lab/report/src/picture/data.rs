//! The numbers of a picture as CSV.

use super::model::{Axis, Mark, Picture};

/// A line for each point, in the units of the axes.
pub(super) fn csv(picture: &Picture) -> Result<Vec<u8>, String> {
    let names = &picture.names;
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = [&names.panel, &names.series, &names.x, &names.y].map(String::as_str);
    let mut write = |record: [&str; 7]| {
        writer
            .write_record(record)
            .map_err(|error| error.to_string())
    };
    let [panel, series, x, y] = header;
    write([panel, series, x, y, "low", "high", "runs"])?;
    for panel in &picture.panels {
        let label = |series: usize| {
            picture
                .legend
                .get(series)
                .map_or("", |entry| entry.label.as_str())
        };
        for mark in &panel.marks {
            let (series, points): (&str, Vec<_>) = match mark {
                Mark::Curve { series, points } => (label(*series), points.iter().collect()),
                Mark::Dot { series, point, .. } => (label(*series), vec![point]),
                Mark::Front(_) => continue,
                Mark::Cell { point, value, .. } => {
                    if let Some(value) = value {
                        let texts =
                            [value, &point.quartiles.0, &point.quartiles.1].map(f64::to_string);
                        let [value, low, high] = texts.each_ref().map(String::as_str);
                        let (column, row) = (text(&panel.x, point.x), text(&panel.y, point.y));
                        write([
                            &panel.title,
                            &row,
                            &column,
                            value,
                            low,
                            high,
                            &point.runs.to_string(),
                        ])?;
                    }
                    continue;
                }
                Mark::Spread {
                    series,
                    row,
                    values,
                    quartiles,
                    ..
                } => {
                    let texts = quartiles.map(|quartile| quartile.to_string());
                    let [low, median, high] = texts.each_ref().map(String::as_str);
                    let runs = values.len().to_string();
                    write([
                        &panel.title,
                        label(*series),
                        &text(&panel.y, *row as f64),
                        median,
                        low,
                        high,
                        &runs,
                    ])?;
                    continue;
                }
                Mark::Bar {
                    row, parts, below, ..
                } => {
                    let row = text(&panel.y, *row as f64);
                    for (series, value) in parts.iter().chain(below) {
                        let value = value.to_string();
                        let value = value.as_str();
                        write([&panel.title, label(*series), &row, value, value, value, "1"])?;
                    }
                    continue;
                }
            };
            for point in points {
                let texts =
                    [point.y, point.quartiles.0, point.quartiles.1].map(|value| value.to_string());
                let [value, low, high] = texts.each_ref().map(String::as_str);
                write([
                    &panel.title,
                    series,
                    &text(&panel.x, point.x),
                    value,
                    low,
                    high,
                    &point.runs.to_string(),
                ])?;
            }
        }
    }
    writer.into_inner().map_err(|error| error.to_string())
}

fn text(axis: &Axis, value: f64) -> String {
    match axis.words() {
        Some(words) => words.get(value as usize).cloned().unwrap_or_default(),
        None => value.to_string(),
    }
}
