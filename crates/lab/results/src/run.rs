//! The row of a run.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use ssdlab_config::Value;
use ssdlab_device::results::Results;
use ssdlab_sim::{Outcome, Replay, State};

use crate::cell::{Cell, Type};
use crate::schema::{Schema, Source};

/// Where a run comes from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The trace: its path as it was given, with the options of reading, or what made it.
    pub trace: String,
    /// The public set that the trace is of.
    pub set: Option<String>,
    /// The licence of the trace.
    pub licence: Option<String>,
    /// The seed of a generated trace.
    pub seed: Option<u64>,
    /// The name of the combination of settings.
    pub system: Option<String>,
    /// How the trace was replayed.
    pub replay: Replay,
    /// The version of the program.
    pub version: String,
    /// The command that repeats the run; `None`: it cannot be told.
    pub command: Option<String>,
}

/// A run: what ran, and what came of it.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Where it comes from.
    pub origin: &'a Origin,
    /// The results.
    pub outcome: &'a Outcome,
}

impl Run<'_> {
    /// The cells of its row.
    pub fn cells(&self, schema: &Schema) -> Vec<Cell> {
        let facts = Facts::of(self);
        let columns = schema.columns().iter();
        columns.map(|column| column.cell(&facts)).collect()
    }

    /// The object that `ssdlab run --json` prints: the report of the run, and its row of results as `row`.
    ///
    /// # Errors
    /// The error of the encoder.
    pub fn json(&self, schema: &Schema) -> serde_json::Result<Json> {
        let mut report = serde_json::to_value(self.outcome)?;
        report["row"] = schema.json(&self.cells(schema)).into();
        Ok(report)
    }
}

/// What the cells of a row are made of.
pub(crate) struct Facts<'a> {
    origin: &'a Origin,
    outcome: &'a Outcome,
    /// The keys that the run reads, sorted.
    keys: BTreeMap<&'static str, &'a Value>,
    pub counters: Vec<(&'static str, u64)>,
    pub results: Results<'a>,
}

/// A column: its name, its type, and what makes its cells.
type Fixed = (&'static str, Type, Source);

/// The workload.
pub(crate) const WORKLOAD: [Fixed; 12] = [
    (
        "trace",
        Type::Text,
        Source::Fact(|f| f.origin.trace.as_str().into()),
    ),
    (
        "trace_sha256",
        Type::Text,
        Source::Fact(|f| f.outcome.trace.sha256.clone().into()),
    ),
    (
        "trace_format",
        Type::Text,
        Source::Fact(|f| f.outcome.trace.format.into()),
    ),
    (
        "trace_set",
        Type::Text,
        Source::Fact(|f| f.origin.set.clone().into()),
    ),
    (
        "trace_licence",
        Type::Text,
        Source::Fact(|f| f.origin.licence.clone().into()),
    ),
    (
        "trace_requests",
        Type::Int,
        Source::Fact(|f| f.outcome.trace.requests.into()),
    ),
    ("seed", Type::Int, Source::Fact(|f| f.origin.seed.into())),
    (
        "system",
        Type::Text,
        Source::Fact(|f| f.origin.system.clone().into()),
    ),
    (
        "wrap",
        Type::Bool,
        Source::Fact(|f| f.origin.replay.wrap.into()),
    ),
    (
        "compact",
        Type::Bool,
        Source::Fact(|f| f.origin.replay.compact.into()),
    ),
    (
        "loops",
        Type::Int,
        Source::Fact(|f| u64::from(f.outcome.steady_state.replays).into()),
    ),
    (
        "steady",
        Type::Bool,
        Source::Fact(|f| f.outcome.steady_state.steady.into()),
    ),
];

/// The origin.
pub(crate) const ORIGIN: [Fixed; 7] = [
    ("placed", Type::Text, Source::Json(|f| f.placed())),
    ("doubt", Type::Text, Source::Fact(|f| f.doubt())),
    ("warnings", Type::Text, Source::Fact(|f| f.warnings())),
    ("config", Type::Text, Source::Json(|f| f.config().into())),
    (
        "version",
        Type::Text,
        Source::Fact(|f| f.origin.version.as_str().into()),
    ),
    (
        "command",
        Type::Text,
        Source::Fact(|f| f.origin.command.clone().into()),
    ),
    ("run_id", Type::Text, Source::Fact(|f| f.id().into())),
];

impl<'a> Facts<'a> {
    fn of(run: &Run<'a>) -> Self {
        let outcome = run.outcome;
        Self {
            origin: run.origin,
            outcome,
            keys: outcome
                .keys
                .iter()
                .map(|(path, value)| (*path, value))
                .collect(),
            counters: outcome.counters.entries().to_vec(),
            results: outcome.results(),
        }
    }

    /// The value of a key that the run reads.
    pub fn key(&self, path: &str, kind: Type) -> Cell {
        match (self.keys.get(path), kind) {
            (None, _) => Cell::Null,
            (Some(Value::Bool(on)), _) => (*on).into(),
            (Some(Value::Int(number)), Type::Float) => (*number as f64).into(),
            (Some(Value::Int(number)), Type::Text) => number.to_string().as_str().into(),
            (Some(Value::Int(number)), _) => Cell::Int(*number),
            (Some(Value::Float(number)), _) => (*number).into(),
            (Some(Value::Text(text)), _) => text.as_str().into(),
            (Some(list @ Value::List(_)), _) => list.to_json().to_string().into(),
        }
    }

    fn placed(&self) -> Cell {
        let placed = self.outcome.placed.as_ref();
        let text = placed.and_then(|placed| serde_json::to_string(placed).ok());
        text.into()
    }

    fn doubt(&self) -> Cell {
        self.outcome.steady_state.doubt().map(State::of).into()
    }

    fn warnings(&self) -> Cell {
        let warnings = &self.outcome.warnings;
        (!warnings.is_empty()).then(|| warnings.join("\n")).into()
    }

    /// The configuration as one line of JSON: the keys that the run reads, sorted, sizes in bytes.
    fn config(&self) -> String {
        let pairs = self.keys.iter();
        let pairs = pairs.map(|(path, value)| ((*path).to_owned(), value.to_json()));
        Json::Object(pairs.collect()).to_string()
    }

    /// The same for runs that must have the same results; `None` if a part of a file was read, of which no sum is known.
    fn id(&self) -> Option<String> {
        let trace = &self.outcome.trace;
        if trace.limit.is_some() && trace.sha256.is_none() {
            return None;
        }
        let parts = [
            &self.origin.version,
            &self.origin.trace,
            trace.sha256.as_deref().unwrap_or_default(),
            &format!("{:?} {:?}", self.origin.replay, trace.limit),
            &self.config(),
        ];
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        Some(ssdlab_words::hexadecimal(&hash.finalize()[..16]))
    }
}
