//! The chart of a comparison.

use ssdlab_report::chart::{Bars, Curve, Legend, Plot, bars, curves};
use ssdlab_report::slot;
use ssdlab_sim::Row;
use ssdlab_words::bytes;

use super::panel::Panel;
use super::terms::Metric;

/// One or two metrics over the buffer size, a curve for each label; bars if there are fewer than two sizes. `known` are
/// the labels of the page that have colours.
pub fn svg(panel: &Panel, metrics: &[Metric], known: &mut Vec<String>) -> String {
    let rows: Vec<&Row> = panel.policies().collect();
    let mut labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    match panel.sizes.len() {
        0 | 1 => {
            let columns = metrics.iter().map(|shown| Bars {
                title: shown.figure.title_with_unit(),
                values: rows.iter().map(|row| value(shown, row)).collect(),
            });
            bars(&labels, &columns.collect::<Vec<_>>())
        }
        _ => {
            labels.dedup();
            let entry = |label: &&str| {
                let label = (*label).to_owned();
                let place = known.iter().position(|known| *known == label);
                let slot = slot(place.unwrap_or(known.len()));
                if place.is_none() {
                    known.push(label.clone());
                }
                Legend { label, slot }
            };
            let legend: Vec<Legend> = labels.iter().map(entry).collect();
            let plots = metrics.iter().map(|shown| plot(panel, &legend, shown));
            curves(&legend, &plots.collect::<Vec<_>>())
        }
    }
}

fn plot(panel: &Panel, legend: &[Legend], shown: &Metric) -> Plot {
    let sizes = &panel.sizes;
    let curve = |entry: &Legend| {
        let at = |(i, &size): (usize, &u64)| {
            let row = panel.row(&entry.label, size)?;
            Some((i, value(shown, row)))
        };
        Curve {
            slot: entry.slot.clone(),
            faint: false,
            points: sizes.iter().enumerate().filter_map(at).collect(),
        }
    };
    Plot {
        title: shown.figure.title_with_unit(),
        ticks: sizes.iter().map(|&size| bytes(size)).collect(),
        curves: legend.iter().map(curve).collect(),
    }
}

fn value(shown: &Metric, row: &Row) -> f64 {
    shown.value(row).unwrap_or(0.0)
}
