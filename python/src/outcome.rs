//! Single runs.

use std::sync::Arc;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use ssdlab_device::Catalogue;
use ssdlab_results::{Origin, Run, Schema};
use ssdlab_sim::{Outcome as Report, Replay, RunOptions, passes_again, run_loaded, summary};

use crate::device::Device;
use crate::errors::{OrRaise, Said};
use crate::interrupt::{Working, apart};
use crate::policies::{Ending, holding};
use crate::progress::Progress;
use crate::results::Results;
use crate::trace::{Trace, named};

/// The results of a run.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Outcome {
    report: Report,
    origin: Origin,
    /// The systems that the device could have.
    catalogue: Arc<Catalogue>,
}

#[pymethods]
impl Outcome {
    /// Replays a trace on a device.
    #[staticmethod]
    #[pyo3(signature = (device, trace, wrap, compact, loops, steady, progress))]
    #[expect(clippy::too_many_arguments, reason = "Python has named ones")]
    fn run(
        py: Python,
        device: &Device,
        trace: &Trace,
        wrap: bool,
        compact: bool,
        loops: u32,
        steady: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let replay = Replay {
            wrap,
            compact,
            loops,
            steady,
        };
        let ending = Ending::default();
        let lab = device.policies.lab(&ending);
        let config = device.resolver(&lab)?.resolve().or_raise()?;
        let options = RunOptions {
            replay: replay.clone(),
            ..RunOptions::new(&lab)
        };
        let requests = trace.loaded.summary.requests;
        let all = (!steady).then(|| passes_again(&config, &options) * requests);
        let progress = progress.map(|function| Progress::new(function, all));
        let told = progress.clone();
        let tell = move |requests| {
            if let Some(progress) = &told {
                progress.add(requests);
            }
        };
        let ran = if device.policies.are_in(&config) {
            // its policies are called here, where the lock is held
            let options = RunOptions {
                stop: Some(ending.stop.clone()),
                ..options
            };
            let signals = ending.clone();
            let loaded = trace.watched(move |requests| {
                signals.check();
                tell(requests);
            });
            let working = Working::begin()?;
            ending.of(holding(|| {
                working.run(|| run_loaded(config, &loaded, options))
            }))
        } else {
            let loaded = trace.watched(tell);
            apart(py, move |stop| {
                let options = RunOptions {
                    stop: Some(stop),
                    ..options
                };
                run_loaded(config, &loaded, options)
            })
        };
        if let Some(progress) = progress {
            progress.end();
        }
        let report = ran?.or_raise()?;
        let origin = Origin {
            trace: named(trace),
            replay,
            version: crate::lab::version().into(),
            ..Origin::default()
        };
        Ok(Self {
            report,
            origin,
            catalogue: lab.systems().catalogue(),
        })
    }

    /// The object that `ssdlab run --json` prints.
    fn json(&self) -> PyResult<String> {
        let json = self.row().json(&Schema::of(&self.catalogue));
        let json =
            json.map_err(|error| PyErr::from(Said::of("ResultsError", error.to_string())))?;
        Ok(json.to_string())
    }

    /// The value of a figure in the base of its unit; `None` where it has no meaning. A `KeyError` if there is no such figure.
    fn figure(&self, name: &str) -> PyResult<Option<f64>> {
        let figure = self.catalogue.figures().named(name);
        let figure = figure.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        Ok((figure.value)(&self.report.results()))
    }

    /// What `ssdlab run` prints.
    fn summary(&self) -> String {
        summary(&self.report)
    }

    /// One row, with the columns of results.
    fn results(&self) -> Results {
        let schema = Schema::of(&self.catalogue);
        let mut table = schema.table();
        table.add(self.row().cells(&schema));
        Results::of(table, &self.catalogue)
    }
}

impl Outcome {
    fn row(&self) -> Run<'_> {
        Run {
            origin: &self.origin,
            outcome: &self.report,
        }
    }
}
