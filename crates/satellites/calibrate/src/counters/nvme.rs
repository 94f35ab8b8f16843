//! Counters of NVMe drives: the health log, the OCP log (C0h), the statistics of FDP, the logs of Intel and Solidigm.

use std::path::Path;

use serde_json::Value;

use super::{Counter, What, whole, wrong};
use crate::error::CalibrateError;

/// Bytes of a data unit of the health log: thousands of 512 bytes.
const DATA_UNIT: u64 = 512_000;
/// Bytes of a unit of the logs of Intel and Solidigm.
const VENDOR_UNIT: u64 = 32 << 20;

/// Fields that hold a number, by their path.
const PLAIN: &[(&[&str], What, u64)] = &[
    (
        &["nvme_smart_health_information_log", "data_units_written"],
        What::Host,
        DATA_UNIT,
    ),
    (&["data_units_written"], What::Host, DATA_UNIT),
    (&["hbmw"], What::Host, 1),
    (&["mbmw"], What::Media, 1),
];

/// The names of the bytes written to flash in the two versions of the OCP log.
const OCP: [&str; 2] = [
    "physical_media_units_written",
    "Physical media units written",
];

/// The first key of the logs of Intel and Solidigm.
const VENDORS: [&str; 2] = ["Intel Smart log", "Solidigm SMART log"];

pub(super) fn counters(log: &Path, json: &Value) -> Result<Vec<Counter>, CalibrateError> {
    let mut found = Vec::new();
    let mut add = |what, field: String, unit, value| {
        let log = log.to_owned();
        found.push(Counter {
            what,
            field,
            value,
            unit,
            log,
        });
    };
    for &(path, what, unit) in PLAIN {
        if let Some(value) = path.iter().try_fold(json, |at, name| at.get(name)) {
            let field = path.join(".");
            let value = whole(log, &field, value)?;
            add(what, field, unit, value);
        }
    }
    for name in OCP {
        if let Some(value) = json.get(name) {
            let half = |part: &str| {
                let field = format!("{name}.{part}");
                let value = value.get(part);
                let value = value.ok_or_else(|| wrong(log, format!("{field}: is missing")))?;
                whole(log, &field, value)
            };
            add(
                What::Media,
                OCP[0].into(),
                1,
                (half("hi")? << 64) + half("lo")?,
            );
        }
    }
    if VENDORS.iter().any(|vendor| json.get(vendor).is_some()) {
        for (name, what) in [
            ("host_bytes_written", What::Host),
            ("nand_bytes_written", What::Media),
        ] {
            let field = format!("Device stats.{name}.raw");
            if let Some(value) = json["Device stats"][name].get("raw") {
                let value = whole(log, &field, value)?;
                add(what, field, VENDOR_UNIT, value);
            }
        }
    }
    Ok(found)
}
