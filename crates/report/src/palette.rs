//! The same label always gets the same colour, in every chart and every report.
//!
//! A slot is the name of a CSS variable of `assets/report.css` and of a marker in
//! `assets/charts.js`. The ten policy colours keep their distance under the common kinds of
//! colour blindness; markers and labels at the curves tell them apart without colour.

use std::collections::BTreeMap;

use ssdlab_sim::{Row, RowKind};

/// Policies with a slot of their own.
const POLICIES: [&str; 10] = [
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
];

/// Slot of each label of a comparison.
pub struct Palette(BTreeMap<String, String>);

impl Palette {
    /// Known labels get their own slots, then the others the free ones in order.
    pub fn new(rows: &[Row]) -> Self {
        let mut slots: BTreeMap<String, String> = rows
            .iter()
            .filter_map(|row| Some((row.label.clone(), known(row)?)))
            .collect();
        for row in rows {
            if !slots.contains_key(&row.label) {
                let slot = free(&slots);
                slots.insert(row.label.clone(), slot);
            }
        }
        Palette(slots)
    }

    /// The slot of a label that was among the rows.
    pub fn slot(&self, label: &str) -> &str {
        &self.0[label]
    }
}

/// The slot that a label has in every report.
fn known(row: &Row) -> Option<String> {
    match (row.kind, row.label.as_str()) {
        (RowKind::Bound, "ideal FTL") => Some("bound-2".into()),
        (RowKind::Bound, _) => Some("bound-1".into()),
        (RowKind::Policy, "none") => Some("policy-0".into()),
        (RowKind::Policy, label) => {
            let index = POLICIES.iter().position(|&policy| policy == label)?;
            Some(policy_slot(index))
        }
    }
}

/// The first policy slot not taken; with all taken, they are used again in turn.
fn free(taken: &BTreeMap<String, String>) -> String {
    (0..POLICIES.len())
        .map(policy_slot)
        .find(|slot| !taken.values().any(|used| used == slot))
        .unwrap_or_else(|| policy_slot(taken.len() % POLICIES.len()))
}

fn policy_slot(index: usize) -> String {
    format!("policy-{}", index + 1)
}
