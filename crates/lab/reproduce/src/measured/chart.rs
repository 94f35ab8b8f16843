//! The pictures: published figures in the background, those of the simulator in front.

use ssdlab_report::chart::{Curve, Legend, Plot, curves};
use ssdlab_report::slot;

use super::Results;
use super::judged::Judged;

/// The most plots side by side.
const ABREAST: usize = 2;
/// Labels on the axis of capacities.
const LABELS: usize = 6;
/// The slot of what was published.
const PUBLISHED: &str = "ink";

/// Draws all pictures of a table: names and contents.
pub fn all(results: &Results) -> Vec<(String, String)> {
    let id = results.table.id.get_ref();
    let mut files = Vec::new();
    if results.table.point.len() > 2 {
        files.push((format!("{id}.svg"), points(results)));
    }
    let over_time: Vec<Plot> = results
        .judged
        .iter()
        .filter_map(|one| curve(results, one))
        .collect();
    let tenths = results.judged.iter().filter_map(|one| tenths(results, one));
    let tenths: Vec<Plot> = tenths.collect();
    for (what, plots) in [("curves", over_time), ("tenths", tenths)] {
        for (number, plots) in plots.chunks(ABREAST).enumerate() {
            let name = format!("{id}-{what}-{}.svg", number + 1);
            files.push((name, curves(&both(), plots)));
        }
    }
    files
}

/// The legend of plots with two curves.
fn both() -> [Legend; 2] {
    let entry = |label: &str, slot: String| Legend {
        label: label.into(),
        slot,
    };
    [
        entry("published", PUBLISHED.into()),
        entry("simulator", slot(0)),
    ]
}

/// All series over the points: the write amplification of the last window.
fn points(results: &Results) -> String {
    let table = results.table;
    let of_series = |series: usize| {
        let judged = results.judged.iter();
        judged.filter(move |one| one.cell.series == series)
    };
    let mut legend = Vec::new();
    let mut drawn = Vec::new();
    for (place, series) in table.series.iter().enumerate() {
        let slot = slot(place);
        legend.push(Legend {
            label: series.name.get_ref().clone(),
            slot: slot.clone(),
        });
        let found = |one: &Judged| (one.cell.point, one.last().0);
        let published = |one: &Judged| Some((one.cell.point, one.last().1?));
        let (found, published): (Vec<_>, Vec<_>) = (
            of_series(place).map(found).collect(),
            of_series(place).filter_map(published).collect(),
        );
        for (faint, points) in [(true, published), (false, found)] {
            let slot = slot.clone();
            drawn.push(Curve {
                slot,
                faint,
                points,
            });
        }
    }
    drawn.sort_by_key(|curve| !curve.faint);
    let plot = Plot {
        title: format!("Write amplification by {} (published: faint)", table.axis),
        ticks: table
            .point
            .iter()
            .map(|point| point.at.get_ref().clone())
            .collect(),
        curves: drawn,
    };
    curves(&legend, &[plot])
}

fn title(results: &Results, one: &Judged, over: &str) -> String {
    let table = results.table;
    let (series, point) = (&table.series[one.cell.series], &table.point[one.cell.point]);
    format!(
        "{}, {}: over {over}",
        series.name.get_ref(),
        point.at.get_ref()
    )
}

fn plot(title: String, ticks: Vec<String>, published: &[f64], found: &[f64]) -> Plot {
    let curve = |slot: String, values: &[f64]| Curve {
        slot,
        faint: false,
        points: values.iter().copied().enumerate().collect(),
    };
    Plot {
        title,
        ticks,
        curves: vec![curve(PUBLISHED.into(), published), curve(slot(0), found)],
    }
}

/// The steps of a run.
fn curve(results: &Results, one: &Judged) -> Option<Plot> {
    let steps = &one.cell.log.curve;
    let every = steps.len().div_ceil(LABELS);
    let tick = |(place, step): (usize, &[f64; 2])| match place % every {
        0 => format!("{:.1}", step[0]),
        _ => String::new(),
    };
    let published: Vec<f64> = steps.iter().map(|step| step[1]).collect();
    let title = title(results, one, "capacities written");
    let ticks = || steps.iter().enumerate().map(tick).collect();
    (!steps.is_empty()).then(|| plot(title, ticks(), &published, &one.found.curve))
}

/// The tenths of a pass.
fn tenths(results: &Results, one: &Judged) -> Option<Plot> {
    let published = &one.cell.log.tenths;
    let ticks = (1..=published.len()).map(|tenth| tenth.to_string());
    let title = title(results, one, "tenths of a pass");
    (!published.is_empty()).then(|| plot(title, ticks.collect(), published, &one.found.tenths))
}
