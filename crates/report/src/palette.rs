//! The same label always gets the same colour, in every chart and every report.
//!
//! A slot is the name of a CSS variable of `assets/report.css` and of a marker in
//! `assets/look.js`. The thirteen policy colours remain distinct under the common kinds of colour blindness; markers and
//! labels at the curves distinguish them without colour.

use std::collections::BTreeMap;

use ssdlab_device::registry::NO_BUFFER;
use ssdlab_sim::{Row, RowKind};

/// The policies with a fixed slot.
const POLICIES: [&str; 13] = [
    "bplru",
    "fab",
    "lru",
    "three-region",
    "plru-br-2q",
    "blru",
    "cflru",
    "fifo",
    "plru-br",
    "sof",
    "lb-clock",
    "req-block",
    "cbb",
];

const STYLE: &str = include_str!("../assets/report.css");

/// The slot of each label of a comparison.
pub struct Palette(BTreeMap<String, String>);

impl Palette {
    /// Known labels get their own slots; the others get the free slots in order.
    pub fn new(rows: &[Row]) -> Self {
        Self::of(rows.iter().map(|row| (row.label.clone(), row.kind)))
    }

    /// The same for other labels.
    pub fn of(labels: impl Iterator<Item = (String, RowKind)> + Clone) -> Self {
        let known = |(label, kind)| Some((String::clone(&label), known(&label, kind)?));
        let mut slots: BTreeMap<String, String> = labels.clone().filter_map(known).collect();
        for (label, _) in labels {
            if !slots.contains_key(&label) {
                let slot = free(&slots);
                slots.insert(label, slot);
            }
        }
        Palette(slots)
    }

    /// The slot of a label among the rows.
    pub fn slot(&self, label: &str) -> &str {
        &self.0[label]
    }

    /// The colour of a slot, or of another variable, in the light and the dark scheme.
    ///
    /// # Panics
    /// If the report's style has no colour of this name.
    pub fn colours(slot: &str) -> [&'static str; 2] {
        let name = format!("--{slot}: ");
        let mut values = STYLE.split(&name).skip(1);
        [(); 2].map(|()| {
            let value = values.next().and_then(|rest| rest.split_once(';'));
            value.expect("a colour in both schemes").0
        })
    }
}

/// The slot that a label has in every report.
fn known(label: &str, kind: RowKind) -> Option<String> {
    match (kind, label) {
        (RowKind::Bound, label) if label.starts_with("ideal FTL") => Some("bound-2".into()),
        (RowKind::Bound, _) => Some("bound-1".into()),
        (RowKind::Policy, NO_BUFFER) => Some("policy-0".into()),
        (RowKind::Policy, label) => {
            let index = POLICIES.iter().position(|&policy| policy == label)?;
            Some(policy_slot(index))
        }
    }
}

/// The first free policy slot; once all are taken, they are used again in turn.
fn free(taken: &BTreeMap<String, String>) -> String {
    (0..POLICIES.len())
        .map(policy_slot)
        .find(|slot| !taken.values().any(|used| used == slot))
        .unwrap_or_else(|| policy_slot(taken.len() % POLICIES.len()))
}

fn policy_slot(index: usize) -> String {
    format!("policy-{}", index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bugs: `policy-1` read from the line of `policy-10`; both colours from the light scheme.
    #[test]
    fn colours_are_those_of_the_style() {
        assert_eq!(Palette::colours("policy-1"), ["#0072b2", "#56b4e9"]);
        assert_eq!(Palette::colours("policy-10"), ["#123d22", "#7ff5f0"]);
    }
}
