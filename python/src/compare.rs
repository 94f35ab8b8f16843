//! Comparisons.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;
use ssdlab_config::Config;
use ssdlab_device::Catalogue;
use ssdlab_report::{About, Look, cells, csv, html, json};
use ssdlab_results::{Compared as Rows, Origin, Schema};
use ssdlab_sim::{
    Axis, Choices, CompareOptions, Comparison as Compared, Figure, Figures, Lab, Lines, Replay,
    compare, how_long, how_replayed, what_helps, without_clocks,
};

use crate::device::Device;
use crate::errors::{OrRaise, Said};
use crate::interrupt::{apart_with, aside};
use crate::policies::Ending;
use crate::progress::tell;
use crate::results::Results;
use crate::trace::{Trace, named};

/// Many runs on one trace, and who wins.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Comparison {
    compared: Arc<Compared>,
    /// The device that the runs vary.
    base: Config,
    trace: Arc<ssdlab_sim::Trace>,
    /// Where its runs come from.
    origin: Origin,
    /// The systems that its devices could have.
    catalogue: Arc<Catalogue>,
}

/// What a comparison is to run, as Python gives it.
#[derive(FromPyObject)]
pub struct CompareArguments {
    buffers: Vec<String>,
    all_buffers: bool,
    sizes: Vec<String>,
    ram_total: Vec<u64>,
    ftls: Vec<String>,
    /// Keys with their values.
    vary: Vec<(String, Vec<String>)>,
    baseline: Option<String>,
    by: Option<String>,
    bounds: bool,
    advice: bool,
    settled: bool,
    wrap: bool,
    compact: bool,
    loops: u32,
    steady: bool,
    jobs: usize,
    memory: Option<u64>,
}

/// The figure that an argument names.
///
/// # Errors
/// There is none; all names.
pub fn figure(figures: &Figures, argument: &str, name: &str) -> PyResult<Figure> {
    figures.named(name).ok_or_else(|| {
        let names: Vec<&str> = figures.iter().map(|figure| figure.key).collect();
        let names = names.join(", ");
        let what = format!("{argument} = {name:?}: is no figure; must be one of {names}");
        Said::of("ConfigError", what).of_key(argument).into()
    })
}

impl CompareArguments {
    fn options(self, lab: &Lab, device: &Device, trace: &Trace) -> PyResult<CompareOptions> {
        let axis = |(key, values)| Axis { key, values };
        let choices = Choices {
            buffers: self.buffers,
            all_buffers: self.all_buffers,
            sizes: self.sizes,
            ram_total: self.ram_total,
            ftls: self.ftls,
            vary: self.vary.into_iter().map(axis).collect(),
            baseline: self.baseline,
        };
        let options = CompareOptions::new(lab, device.resolver(lab)?).or_today(&choices);
        let mut options = options.as_configured().or_raise()?;
        options.replay = Replay {
            wrap: self.wrap,
            compact: self.compact,
            loops: self.loops,
            steady: self.steady,
        };
        options.resolver.fit_capacity(!self.wrap);
        options.choose(&choices).or_raise()?;
        options.fit_today(&[&trace.loaded]).or_raise()?;
        let by = self.by.map(|name| figure(&lab.figures(), "by", &name));
        options.by = by.transpose()?;
        options.jobs = self.jobs;
        options.within = device.policies.within();
        options.memory = self.memory;
        options.bounds = self.bounds;
        options.advice = self.advice && !options.share_ram;
        options.settled |= self.settled;
        Ok(options)
    }
}

#[pymethods]
impl Comparison {
    /// Runs a comparison; `command` does the same. `progress` takes the runs that are done and their number.
    #[staticmethod]
    #[pyo3(signature = (device, trace, asked, command, progress))]
    fn run(
        py: Python,
        device: &Device,
        trace: &Trace,
        asked: CompareArguments,
        command: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let ending = Ending::default();
        let lab = device.policies.lab(&ending);
        let options = asked.options(&lab, device, trace)?;
        let signals = ending.clone();
        let loaded = trace.watched(move |_| signals.check());
        let done = AtomicU64::new(0);
        let told = |runs: usize| {
            // the first call comes before the first run
            let done = done.fetch_add(1, Ordering::Relaxed);
            if let Some(function) = &progress {
                tell(function, done, Some(runs as u64));
            }
        };
        let of = options.clone();
        let compared = apart_with(py, &ending.stop, || {
            let options = CompareOptions {
                stop: Some(ending.stop.clone()),
                ..of
            };
            compare(&loaded, &options, told)
        })?;
        let compared = ending.of(compared)?.or_raise()?;
        // all runs have the capacity that the first one has
        let ran = compared.rows.first().map(|row| &row.outcome.config);
        let capacity = ran.and_then(|config| config["flash"]["capacity"].as_u64());
        let base = options.resolver.resolve().or_raise()?;
        let base = match capacity {
            Some(sold) => base.sold(sold),
            None => base.with_capacity(trace.loaded.summary.end),
        };
        let origin = Origin {
            trace: named(trace),
            replay: options.replay,
            version: crate::lab::version().into(),
            command,
            ..Origin::default()
        };
        Ok(Self {
            compared: compared.into(),
            origin,
            base: base.or_raise()?,
            trace: Arc::clone(&trace.loaded),
            catalogue: lab.systems().catalogue(),
        })
    }

    /// The object that `ssdlab compare --json` writes.
    fn json(&self) -> PyResult<String> {
        self.rows(json)
    }

    /// The table that `ssdlab compare --csv` writes.
    fn csv(&self) -> PyResult<String> {
        self.rows(csv)
    }

    /// The table that `ssdlab compare` prints: titles, and rows of texts, each with its look (`plain`, `winner`, `loss`).
    /// `columns` are the figures; empty: the usual ones.
    #[expect(clippy::type_complexity, reason = "Python has no need of a name")]
    fn cells(
        &self,
        columns: Vec<String>,
    ) -> PyResult<(Vec<&'static str>, Vec<Vec<(String, &'static str)>>)> {
        let figures = self.columns(columns)?;
        let cells = cells(&self.compared, &figures);
        let look = |look| match look {
            Look::Plain => "plain",
            Look::Winner => "winner",
            Look::Loss => "loss",
        };
        let row =
            |row: Vec<(String, Look)>| row.into_iter().map(|(text, of)| (text, look(of))).collect();
        Ok((cells.header, cells.rows.into_iter().map(row).collect()))
    }

    /// What `ssdlab compare` says below its table, one line each.
    fn says(&self) -> Vec<String> {
        let compared = &self.compared;
        let lines = |lines: Lines| {
            lines
                .into_iter()
                .map(|(label, value)| format!("{label}: {value}"))
        };
        let missing = without_clocks(compared, &[]).map(|why| format!("-: {why}"));
        missing
            .into_iter()
            .chain(lines(how_replayed(compared)))
            .chain(lines(how_long(compared)))
            .chain(lines(what_helps(compared)))
            .chain([compared.sentence.clone()])
            .collect()
    }

    /// The device in words, as `ssdlab compare` has it in its first line.
    #[getter]
    fn device(&self) -> &str {
        &self.compared.device
    }

    /// The closing sentence.
    #[getter]
    fn sentence(&self) -> &str {
        &self.compared.sentence
    }

    /// What to know about all runs, one sentence each.
    fn warnings(&self) -> Vec<String> {
        self.compared.warnings.clone()
    }

    /// The page that `ssdlab compare` writes.
    fn html(&self, py: Python, columns: Vec<String>) -> PyResult<String> {
        let command = self.origin.command.clone();
        let summary = &self.trace.summary;
        let about = About {
            command: command.unwrap_or_else(|| "ssdlab.compare(…) in Python".into()),
            version: crate::lab::version().into(),
            config_toml: self.base.to_toml(),
            trace_lines: vec![
                (
                    "format".into(),
                    format!("{}: {}", summary.format, summary.format_reason),
                ),
                ("requests".into(), ssdlab_words::thousands(summary.requests)),
            ],
            columns: self.columns(columns)?,
        };
        let compared = Arc::clone(&self.compared);
        aside(py, move |_| html(&compared, &about))
    }

    /// The competitors as rows of results; bounds are left out.
    fn results(&self) -> PyResult<Results> {
        let table = self.rows(|rows| Ok(rows.results()))?;
        Ok(Results::of(table, &self.catalogue))
    }
}

impl Comparison {
    /// What is made of all rows.
    fn rows<T>(&self, of: impl Fn(&Rows) -> Result<T, String>) -> PyResult<T> {
        let rows = Rows {
            comparison: &self.compared,
            origin: &self.origin,
            schema: &Schema::of(&self.catalogue),
        };
        of(&rows).map_err(|error| Said::of("ResultsError", error).into())
    }

    fn columns(&self, names: Vec<String>) -> PyResult<Vec<Figure>> {
        let figures = &self.compared.figures;
        let names = names.iter();
        names.map(|name| figure(figures, "columns", name)).collect()
    }
}
