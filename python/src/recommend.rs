//! Recommendations.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use ssdlab_recommend::{Answer, Search, recommend as search, within};
use ssdlab_sim::{Axis, Choices, CompareOptions, Replay, SimError};

use crate::compare::figure;
use crate::device::Device;
use crate::errors::OrRaise;
use crate::interrupt::apart_with;
use crate::policies::Ending;
use crate::progress::tell;
use crate::trace::Trace;

/// What a search is asked, as Python gives it.
#[derive(FromPyObject)]
pub struct SearchArguments {
    ram: u64,
    by: String,
    buffers: Vec<String>,
    ftls: Vec<String>,
    /// Keys with their values.
    vary: Vec<(String, Vec<String>)>,
    exhaustive: bool,
    seed: u64,
    wrap: bool,
    compact: bool,
    jobs: usize,
}

/// Searches for what serves some traces best; the answer as JSON, and the options of the drive of today that was taken if
/// nothing names a device. `progress` takes the runs that are done, and those of the
/// levels that have begun.
#[pyfunction]
#[pyo3(signature = (device, traces, asked, progress))]
pub fn recommend(
    py: Python,
    device: &Device,
    traces: Vec<PyRef<Trace>>,
    asked: SearchArguments,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Vec<String>)> {
    let ending = Ending::default();
    let lab = device.policies.lab(&ending);
    let axis = |(key, values)| Axis { key, values };
    let choices = Choices {
        buffers: asked.buffers,
        ram_total: vec![asked.ram],
        ftls: asked.ftls,
        vary: asked.vary.into_iter().map(axis).collect(),
        ..Choices::default()
    };
    let options = CompareOptions {
        replay: Replay {
            wrap: asked.wrap,
            compact: asked.compact,
            ..Replay::default()
        },
        jobs: asked.jobs,
        ..CompareOptions::new(&lab, device.resolver(&lab)?).or_today(&choices)
    };
    let options = options.as_configured().or_raise()?;
    let mut options = within(options, &choices).or_raise()?;
    let whole: Vec<&ssdlab_sim::Trace> = traces.iter().map(|trace| &*trace.loaded).collect();
    options.fit_today(&whole).or_raise()?;
    let today = options.today.clone();
    let by = figure(&lab.figures(), "by", &asked.by)?;
    let (seed, exhaustive) = (asked.seed, asked.exhaustive);
    // the last level, what is done, and what there is to do
    let counted = Mutex::new((0, 0, 0));
    let watched = |trace: &PyRef<Trace>| {
        let signals = ending.clone();
        trace.watched(move |_| signals.check())
    };
    let loaded: Vec<ssdlab_sim::Trace> = traces.iter().map(watched).collect();
    let told = |level: usize, runs: usize| {
        let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
        // the first call of a level comes before its first run
        if counted.0 == level {
            counted.1 += 1;
        } else {
            *counted = (level, counted.1, counted.2 + runs as u64);
        }
        let (_, done, all) = *counted;
        drop(counted);
        if let Some(function) = &progress {
            tell(function, done, Some(all));
        }
    };
    let answer = apart_with(py, &ending.stop, || -> Result<Answer, SimError> {
        let asked = Search {
            options: CompareOptions {
                stop: Some(ending.stop.clone()),
                ..options
            },
            by,
            seed,
            exhaustive,
        };
        let traces: Vec<&ssdlab_sim::Trace> = loaded.iter().collect();
        search(&traces, &asked, told)
    })?;
    let answer = ending.of(answer)?.or_raise()?;
    Ok((serde_json::json!(answer).to_string(), today))
}
