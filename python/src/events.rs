//! The events of a run as a table.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::prelude::*;
use serde_json::Value;
use ssdlab_ftl::{Context, Event, Events};
use ssdlab_sim::{Replay, RunOptions, SimError, run_loaded};

use crate::arrow::Stream;
use crate::device::Device;
use crate::errors::{OrRaise, Said};
use crate::interrupt::apart_with;
use crate::policies::Ending;
use crate::trace::Trace;

/// What a device did on a trace, event by event: the first `most` of them, after which the run ends.
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
    let kept: Arc<Mutex<Kept>> = Arc::default();
    let (into, full) = (Arc::clone(&kept), ending.clone());
    let keep = move |context: &Context, event: &Event| {
        let mut kept = into.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.rows < most {
            kept.add(context, event);
        } else {
            full.end();
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
            stop: Some(ending.stop.clone()),
            ..RunOptions::new(&lab)
        };
        run_loaded(config, &loaded, options)
    })?;
    match ending.of(ran)? {
        Err(SimError::Stopped) => {}
        ran => drop(ran.or_raise()?),
    }
    let kept = std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
    let table = kept.table();
    table.map_err(|error| Said::of("ResultsError", error.to_string()).into())
}

/// Events by column, as their names and types come.
#[derive(Default)]
struct Kept {
    rows: usize,
    columns: Vec<(String, Cells)>,
}

/// The cells of a column; those behind its last value are not there.
enum Cells {
    Numbers(Vec<Option<i64>>),
    Words(Vec<Option<String>>),
    Flags(Vec<Option<bool>>),
    Lists(Vec<Option<Vec<i64>>>),
}

impl Kept {
    fn add(&mut self, context: &Context, event: &Event) {
        for part in [serde_json::json!(context), serde_json::json!(event)] {
            let Value::Object(part) = part else { continue };
            for (name, value) in part {
                self.set(&name, value);
            }
        }
        self.rows += 1;
    }

    /// Sets a cell of the row that is being added.
    fn set(&mut self, name: &str, value: Value) {
        let known = self.columns.iter().position(|(known, _)| known == name);
        let place = known.or_else(|| {
            let cells = match value {
                Value::Number(_) => Cells::Numbers(Vec::new()),
                Value::String(_) => Cells::Words(Vec::new()),
                Value::Bool(_) => Cells::Flags(Vec::new()),
                Value::Array(_) => Cells::Lists(Vec::new()),
                // its type is not known yet
                Value::Null | Value::Object(_) => return None,
            };
            self.columns.push((name.to_owned(), cells));
            Some(self.columns.len() - 1)
        });
        let Some(place) = place else { return };
        match (&mut self.columns[place].1, value) {
            (Cells::Numbers(cells), value) => put(cells, self.rows, value.as_i64()),
            (Cells::Words(cells), Value::String(word)) => put(cells, self.rows, Some(word)),
            (Cells::Flags(cells), value) => put(cells, self.rows, value.as_bool()),
            (Cells::Lists(cells), Value::Array(list)) => {
                let list = list.iter().filter_map(Value::as_i64).collect();
                put(cells, self.rows, Some(list));
            }
            _ => {}
        }
    }

    fn table(self) -> Result<Stream, ArrowError> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (name, cells) in self.columns {
            let array = cells.array(self.rows);
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), arrays)?;
        Ok(Stream::new(schema, vec![batch]))
    }
}

fn put<T: Clone>(cells: &mut Vec<Option<T>>, row: usize, value: Option<T>) {
    cells.resize(row, None);
    cells.push(value);
}

impl Cells {
    fn array(self, rows: usize) -> ArrayRef {
        match self {
            Cells::Numbers(mut cells) => {
                cells.resize(rows, None);
                Arc::new(Int64Array::from(cells))
            }
            Cells::Words(mut cells) => {
                cells.resize(rows, None);
                Arc::new(StringArray::from(cells))
            }
            Cells::Flags(mut cells) => {
                cells.resize(rows, None);
                Arc::new(BooleanArray::from(cells))
            }
            Cells::Lists(mut cells) => {
                cells.resize(rows, None);
                let item = Field::new("item", DataType::Int64, true);
                let mut lists = ListBuilder::new(Int64Builder::new()).with_field(item);
                for list in cells {
                    lists.append_option(list.map(|list| list.into_iter().map(Some)));
                }
                Arc::new(lists.finish())
            }
        }
    }
}
