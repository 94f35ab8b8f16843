//! The row of a run.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use ssdlab_config::{Config, Value};
use ssdlab_device::Figures;
use ssdlab_sim::{Outcome, Replay};

use crate::cell::{Cell, Type};
use crate::schema::{Column, Role, Schema};

/// Where a run comes from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The trace: its path as it was given, or what made it.
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
    /// The command that repeats the run.
    pub command: String,
}

/// A run: what ran, and what came of it.
pub struct Run<'a> {
    /// Where it comes from.
    pub origin: &'a Origin,
    /// The device; its capacity must be known.
    pub config: &'a Config,
    /// The results.
    pub outcome: &'a Outcome,
    /// The figures.
    pub figures: &'a Figures,
}

impl Run<'_> {
    /// The cells of its row.
    pub fn cells(&self, schema: &Schema) -> Vec<Cell> {
        let effective: BTreeMap<&str, &Value> = (self.config.effective())
            .map(|(key, value)| (key.path, value))
            .collect();
        let counters: BTreeMap<_, _> = self.outcome.counters.entries().into_iter().collect();
        let results = self.outcome.results();
        let cell = |column: &Column| match column.role {
            Role::Workload => self.workload(&column.name),
            Role::Key => effective
                .get(column.of)
                .map_or(Cell::Null, |value| of_value(value, column.kind)),
            Role::Counter => counters[column.of].into(),
            Role::Figure => {
                let figure = self.figures.named(column.of);
                let value = figure.and_then(|figure| (figure.value)(&results));
                value.filter(|value| value.is_finite()).into()
            }
            Role::Origin => self.origin(&column.name, &effective),
        };
        schema.columns().iter().map(cell).collect()
    }

    fn workload(&self, name: &str) -> Cell {
        let (origin, trace) = (self.origin, &self.outcome.trace);
        match name {
            "trace" => origin.trace.as_str().into(),
            "trace_sha256" => trace.sha256.clone().into(),
            "trace_format" => trace.format.into(),
            "trace_set" => origin.set.clone().into(),
            "trace_licence" => origin.licence.clone().into(),
            "trace_requests" => trace.requests.into(),
            "seed" => origin.seed.into(),
            "system" => origin.system.clone().into(),
            "wrap" => origin.replay.wrap.into(),
            "compact" => origin.replay.compact.into(),
            "loops" => u64::from(self.outcome.steady_state.replays).into(),
            "steady" => self.outcome.steady_state.steady.into(),
            _ => unreachable!("a column of the workload: {name}"),
        }
    }

    fn origin(&self, name: &str, effective: &BTreeMap<&str, &Value>) -> Cell {
        let state = &self.outcome.steady_state;
        match name {
            "placed" => (self.outcome.placed.as_ref())
                .and_then(|placed| serde_json::to_string(placed).ok())
                .into(),
            "doubt" => state.doubt().map(|doubt| doubt.of().to_owned()).into(),
            "warnings" => {
                let warnings = &self.outcome.warnings;
                (!warnings.is_empty()).then(|| warnings.join("\n")).into()
            }
            "config" => canonical(effective).into(),
            "version" => self.origin.version.as_str().into(),
            "command" => self.origin.command.as_str().into(),
            "run_id" => self.id(effective).into(),
            _ => unreachable!("a column of the origin: {name}"),
        }
    }

    /// The same for runs that must have the same results.
    fn id(&self, effective: &BTreeMap<&str, &Value>) -> String {
        let trace = &self.outcome.trace;
        let parts = [
            &self.origin.version,
            &self.origin.trace,
            trace.sha256.as_deref().unwrap_or_default(),
            &format!("{:?} {:?}", self.origin.replay, trace.limit),
            &canonical(effective),
        ];
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        ssdlab_words::hexadecimal(&hash.finalize()[..16])
    }
}

/// A configuration as one line of JSON: the keys that the run reads, sorted, sizes in bytes.
fn canonical(effective: &BTreeMap<&str, &Value>) -> String {
    let pairs = effective.iter();
    let object: serde_json::Map<String, Json> = pairs
        .map(|(path, value)| ((*path).to_owned(), value.to_json()))
        .collect();
    Json::Object(object).to_string()
}

fn of_value(value: &Value, kind: Type) -> Cell {
    match (value, kind) {
        (Value::Bool(on), _) => (*on).into(),
        (Value::Int(number), Type::Float) => (*number as f64).into(),
        (Value::Int(number), _) => Cell::Int(*number),
        (Value::Float(number), _) => (*number).into(),
        (Value::Text(text), _) => text.as_str().into(),
        (Value::List(_), _) => value.to_json().to_string().into(),
    }
}
