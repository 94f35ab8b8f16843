//! The pictures of a contest.

use ssdlab_report::chart::{Curve, Legend, Plot, curves};
use ssdlab_report::slot;
use ssdlab_words::bytes;

use super::Contest;
use super::cell::Cell;
use super::page::{in_words, mean, on};

/// The most that the chart of regret shows.
const MOST: f64 = 2.0;
const TICKS: usize = 11;
/// The slot of the rivals without a colour.
const OTHERS: &str = "muted";

/// For each policy, how much longer than the best rival it takes at a share of the points.
pub fn regret(contest: &Contest, cells: &[Cell]) -> String {
    let rivals = contest.description.drawn.iter();
    let drawn = || {
        [&contest.description.competitor]
            .into_iter()
            .chain(rivals.clone())
    };
    let mut legend = legend(drawn().map(|name| name.get_ref()));
    let drawn: Vec<usize> = drawn().map(|name| contest.place(name)).collect();
    let others: Vec<usize> = (0..contest.competitor_at())
        .filter(|at| !drawn.contains(at))
        .collect();
    if !others.is_empty() {
        let label = format!("the other {}", in_words(others.len()));
        let slot = OTHERS.into();
        legend.push(Legend { label, slot });
    }
    let others = others.into_iter().map(|at| (at, OTHERS.to_owned()));
    let drawn = drawn.into_iter().enumerate();
    let drawn = drawn.map(|(place, at)| (at, slot(place))).rev();
    let policies: Vec<(usize, String)> = others.chain(drawn).collect();
    let tick = |tick: usize| match tick * 100 / (TICKS - 1) {
        share if share % 20 == 0 => format!("{share} %"),
        _ => String::new(),
    };
    let kinds = [(false, "log-block FTLs"), (true, "page mapping")].into_iter();
    let plots = kinds.map(|(cleans, what)| (on(cells, cleans), what));
    let plots = plots.filter(|(cells, _)| !cells.is_empty());
    let plots = plots.map(|(cells, what)| Plot {
        title: format!("Time over the best, {what}"),
        ticks: (0..TICKS).map(tick).collect(),
        curves: policies
            .iter()
            .map(|policy| sorted(&cells, policy))
            .collect(),
    });
    curves(&legend, &plots.collect::<Vec<_>>())
}

/// A policy from its best point to its worst.
fn sorted(cells: &[&Cell], (at, slot): &(usize, String)) -> Curve {
    let mut ratios: Vec<f64> = cells.iter().map(|cell| cell.ratio(*at)).collect();
    ratios.sort_by(f64::total_cmp);
    let value = |tick: usize| ratios[tick * (ratios.len() - 1) / (TICKS - 1)].min(MOST);
    Curve {
        slot: slot.clone(),
        faint: slot == OTHERS,
        points: (0..TICKS).map(value).enumerate().collect(),
    }
}

fn legend<'a>(labels: impl Iterator<Item = &'a String>) -> Vec<Legend> {
    let entry = |(place, label): (usize, &String)| Legend {
        label: label.clone(),
        slot: slot(place),
    };
    labels.enumerate().map(entry).collect()
}

/// For each device, by how much the competitor beats the best rival at each size.
pub fn gain(contest: &Contest, cells: &[Cell]) -> String {
    let devices = contest.description.devices.iter();
    let devices = || devices.clone().map(|device| device.name.get_ref());
    let sizes = || {
        contest
            .description
            .sizes
            .iter()
            .map(|size| size.get_ref().0)
    };
    let plot = |flushes: &str| {
        let gain = |device: &String, size: u64| {
            let of_device = cells.iter().filter(|cell| cell.device == *device);
            let here = of_device.filter(|cell| cell.size == size && cell.flushes == flushes);
            100.0 * (1.0 - mean(here.map(|cell| cell.ratio(cell.competitor))))
        };
        let curve = |(place, device): (usize, &String)| Curve {
            slot: slot(place),
            faint: false,
            points: sizes().map(|size| gain(device, size)).enumerate().collect(),
        };
        Plot {
            title: format!("% less time than the best, flushes {flushes}"),
            ticks: sizes().map(bytes).collect(),
            curves: devices().enumerate().map(curve).collect(),
        }
    };
    let plots = ["honoured", "ignored"].map(plot);
    curves(&legend(devices()), &plots)
}
