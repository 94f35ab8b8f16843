//! The specification sheet of a drive: figures with their sources.

use std::collections::BTreeMap;

use ssdlab_words::parse_bytes;
use toml::{Spanned, Value};

use crate::error::CalibrateError;
use crate::file::File;

/// A table `[sheet]`, as it is written.
pub(crate) type Table = BTreeMap<Spanned<String>, Spanned<Value>>;

/// What a figure is.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Bytes, such as `"960GB"`, up to 2^52.
    Size,
    /// From the first to the second number.
    Number(f64, f64),
    /// A whole number up to this one.
    Count(f64),
    /// `true` or `false`.
    Switch,
}

/// The figures of a sheet, and their meaning.
const KEYS: &[(&str, Kind, &str)] = &[
    ("capacity", Kind::Size, "bytes for the host, as sold"),
    ("flash", Kind::Size, "bytes of flash inside"),
    (
        "spare",
        Kind::Number(0.001, 10.0),
        "flash beyond the capacity, as a share of the capacity",
    ),
    (
        "mapping_unit",
        Kind::Size,
        "bytes of the unit that the drive maps",
    ),
    (
        "erase_unit",
        Kind::Size,
        "bytes that are erased together: a block on all dies",
    ),
    ("channels", Kind::Count(4096.0), "channels"),
    ("dies", Kind::Count(65535.0), "dies in all"),
    (
        "rated_tbw",
        Kind::Number(1e-6, 1e9),
        "terabytes that the host may write",
    ),
    ("pe_cycles", Kind::Count(1e7), "erases that a block endures"),
    (
        "sequential_read_mb_s",
        Kind::Number(1.0, 1e6),
        "MB/s of long reads",
    ),
    (
        "sequential_write_mb_s",
        Kind::Number(1.0, 1e6),
        "MB/s of long writes",
    ),
    (
        "sustained_write_mb_s",
        Kind::Number(1.0, 1e6),
        "MB/s of long writes, once the cache of the drive is full",
    ),
    (
        "random_read_iops",
        Kind::Number(1.0, 1e9),
        "reads of 4 KiB a second",
    ),
    (
        "random_write_iops",
        Kind::Number(1.0, 1e9),
        "writes of 4 KiB a second, sustained",
    ),
    (
        "read_latency_us",
        Kind::Number(1.0, 1e6),
        "µs of one read of 4 KiB",
    ),
    (
        "write_latency_us",
        Kind::Number(1.0, 1e6),
        "µs of one write of 4 KiB",
    ),
    (
        "queue_depth",
        Kind::Count(65536.0),
        "requests in flight for which the rates are given",
    ),
    (
        "power_loss_protection",
        Kind::Switch,
        "whether what is in memory survives a power cut",
    ),
];

/// A figure and where it is from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stated {
    /// Bytes of a size, 1 for true.
    pub value: f64,
    pub source: String,
}

/// The figures that the sheet states.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sheet(BTreeMap<&'static str, Stated>);

impl Sheet {
    pub fn get(&self, name: &str) -> Option<&Stated> {
        debug_assert!(KEYS.iter().any(|key| key.0 == name));
        self.0.get(name)
    }

    pub fn value(&self, name: &str) -> Option<f64> {
        self.get(name).map(|stated| stated.value)
    }

    /// Bytes for the host, which every sheet states.
    pub fn capacity(&self) -> u64 {
        self.value("capacity").expect("checked") as u64
    }

    /// Bytes that are mapped together.
    pub fn mapping_unit(&self) -> u64 {
        self.value("mapping_unit").unwrap_or(4096.0) as u64
    }

    /// Reads the table `[sheet]`.
    pub fn of(file: &File, table: &Spanned<Table>) -> Result<Self, CalibrateError> {
        let (whole, table) = (table, table.get_ref());
        let mut all = format!("the sheet in {}", file.name());
        if let Some(source) = table.get("source") {
            let text = source.get_ref().as_str();
            all = text
                .ok_or_else(|| file.refuse(source, "must be a text"))?
                .to_owned();
        }
        let mut sheet = Self::default();
        for (name, value) in table {
            if name.get_ref() == "source" {
                continue;
            }
            let Some(&(key, kind, _)) = KEYS.iter().find(|key| key.0 == name.get_ref()) else {
                let names: Vec<&str> = KEYS.iter().map(|key| key.0).collect();
                return Err(file.refuse(
                    name,
                    format!(
                        "no such figure; must be source, {}",
                        ssdlab_words::either(&names)
                    ),
                ));
            };
            let stated = stated(value.get_ref(), kind, &all);
            let stated = stated.map_err(|why| file.refuse(value, format!("{key}: {why}")))?;
            sheet.0.insert(key, stated);
        }
        if sheet.get("capacity").is_none() {
            return Err(file.refuse(whole, "capacity: is missing; the sheet must state it"));
        }
        if let Some(capacity) = table
            .get("capacity")
            .filter(|_| sheet.capacity() < LEAST_CAPACITY)
        {
            let why = format!(
                "capacity: must be at least {LEAST_CAPACITY} bytes; is the unit missing, as in \"960GB\"?"
            );
            return Err(file.refuse(capacity, why));
        }
        if let Some(unit) = table
            .get("mapping_unit")
            .filter(|_| !is_page(sheet.mapping_unit()))
        {
            return Err(file.refuse(unit, format!("mapping_unit: {PAGE}")));
        }
        if let (Some(_), Some(value)) = (sheet.get("flash"), table.get("spare")) {
            return Err(file.refuse(
                value,
                "spare: has no place beside flash, which states the same",
            ));
        }
        Ok(sheet)
    }
}

/// A figure as it is, or as a table of `value` and `source`.
fn stated(value: &Value, kind: Kind, all: &str) -> Result<Stated, String> {
    let Value::Table(table) = value else {
        return Ok(Stated {
            value: number(value, kind)?,
            source: all.to_owned(),
        });
    };
    let odd = table
        .keys()
        .find(|key| !["value", "source"].contains(&key.as_str()));
    if let Some(odd) = odd {
        return Err(format!(
            "has {odd:?}; must be a value, or a table of value and source"
        ));
    }
    let value = table.get("value").ok_or("has no value")?;
    let source = match table.get("source") {
        None => all,
        Some(source) => source.as_str().ok_or("source: must be a text")?,
    };
    Ok(Stated {
        value: number(value, kind)?,
        source: source.to_owned(),
    })
}

fn number(value: &Value, kind: Kind) -> Result<f64, String> {
    let found = match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    };
    let (number, allowed) = match kind {
        Kind::Size => return size(value).map(|bytes| bytes as f64),
        Kind::Switch => {
            let switch = value.as_bool().ok_or("must be true or false")?;
            return Ok(switch.into());
        }
        Kind::Number(least, most) => {
            let number = found.filter(|number| (least..=most).contains(number));
            (number, format!("a number from {least} to {most}"))
        }
        Kind::Count(most) => {
            let number =
                found.filter(|number| (1.0..=most).contains(number) && number.fract() == 0.0);
            (number, format!("a whole number from 1 to {most}"))
        }
    };
    number.ok_or_else(|| format!("must be {allowed}"))
}

/// No drive is smaller, bytes.
const LEAST_CAPACITY: u64 = 100_000_000;

/// What a page of the simulator may be.
pub(crate) const PAGE: &str = "must be whole sectors of 512 bytes, up to 1MiB";

/// Whether a page of the simulator may have so many bytes.
pub(crate) fn is_page(bytes: u64) -> bool {
    (512..=1 << 20).contains(&bytes) && bytes.is_multiple_of(512)
}

/// Bytes as a number or as a text with a unit.
pub(crate) fn size(value: &Value) -> Result<u64, String> {
    let bytes = match value {
        Value::Integer(bytes) => u64::try_from(*bytes).ok(),
        Value::String(text) => parse_bytes(text),
        _ => None,
    };
    let bytes = bytes.filter(|bytes| (1..=1 << 52).contains(bytes));
    bytes.ok_or_else(|| {
        "must be bytes, such as 4096, \"4KiB\" or \"960GB\", up to 4096TiB".to_owned()
    })
}
