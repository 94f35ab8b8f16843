//! The order of the entries of a family by their results.

use super::family::{Family, Measured, OnTrace, competes};

/// Two results count as equal if they are less than this share apart.
const SAME: f64 = 0.001;

/// The results of a family on one device.
pub struct Results {
    /// The device, in figures.
    pub device: String,
    /// The names of the traces.
    pub traces: Vec<String>,
    /// For each trace, the setting of a device that is larger, for its volume.
    pub larger: Vec<Option<String>>,
    /// One for each trace.
    pub on: Vec<OnTrace>,
}

/// The place of an entry on one trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// 1 is first.
    pub place: usize,
    /// No entry is worse, and at least one is better.
    pub is_last: bool,
}

impl Results {
    /// The result of an entry on a trace, at the tick that the tables show.
    pub fn shown(&self, family: &Family, trace: usize, entry: usize) -> Measured {
        self.on[trace][entry][family.shown]
    }

    fn value(&self, family: &Family, trace: usize, entry: usize) -> f64 {
        self.shown(family, trace, entry).0[0]
    }

    /// The place of an entry among the competing ones, by a figure.
    pub fn standing(&self, family: &Family, trace: usize, entry: usize, by: usize) -> Place {
        let value = |entry| self.shown(family, trace, entry).good(by);
        let others = rivals(family, entry).map(value);
        standing(value(entry), others.collect::<Vec<_>>().as_slice())
    }

    /// The best of the others on a trace.
    pub fn best_other(&self, family: &Family, trace: usize, entry: usize) -> usize {
        let value = |&other: &usize| self.value(family, trace, other);
        // of equals the first
        let others = rivals(family, entry).rev();
        let best = others.max_by(|a, b| value(a).total_cmp(&value(b)));
        best.expect("a registry of several entries")
    }

    /// Two traces: the one with the largest lead of the entry over the median of the others; and, of the other traces,
    /// the one on which it is furthest behind the best of the others.
    pub fn extremes(&self, family: &Family, entry: usize) -> [usize; 2] {
        let traces = || 0..self.traces.len();
        let ratio = |trace: usize, to: f64| self.value(family, trace, entry) / to;
        let ahead = |&trace: &usize| ratio(trace, self.median_of_others(family, trace, entry));
        let behind = |&trace: &usize| {
            let best = self.best_other(family, trace, entry);
            ratio(trace, self.value(family, trace, best))
        };
        let best = traces().max_by(|a, b| ahead(a).total_cmp(&ahead(b)));
        let rest = traces().filter(|&trace| Some(trace) != best);
        let worst = rest.min_by(|a, b| behind(a).total_cmp(&behind(b)));
        [best, worst].map(|trace| trace.expect("two traces"))
    }

    fn median_of_others(&self, family: &Family, trace: usize, entry: usize) -> f64 {
        let values = rivals(family, entry).map(|other| self.value(family, trace, other));
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }

    /// The numbers of traces on which an entry is first and last, by a figure.
    pub fn firsts_and_lasts(&self, family: &Family, entry: usize, by: usize) -> [usize; 2] {
        let traces = || 0..self.traces.len();
        let standings = || traces().map(|trace| self.standing(family, trace, entry, by));
        [
            standings().filter(|standing| standing.place == 1).count(),
            standings().filter(|standing| standing.is_last).count(),
        ]
    }
}

/// The other entries that compete.
fn rivals(family: &Family, entry: usize) -> impl DoubleEndedIterator<Item = usize> {
    let entries = family.entries();
    (0..entries.len()).filter(move |&other| other != entry && competes(&entries[other]))
}

fn standing(own: f64, others: &[f64]) -> Place {
    let ahead = |&&other: &&f64| other > own * (1.0 + SAME);
    let behind = |&other: &f64| other < own * (1.0 - SAME);
    let place = 1 + others.iter().filter(ahead).count();
    Place {
        place,
        is_last: place > 1 && !others.iter().any(behind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policies::family::FAMILIES;

    // Planted bugs: equals that are each other's betters; all equal, and yet all last; last where others are as bad.
    #[test]
    fn equals_share_a_place() {
        let of = |own, others: &[f64]| {
            let standing = standing(own, others);
            (standing.place, standing.is_last)
        };
        assert_eq!(of(2.0, &[2.001, 1.0]), (1, false));
        assert_eq!(of(2.0, &[2.0, 2.001]), (1, false));
        assert_eq!(of(1.0, &[3.0, 2.0, 1.0005]), (3, true));
        assert_eq!(of(1.0, &[3.0, 0.9]), (2, false));
    }

    // Planted bugs: most erases first; places by one figure in the columns of another.
    #[test]
    fn few_erases_and_little_write_amplification_are_good() {
        let family = &FAMILIES[2];
        let last_entry = family.entries().len() - 1;
        let measured = |entry: usize| {
            let waf = [2.0, 1.0].get(entry).copied().unwrap_or(3.0);
            let erases = if entry == last_entry { 5.0 } else { 7.0 };
            Measured([99.0 - entry as f64, waf, erases])
        };
        let entries = 0..family.entries().len();
        let on_trace = entries.map(|entry| vec![measured(entry); family.ticks.len()]);
        let results = Results {
            device: String::new(),
            traces: vec!["t".into()],
            larger: Vec::new(),
            on: vec![on_trace.collect()],
        };
        let first = |by: usize| {
            let mut entries = 0..family.entries().len();
            entries.find(|&entry| results.firsts_and_lasts(family, entry, by) == [1, 0])
        };
        let firsts = [0, 1, 2].map(first);
        assert_eq!(firsts, [Some(0), Some(1), Some(last_entry)]);
        let last = results.firsts_and_lasts(family, 2, 1);
        assert_eq!(last, [0, 1]);
    }
}
