//! Traces: read from files, or made of columns, workloads and samples.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::UInt8Type;
use arrow_array::{Array, ArrayRef, RecordBatch, UInt16Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use ssdlab_arguments::{ReadArgs, values};
use ssdlab_characterise::{BYTES_PER_PAGE, Profile, ProfileOptions};
use ssdlab_convert::{Kept, Rate, Sample};
use ssdlab_host::Request;
use ssdlab_sim::{SimError, StopFlag, Trace as Loaded, free_memory, trace_warnings};
use ssdlab_trace::{TableOptions, Watch, summarised};
use ssdlab_words::shown_path;

use crate::arrow::{Stream, stream_of};
use crate::columns::{Columns, Meaning, ROLES, Wrong, column, is_absolute, requests};
use crate::errors::{OrRaise, Said};
use crate::interrupt::apart;
use crate::progress::Progress;

/// Rows of a batch of Arrow.
const BATCH: usize = 1 << 16;

/// Requests of a host, in memory or read from their file for each pass.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Trace {
    pub loaded: Arc<Loaded>,
    /// Its file, with the words that say how to read it.
    file: Option<File>,
}

/// A file, and the options with which it was read, such as `--format=msr`.
type File = (PathBuf, Vec<String>);

impl Trace {
    fn of(loaded: Loaded, file: Option<File>) -> Self {
        let loaded = Arc::new(loaded);
        Self { loaded, file }
    }

    fn in_memory(name: &str, mut requests: Vec<Request>, shifts: bool) -> Self {
        let summary = summarised(name, &mut requests, shifts);
        Self::of(Loaded::summed_up(summary, requests), None)
    }

    /// The same requests for one run, which tells `watcher` every few thousand of them how many have passed.
    pub fn watched(&self, watcher: impl Fn(u64) + Send + Sync + 'static) -> Loaded {
        let mut loaded = Loaded::clone(&self.loaded);
        loaded.watched_by(Watch::new(move |passed| watcher(passed.requests)));
        loaded
    }
}

#[pymethods]
impl Trace {
    /// Reads a file, in any format; `words` are options such as `--format=msr`. It is kept in memory (24 bytes a request)
    /// if it takes at most `memory` bytes, by default a quarter of what is free.
    #[staticmethod]
    #[pyo3(signature = (path, words, memory, progress))]
    fn open(
        py: Python,
        path: PathBuf,
        words: Vec<String>,
        memory: Option<u64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let read =
            ReadArgs::parse(&words).map_err(|why| PyErr::from(Said::of("TraceError", why)))?;
        let progress = progress.map(|function| Progress::new(function, None));
        let watch = match progress.clone() {
            Some(progress) => Watch::new(move |passed| progress.add(passed.requests)),
            None => Watch::default(),
        };
        let memory = memory.unwrap_or_else(|| free_memory().unwrap_or(u64::MAX) / 4);
        let loaded = apart(py, |stop| {
            let options = read.options(watch.stopped_by(stop));
            Loaded::load(&path, &options, memory)
        })?;
        let mut loaded = loaded.or_raise()?;
        loaded.watched_by(Watch::default());
        if let Some(progress) = progress {
            progress.end();
        }
        Ok(Self::of(loaded, Some((path, words))))
    }

    /// Takes a table with `__arrow_c_stream__`, or columns by role (`time`, `op`, `offset`, `size`, perhaps `stream`).
    #[staticmethod]
    #[pyo3(signature = (table, columns, names, time_ns, offset_unit, size_unit, ops, name))]
    #[expect(clippy::too_many_arguments, reason = "Python has named ones")]
    fn of_columns(
        py: Python,
        table: Option<Bound<PyAny>>,
        columns: Vec<(String, Bound<PyAny>)>,
        names: [String; 5],
        time_ns: f64,
        offset_unit: u64,
        size_unit: u64,
        ops: Option<String>,
        name: &str,
    ) -> PyResult<Self> {
        let ops = match ops.as_deref() {
            Some(ops) => TableOptions::parse_ops(ops)
                .map_err(|why| PyErr::from(Said::of("TraceError", format!("ops: {why}"))))?,
            None => Vec::new(),
        };
        let meaning = Meaning {
            names,
            time: time_ns,
            offset: offset_unit,
            size: size_unit,
            ops,
        };
        let mut all = Vec::new();
        let mut absolute = false;
        let mut add = |columns: &Columns| -> Result<(), Wrong> {
            absolute |= is_absolute(columns.time.data_type());
            requests(columns, &meaning, &mut all)
        };
        if let Some(table) = table {
            let reader = stream_of(&table)?;
            let names = meaning.names.clone();
            let added = py.detach(move || -> Result<(), PyErr> {
                for batch in reader {
                    let batch = batch.map_err(|error| {
                        PyErr::from(Said::of("TraceError", format!("{name}: {error}")))
                    })?;
                    let columns =
                        of_batch(&batch, &names).map_err(|wrong| wrong_column(name, wrong))?;
                    add(&columns).map_err(|wrong| wrong_column(name, wrong))?;
                    Python::attach(|py| py.check_signals())?;
                }
                Ok(())
            });
            added?;
        } else {
            let columns = of_arrays(&columns).map_err(|wrong| wrong_column(name, wrong))?;
            let added = py.detach(|| add(&columns));
            added.map_err(|wrong| wrong_column(name, wrong))?;
        }
        Ok(py.detach(|| Self::in_memory(name, all, absolute)))
    }

    /// Makes a workload that words describe, as `trace generate` takes them.
    #[staticmethod]
    fn generate(py: Python, words: &str) -> PyResult<Self> {
        let requests = apart(py, |stop| -> Result<Vec<Request>, String> {
            let goes_on = |_: &Request| !stop.load(Ordering::Relaxed);
            Ok(ssdlab_workload::requests(words)?
                .take_while(goes_on)
                .collect())
        })?;
        let requests = requests.map_err(|why| PyErr::from(Said::of("ConfigError", why)))?;
        Ok(Self::in_memory(words, requests, false))
    }

    /// A spatial sample: a share such as `1/16` of the groups of addresses. Returns the trace and the groups there are,
    /// kept, and their size in bytes.
    fn sample(
        &self,
        py: Python,
        rate: &str,
        seed: u64,
        group: u64,
    ) -> PyResult<(Self, (u64, u64, u64))> {
        let rate = Rate::parse(rate).ok_or_else(|| {
            PyErr::from(Said::of(
                "ConfigError",
                format!(
                    "rate = {rate:?}: must be a share above 0, at most 1, such as 1/16, 0.05 or 5%"
                ),
            ))
        })?;
        let group = checked("group", group, values::sectors)?;
        let sample = Sample { rate, seed, group };
        let trace = Arc::clone(&self.loaded);
        let sampled = apart(py, move |stop| -> Result<(Vec<Request>, Kept), SimError> {
            sample.requests(|visit| trace.each_unless(&stop, |request| visit(request)))
        })?;
        let (requests, kept) = sampled.or_raise()?;
        let trace = Self::in_memory(&self.loaded.summary.name, requests, false);
        Ok((trace, (kept.groups, kept.groups_kept, kept.group)))
    }

    /// What the workload is for flash, as JSON.
    fn info(&self, py: Python, page_size: u64, erase_block: u64) -> PyResult<String> {
        let most = free_memory().unwrap_or(1 << 30) / BYTES_PER_PAGE;
        let options = ProfileOptions {
            page_size: checked("page_size", page_size, values::page_size)?,
            erase_block: checked("erase_block", erase_block, values::erase_block)?,
            most_pages: usize::try_from(most).unwrap_or(usize::MAX),
        };
        let trace = Arc::clone(&self.loaded);
        let report = apart(py, move |stop| {
            let mut profile = Profile::new(&options);
            let mut wrong = None;
            trace.each_unless(&stop, |request| {
                if wrong.is_none() {
                    wrong = profile.add(request).err();
                }
            })?;
            Ok(match wrong {
                Some(wrong) => Err(wrong.to_string()),
                None => Ok(profile.finish()),
            })
        })?;
        let report = report.map_err(|error: SimError| error).or_raise()?;
        let report = report.map_err(|why| PyErr::from(Said::of("TraceError", why)))?;
        let mut json = serde_json::json!(self.loaded.summary);
        json["info"] = serde_json::json!(report);
        Ok(json.to_string())
    }

    /// All requests as a table: `time` (ns), `op` (R, W, F, D), `offset` and `size` (bytes), `stream`.
    fn table(&self, py: Python) -> PyResult<Stream> {
        let trace = Arc::clone(&self.loaded);
        apart(py, move |stop| table(&trace, &stop))?.or_raise()
    }

    /// The words with which a command reads it: options and its path. What has no file has its name alone.
    fn words(&self) -> Vec<String> {
        let options = self.file.iter().flat_map(|(_, words)| words);
        let mut path = self.file.iter().map(|(path, _)| shown_path(path));
        let name = path.next_back().unwrap_or_else(|| named(self));
        options.cloned().chain([name]).collect()
    }

    /// The number of requests.
    #[getter]
    fn requests(&self) -> u64 {
        self.loaded.summary.requests
    }

    /// The first byte behind all requests.
    #[getter]
    fn end(&self) -> u64 {
        self.loaded.summary.end
    }

    /// The time from the first request to the last, ns.
    #[getter]
    fn duration(&self) -> u64 {
        self.loaded.summary.span_ns()
    }

    /// Whether the file is read for each pass.
    #[getter]
    fn is_streamed(&self) -> bool {
        self.loaded.is_streamed()
    }

    /// The summary as JSON.
    fn summary(&self) -> String {
        serde_json::json!(self.loaded.summary).to_string()
    }

    /// What to know about it, one sentence each.
    fn warnings(&self) -> Vec<String> {
        trace_warnings(&self.loaded.summary)
    }
}

/// The size that an argument gives, as an option of the command line takes it.
fn checked(
    argument: &str,
    size: u64,
    value: fn(&str) -> Result<u64, String>,
) -> Result<u64, PyErr> {
    value(&size.to_string()).map_err(|why| {
        let what = format!("{argument} = {size}: {why}");
        Said::of("ConfigError", what).of_key(argument).into()
    })
}

fn wrong_column(name: &str, wrong: Wrong) -> PyErr {
    let row = wrong
        .row
        .map(|row| format!(", row {row}"))
        .unwrap_or_default();
    Said::of(
        "TraceError",
        format!("{name}, column {:?}{row}: {}", wrong.column, wrong.what),
    )
    .of_key(wrong.column)
    .into()
}

fn of_batch(batch: &RecordBatch, names: &[String; 5]) -> Result<Columns, Wrong> {
    let schema = batch.schema();
    let known: Vec<&str> = schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    let column = |role: usize| {
        batch
            .column_by_name(&names[role])
            .cloned()
            .ok_or_else(|| Wrong {
                column: names[role].clone(),
                row: None,
                what: format!(
                    "there is none, the columns are {}; name it with {}=",
                    known.join(", "),
                    ROLES[role]
                ),
            })
    };
    Ok(Columns {
        time: column(0)?,
        op: column(1)?,
        offset: column(2)?,
        size: column(3)?,
        stream: column(4).ok(),
    })
}

fn of_arrays(columns: &[(String, Bound<PyAny>)]) -> Result<Columns, Wrong> {
    let wrong = |name: &str, what: String| Wrong {
        column: name.to_owned(),
        row: None,
        what,
    };
    let find = |name: &str| -> Result<Option<ArrayRef>, Wrong> {
        let found = columns.iter().find(|(known, _)| known == name);
        found
            .map(|(_, object)| column(object).map_err(|what| wrong(name, what)))
            .transpose()
    };
    let need = |name: &str| find(name)?.ok_or_else(|| wrong(name, "there is none".into()));
    let columns = Columns {
        time: need("time")?,
        op: need("op")?,
        offset: need("offset")?,
        size: need("size")?,
        stream: find("stream")?,
    };
    let rows = columns.time.len();
    let others = [&columns.op, &columns.offset, &columns.size];
    let others = others.into_iter().chain(&columns.stream);
    for (role, other) in ROLES[1..].iter().zip(others) {
        if other.len() != rows {
            let what = format!("{} values; the column time has {rows}", other.len());
            return Err(wrong(role, what));
        }
    }
    Ok(columns)
}

/// The requests as batches.
fn table(trace: &Loaded, stop: &StopFlag) -> Result<Stream, SimError> {
    let op = DataType::Dictionary(Box::new(DataType::UInt8), Box::new(DataType::Utf8));
    let schema = Arc::new(Schema::new(vec![
        Field::new("time", DataType::UInt64, false),
        Field::new("op", op, false),
        Field::new("offset", DataType::UInt64, false),
        Field::new("size", DataType::UInt64, false),
        Field::new("stream", DataType::UInt16, false),
    ]));
    let mut batches = Vec::new();
    let mut rows: Vec<Request> = Vec::with_capacity(BATCH);
    let batch = |rows: &mut Vec<Request>| {
        let mut ops = StringDictionaryBuilder::<UInt8Type>::new();
        let mut letter = [0; 4];
        for row in rows.iter() {
            ops.append_value(&*row.op().letter().encode_utf8(&mut letter));
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(UInt64Array::from_iter_values(
                rows.iter().map(|row| row.time_ns),
            )),
            Arc::new(ops.finish()),
            Arc::new(UInt64Array::from_iter_values(
                rows.iter().map(|row| row.offset),
            )),
            Arc::new(UInt64Array::from_iter_values(
                rows.iter().map(Request::size),
            )),
            Arc::new(UInt16Array::from_iter_values(
                rows.iter().map(Request::stream),
            )),
        ];
        rows.clear();
        RecordBatch::try_new(schema.clone(), columns).expect("columns of the schema")
    };
    trace.each_unless(stop, |request| {
        rows.push(*request);
        if rows.len() == BATCH {
            batches.push(batch(&mut rows));
        }
    })?;
    if !rows.is_empty() {
        batches.push(batch(&mut rows));
    }
    Ok(Stream::new(schema.clone(), batches))
}

/// The name of a trace in results: its path as it was given with the options of reading, or what made it.
pub fn named(trace: &Trace) -> String {
    match &trace.file {
        Some((path, words)) => [&[shown_path(path)], &words[..]].concat().join(" "),
        None => trace.loaded.summary.name.clone(),
    }
}
