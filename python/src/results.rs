//! Tables of results: a row for each run.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use ssdlab_device::Catalogue;
use ssdlab_report::study::{StudyAbout, study_html};
use ssdlab_results::Table;
use ssdlab_study::{Study, read_table};

use crate::arrow::Stream;
use crate::errors::{OrRaise, Said};
use crate::pictures::{Wanted, picture, table};

/// Rows of results, and what they say together.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Results {
    table: Table,
    study: Study,
}

impl Results {
    /// A table with the columns of results of these systems.
    pub fn of(table: Table, systems: &Arc<Catalogue>) -> Self {
        let study = Study::of_table(table.clone(), systems);
        Self { table, study }
    }
}

#[pymethods]
impl Results {
    /// Reads what `ssdlab report` reads: folders of parts, tables in Parquet and CSV, files of `compare` and `run`.
    #[staticmethod]
    fn read(py: Python, paths: Vec<PathBuf>) -> PyResult<Self> {
        let systems = Catalogue::built_in();
        py.detach(|| {
            let table = read_table(&paths, &systems).or_raise()?;
            Ok(Self::of(table, &systems))
        })
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
        format: &str,
        width: f64,
    ) -> PyResult<(Vec<u8>, Vec<String>)> {
        py.detach(|| picture(&self.study, wanted, format, width))
    }

    /// A table of figures for papers in `tex`, `md` or `csv`, and what to know of it.
    fn figures(
        &self,
        py: Python,
        figures: Vec<String>,
        rows: Vec<String>,
        columns: Vec<String>,
        best: &str,
        format: &str,
    ) -> PyResult<(String, Vec<String>)> {
        py.detach(|| table(&self.study, figures, rows, columns, best, format))
    }

    /// The page of all rows.
    fn html(&self, py: Python, figures: Vec<String>, command: String) -> PyResult<String> {
        let about = StudyAbout {
            figures,
            command,
            version: crate::lab::version().into(),
        };
        py.detach(|| study_html(&self.study, &about)).or_raise()
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
