//! Measurements: what was written to the drive, and what it wrote to its flash.

use std::path::PathBuf;

use serde::Deserialize;
use ssdlab_counters::{Grown, Growth, Warning};
use ssdlab_words::decimal_bytes;
use ssdlab_workload::Description;
use toml::{Spanned, Value};

use crate::counters::growth;
use crate::error::CalibrateError;
use crate::file::File;
use crate::load::{LEAST_UNITS, Load, MOST_TIMES, Share, Workload};
use crate::recorded::Recorded;
use crate::sheet::{self, Sheet};

/// A table `[[measurement]]`, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Described {
    pub name: Spanned<String>,
    workload: Option<Spanned<String>>,
    trace: Option<Spanned<String>>,
    used: Option<Spanned<Value>>,
    written_before: Option<Spanned<Value>>,
    before: Option<Logs>,
    after: Option<Logs>,
    host: Option<Spanned<Value>>,
    media: Option<Spanned<Value>>,
    waf: Option<Spanned<f64>>,
    written: Option<Spanned<f64>>,
    waf_of_pass: Option<Spanned<Vec<f64>>>,
    resolution: Option<Spanned<Value>>,
    fit: Option<Spanned<bool>>,
    source: Option<String>,
}

/// One file or several.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "must be a file or a list of files")]
enum Logs {
    One(String),
    Several(Vec<String>),
}

impl Logs {
    fn paths(&self, file: &File) -> Vec<PathBuf> {
        let names = match self {
            Logs::One(name) => std::slice::from_ref(name),
            Logs::Several(names) => names,
        };
        names.iter().map(|name| file.beside(name)).collect()
    }
}

/// A measurement.
#[derive(Debug)]
pub(crate) struct Measurement {
    pub name: String,
    pub load: Load,
    pub found: Found,
    /// Whether the spare flash is fitted to it; `None`: not said.
    pub fit: Option<bool>,
    pub source: Option<String>,
}

/// What was measured.
#[derive(Debug)]
pub(crate) struct Found {
    /// Media bytes for each byte of the host.
    pub waf: f64,
    /// The least and the most that it may be, by the steps of the counters.
    pub range: [f64; 2],
    /// The same of each equal part of a pass.
    pub parts: Vec<f64>,
    /// How much the host wrote in between, in times the used space.
    times: Option<f64>,
    /// The counters of host and flash, and what to know of them.
    pub counters: Option<[String; 2]>,
    pub warnings: Vec<Warning>,
}

impl Found {
    fn exact(waf: f64) -> Self {
        Self {
            waf,
            range: [waf; 2],
            parts: Vec::new(),
            times: None,
            counters: None,
            warnings: Vec::new(),
        }
    }
}

/// What a measurement says itself, and so not its workload.
const STATED: &[(&str, &str)] = &[
    ("--capacity", "the space is that of `used`"),
    ("--requests", "counters tell how much was written"),
    ("--reads", "only writes matter"),
    ("--discards", "only writes matter"),
    ("--flush-every", "only writes matter"),
    ("--interval-us", "only writes matter"),
    ("--bursts", "only writes matter"),
    ("--prefill", "the space is filled before"),
    ("--sizes", "all requests have the size of --unit"),
    ("--shuffle-blocks", "where pages are does not matter"),
    ("--reshuffle", "popularity must stay"),
    ("--standing-for", "the simulation chooses it"),
];

/// What is written between two readings, at least and at most, in times the used space.
const LEAST_TIMES: f64 = 1e-3;
const TIMES: &str = "how many times the used space was written";

/// The workload that words describe, on this many bytes.
fn described(
    file: &File,
    words: &Spanned<String>,
    used: u64,
) -> Result<Description, CalibrateError> {
    let refuse = |why: String| file.refuse(words, why);
    let stated = |word: &str| {
        STATED
            .iter()
            .find(|stated| word.split('=').next() == Some(stated.0))
    };
    if let Some((option, why)) = words.get_ref().split_whitespace().find_map(stated) {
        return Err(refuse(format!("{option} has no place here: {why}")));
    }
    const WORDS: &str =
        "must be uniform, zipf, fio-zipf, locality, zones without zipf, sequential or pass";
    let workload = Description::parse(&format!("{} --capacity {used}", words.get_ref()));
    let workload = workload.map_err(|why| {
        let unknown = why.starts_with("unrecognized subcommand");
        let fio = format!("{WORDS}; fio's randwrite is pass, or uniform with norandommap");
        refuse(if unknown { fio } else { why })
    })?;
    if !sheet::is_page(workload.unit()) {
        return Err(refuse(format!("--unit: {}", sheet::PAGE)));
    }
    // a small space shows whether its options are valid
    match workload.scaled_to(1024, 1) {
        None => Err(refuse(WORDS.into())),
        Some(small) => small.requests().map(|_| workload).map_err(refuse),
    }
}

/// A write amplification that a value gives.
fn known<T>(file: &File, value: &Spanned<T>, waf: f64) -> Result<f64, CalibrateError> {
    if (1.0..=1000.0).contains(&waf) {
        return Ok(waf);
    }
    Err(file.refuse(value, "write amplification must be from 1 to 1000"))
}

fn bytes_of(file: &File, value: &Spanned<Value>) -> Result<f64, CalibrateError> {
    let bytes = sheet::size(value.get_ref());
    bytes
        .map(|bytes| bytes as f64)
        .map_err(|why| file.refuse(value, why))
}

impl Described {
    /// The measurement of a drive with this sheet.
    pub fn checked(&self, file: &File, sheet: &Sheet) -> Result<Measurement, CalibrateError> {
        let used = self.used(file, sheet.capacity())?;
        let mapping_unit = sheet.mapping_unit();
        let workload = match (&self.workload, &self.trace) {
            (Some(words), None) => Workload::Described(Box::new(described(file, words, used)?)),
            (None, Some(trace)) => {
                let path = file.beside(trace.get_ref());
                Workload::Recorded(Recorded::read(&path, used, mapping_unit)?)
            }
            _ => return Err(file.refuse(&self.name, "needs one of: workload, trace")),
        };
        let least = LEAST_UNITS * workload.unit();
        if used < least && !workload.is_sequential() {
            let value = self.used.as_ref().map_or(self.name.span(), Spanned::span);
            let why = format!(
                "the used space must have at least {LEAST_UNITS} times {} bytes, {least}",
                workload.unit()
            );
            return Err(file.refuse(&Spanned::new(value, ()), why));
        }
        let found = self.found(file, used as f64, sheet)?;
        if let Some(parts) = self.waf_of_pass.as_ref().filter(|_| !workload.is_pass()) {
            let why = "needs a workload of passes, such as \"pass --unit 128K\"";
            return Err(file.refuse(parts, why));
        }
        if let Some(fit) = self.fit.as_ref().filter(|_| workload.is_sequential()) {
            let why = "has no place here: writes in order show what is written beside data";
            return Err(file.refuse(fit, why));
        }
        let (before, times) = (self.before(file)?, found.times);
        Ok(Measurement {
            name: self.name.get_ref().clone(),
            load: Load {
                workload,
                used,
                before,
                times,
                mapping_unit,
            },
            found,
            fit: self.fit.as_ref().map(|fit| *fit.get_ref()),
            source: self.source.clone(),
        })
    }

    fn used(&self, file: &File, capacity: u64) -> Result<u64, CalibrateError> {
        let Some(value) = &self.used else {
            return Ok(capacity);
        };
        let used = match value.get_ref() {
            Value::Float(share) => Some((capacity as f64 * share) as u64),
            other => sheet::size(other).ok(),
        };
        let used = used.filter(|used| (1..=capacity).contains(used));
        used.ok_or_else(|| {
            file.refuse(
                value,
                format!("must be bytes, or a share such as 0.5, up to the capacity, {capacity}"),
            )
        })
    }

    fn before(&self, file: &File) -> Result<Share, CalibrateError> {
        let Some(value) = &self.written_before else {
            return Ok(Share::Steady);
        };
        let times = match value.get_ref() {
            Value::String(text) if text == "steady" => return Ok(Share::Steady),
            Value::Integer(number) => *number as f64,
            Value::Float(number) => *number,
            _ => f64::NAN,
        };
        if (0.0..=MOST_TIMES).contains(&times) {
            return Ok(Share::Times(times));
        }
        Err(file.refuse(
            value,
            format!("must be \"steady\", or {TIMES} before, from 0 to 100"),
        ))
    }

    /// What was measured on this many used bytes.
    fn found(&self, file: &File, used: f64, sheet: &Sheet) -> Result<Found, CalibrateError> {
        self.has_places(file)?;
        let logs = self.before.as_ref().zip(self.after.as_ref());
        let bytes = self.host.as_ref().zip(self.media.as_ref());
        let half = self.before.is_some() != self.after.is_some()
            || self.host.is_some() != self.media.is_some();
        match (logs, bytes, &self.waf, &self.waf_of_pass) {
            (Some((before, after)), None, None, None) if !half => {
                let (growth, warnings) = growth(&before.paths(file), &after.paths(file), sheet)?;
                let counters = [&growth.host, &growth.media].map(|grown| grown.name.clone());
                Ok(Found {
                    counters: Some(counters),
                    warnings,
                    ..self.counted(file, growth, used)?
                })
            }
            (None, Some((host, media)), None, None) if !half => {
                let stated = |name: &str, value| -> Result<Grown, CalibrateError> {
                    let (name, bytes) = (name.to_owned(), bytes_of(file, value)?);
                    let step = 0.0;
                    Ok(Grown { name, bytes, step })
                };
                let (host, media) = (stated("host", host)?, stated("media", media)?);
                self.counted(file, Growth { host, media }, used)
            }
            (None, None, Some(waf), None) if !half => {
                let times = self.written.as_ref().map(|times| *times.get_ref());
                let found = Found::exact(known(file, waf, *waf.get_ref())?);
                Ok(Found { times, ..found })
            }
            (None, None, None, Some(parts)) if !half => {
                let values = parts.get_ref();
                if !(2..=100).contains(&values.len()) {
                    return Err(file.refuse(parts, "must be 2 to 100 numbers"));
                }
                for &waf in values {
                    known(file, parts, waf)?;
                }
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                let found = Found::exact(mean);
                let parts = values.clone();
                Ok(Found { parts, ..found })
            }
            _ => {
                let why = "needs one of: before and after (logs of counters), host and media (bytes), waf, waf_of_pass";
                Err(file.refuse(&self.name, why))
            }
        }
    }

    /// Refuses keys that would have no effect beside others.
    fn has_places(&self, file: &File) -> Result<(), CalibrateError> {
        let is_counted = self.waf.is_none() && self.waf_of_pass.is_none();
        let is_steady = |before: &Spanned<Value>| before.get_ref().as_str() == Some("steady");
        match (&self.written, &self.written_before, &self.resolution) {
            (Some(written), _, _) if self.waf.is_none() => {
                let why = "has a place only beside waf: counters tell it themselves";
                Err(file.refuse(written, why))
            }
            (Some(written), before, _) if before.as_ref().is_none_or(is_steady) => {
                let why = "has a place only beside a number for written_before";
                Err(file.refuse(written, why))
            }
            (Some(written), _, _) if !(LEAST_TIMES..=MOST_TIMES).contains(written.get_ref()) => {
                let why = format!("must be {TIMES} in between, from 0.001 to {MOST_TIMES}");
                Err(file.refuse(written, why))
            }
            (_, Some(before), _) if self.waf_of_pass.is_some() => {
                let why = "has no place beside waf_of_pass, which is of passes after the second";
                Err(file.refuse(before, why))
            }
            (_, _, Some(resolution)) if !is_counted => {
                Err(file.refuse(resolution, "has a place only beside counters"))
            }
            _ => Ok(()),
        }
    }

    /// Write amplification from the growth of counters.
    fn counted(&self, file: &File, growth: Growth, used: f64) -> Result<Found, CalibrateError> {
        let lag = self.resolution.as_ref();
        let lag = lag.map_or(Ok(0.0), |value| bytes_of(file, value))?;
        let (host, media) = (growth.host.bytes, growth.media.bytes);
        let [host_step, media_step] = [&growth.host, &growth.media].map(|one| one.step.max(lag));
        let wrong = |why: String| {
            let name = self.name.get_ref().clone();
            Err(CalibrateError::Measurement { name, why })
        };
        let shown = |bytes: f64| decimal_bytes(bytes as u64);
        if host_step >= host / 10.0 {
            return wrong(format!(
                "the host wrote {} between the logs, and the counters go in steps of {}; let it write a hundred steps",
                shown(host),
                shown(host_step)
            ));
        }
        let range = [
            (media - media_step) / (host + host_step),
            (media + media_step) / (host - host_step),
        ];
        if range[1] < 1.0 {
            return wrong(format!(
                "the drive wrote {} to flash for {} from the host ({} and {}); less than 1 means that a \
                 counter has another unit, or that the drive compresses",
                shown(media),
                shown(host),
                growth.media.name,
                growth.host.name
            ));
        }
        let times = host / used;
        if times < LEAST_TIMES {
            return wrong(format!(
                "the host wrote {}, less than a thousandth of the {} used; check the unit of {}, or let it write more",
                shown(host),
                shown(used),
                growth.host.name
            ));
        }
        let times = Some(times);
        Ok(Found {
            waf: media / host,
            range,
            parts: Vec::new(),
            times,
            counters: None,
            warnings: Vec::new(),
        })
    }
}
