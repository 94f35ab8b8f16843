//! The events of a run as a table.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use serde_json::{Map, Value};
use ssdlab_ftl::{Context, Event, Events};
use ssdlab_sim::{Replay, RunOptions, run_loaded};

use crate::arrow::Stream;
use crate::device::Device;
use crate::errors::{OrRaise, Said};
use crate::interrupt::apart_with;
use crate::policies::Ending;
use crate::trace::Trace;

/// The columns that every event has, and those that some have, by their types.
const WORDS: [&str; 3] = ["event", "cause", "kind"];
const NUMBERS: [&str; 23] = [
    "request",
    "time_ns",
    "chip",
    "lpn",
    "pages",
    "hits",
    "misses",
    "lbn",
    "log",
    "data",
    "to",
    "valid_in_log",
    "valid_in_data",
    "valid_elsewhere",
    "copied",
    "from_buffer",
    "dropped",
    "erased",
    "benefit_ns",
    "cost_ns",
    "victim",
    "valid",
    "block",
];
const LISTS: [&str; 4] = ["dirty", "clean", "padding", "sizes"];

type Rows = Vec<Map<String, Value>>;

/// What a device did on a trace, event by event: at most `most` of them.
#[pyfunction]
pub fn events(
    py: Python,
    device: &Device,
    trace: &Trace,
    wrap: bool,
    compact: bool,
    most: usize,
) -> PyResult<Stream> {
    let ending = Ending::default();
    let lab = device.policies.lab(&ending);
    let config = device.resolver(&lab)?.resolve().or_raise()?;
    let loaded = Arc::clone(&trace.loaded);
    let rows: Arc<Mutex<Rows>> = Arc::default();
    let kept = Arc::clone(&rows);
    let keep = move |context: &Context, event: &Event| {
        let mut rows = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if rows.len() < most {
            let parts = [serde_json::json!(context), serde_json::json!(event)];
            let parts = parts.into_iter().filter_map(|part| match part {
                Value::Object(part) => Some(part),
                _ => None,
            });
            rows.push(parts.flatten().collect());
        }
    };
    let ran = apart_with(py, &ending.stop, || {
        let options = RunOptions {
            replay: Replay {
                wrap,
                compact,
                ..Replay::default()
            },
            events: Events::to(keep),
            registered: lab.systems().clone(),
            stop: Some(ending.stop.clone()),
            ..RunOptions::default()
        };
        run_loaded(config, &loaded, options)
    })?;
    ending.of(ran)?.or_raise()?;
    let rows = std::mem::take(&mut *rows.lock().unwrap_or_else(PoisonError::into_inner));
    table(&rows).map_err(|error| Said::of("ResultsError", error.to_string()).into())
}

/// The columns that some row has.
fn table(rows: &Rows) -> Result<Stream, arrow_schema::ArrowError> {
    let (mut fields, mut columns): (Vec<Field>, Vec<ArrayRef>) = (Vec::new(), Vec::new());
    let is_known = |name: &str| rows.iter().any(|row| row.contains_key(name));
    let mut add = |name: &str, column: ArrayRef| {
        fields.push(Field::new(name, column.data_type().clone(), true));
        columns.push(column);
    };
    for name in NUMBERS.into_iter().filter(|name| is_known(name)) {
        let numbers = rows.iter().map(|row| row.get(name).and_then(Value::as_i64));
        add(name, Arc::new(numbers.collect::<Int64Array>()));
        if name == "request" {
            for word in WORDS.into_iter().filter(|word| is_known(word)) {
                let words = rows.iter().map(|row| row.get(word).and_then(Value::as_str));
                add(word, Arc::new(words.collect::<StringArray>()));
            }
        }
    }
    if is_known("aware") {
        let aware = rows
            .iter()
            .map(|row| row.get("aware").and_then(Value::as_bool));
        add("aware", Arc::new(aware.collect::<BooleanArray>()));
    }
    for name in LISTS.into_iter().filter(|name| is_known(name)) {
        let item = Field::new("item", DataType::Int64, true);
        let mut lists = ListBuilder::new(Int64Builder::new()).with_field(item);
        for row in rows {
            let list = row.get(name).and_then(Value::as_array);
            list.into_iter()
                .flatten()
                .for_each(|number| lists.values().append_option(number.as_i64()));
            lists.append(list.is_some());
        }
        add(name, Arc::new(lists.finish()));
    }
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), columns)?;
    Ok(Stream::new(schema, vec![batch]))
}
