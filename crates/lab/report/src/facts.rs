//! Facts of the device, taken from the resolved configuration.

use serde_json::Value;
use ssdlab_device::Family;
use ssdlab_device::registry::built_in;
use ssdlab_sim::{Comparison, how_replayed, key};
use ssdlab_words::{decimal, thousands};

use crate::varied::policies;

/// Reads a fact from a configuration, if the configuration has it.
type Fact = fn(&Value) -> Option<String>;

/// Label and value of each fact of the device and of the replay; of a varied fact all values, if they are few.
///
/// Only the configurations of policies are read: the bounds change the FTL or the buffer.
pub fn device(comparison: &Comparison) -> Vec<(String, String)> {
    const FEW: usize = 6;
    let facts: [(&str, Fact); 9] = [
        ("Capacity", |config| bytes(&config["flash"]["capacity"])),
        ("Page", |config| bytes(&config["flash"]["page_size"])),
        ("Block", block),
        ("Chips", chips),
        ("FTL", ftl),
        ("Log blocks", log_blocks),
        ("Buffer-aware merges", buffer_aware),
        ("Timing", timing),
        ("At the start", start),
    ];
    let line = |(label, fact): (&str, Fact)| {
        let mut values: Vec<String> = Vec::new();
        for value in policies(comparison).filter_map(|row| fact(&row.outcome.config)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let value = match values.len() {
            0 => return None,
            1..=FEW => values.join(" / "),
            _ => "varies".into(),
        };
        Some((label.to_owned(), value))
    };
    let mut replayed = how_replayed(comparison);
    replayed.retain(|(label, _)| *label != "format"); // it is among the facts of the trace
    let said = |label: &str| {
        let mut replayed = replayed.iter();
        replayed.any(|(own, _)| own.eq_ignore_ascii_case(label))
    };
    let facts: Vec<_> = facts
        .into_iter()
        .filter(|(label, _)| !said(label))
        .filter_map(line)
        .collect();
    facts
        .into_iter()
        .chain(
            replayed
                .into_iter()
                .map(|(label, value)| (label.to_owned(), value)),
        )
        .collect()
}

/// Each key that a policy reads and that differs from its default, with its value; of a varied key, all values.
pub fn changed(comparison: &Comparison) -> Vec<(String, String)> {
    const COMPARED: [&str; 2] = [key::POLICY, key::SIZE];
    let mut keys: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut add = |key, value| match keys.iter_mut().find(|known| known.0 == key) {
        Some((_, values)) if values.contains(&value) => {}
        Some((_, values)) => values.push(value),
        None => keys.push((key, vec![value])),
    };
    for row in policies(comparison) {
        for (key, value) in &row.outcome.changed {
            let varied = row.variant.get(*key);
            add(key, varied.map_or(value.trim_matches('"'), String::as_str));
        }
        for (key, value) in &row.variant {
            add(key, value);
        }
    }
    let shown = keys.iter().filter(|(key, _)| !COMPARED.contains(key));
    shown
        .map(|(key, values)| ((*key).to_owned(), values.join(", ")))
        .collect()
}

fn bytes(value: &Value) -> Option<String> {
    value.as_u64().map(ssdlab_words::bytes)
}

fn block(config: &Value) -> Option<String> {
    let pages = config["flash"]["pages_per_block"].as_u64()?;
    Some(format!("{} pages", thousands(pages)))
}

fn chips(config: &Value) -> Option<String> {
    let channels = config["flash"]["channels"].as_u64()?;
    let ways = config["flash"]["chips_per_channel"].as_u64()?;
    match (channels, ways) {
        (1, 1) => Some("1".into()),
        _ => Some(format!(
            "{} ({channels} channels × {ways})",
            channels * ways
        )),
    }
}

fn ftl(config: &Value) -> Option<String> {
    config["ftl"]["kind"].as_str().map(str::to_owned)
}

fn log_blocks(config: &Value) -> Option<String> {
    let blocks = config["ftl"]["log_blocks"].as_u64()?;
    reads(config, key::LOG_BLOCKS).then(|| thousands(blocks))
}

fn buffer_aware(config: &Value) -> Option<String> {
    let aware = config["ftl"]["buffer_aware"].as_str()?;
    reads(config, key::BUFFER_AWARE).then(|| aware.to_owned())
}

/// Whether the FTL reads a key.
fn reads(config: &Value, key: &str) -> bool {
    let kind = config["ftl"]["kind"].as_str();
    let mut ftls = built_in(Family::Ftl).iter();
    ftls.any(|entry| Some(entry.name) == kind && entry.reads(key))
}

fn timing(config: &Value) -> Option<String> {
    let timing = &config["timing"];
    let model = timing["model"].as_str()?;
    let microseconds = |name: &str| {
        let value = timing[format!("{name}_us")].as_f64()?;
        let decimals = if value.fract() == 0.0 { 0 } else { 3 };
        Some(format!("{name} {}", decimal(value, decimals)))
    };
    let parts: Vec<String> = ["read", "program", "erase", "transfer"]
        .into_iter()
        .filter_map(microseconds)
        .collect();
    Some(format!("{model}; {} µs", parts.join(", ")))
}

fn start(config: &Value) -> Option<String> {
    match config["precondition"].as_str()? {
        "full" => Some("full (written once, in order)".into()),
        "empty" => Some("empty (new device)".into()),
        other => Some(other.to_owned()),
    }
}
