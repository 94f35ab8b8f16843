//! The chart of a page: curves on two traces.

use ssdlab_report::chart::{Curve, Legend, Plot, curves};

use super::family::{Family, competes};
use super::result::Results;

/// The slots of an entry, of the best of the others, and of all others.
const SLOTS: [&str; 3] = ["policy-1", "policy-2", "muted"];

/// The two most telling traces of an entry, side by side.
pub fn picture(family: &Family, results: &Results, entry: usize) -> String {
    let labels = [
        family.entries()[entry].name,
        "the best of the others",
        "the others",
    ];
    let legend = labels.iter().zip(SLOTS).map(|(label, slot)| Legend {
        label: (*label).to_owned(),
        slot: slot.to_owned(),
    });
    let traces = results.extremes(family, entry);
    let plots = traces.map(|trace| plot(family, results, entry, trace));
    curves(&legend.collect::<Vec<_>>(), &plots)
}

fn plot(family: &Family, results: &Results, entry: usize, trace: usize) -> Plot {
    let best = results.best_other(family, trace, entry);
    let curve = |which: usize, slot: &str| Curve {
        slot: slot.to_owned(),
        faint: slot == SLOTS[2],
        points: results.on[trace][which]
            .iter()
            .map(|measured| measured.0[0])
            .enumerate()
            .collect(),
    };
    let entries = 0..family.entries().len();
    let others = entries.filter(|&i| i != entry && i != best && competes(&family.entries()[i]));
    // the entry and the best other one are drawn last, above all others
    let curves = others
        .map(|i| curve(i, SLOTS[2]))
        .chain([curve(best, SLOTS[1]), curve(entry, SLOTS[0])]);
    Plot {
        title: format!("{}, MB/s", results.traces[trace]),
        ticks: family.ticks.iter().map(|&tick| tick.to_owned()).collect(),
        curves: curves.collect(),
    }
}
