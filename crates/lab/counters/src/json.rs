//! The logs that tools print as JSON.

use serde_json::Value;

use crate::error::CounterError;
use crate::log::{Attribute, Kind, Log, Sure};

/// Bytes of a data unit of NVMe: thousands of 512 bytes.
pub(crate) const DATA_UNIT: u64 = 512_000;
/// Bytes of a unit of the logs of Intel and Solidigm.
const VENDOR_UNIT: u64 = 32 << 20;
/// Bytes of a unit of the log of an endurance group.
const GROUP_UNIT: u64 = 1_000_000_000;
/// Bytes written to flash in the logs of OCP and of vendors: the names that they have in all tools, in small letters and
/// digits alone. Those of two kinds of cells are added.
const FLASH: [&[&str]; 5] = [
    &["physicalmediaunitswritten"],
    &[
        "physicalmediaunitswrittentlc",
        "physicalmediaunitswrittenslc",
    ],
    &["physicalmediaunitsbytestlc", "physicalmediaunitsbytesslc"],
    &["nandwritestlcbytes", "nandwritesslcbytes"],
    &["nandwritesbyteswritten"],
];

/// The fields of a log, with the log's name for messages.
struct Fields<'a> {
    name: &'a str,
    json: &'a Value,
}

impl<'a> Fields<'a> {
    /// What a path such as `user_capacity.bytes` leads to.
    fn at(&self, path: &str) -> Option<&'a Value> {
        let found = path.split('/').try_fold(self.json, |at, key| at.get(key));
        found.filter(|value| !value.is_null())
    }

    fn text(&self, path: &str) -> Option<String> {
        self.at(path)?.as_str().map(str::to_owned)
    }

    /// A whole number, or one in digits, as some tools print large ones.
    fn number(&self, path: &str) -> Result<Option<u128>, CounterError> {
        let Some(value) = self.at(path) else {
            return Ok(None);
        };
        whole(self.name, &path.replace('/', "."), value).map(Some)
    }

    fn small(&self, path: &str) -> Result<Option<u64>, CounterError> {
        let number = self.number(path)?;
        Ok(number.map(|number| u64::try_from(number).unwrap_or(u64::MAX)))
    }

    /// The first of these fields that is there.
    fn first(&self, paths: &[&str]) -> Result<Option<(u128, String)>, CounterError> {
        for path in paths {
            if let Some(number) = self.number(path)? {
                return Ok(Some((
                    number,
                    path.rsplit('/').next().unwrap_or(path).to_owned(),
                )));
            }
        }
        Ok(None)
    }
}

/// A whole number, or one in digits or as a float, as some tools print large ones.
fn whole(log: &str, field: &str, value: &Value) -> Result<u128, CounterError> {
    let number = match value {
        Value::Number(number) => number.as_u64().map(u128::from).or_else(|| {
            let float = number.as_f64().filter(|float| float.fract() == 0.0);
            let float = float.filter(|float| (0.0..2_f64.powi(127)).contains(float));
            float.map(|float| float as u128)
        }),
        Value::String(digits) => {
            let digits = digits.trim().trim_end_matches('%').replace(',', "");
            match digits.strip_prefix("0x") {
                Some(digits) => u128::from_str_radix(digits, 16).ok(),
                None => digits.parse().ok(),
            }
        }
        _ => None,
    };
    let wrong = || CounterError::new(log, format!("{field}: is {value}; must be a whole number"));
    number.ok_or_else(wrong)
}

/// The bytes of the error counter log of SAS, which are in 10^9 with three places.
pub(crate) fn error_counter_log(gigabytes: f64) -> Option<Sure> {
    const NAME: &str = "write row of the error counter log";
    let megabytes = (gigabytes >= 0.0).then_some((gigabytes * 1e3).round() as u128);
    megabytes.map(|megabytes| Sure::new(NAME, megabytes, 1_000_000))
}

pub(crate) fn log(name: &str, json: &Value) -> Result<Log, CounterError> {
    let fields = Fields { name, json };
    let messages = fields.at("smartctl/messages").and_then(Value::as_array);
    let mut messages = messages.into_iter().flatten();
    let failed = messages.find(|message| message["severity"] == "error");
    let mut log = Log {
        model: ["model_name", "scsi_model_name", "mn"]
            .iter()
            .find_map(|path| fields.text(path)),
        serial: ["serial_number", "sn"]
            .iter()
            .find_map(|path| fields.text(path)),
        firmware: ["firmware_version", "fr"]
            .iter()
            .find_map(|path| fields.text(path)),
        device: fields.text("device/name"),
        capacity: None,
        kind: match fields.at("device/protocol").and_then(Value::as_str) {
            Some("NVMe") => Some(Kind::Nvme),
            Some("ATA") => Some(Kind::Sata),
            Some("SCSI") => Some(Kind::Sas),
            _ => None,
        },
        time: fields.at("local_time/time_t").and_then(Value::as_i64),
        sector: fields.small("logical_block_size")?,
        in_database: fields.at("in_smartctl_database").and_then(Value::as_bool),
        spins: fields
            .at("rotation_rate")
            .and_then(Value::as_u64)
            .is_some_and(|rate| rate > 0),
        smart_off: ["smart_support/enabled", "smart_support/available"]
            .iter()
            .any(|path| fields.at(path) == Some(&Value::Bool(false))),
        failed: failed
            .and_then(|message| message["string"].as_str())
            .map(str::to_owned),
        ..Log::default()
    };
    log.capacity = fields
        .first(&["nvme_total_capacity", "user_capacity/bytes", "tnvmcap"])?
        .and_then(|(bytes, _)| u64::try_from(bytes).ok());
    let health = fields.at("nvme_smart_health_information_log").is_some()
        || fields.at("percent_used").is_some();
    if health {
        log.kind = Some(Kind::Nvme);
    }
    let hours = [
        "power_on_time/hours",
        "nvme_smart_health_information_log/power_on_hours",
        "power_on_hours",
    ];
    log.hours = fields.first(&hours)?.map(|(hours, _)| hours as f64);
    let used = [
        "nvme_smart_health_information_log/percentage_used",
        "percent_used",
        "percentage_used",
        "scsi_percentage_used_endurance_indicator",
    ];
    log.used = fields
        .first(&used)?
        .map(|(used, field)| (u64::try_from(used).unwrap_or(u64::MAX), field));
    log.spare = small(fields.first(&[
        "nvme_smart_health_information_log/available_spare",
        "avail_spare",
        "spare_available/current_percent",
    ])?);
    log.spare_threshold = small(fields.first(&[
        "nvme_smart_health_information_log/available_spare_threshold",
        "spare_thresh",
        "spare_available/threshold_percent",
    ])?);
    let commands = [
        "nvme_smart_health_information_log/host_writes",
        "host_write_commands",
    ];
    log.write_commands = fields.first(&commands)?.map(|(commands, _)| commands);
    let units = [
        "nvme_smart_health_information_log/data_units_written",
        "data_units_written",
    ];
    let units = fields.first(&units)?;
    // only the log of an endurance group has both counters
    match fields.number("media_units_written")? {
        None => {
            let sure = units.map(|(value, field)| Sure::new(&field, value, DATA_UNIT));
            log.hosts.extend(sure);
        }
        Some(media) => {
            let group = |name: &str, value| Sure::new(name, value, GROUP_UNIT);
            let host = units.map(|(value, _)| group("data_units_written of the group", value));
            log.hosts.extend(host);
            log.medias.push(group("media_units_written", media));
        }
    }
    attributes(&fields, &mut log)?;
    statistics(&fields, &mut log)?;
    host_writes(&fields, &mut log)?;
    if log.used.is_none() {
        let used = fields.small("endurance_used/current_percent")?;
        log.used = used.map(|used| (used, "endurance_used".to_owned()));
    }
    if let Some(text) = fields.at("scsi_error_counter_log/write/gigabytes_processed") {
        let gigabytes = text.as_f64().or_else(|| text.as_str()?.trim().parse().ok());
        log.hosts.extend(gigabytes.and_then(error_counter_log));
    }
    vendors(&fields, &mut log)?;
    Ok(log)
}

/// `host_writes` of newer versions of smartctl, if the counters that it repeats are missing: of ATA drives, the device statistics.
fn host_writes(fields: &Fields, log: &mut Log) -> Result<(), CounterError> {
    let both = fields
        .number("host_writes/units")?
        .zip(fields.small("host_writes/bytes_per_unit")?);
    let Some((units, unit)) = both.filter(|(_, unit)| *unit > 0) else {
        return Ok(());
    };
    let bytes = units.saturating_mul(unit.into());
    if log.kind == Some(Kind::Sata) {
        let sectors = bytes / u128::from(log.sector.unwrap_or(512).max(1));
        log.sectors = log.sectors.or(u64::try_from(sectors).ok());
    } else if log.hosts.is_empty() {
        log.hosts.push(Sure::new("host_writes", units, unit));
    }
    Ok(())
}

fn small(found: Option<(u128, String)>) -> Option<u64> {
    found.and_then(|(value, _)| u64::try_from(value).ok())
}

fn attributes(fields: &Fields, log: &mut Log) -> Result<(), CounterError> {
    let table = fields
        .at("ata_smart_attributes/table")
        .and_then(Value::as_array);
    for attribute in table.into_iter().flatten() {
        let row = Fields {
            name: fields.name,
            json: attribute,
        };
        let (Some(id), Some(raw)) = (row.small("id")?, row.small("raw/value")?) else {
            continue;
        };
        let Ok(id) = u8::try_from(id) else {
            let why = format!("ata_smart_attributes.table.id: is {id}; must be at most 255");
            return Err(CounterError::new(fields.name, why));
        };
        let name = row.text("name").unwrap_or_default();
        let normalised = row
            .small("value")?
            .and_then(|value| u8::try_from(value).ok());
        log.attributes.push(Attribute {
            id,
            name,
            normalised,
            raw,
        });
    }
    Ok(())
}

fn statistics(fields: &Fields, log: &mut Log) -> Result<(), CounterError> {
    let pages = fields
        .at("ata_device_statistics/pages")
        .and_then(Value::as_array);
    for page in pages.into_iter().flatten() {
        for row in page["table"].as_array().into_iter().flatten() {
            let fields = Fields {
                name: fields.name,
                json: row,
            };
            if row["flags"]["valid"] == Value::Bool(false) {
                continue;
            }
            let (Some(page), Some(offset), Some(value)) = (
                page["number"].as_u64(),
                row["offset"].as_u64(),
                fields.small("value")?,
            ) else {
                continue;
            };
            log.statistic(page, offset, value);
        }
    }
    Ok(())
}

impl Log {
    /// A row of the ATA device statistics.
    pub(crate) fn statistic(&mut self, page: u64, offset: u64, value: u64) {
        match (page, offset) {
            (1, 0x18) => self.sectors = Some(value),
            (1, 0x20) => self.write_commands = Some(value.into()),
            (1, 0x10) if self.hours.is_none() => self.hours = Some(value as f64),
            (7, 8) => self.used = Some((value, "device statistics".into())),
            _ => {}
        }
    }
}

/// The logs of OCP, of FDP, and of vendors.
fn vendors(fields: &Fields, log: &mut Log) -> Result<(), CounterError> {
    let mut all = Vec::new();
    leaves(fields.json, "", &mut all);
    for parts in FLASH {
        let named = |part: &&str| all.iter().find(|(name, ..)| bare(name) == **part);
        let found: Vec<_> = parts.iter().filter_map(named).collect();
        if found.is_empty() || found.len() < parts.len() {
            continue;
        }
        let mut bytes = 0_u128;
        for (name, path, value) in &found {
            bytes = bytes.saturating_add(flash(fields.name, name, path, value)?);
        }
        // the two versions of the log of OCP, and the tools of vendors, print one counter
        let names: Vec<&str> = found.iter().map(|(name, ..)| *name).collect();
        let name = match parts {
            [only] if *only == FLASH[0][0] => "physical_media_units_written".to_owned(),
            _ => names.join(" + "),
        };
        log.medias.push(Sure::new(&name, bytes, 1));
    }
    for (path, host) in [("hbmw", true), ("mbmw", false)] {
        let sure = fields.number(path)?.map(|value| Sure::new(path, value, 1));
        if host {
            &mut log.hosts
        } else {
            &mut log.medias
        }
        .extend(sure);
    }
    let halves = ["NAND Bytes Written Hi", "NAND Bytes Written Lo"];
    if let (Some(high), Some(low)) = (fields.number(halves[0])?, fields.number(halves[1])?) {
        let bytes = (high << 64) | low;
        log.medias.push(Sure::new("NAND Bytes Written", bytes, 1));
    }
    // those that took over the log of Intel
    for name in ["host_bytes_written", "nand_bytes_written"] {
        let value = fields.number(&format!("Device stats/{name}/raw"))?;
        let sure = value.map(|value| Sure::new(name, value, VENDOR_UNIT));
        if name.starts_with("host") {
            &mut log.hosts
        } else {
            &mut log.medias
        }
        .extend(sure);
    }
    Ok(())
}

/// A counter of bytes, which may be in two halves.
fn flash(log: &str, name: &str, path: &str, value: &Value) -> Result<u128, CounterError> {
    let Value::Object(halves) = value else {
        return whole(log, path, value);
    };
    let half = |part: &str| {
        let missing = || CounterError::new(log, format!("{name}.{part}: is missing"));
        let number = whole(
            log,
            &format!("{name}.{part}"),
            halves.get(part).ok_or_else(missing)?,
        )?;
        u64::try_from(number).map_err(|_| {
            CounterError::new(
                log,
                format!("{name}.{part}: is {number}; must be below 2^64"),
            )
        })
    };
    Ok((u128::from(half("hi")?) << 64) | u128::from(half("lo")?))
}

/// The fields of a log with their paths, at any depth: also those that are pairs of `attribute_name` and `attribute_value`.
fn leaves<'a>(json: &'a Value, path: &str, all: &mut Vec<(&'a str, String, &'a Value)>) {
    match json {
        Value::Object(fields) => {
            if let (Some(Value::String(name)), Some(value)) =
                (fields.get("attribute_name"), fields.get("attribute_value"))
            {
                all.push((name, name.clone(), value));
            }
            for (name, value) in fields {
                let path = match path {
                    "" => name.clone(),
                    path => format!("{path}.{name}"),
                };
                all.push((name, path.clone(), value));
                leaves(value, &path, all);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| leaves(item, path, all)),
        _ => {}
    }
}

/// A name in small letters and digits alone.
fn bare(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}
