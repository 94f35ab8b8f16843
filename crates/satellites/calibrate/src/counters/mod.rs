//! The counters of a drive before and after a workload, from the logs that tools print as JSON.

mod ata;
mod nvme;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::CalibrateError;
use crate::file;

/// What a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Bytes that the host wrote.
    Host,
    /// Bytes written to flash.
    Media,
    /// Pages programmed for the host.
    HostPages,
    /// Pages programmed for anything else.
    OtherPages,
}

/// A counter in a log.
#[derive(Clone, Debug)]
struct Counter {
    what: What,
    /// The path in the log.
    field: String,
    /// The value, in units.
    value: u128,
    /// Bytes of a unit; 1 for pages.
    unit: u64,
    log: PathBuf,
}

/// How much a drive wrote between two readings of its counters, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Growth {
    pub host: f64,
    pub media: f64,
    /// The steps of both counters.
    pub host_unit: f64,
    pub media_unit: f64,
}

/// The counters of the host that ssdlab knows.
const HOST: &str = "bytes written by the host: data_units_written (smartctl --json, nvme smart-log), hbmw (nvme fdp stats) or \
                    an attribute such as Total_LBAs_Written";

/// Those of the flash.
const MEDIA: &str = "bytes written to flash, without which its write amplification stays unknown: \
                     physical_media_units_written (nvme ocp smart-add-log -o json), mbmw (nvme fdp stats), \
                     nand_bytes_written (nvme solidigm or intel smart-log-add) or an attribute such as NAND_Writes_1GiB \
                     or FTL_Program_Page_Count";

/// A log that is wrong.
fn wrong(log: &Path, why: impl Into<String>) -> CalibrateError {
    let why = why.into();
    CalibrateError::Log {
        path: log.to_owned(),
        why,
    }
}

/// The growth from the logs before to those after.
pub(crate) fn growth(before: &[PathBuf], after: &[PathBuf]) -> Result<Growth, CalibrateError> {
    let (before, after) = (Counters::of(before)?, Counters::of(after)?);
    let lacks = |what, text: &str| {
        let has = |reading: &Counters| reading.all.iter().any(|counter| counter.what == what);
        let reading = if has(&before) { &after } else { &before };
        let log = reading.logs.last().map_or(Path::new(""), |log| log);
        wrong(log, format!("has no counter of {text}"))
    };
    let [host, host_unit] = before
        .growth(&after, What::Host)?
        .ok_or_else(|| lacks(What::Host, HOST))?;
    let none = || lacks(What::Media, MEDIA);
    let [media, media_unit] = match before.growth(&after, What::Media)? {
        Some(media) => media,
        None => {
            let [own, own_unit] = before.growth(&after, What::HostPages)?.ok_or_else(none)?;
            let [other, other_unit] = before.growth(&after, What::OtherPages)?.ok_or_else(none)?;
            let page = host / own;
            [host + page * other, page * (own_unit + other_unit)]
        }
    };
    Ok(Growth {
        host,
        media,
        host_unit,
        media_unit,
    })
}

/// The counters of one reading, which may be spread over several logs.
struct Counters {
    logs: Vec<PathBuf>,
    all: Vec<Counter>,
}

impl Counters {
    fn of(logs: &[PathBuf]) -> Result<Self, CalibrateError> {
        let mut all = Vec::new();
        for log in logs {
            let text = file::text(log)?;
            let json: Value = serde_json::from_str(&text).map_err(|error| {
                wrong(
                    log,
                    format!(
                        "is no JSON: {error}; must be what smartctl --json or nvme -o json prints"
                    ),
                )
            })?;
            let found = [nvme::counters(log, &json)?, ata::counters(log, &json)?].concat();
            if found.is_empty() {
                return Err(wrong(
                    log,
                    "has no counter of written bytes that ssdlab knows; must be the JSON of smartctl, nvme smart-log, \
                     nvme ocp smart-add-log, nvme fdp stats, nvme solidigm smart-log-add or nvme intel smart-log-add",
                ));
            }
            all.extend(found);
        }
        let logs = logs.to_owned();
        Ok(Self { logs, all })
    }

    /// The growth of the finest counter that both readings have, in bytes or pages, and its step.
    fn growth(&self, after: &Self, what: What) -> Result<Option<[f64; 2]>, CalibrateError> {
        let finest = self.all.iter().filter(|counter| counter.what == what);
        let both = finest.filter_map(|before| {
            let same = |later: &&Counter| later.what == what && later.field == before.field;
            Some((before, after.all.iter().find(same)?))
        });
        let Some((before, later)) = both.min_by_key(|(before, _)| before.unit) else {
            return Ok(None);
        };
        let Some(growth) = later
            .value
            .checked_sub(before.value)
            .filter(|&growth| growth > 0)
        else {
            let change = if later.value == before.value {
                "stays at"
            } else {
                "goes back"
            };
            let (from, to) = (before.value, later.value);
            let why = format!(
                "{}: {change} {}; after a workload it must be larger than before (in {}); are both swapped?",
                later.field,
                if from == to {
                    from.to_string()
                } else {
                    format!("from {from} to {to}")
                },
                ssdlab_words::shown_path(&before.log),
            );
            return Err(wrong(&later.log, why));
        };
        let unit = before.unit as f64;
        Ok(Some([growth as f64 * unit, unit]))
    }
}

/// A whole number, or one in digits, as some tools print large ones.
fn whole(log: &Path, field: &str, value: &Value) -> Result<u128, CalibrateError> {
    let number = match value {
        Value::Number(number) => number.as_u64().map(u128::from),
        Value::String(digits) => digits.parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| wrong(log, format!("{field}: is {value}; must be a whole number")))
}
