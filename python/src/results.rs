//! Tables of results: a row for each run.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use ssdlab_analysis::{Analysis, AnalysisError, read_table};
use ssdlab_device::Catalogue;
use ssdlab_report::analysis::{AnalysisAbout, analysis_html};
use ssdlab_results::Table;

use crate::arrow::Stream;
use crate::errors::{OrRaise, Said};
use crate::interrupt::aside;
use crate::pictures::{Wanted, picture, table};

/// Rows of results, and what they say together.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Results {
    table: Table,
    analysis: Arc<Analysis>,
}

impl Results {
    /// A table with the columns of results of these systems.
    pub fn of(table: Table, systems: &Arc<Catalogue>) -> Self {
        let analysis = Analysis::of_table(table.clone(), systems).into();
        Self { table, analysis }
    }
}

#[pymethods]
impl Results {
    /// Reads what `ssdlab report` reads: folders of parts, tables in Parquet and CSV, files of `compare` and `run`.
    #[staticmethod]
    fn read(py: Python, paths: Vec<PathBuf>) -> PyResult<Self> {
        let read = aside(py, move |_| -> Result<Self, AnalysisError> {
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
        let analysis = Arc::clone(&self.analysis);
        let made = aside(py, move |_| picture(&analysis, wanted, &format, width))?;
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
        let analysis = Arc::clone(&self.analysis);
        let made = aside(py, move |_| {
            table(&analysis, figures, rows, columns, &best, &format)
        })?;
        made.map_err(PyErr::from)
    }

    /// The page of all rows.
    fn html(&self, py: Python, figures: Vec<String>, command: String) -> PyResult<String> {
        let about = AnalysisAbout {
            figures,
            command,
            version: crate::lab::version().into(),
        };
        let analysis = Arc::clone(&self.analysis);
        aside(py, move |_| analysis_html(&analysis, &about))?.or_raise()
    }

    /// What varies: names of keys and other columns.
    fn axes(&self) -> Vec<String> {
        let axes = self.analysis.axes().into_iter();
        axes.map(|field| field.path).collect()
    }

    fn __len__(&self) -> usize {
        self.table.rows()
    }
}
