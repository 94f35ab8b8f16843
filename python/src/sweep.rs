//! Sweeps: plans, and their shards.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use ssdlab_device::Catalogue;
use ssdlab_sim::{Lab, StopFlag};
use ssdlab_sweep::{Planned, SweepError, Work, WorkEvent, status};

use crate::errors::{OrRaise, Raise, Said};
use crate::interrupt::{apart, aside};
use crate::progress::Progress;
use crate::results::Results;

/// A plan with the facts of its traces.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Sweep {
    sweep: Arc<ssdlab_sweep::Sweep>,
}

impl Raise for SweepError {
    fn said(self) -> Said {
        let message = self.to_string();
        match self {
            SweepError::Plan { name, line, .. } => {
                Said::of("PlanError", message).of_file(name, Some(line as u64))
            }
            SweepError::Run { error, .. } if !error.is_bad_input() => {
                Said::of("SimulationError", message)
            }
            SweepError::Stopped => unreachable!("the signal that stopped it is raised"),
            _ => Said::of("PlanError", message),
        }
    }
}

fn planned(
    name: &str,
    text: String,
    folder: &Path,
    stop: &StopFlag,
) -> Result<Planned, SweepError> {
    Planned::unless(stop, name, text, folder, &Lab::new(), ssdlab::VERSION)
}

impl Sweep {
    /// The numbers of the shards without a part.
    fn left(&self, py: Python, out: &Path) -> PyResult<Vec<usize>> {
        let (sweep, out) = (Arc::clone(&self.sweep), out.to_owned());
        aside(py, move |_| sweep.missing(&out))?.or_raise()
    }
}

#[pymethods]
impl Sweep {
    /// Takes the text of a plan, whose paths begin in `folder`, and reads its traces, but for those whose facts the folder
    /// `out` has. `name` is for messages.
    #[staticmethod]
    #[pyo3(signature = (name, text, folder, out, jobs, progress))]
    fn plan(
        py: Python,
        name: &str,
        text: String,
        folder: PathBuf,
        out: Option<PathBuf>,
        jobs: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let made = apart(py, |stop| -> Result<ssdlab_sweep::Sweep, SweepError> {
            let planned = planned(name, text, &folder, &stop)?;
            let all = planned.sources().len() as u64;
            let progress = progress.map(|function| Progress::new(function, Some(all)));
            planned.sweep(out.as_deref(), jobs, || {
                if let Some(progress) = &progress {
                    progress.add(1);
                }
            })
        })?;
        let sweep = Arc::new(made.or_raise()?);
        Ok(Self { sweep })
    }

    /// The same plan as it was kept in the folder `out`; no trace is read.
    #[staticmethod]
    fn frozen(
        py: Python,
        name: &str,
        text: String,
        folder: PathBuf,
        out: PathBuf,
    ) -> PyResult<Self> {
        let made = apart(py, |stop| planned(name, text, &folder, &stop)?.frozen(&out))?;
        let sweep = Arc::new(made.or_raise()?);
        Ok(Self { sweep })
    }

    /// Keeps the facts of the traces in a folder, for workers.
    fn freeze(&self, py: Python, out: PathBuf) -> PyResult<()> {
        py.detach(|| self.sweep.freeze(&out)).or_raise()
    }

    /// Checks every run, and says what the sweep is, as JSON.
    fn explain(&self, py: Python) -> PyResult<String> {
        let explained = apart(py, |stop| self.sweep.explain_unless(&stop))?.or_raise()?;
        Ok(serde_json::json!(explained).to_string())
    }

    /// How far the sweep is, as JSON.
    fn status(&self, py: Python, out: PathBuf) -> PyResult<String> {
        let sweep = Arc::clone(&self.sweep);
        let status = aside(py, move |_| status(&sweep, &out))?.or_raise()?;
        Ok(serde_json::json!(status).to_string())
    }

    /// The numbers of the shards without a part, those that take long first, each with its estimated seconds.
    fn missing(&self, py: Python, out: PathBuf) -> PyResult<Vec<(usize, f64)>> {
        let missing = self.left(py, &out)?;
        let costs = missing
            .into_iter()
            .map(|number| (number, self.sweep.shards[number].cost));
        Ok(costs.collect())
    }

    /// Runs one shard and writes its part; false: it was there.
    fn write(&self, py: Python, number: usize, out: PathBuf) -> PyResult<bool> {
        let sweep = Arc::clone(&self.sweep);
        apart(py, move |stop| sweep.write(number, &out, Some(stop)))?.or_raise()
    }

    /// Runs all that is missing on some threads. `progress` takes runs that are done and their number.
    #[pyo3(signature = (out, jobs, memory, progress))]
    fn work(
        &self,
        py: Python,
        out: PathBuf,
        jobs: usize,
        memory: Option<u64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let missing = self.left(py, &out)?;
        let shards = missing.iter().map(|number| &self.sweep.shards[*number]);
        let runs: usize = shards.map(|shard| shard.runs.len()).sum();
        let progress = progress.map(|function| Progress::new(function, Some(runs as u64)));
        let tell = |told: WorkEvent| {
            if let (WorkEvent::Ran { .. }, Some(progress)) = (told, &progress) {
                progress.add(1);
            }
        };
        let sweep = Arc::clone(&self.sweep);
        let worked = apart(py, |stop| {
            let work = Work {
                folder: out,
                jobs,
                memory,
                finish: StopFlag::default(),
                stop: Some(stop),
            };
            sweep.work(0..sweep.shards.len(), &work, tell)
        })?;
        worked.or_raise()?;
        if let Some(progress) = &progress {
            progress.end();
        }
        Ok(())
    }

    /// All rows, in the order of the plan.
    fn merge(&self, py: Python, out: PathBuf, partial: bool) -> PyResult<Results> {
        let sweep = Arc::clone(&self.sweep);
        let merged = aside(py, move |_| {
            let table = sweep.table(&out, partial)?;
            Ok(Results::of(table, &Catalogue::built_in()))
        })?;
        merged.map_err(|error: SweepError| error).or_raise()
    }

    /// The number of shards.
    fn __len__(&self) -> usize {
        self.sweep.shards.len()
    }

    /// The number of runs of a shard.
    fn runs(&self, number: usize) -> usize {
        self.sweep
            .shards
            .get(number)
            .map_or(0, |shard| shard.runs.len())
    }
}
