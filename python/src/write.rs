//! Files that Python writes.

use std::io::Write;
use std::path::PathBuf;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use ssdlab_output::{Files, OutputError};

/// Writes a file, which has its name when it is complete. Links of others in a folder that all can write are not followed.
#[pyfunction]
pub fn write_file(path: PathBuf, data: &[u8]) -> PyResult<()> {
    let write = || -> Result<(), OutputError> {
        let mut file = Files::default().create(ssdlab_words::shown_path(&path), &path)?;
        let written = file.write_all(data);
        written.map_err(|error| OutputError::Failed {
            path: path.clone(),
            error,
        })?;
        file.finish().map(drop)
    };
    write().map_err(|error| match error {
        // with the class of its number, and the name of the file
        OutputError::Failed { error, .. } if error.raw_os_error().is_some() => {
            let text = error.to_string();
            let words = text
                .split(" (os error")
                .next()
                .unwrap_or_default()
                .to_owned();
            PyOSError::new_err((error.raw_os_error(), words, path.clone()))
        }
        other => PyOSError::new_err(other.to_string()),
    })
}
