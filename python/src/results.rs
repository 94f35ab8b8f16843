//! Tables of results: a row for each run.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use ssdlab_device::Catalogue;
use ssdlab_report::study::{StudyAbout, study_html};
use ssdlab_results::Table;
use ssdlab_study::{Study, StudyError, read_table};

use crate::arrow::Stream;
use crate::errors::{OrRaise, Said};
use crate::interrupt::aside;
use crate::pictures::{Wanted, picture, table};

/// Rows of results, and what they say together.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Results {
    table: Table,
    study: Arc<Study>,
}

impl Results {
    /// A table with the columns of results of these systems.
    pub fn of(table: Table, systems: &Arc<Catalogue>) -> Self {
        let study = Study::of_table(table.clone(), systems).into();
        Self { table, study }
    }
}

#[pymethods]
impl Results {
    /// Reads what `ssdlab report` reads: folders of parts, tables in Parquet and CSV, files of `compare` and `run`.
    #[staticmethod]
    fn read(py: Python, paths: Vec<PathBuf>) -> PyResult<Self> {
        let read = aside(py, move |_| -> Result<Self, StudyError> {
            let systems = Catalogue::built_in();
            let table = read_table(&paths, &systems)?;
            Ok(Self::of(table, &systems))
        })?;
        read.or_raise()
    }

    /// The rows as a table of Arrow.
    fn stream(&self) -> PyResult<Stream> {
        Stream::of_table(&self.table)
            .map_err(|error| Said::of("ResultsError", error.to_string()).into())
    }

    /// A picture: its bytes, and what to know of it.
    fn picture(
        &self,
        py: Python,
        wanted: Wanted,
        format: String,
        width: f64,
    ) -> PyResult<(Vec<u8>, Vec<String>)> {
        let study = Arc::clone(&self.study);
        let made = aside(py, move |_| picture(&study, wanted, &format, width))?;
        made.map_err(PyErr::from)
    }

    /// A table of figures for papers in `tex`, `md` or `csv`, and what to know of it.
    fn figures(
        &self,
        py: Python,
        figures: Vec<String>,
        rows: Vec<String>,
        columns: Vec<String>,
        best: String,
        format: String,
    ) -> PyResult<(String, Vec<String>)> {
        let study = Arc::clone(&self.study);
        let made = aside(py, move |_| {
            table(&study, figures, rows, columns, &best, &format)
        })?;
        made.map_err(PyErr::from)
    }

    /// The page of all rows.
    fn html(&self, py: Python, figures: Vec<String>, command: String) -> PyResult<String> {
        let about = StudyAbout {
            figures,
            command,
            version: crate::lab::version().into(),
        };
        let study = Arc::clone(&self.study);
        aside(py, move |_| study_html(&study, &about))?.or_raise()
    }

    /// What varies: names of keys and other columns.
    fn axes(&self) -> Vec<String> {
        let axes = self.study.axes().into_iter();
        axes.map(|field| field.path).collect()
    }

    fn __len__(&self) -> usize {
        self.table.rows()
    }
}
