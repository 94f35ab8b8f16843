//! How long drives live.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;
use ssdlab_counters::{CounterError, Kind, Log, host, readings};
use ssdlab_life::{
    Here, LifeError, Question, Simulated, Use, answer, parse_amount, parse_date, parse_rate,
};
use ssdlab_sim::Lab;

use crate::errors::{OrRaise, Raise, Said};
use crate::interrupt::apart;
use crate::trace::Trace;

/// What is known of a drive, as Python gives it.
#[derive(FromPyObject)]
pub struct Known {
    /// Names and bytes.
    logs: Vec<(String, Vec<u8>)>,
    drive: Option<String>,
    capacity: Option<String>,
    kind: Option<String>,
    written: Option<String>,
    used: Option<u64>,
    rate: Option<String>,
    since: Option<String>,
    used_at: Option<String>,
    /// A device; an empty name is the only one.
    here: Option<String>,
    pid: Option<u32>,
    seconds: Option<u64>,
    preset: Option<String>,
    /// The name of a file and its text.
    drives: Option<(String, String)>,
}

impl Raise for CounterError {
    fn said(self) -> Said {
        Said::of("ConfigError", self.to_string()).of_file(self.log, None)
    }
}

impl Raise for LifeError {
    fn said(self) -> Said {
        Said::of("ConfigError", self.to_string())
    }
}

/// An argument that is a text with a meaning.
fn meant<T>(
    name: &str,
    given: Option<&String>,
    of: impl Fn(&str) -> Result<T, String>,
) -> PyResult<Option<T>> {
    let read = given.map(|text| {
        of(text).map_err(|why| {
            PyErr::from(Said::of("ConfigError", format!("{name} = {text:?}: {why}")).of_key(name))
        })
    });
    read.transpose()
}

fn amount(text: &str) -> Result<f64, String> {
    let size = parse_amount(text).filter(|size| *size > 0.0 && *size < 1e21);
    size.ok_or_else(|| "must be a size above 0, such as '500GB' or '1.92TB'".into())
}

/// The object that `ssdlab life --json` prints, and the text that it prints without.
#[pyfunction]
pub fn life(py: Python, known: Known, trace: Option<PyRef<Trace>>) -> PyResult<(String, String)> {
    let one_of = |first: &'static str, second: &'static str| {
        move |text: &str| match text {
            _ if text == first => Ok(true),
            _ if text == second => Ok(false),
            _ => Err(format!("must be {first} or {second}")),
        }
    };
    let is_nvme = meant("kind", known.kind.as_ref(), one_of("nvme", "sata"))?;
    let at_desk = meant("use", known.used_at.as_ref(), one_of("desk", "servers"))?;
    let (written, capacity) = (
        meant("written", known.written.as_ref(), amount)?,
        meant("capacity", known.capacity.as_ref(), amount)?,
    );
    let rate = meant("rate", known.rate.as_ref(), parse_rate)?;
    let since = meant("since", known.since.as_ref(), parse_date)?;
    let mut logs = Vec::new();
    for (name, bytes) in &known.logs {
        logs.extend(Log::parse(name, bytes).or_raise()?);
    }
    let here = apart(py, |stop| {
        let device = known
            .here
            .as_deref()
            .map(|name| Some(name).filter(|name| !name.is_empty()));
        if device.is_none() && known.pid.is_none() {
            return Ok(None);
        }
        let look = || host::look(Path::new("/"), device, known.pid);
        let first = look()?;
        let Some(seconds) = known.seconds else {
            return Ok(Some(Here::of(&first, None)));
        };
        let began = Instant::now();
        while began.elapsed().as_secs() < seconds && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok::<_, CounterError>(Some(Here::of(
            &first,
            Some((&look()?, began.elapsed().as_secs_f64() / 86400.0)),
        )))
    })?;
    let simulated = match (&trace, &known.preset) {
        (Some(trace), Some(preset)) => {
            let loaded = &*trace.loaded;
            let filled = apart(py, |stop| {
                Lab::default().filled(preset, loaded, Some(&stop))
            })?
            .or_raise()?;
            let nothing = || {
                PyErr::from(Said::of(
                    "TraceError",
                    "trace: writes nothing, so it wears nothing",
                ))
            };
            let filled = filled.ok_or_else(nothing)?;
            let (trace, preset) = (trace.loaded.summary.name.clone(), preset.clone());
            Some(Simulated {
                trace,
                preset,
                full: filled.full,
                with_room: filled.with_room,
            })
        }
        _ => None,
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let question = Question {
        readings: if logs.is_empty() {
            Vec::new()
        } else {
            readings(logs).or_raise()?
        },
        drive: known.drive,
        capacity: capacity.map(|bytes| bytes as u64),
        kind: is_nvme.map(|nvme| if nvme { Kind::Nvme } else { Kind::Sata }),
        written,
        used: known.used,
        rate,
        since,
        now: i64::try_from(now).unwrap_or(i64::MAX),
        used_at: at_desk.map(|desk| if desk { Use::Desk } else { Use::Servers }),
        here: here.or_raise()?,
        simulated,
        drives: known.drives,
    };
    let found = answer(&question).or_raise()?;
    let json = serde_json::to_string(&found)
        .map_err(|error| PyErr::from(Said::of("Error", error.to_string())))?;
    Ok((json, found.to_string()))
}
