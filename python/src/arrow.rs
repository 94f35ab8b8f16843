//! Tables as streams of Arrow, in and out, through capsules (the Arrow PyCapsule interface).

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use ssdlab_results::{Cell, Table, Type};

const STREAM: &CStr = c"arrow_array_stream";

/// A table: anything that reads Arrow's streams takes it, as often as it likes.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Stream {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Stream {
    /// A table of batches with this schema.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }

    /// A table of results.
    pub fn of_table(table: &Table) -> Result<Self, ArrowError> {
        let (mut fields, mut columns) = (Vec::new(), Vec::new());
        for (name, kind) in table.columns() {
            let cells = table.column(name).unwrap_or_default();
            let (kind, column) = column(kind, cells);
            fields.push(Field::new(name, kind, true));
            columns.push(column);
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), columns)?;
        Ok(Self::new(schema, vec![batch]))
    }
}

fn column(kind: Type, cells: &[Cell]) -> (DataType, ArrayRef) {
    let cells = cells.iter();
    match kind {
        Type::Bool => {
            let on = |cell: &Cell| match cell {
                Cell::Bool(on) => Some(*on),
                _ => None,
            };
            let column: BooleanArray = cells.map(on).collect();
            (DataType::Boolean, Arc::new(column))
        }
        Type::Int => {
            let int = |cell: &Cell| match cell {
                Cell::Int(number) => Some(*number),
                _ => None,
            };
            let column: Int64Array = cells.map(int).collect();
            (DataType::Int64, Arc::new(column))
        }
        Type::Float => {
            let column: Float64Array = cells.map(Cell::number).collect();
            (DataType::Float64, Arc::new(column))
        }
        Type::Text => {
            let column: StringArray = cells.map(Cell::text).collect();
            (DataType::Utf8, Arc::new(column))
        }
    }
}

#[pymethods]
impl Stream {
    /// A capsule with a stream of all batches. The wanted schema is a wish that this table does not grant, as the interface
    /// allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, self.schema.clone());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        Ok(PyCapsule::new_with_value(py, stream, STREAM)?.into_any())
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Takes the stream of an object that has `__arrow_c_stream__`.
///
/// # Errors
/// It has none, or what it gives is no stream.
#[expect(
    unsafe_code,
    reason = "a capsule of this name holds such a stream: that is the interface"
)]
pub fn stream_of(object: &Bound<PyAny>) -> PyResult<ArrowArrayStreamReader> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule = capsule
        .cast_into::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("__arrow_c_stream__ gave no capsule"))?;
    let pointer = capsule.pointer_checked(Some(STREAM))?;
    // SAFETY: the name was checked; the stream is moved out, and the capsule keeps one that is released
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
    ArrowArrayStreamReader::try_new(stream)
        .map_err(|error| PyTypeError::new_err(format!("__arrow_c_stream__: {error}")))
}
