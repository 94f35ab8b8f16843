//! What the page offers: systems, presets, keys, figures, formats.

use serde_json::{Value, json};
use ssdlab_config::{default_of, keys, legal, presets};
use ssdlab_device::Family;
use ssdlab_device::registry::Entry;
use ssdlab_sim::{Lab, SHOWN, TODAY};
use ssdlab_trace::Format;

/// All of it.
pub fn all(lab: &Lab) -> Value {
    let catalogue = lab.systems().catalogue();
    let systems = |family| -> Vec<Value> {
        let entries = catalogue.entries(family).into_iter();
        entries.map(|entry| system(&entry)).collect()
    };
    let presets = presets().iter().map(|preset| {
        json!({ "name": preset.name, "about": preset.about, "source": preset.source.in_full().to_string() })
    });
    let keys = keys(&catalogue).into_iter().map(|key| {
        json!({
            "path": key.path,
            "about": key.doc,
            "legal": legal(&key.kind, &catalogue),
            "default": default_of(&key),
        })
    });
    let figures = lab.figures();
    let ranking: Vec<&str> = figures.ranking().map(|figure| figure.key).collect();
    let figures = figures.iter().map(|figure| {
        json!({ "name": figure.key, "title": figure.title, "unit": figure.unit.symbol(), "ranks": ranking.contains(&figure.key) })
    });
    let formats = Format::ALL;
    let formats = formats
        .iter()
        .map(|format| json!({ "name": format.name(), "about": format.about() }));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "today": TODAY,
        "shown": SHOWN,
        "buffers": systems(Family::Buffer),
        "ftls": systems(Family::Ftl),
        "cleanings": systems(Family::Cleaning),
        "placements": systems(Family::Placement),
        "presets": presets.collect::<Vec<_>>(),
        "keys": keys.collect::<Vec<_>>(),
        "figures": figures.collect::<Vec<_>>(),
        "formats": formats.collect::<Vec<_>>(),
        "workloads": ssdlab_workload::kinds(),
    })
}

fn system(entry: &Entry) -> Value {
    json!({
        "name": entry.name,
        "rule": entry.rule,
        "source": entry.source.to_string(),
        "lines": entry.about.lines,
        "wins": entry.about.wins,
        "loses": entry.about.loses,
        "keys": entry.keys.iter().map(|key| key.path).collect::<Vec<_>>(),
    })
}
