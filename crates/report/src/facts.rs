//! Facts of the device, read from the resolved configuration.

use serde_json::Value;
use ssdlab_device::registry::FTLS;
use ssdlab_sim::{Comparison, RowKind};

use crate::format;

/// Label and value of each fact that the configuration holds.
///
/// The configuration is a policy's: the bounds change the FTL or the buffer.
pub fn device(comparison: &Comparison) -> Vec<(String, String)> {
    let mut rows = comparison.rows.iter();
    let Some(row) = rows.find(|row| row.kind == RowKind::Policy) else {
        return Vec::new();
    };
    let config = &row.outcome.config;
    [
        ("Capacity", bytes(&config["flash"]["capacity"])),
        ("Page", bytes(&config["flash"]["page_size"])),
        ("Block", block(config)),
        ("Chips", chips(config)),
        ("FTL", ftl(config)),
        ("Timing", timing(config)),
        ("At the start", start(config)),
    ]
    .into_iter()
    .filter_map(|(label, value)| Some((label.to_owned(), value?)))
    .collect()
}

fn bytes(value: &Value) -> Option<String> {
    value.as_u64().map(format::size)
}

fn block(config: &Value) -> Option<String> {
    let pages = config["flash"]["pages_per_block"].as_u64()?;
    Some(format!("{} pages", format::integer(pages)))
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
    let kind = config["ftl"]["kind"].as_str()?;
    let entry = FTLS.iter().find(|entry| entry.name == kind);
    let reads = |key: &str| entry.is_some_and(|entry| entry.keys.contains(&key));
    let mut parts = vec![kind.to_owned()];
    if reads("ftl.log_blocks")
        && let Some(blocks) = config["ftl"]["log_blocks"].as_u64()
    {
        parts.push(format!("{} log blocks", format::integer(blocks)));
    }
    match config["ftl"]["buffer_aware"].as_str() {
        Some(aware) if aware != "off" && reads("ftl.buffer_aware") => {
            parts.push(format!("buffer-aware {aware}"));
        }
        _ => {}
    }
    Some(parts.join(", "))
}

fn timing(config: &Value) -> Option<String> {
    let timing = &config["timing"];
    let model = timing["model"].as_str()?;
    let microseconds = |name: &str| {
        let value = timing[format!("{name}_us")].as_f64()?;
        let decimals = if value.fract() == 0.0 { 0 } else { 3 };
        Some(format!("{name} {} µs", format::decimal(value, decimals)))
    };
    let parts: Vec<String> = ["read", "program", "erase"]
        .into_iter()
        .filter_map(microseconds)
        .collect();
    Some(format!("{model}; {}", parts.join(", ")))
}

fn start(config: &Value) -> Option<String> {
    match config["precondition"].as_str()? {
        "full" => Some("full (aged device)".into()),
        "empty" => Some("empty (new device)".into()),
        other => Some(other.to_owned()),
    }
}
